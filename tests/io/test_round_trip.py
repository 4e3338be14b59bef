"""What goes into a file of each format comes out of it, and what must not leave does not."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from celosia import io
from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import FileError
from celosia.core.intake import HIDDEN
from celosia.core.language import speaking
from celosia.core.microdata import Microdata
from celosia.io.side import side_path

pytestmark = pytest.mark.filterwarnings(
    "ignore:(En este formato solo|In this format only):celosia.core.errors.CelosiaWarning"
)

FORMATS = ["csv", "tsv", "txt", "parquet", "xlsx", "sav", "zsav", "dta", "por", "xpt"]
ALONE = ["sav", "dta"]
"""Formats that hold labels and missing codes themselves."""


def survey() -> Microdata:
    frame = pl.DataFrame(
        {
            "sexo": [1, 2, None, 99, 1],
            "ingreso": [1.5, None, -9.0, 3.25, 0.1],
            "texto": ["a", "=b", None, "-5", "'=x"],
            "comuna": ["01101", "01107", "13101", None, "99999"],
            "fecha": [dt.date(2020, 1, 2), None, dt.date(1950, 3, 4), *[dt.date(2024, 2, 29)] * 2],
            "momento": [dt.datetime(2020, 1, 2, 3, 4, 5), None, *[dt.datetime(2000, 1, 1, 23, 59, 59)] * 3],
            "hora": [dt.time(1, 2, 3), None, dt.time(0), dt.time(23, 59, 59), dt.time(5)],
            "jefe": [True, False, None, True, True],
            "edad": pl.Series([1, 2, 3, 4, 5], dtype=pl.Int8),
            "grande": [2**31, -(2**40), None, 0, 7],
        }
    )
    book = Dictionary.of(
        Variable(
            name="sexo",
            label="Sexo de la persona",
            values={1: "Hombre", 2: "Mujer", 99: "No sabe"},
            missing={99: "non_response"},
            role="key",
            level="categorical",
        ),
        Variable(name="ingreso", label="Ingreso", sensitive=True, unit="$", null="not_applicable"),
        Variable(name="comuna", values={"01101": "Iquique"}, missing={"99999": "not_applicable"}),
    )
    return Microdata(frame, book)


def suppressed(data: Microdata) -> Microdata:
    rows = np.array([True, True, False, False, False])
    return data.suppress(dict.fromkeys(data.variables, rows))


def assert_same(found: Microdata, expected: Microdata) -> None:
    assert found.variables == expected.variables
    assert found.frame.schema == expected.frame.schema
    assert found.frame.equals(expected.frame, null_equal=True)
    for name in expected.variables:
        assert found.suppressed(name).equals(expected.suppressed(name)), name


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("language", ["es", "en"])
def test_data_marks_and_dictionary_come_back(tmp_path, suffix, language):
    for data in (survey(), suppressed(survey())):
        path = tmp_path / f"datos.{suffix}"
        with speaking(language):
            io.write(data, path)
        found = io.read(path)
        assert_same(found, data)
        assert found.dictionary == data.dictionary


@pytest.mark.parametrize("suffix", FORMATS)
def test_suppressed_cells_and_source_nulls_stay_apart(tmp_path, suffix):
    path = tmp_path / f"datos.{suffix}"
    first = np.array([True, False, False, False, False])
    io.write(survey().suppress({"ingreso": first, "comuna": first, "fecha": first}), path)
    found = io.read(path)
    for name in ("ingreso", "comuna", "fecha"):
        assert found.suppressed(name).to_list() == first.tolist()
        assert found.column(name).is_null().to_list() == (first | survey().column(name).is_null().to_numpy()).tolist()


@pytest.mark.parametrize("suffix", FORMATS)
def test_hidden_columns_never_leave(tmp_path, suffix):
    path = tmp_path / f"datos.{suffix}"
    io.write(suppressed(survey()), path)
    for file in tmp_path.iterdir():
        content = file.read_bytes()
        assert HIDDEN.encode() not in content
        assert HIDDEN.upper().encode() not in content
    side_path(path).unlink(missing_ok=True)
    assert [name.casefold() for name in io.read(path).variables] == list(survey().variables)


@pytest.mark.parametrize("suffix", ALONE)
def test_statistical_files_need_no_side_dictionary_for_what_they_hold(tmp_path, suffix):
    numeric = survey().select(["sexo", "ingreso", "fecha", "momento", "hora", "grande"])
    book = Dictionary.of(Variable(name="sexo", label="Sexo", values={1: "Hombre", 2: "Mujer"}))
    data = Microdata(numeric.frame, book).suppress(
        dict.fromkeys(numeric.variables, np.array([True, True, False, False, False]))
    )
    path = tmp_path / f"datos.{suffix}"
    io.write(data, path)
    assert not side_path(path).exists()
    found = io.read(path)
    assert_same(found, data)
    assert found.dictionary == data.dictionary


def test_the_written_file_declares_the_code_of_suppressed_cells(tmp_path):
    import pyreadstat

    data = suppressed(survey())
    with speaking("es"):
        io.write(data, tmp_path / "d.sav")
        io.write(data, tmp_path / "d.dta")
        io.write(data, tmp_path / "d.csv")
    frame, meta = pyreadstat.read_sav(tmp_path / "d.sav", user_missing=True, output_format="polars")
    assert frame["sexo"].to_list()[:2] == [-9, -9]
    assert meta.variable_value_labels["sexo"][-9] == "Suprimido"
    assert {"lo": -9.0, "hi": -9.0} in meta.missing_ranges["sexo"]
    assert frame["ingreso"][0] == -99  # -9 is an income here
    assert frame["texto"].to_list()[:2] == ["*", "*"]
    frame, meta = pyreadstat.read_dta(
        tmp_path / "d.dta", user_missing=True, output_format="polars", disable_datetime_conversion=True
    )
    assert frame["sexo"].to_list()[:2] == ["s", "s"]
    assert meta.variable_value_labels["sexo"]["s"] == "Suprimido"
    side = io.read_dictionary(tmp_path / "d.csv.dictionary.yaml")
    assert side["sexo"].missing["-9"] is MissingKind.SUPPRESSED
    assert side["sexo"].values["-9"] == "Suprimido"
    assert (tmp_path / "d.csv").read_text().splitlines()[1].startswith("-9,-99.0,*,*,*")


def test_the_same_data_in_several_formats_share_a_folder(tmp_path):
    data = suppressed(survey())
    for suffix in FORMATS:
        io.write(data, tmp_path / f"datos.{suffix}")
    for suffix in FORMATS:
        assert_same(io.read(tmp_path / f"datos.{suffix}"), data)


def test_a_side_dictionary_that_is_no_longer_needed_goes_away(tmp_path):
    path = tmp_path / "d.sav"
    io.write(survey(), path)
    assert side_path(path).exists()
    io.write(pl.DataFrame({"x": [1, 2]}), path)
    assert not side_path(path).exists()
    assert io.read(path).column("x").to_list() == [1, 2]


def test_a_code_book_beside_the_file_is_read_and_never_written(tmp_path):
    (tmp_path / "d.csv").write_text("sexo,edad\n1,20\n9,30\n")
    book = tmp_path / "d.dictionary.yaml"
    book.write_text("variables:\n  sexo:\n    etiqueta: Sexo\n    valores: {1: Hombre}\n    perdidos: {9: no aplica}\n")
    found = io.read(tmp_path / "d.csv", dictionary=Dictionary.of(Variable(name="sexo", role="key")))
    sexo = found.dictionary["sexo"]
    assert (sexo.label, dict(sexo.values), sexo.role) == ("Sexo", {"1": "Hombre"}, "key")
    assert sexo.missing["9"] is MissingKind.NOT_APPLICABLE
    before = book.read_bytes()
    io.write(found, tmp_path / "d.csv")
    assert book.read_bytes() == before


def test_a_code_book_of_other_variables_is_refused(tmp_path):
    (tmp_path / "d.csv").write_text("sexo,edad\n1,20\n9,30\n")
    with pytest.raises(FileError) as caught:
        io.read(tmp_path / "d.csv", dictionary=Dictionary.of(Variable(name="comuna")))
    assert caught.value.code == "codebook-unknown-variable"


def test_a_declared_id_makes_the_record_ids(tmp_path):
    (tmp_path / "d.csv").write_text("folio,edad\na,20\nb,30\n")
    book = Dictionary.of(Variable(name="folio", role="id"))
    key = bytes(16)
    assert (io.read(tmp_path / "d.csv", dictionary=book, key=key).ids > 1).all()


def observed(tmp_path, row) -> dict[str, object]:
    """What a round trip without the side dictionary keeps."""
    book = Dictionary.of(
        Variable(
            name="X",
            label="Equis",
            values={1: "Uno", 99: "No sabe"},
            missing={99: "non_response"},
            level="categorical",
        ),
        Variable(name="T", values={"a": "Letra"}),
    )
    frame = pl.DataFrame({"X": [1, 2, 99], "T": ["a", "", None], "D": [dt.date(2020, 1, 2)] * 3})
    path = tmp_path / f"t{row.suffixes[0]}"
    io.write(Microdata(frame, book), path)
    side_path(path).unlink(missing_ok=True)
    found = io.read(path)
    held = row.side is io_side().NEVER
    x, t = found.dictionary["X"], found.dictionary["T"]
    return {
        "variable_labels": (x.label == "Equis") and not held,
        "value_labels": ("1" in x.values) and not held,
        "text_value_labels": ("a" in t.values) and not held,
        "declares_99": bool(x.missing) and not held,
        "level": (x.level is not None) and not held,
        "empty_text": found.column("T").to_list() == ["a", "", None] or row.format == "csv",
    }


def io_side():
    from celosia.io.formats import Side

    return Side


def test_the_support_table_is_true(tmp_path):
    from celosia.io.formats import Missing

    table = pl.DataFrame([row.model_dump(exclude={"names"}) for row in io.support()])
    with pl.Config(tbl_cols=-1, tbl_rows=-1, tbl_width_chars=400):
        print(table)
    for row in io.support():
        if not row.writes:
            continue
        seen = observed(tmp_path, row)
        for fact in ("variable_labels", "value_labels", "text_value_labels", "level", "empty_text"):
            assert seen[fact] == getattr(row, fact), (row.format, fact)
        assert seen["declares_99"] == (row.missing is Missing.CODES), row.format


def test_what_a_format_cannot_hold_is_refused_by_name(tmp_path):
    cases = [
        ("año de censo", [1], "sav", "name-not-held"),
        ("demasiado_largo", [1], "por", "name-not-held"),
        ("region", ["Ñuble"], "por", "text-not-ascii"),
        ("region", ["x" * 300], "por", "text-too-long"),
        ("id", [2**60], "sav", "number-too-long"),
        ("id", [2**60], "xlsx", "number-too-long"),
    ]
    for name, values, suffix, code in cases:
        with pytest.raises(FileError) as caught:
            io.write(pl.DataFrame({name: values}), tmp_path / f"d.{suffix}")
        assert caught.value.code == code
        assert caught.value.facts["variable"] == name
    assert list(tmp_path.iterdir()) == []


def test_formats_that_are_read_only_or_unknown(tmp_path):
    with pytest.raises(FileError) as caught:
        io.write(survey(), tmp_path / "d.sas7bdat")
    assert caught.value.code == "format-read-only"
    with pytest.raises(FileError) as caught:
        io.read(tmp_path / "d.docx")
    assert caught.value.code == "format-unknown"


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("failure", [KeyboardInterrupt, OSError])
def test_a_writer_that_fails_leaves_the_old_file(tmp_path, suffix, failure, monkeypatch):
    import errno

    path = tmp_path / f"d.{suffix}"
    io.write(survey(), path)
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}

    def fail(wire, file, support):
        file.write_bytes(b"a medias")
        raise failure(errno.ENOSPC, "full") if failure is OSError else failure

    monkeypatch.setattr("celosia.io.writing._write", fail)
    with pytest.raises(FileError if failure is OSError else failure):
        io.write(suppressed(survey()), path)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_all_formats_without_pandas_or_pyarrow(tmp_path):
    code = f"""
