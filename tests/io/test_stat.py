"""SPSS, Stata and SAS: missing codes, letters, dates and formats."""

from __future__ import annotations

import datetime as dt

import polars as pl
import pyreadstat
import pytest

from celosia import io
from celosia.core.dictionary import Dictionary, MissingKind, MissingRange, Variable
from celosia.core.errors import CelosiaWarning, FileError
from celosia.core.microdata import Microdata
from celosia.io import letters, spss_missing
from celosia.io.side import side_path

NA, NR = MissingKind.NOT_APPLICABLE, MissingKind.NON_RESPONSE


def with_missing(cells, **facts) -> Microdata:
    return Microdata(pl.DataFrame({"x": cells}), Dictionary.of(Variable(name="x", **facts)))


def declared(path):
    return pyreadstat.read_sav(path, user_missing=True, output_format="polars")[1].missing_ranges["x"]


def read_stata(path):
    return pyreadstat.read_dta(path, user_missing=True, output_format="polars")


class TestSpssMissing:
    def test_three_codes_stay_three_codes(self, tmp_path):
        io.write(with_missing([1, 97], missing={97: NR, 98: NR, 99: NA}), tmp_path / "d.sav")
        assert [span["lo"] for span in declared(tmp_path / "d.sav")] == [97, 98, 99]

    def test_four_codes_become_a_range_where_nothing_valid_lies_between(self, tmp_path):
        data = with_missing([1, 96, 99], missing={96: NR, 97: NR, 98: NR, 99: NA})
        io.write(data, tmp_path / "d.sav")
        assert declared(tmp_path / "d.sav") == [{"lo": 96.0, "hi": 98.0}, {"lo": 99.0, "hi": 99.0}]
        assert io.read(tmp_path / "d.sav").dictionary == data.dictionary
        side_path(tmp_path / "d.sav").unlink()
        alone = io.read(tmp_path / "d.sav").dictionary["x"]
        assert [alone.kind_of(str(code)) for code in (1, 96, 97, 99)] == [None, NR, NR, NR]

    @pytest.mark.parametrize(("values", "labels"), [([1, 50], {}), ([1], {50: "Valor válido"})])
    def test_a_valid_value_between_refuses(self, tmp_path, values, labels):
        data = with_missing(values, values=labels, missing=dict.fromkeys((-9, 20, 80, 99), NR))
        with pytest.raises(FileError) as caught:
            io.write(data, tmp_path / "d.sav")
        assert caught.value.code == "spss-missing"
        assert caught.value.facts == {"variable": "x", "count": 4}
        assert list(tmp_path.iterdir()) == []

    def test_a_range_and_a_code_stay(self, tmp_path):
        data = with_missing([1, -5], missing={99: NR}, missing_ranges=(MissingRange(low=float("-inf"), high=-1),))
        io.write(data, tmp_path / "d.sav")
        assert not side_path(tmp_path / "d.sav").exists()
        assert io.read(tmp_path / "d.sav").dictionary == data.dictionary

    def test_a_suppressed_code_joins_the_others(self, tmp_path):
        import numpy as np

        data = with_missing([1, 2, 97], missing={97: NR, 98: NR, 99: NA})
        data = data.suppress({"x": np.array([True, False, False])})
        io.write(data, tmp_path / "d.sav")
        assert sorted((s["lo"], s["hi"]) for s in declared(tmp_path / "d.sav")) == [(-9, -9), (97, 99)]
        found = io.read(tmp_path / "d.sav")
        assert found.suppressed("x").to_list() == [True, False, False]
        assert found.dictionary == data.dictionary

    def test_labels_in_a_range_say_what_is_not_applicable_or_suppressed(self, tmp_path):
        labels = {1: "Sí", 97: "No sabe", 98: "No aplica", 99: "Suprimido"}
        frame = pl.DataFrame({"x": [1.0, 97.0, 98.0, 99.0]})
        spans = {"x": [{"lo": 97, "hi": 99}]}
        pyreadstat.write_sav(frame, str(tmp_path / "d.sav"), missing_ranges=spans, variable_value_labels={"x": labels})
        found = io.read(tmp_path / "d.sav")
        x = found.dictionary["x"]
        assert [x.kind_of(str(code)) for code in (1, 97, 98)] == [None, NR, NA]
        assert found.suppressed("x").to_list() == [False, False, False, True]
        io.write(found, tmp_path / "e.sav")
        again = io.read(tmp_path / "e.sav")
        assert again.dictionary == found.dictionary and again.frame.equals(found.frame)
        assert again.suppressed("x").equals(found.suppressed("x"))

    def test_a_suppressed_code_merged_into_a_range_is_found_without_the_side_dictionary(self, tmp_path):
        import numpy as np

        labels = dict.fromkeys((-1, -2, -3), "No sabe")
        data = with_missing([1, 2, -1], values=labels, missing=dict.fromkeys((-1, -2, -3), NR))
        io.write(data.suppress({"x": np.array([True, False, False])}), tmp_path / "d.sav")
        assert any(span["lo"] < -3 < span["hi"] or span["lo"] == -9 for span in declared(tmp_path / "d.sav"))
        side_path(tmp_path / "d.sav").unlink()
        assert io.read(tmp_path / "d.sav").suppressed("x").to_list() == [True, False, False]

    def test_text_takes_three_short_codes(self, tmp_path):
        with pytest.raises(FileError) as caught:
            io.write(with_missing(["a"], missing={"demasiado largo": NR}), tmp_path / "d.sav")
        assert caught.value.code == "spss-missing-text"

    def test_mergings_keep_the_rest(self):
        variable = Variable(name="x", missing=dict.fromkeys((1, 2, 3, 90), NR))
        found = spss_missing.declared(variable, pl.Series("x", [50]))
        assert found == [{"lo": 1.0, "hi": 3.0}, 90.0]