import sys, polars as pl
from celosia import io
for suffix in {FORMATS!r}:
    io.write(pl.DataFrame({{"x": [1, None], "t": ["a", "b"]}}), {str(tmp_path)!r} + "/d." + suffix)
    io.read({str(tmp_path)!r} + "/d." + suffix)
assert not {{"pandas", "pyarrow"}} & set(sys.modules)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


def test_importing_io_loads_no_format():
    heavy = {"pyreadstat", "fastexcel", "xlsxwriter", "ruamel.yaml"}
    code = f"import sys, celosia.io; assert not {heavy!r} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_empty_data_and_columns_of_nothing(tmp_path):
    frame = pl.DataFrame(schema={"x": pl.Int64, "t": pl.String})
    nothing = pl.DataFrame({"x": [None, None], "t": [None, None]}, schema={"x": pl.Int64, "t": pl.String})
    for suffix in FORMATS:
        for table in (frame, nothing):
            path = tmp_path / f"d.{suffix}"
            if suffix == "xlsx" and table.height:
                with pytest.raises(FileError) as caught:
                    io.write(table, path)
                assert caught.value.code == "excel-empty-record"
                continue
            io.write(table, path)
            found = io.read(path)
            assert found.height == table.height
            assert found.variables == ("x", "t")
            if suffix not in [*ALONE, "zsav"]:
                assert found.frame.schema == table.schema