def test_labels_say_the_kind_of_a_missing_code(tmp_path):
    data = with_missing([1, 98, 99], values={98: "No aplica", 99: "No responde"}, missing={98: NA, 99: NR})
    io.write(data, tmp_path / "d.sav")
    assert not side_path(tmp_path / "d.sav").exists()
    assert io.read(tmp_path / "d.sav").dictionary == data.dictionary


def test_a_stata_float_is_read_as_the_decimals_that_it_shows(tmp_path):
    import pandas as pd

    table = pd.DataFrame({"x": [12.3, 4.7, float("nan")], "y": [12.3, 4.7, 1.0]}).astype({"x": "float32"})
    table.to_stata(tmp_path / "d.dta", write_index=False)
    assert io.read(tmp_path / "d.dta").frame.to_dict(as_series=False) == {"x": [12.3, 4.7, None], "y": [12.3, 4.7, 1.0]}


class TestStataLetters:
    def stata(self, path, values, labels, **options):
        frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Object)})
        pyreadstat.write_dta(
            frame,
            str(path),
            missing_user_values={"x": sorted({v for v in values if isinstance(v, str)})},
            variable_value_labels={"x": labels},
            **options,
        )

    def test_letters_become_codes_and_letters_again(self, tmp_path):
        self.stata(tmp_path / "a.dta", [1, "a", None, "b", 2], {1: "Uno", "a": "No aplica", "b": "No sabe"})
        data = io.read(tmp_path / "a.dta")
        assert data.column("x").to_list() == [1, -900001, None, -900002, 2]
        x = data.dictionary["x"]
        assert dict(x.missing) == {"-900001": NA, "-900002": NR}
        assert x.values["-900001"] == "No aplica"
        io.write(data, tmp_path / "b.dta")
        for name in ("a", "b"):
            frame, meta = read_stata(tmp_path / f"{name}.dta")
            assert frame["x"].to_list() == [1, "a", None, "b", 2]
            assert meta.missing_user_values["x"] == ["a", "b"]
            assert meta.variable_value_labels["x"] == {1: "Uno", "a": "No aplica", "b": "No sabe"}
            assert meta.readstat_variable_types["x"] == "int32"
        assert not side_path(tmp_path / "b.dta").exists()
        assert io.read(tmp_path / "b.dta").frame.equals(data.frame)

    def test_letters_pass_through_other_formats(self, tmp_path):
        self.stata(tmp_path / "a.dta", [1.5, "c"], {"c": "No sabe"})
        data = io.read(tmp_path / "a.dta")
        for suffix in ("sav", "csv", "parquet", "xlsx"):
            io.write(data, tmp_path / f"b.{suffix}")
            io.write(io.read(tmp_path / f"b.{suffix}"), tmp_path / f"{suffix}.dta")
            frame, _ = read_stata(tmp_path / f"{suffix}.dta")
            assert frame["x"].to_list() == [1.5, "c"]

    def test_a_number_in_use_moves_the_letters_to_the_next_series(self, tmp_path):
        self.stata(tmp_path / "a.dta", [-900001, "a"], {"a": "No sabe"})
        data = io.read(tmp_path / "a.dta")
        assert data.column("x").to_list() == [-900001, -9000001]
        io.write(data, tmp_path / "b.dta")
        frame, _ = read_stata(tmp_path / "b.dta")
        assert frame["x"].to_list() == [-900001, "a"]

    def test_a_taken_s_leaves_another_letter_for_suppressed_cells(self, tmp_path):
        import numpy as np

        self.stata(tmp_path / "a.dta", [1, "s", 3], {"s": "Sin dato"})
        data = io.read(tmp_path / "a.dta").suppress({"x": np.array([True, False, False])})
        io.write(data, tmp_path / "b.dta")
        frame, _ = read_stata(tmp_path / "b.dta")
        assert frame["x"].to_list() == ["z", "s", 3]
        found = io.read(tmp_path / "b.dta")
        assert found.suppressed("x").to_list() == [True, False, False]
        assert found.dictionary == data.dictionary

    def test_dates_with_letters_come_back(self, tmp_path):
        self.stata(tmp_path / "a.dta", [21915, "a", None], {}, variable_format={"x": "%tdDD/NN/CCYY"})
        data = io.read(tmp_path / "a.dta")
        assert data.column("x").to_list() == ["2020-01-01", "-900001", None]
        io.write(data, tmp_path / "b.dta")
        frame, meta = pyreadstat.read_dta(
            tmp_path / "b.dta", user_missing=True, output_format="polars", disable_datetime_conversion=True
        )
        assert frame["x"].to_list() == [21915, "a", None]
        assert meta.original_variable_types["x"] == "%tdDD/NN/CCYY"

    def test_numeric_missing_codes_stay_numbers_and_it_is_said(self, tmp_path):
        data = with_missing([1, None, 99], missing={99: NR})
        with pytest.warns(CelosiaWarning) as told:
            io.write(data, tmp_path / "d.dta")
        assert [(one.message.code, one.message.facts) for one in told] == [
            ("missing-as-numbers", {"variables": ("x",)})
        ]
        frame, _ = read_stata(tmp_path / "d.dta")
        assert frame["x"].to_list() == [1, None, 99]
        assert io.read(tmp_path / "d.dta").dictionary == data.dictionary

    def test_every_letter_has_its_number(self):
        for letter in letters.ALPHABET:
            assert letters.letter_of(str(letters.number(letter))) == letter
            assert letters.letter_of(str(letters.number(letter, 9))) == letter
        for code in ("-900000", "-900027", "-90001", "900001", "-910001"):
            assert letters.letter_of(code) is None