cells = st.integers(-1000, 1000)
words = st.text(alphabet="aZ09 .,;'=\"-", min_size=1, max_size=5).map(str.strip).filter(bool)


@given(
    numbers=st.lists(st.one_of(st.none(), cells), min_size=1, max_size=6),
    fractions=st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6)), min_size=6, max_size=6),
    texts=st.lists(st.one_of(st.none(), words), min_size=6, max_size=6),
    marks=st.lists(st.booleans(), min_size=6, max_size=6),
    suffix=st.sampled_from(FORMATS),
)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_data_come_back(tmp_path_factory, numbers, fractions, texts, marks, suffix):
    size = len(numbers)
    frame = pl.DataFrame(
        {
            "n": pl.Series(numbers, dtype=pl.Int64),
            "x": pl.Series(fractions[:size], dtype=pl.Float64),
            "t": pl.Series(texts[:size], dtype=pl.String),
            "fila": range(size),
        }
    )
    rows = np.array(marks[:size])
    data = Microdata(frame).suppress({"n": rows, "x": ~rows, "t": rows})
    path = tmp_path_factory.mktemp("any") / f"d.{suffix}"
    io.write(data, path)
    found = io.read(path)
    for name in ("n", "t", "fila"):
        assert found.column(name).equals(data.column(name), null_equal=True), name
        assert found.suppressed(name).equals(data.suppressed(name)), name
    pairs = zip(found.column("x").to_list(), data.column("x").to_list(), strict=True)
    if suffix in ("xlsx", "por", "xpt"):  # fewer digits or a smaller range than a double
        assert all(a == b or a == pytest.approx(b, rel=1e-12, abs=1e-60) for a, b in pairs)
    else:
        assert all(a == b for a, b in pairs)
    assert found.dictionary == data.dictionary