@pytest.mark.parametrize(
    ("suffix", "formats"),
    [
        ("sav", {"n": "F10.3", "i": "F3.0", "f": "EDATE10"}),
        ("dta", {"n": "%12.3f", "i": "%8.0g", "f": "%tdDD/NN/CCYY"}),
    ],
)
def test_display_formats_are_kept(tmp_path, suffix, formats):
    frame = pl.DataFrame({"n": [1.5, None], "i": [1, None], "f": [dt.date(2020, 1, 1), None]})
    book = Dictionary.of(*(Variable(name=name, format=display) for name, display in formats.items()))
    io.write(Microdata(frame, book), tmp_path / f"d.{suffix}")
    assert not side_path(tmp_path / f"d.{suffix}").exists()
    found = io.read(tmp_path / f"d.{suffix}")
    assert found.dictionary == book
    assert found.frame.equals(frame)


@pytest.mark.parametrize("suffix", ["sav", "dta", "por", "xpt"])
def test_moments_finer_than_the_format_counts_are_kept_as_text(tmp_path, suffix):
    frame = pl.DataFrame({"m": [dt.datetime(2020, 1, 2, 3, 4, 5, 123456), None]})
    io.write(frame, tmp_path / f"d.{suffix}")
    assert io.read(tmp_path / f"d.{suffix}").frame.equals(frame)


def test_files_of_other_programs_with_dates(tmp_path):
    frame = pl.DataFrame({"F": [dt.date(1850, 1, 2)], "M": [dt.datetime(2020, 1, 2, 3)], "H": [dt.time(3)]})
    for suffix, write in (
        ("sav", pyreadstat.write_sav),
        ("dta", pyreadstat.write_dta),
        ("xpt", pyreadstat.write_xport),
        ("por", pyreadstat.write_por),
    ):
        write(frame, str(tmp_path / f"d.{suffix}"))
        assert io.read(tmp_path / f"d.{suffix}").frame.equals(frame), suffix


def test_long_labels_are_whole_in_the_side_dictionary(tmp_path):
    book = Dictionary.of(Variable(name="x", label="ñ" * 300, values={1: "á" * 200}))
    for suffix in ("sav", "dta", "por", "xpt"):
        io.write(Microdata(pl.DataFrame({"x": [1]}), book), tmp_path / f"d.{suffix}")
        assert io.read(tmp_path / f"d.{suffix}").dictionary == book


@pytest.mark.parametrize("suffix", ["sav", "por", "xpt"])
def test_codes_that_trimming_would_merge_are_refused(tmp_path, suffix):
    with pytest.raises(FileError) as caught:
        io.write(pl.DataFrame({"x": ["a", "a "]}), tmp_path / f"d.{suffix}")
    assert caught.value.code == "text-blanks"


@pytest.mark.parametrize(
    ("values", "level"), [([1, 2], "discrete"), ([1.5, 2.0], "continuous"), (["a", "b"], "categorical")]
)
def test_levels_are_kept_by_spss(tmp_path, values, level):
    data = with_missing(values, level=level)
    io.write(data, tmp_path / "d.sav")
    assert not side_path(tmp_path / "d.sav").exists()
    assert io.read(tmp_path / "d.sav").dictionary == data.dictionary
