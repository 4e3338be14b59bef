from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia import Dictionary, Variable, io
from celosia.core.errors import CelosiaWarning, FileError
from celosia.core.language import speaking
from celosia.io import harmless


def read(tmp_path, content: str):
    path = tmp_path / "d.csv"
    path.write_text(content, encoding="utf-8", newline="")
    return io.read(path)


def test_codes_stay_as_the_office_wrote_them(tmp_path):
    data = read(tmp_path, "cero,mas,guion,exp,letra,num,dec\n01,+5,-,1E5,A1,-3,2.50\n10,+6,2,2E5,7,4,-1.25\n")
    assert data.column("cero").to_list() == ["01", "10"]
    assert data.column("mas").to_list() == ["+5", "+6"]
    assert data.column("guion").to_list() == ["-", "2"]
    assert data.column("exp").to_list() == ["1E5", "2E5"]
    assert data.column("letra").to_list() == ["A1", "7"]
    assert data.column("num").to_list() == [-3, 4]
    assert data.column("dec").to_list() == [2.5, -1.25]


def test_numbers_that_a_float_would_cut_stay_text(tmp_path):
    rows = "12345678901234567890,9007199254740993,1.5\n12345678901234567891,2.5,2\n"
    data = read(tmp_path, f"cuenta,mixta,medida\n{rows}")
    assert data.column("cuenta").n_unique() == 2
    assert data.column("mixta").to_list() == ["9007199254740993", "2.5"]
    assert data.column("medida").to_list() == [1.5, 2.0]


def coded(tmp_path, content, **facts):
    path = tmp_path / "d.csv"
    path.write_text(content)
    return io.read(path, dictionary=Dictionary.of(Variable(name="x", **facts))).column("x").to_list()


TWICE = "x,y\n10.1,a\n10.10,a\n,a\n"


@pytest.mark.parametrize("language", ["es", "en"])
def test_codes_of_two_spellings_are_not_merged_and_it_is_told(tmp_path, language):
    with pytest.warns(CelosiaWarning) as told, speaking(language):
        assert read(tmp_path, TWICE).column("x").to_list() == ["10.1", "10.10", None]
    assert [warning.message.code for warning in told] == ["csv-spellings"]
    assert told[0].message.facts == {"variable": "x", "count": 1}


def test_the_dictionary_says_whether_decimals_are_codes(tmp_path):
    assert coded(tmp_path, TWICE, level="categorical") == ["10.1", "10.10", None]
    assert coded(tmp_path, TWICE, level="continuous") == [10.1, 10.1, None]
    assert coded(tmp_path, "x,y\n10.20,a\n10.30,a\n", values={"10.20": "Pan"}) == ["10.20", "10.30"]
    assert coded(tmp_path, "x,y\n1.0,a\n2.0,a\n", values={1: "Hombre"}) == [1.0, 2.0]
    assert coded(tmp_path, "x,y\n1.5,a\n99.0,a\n", values={"99.0": "NS"}, missing={"99.0": "non_response"}) == [1.5, 99]


def test_zero_is_zero_however_it_is_written(tmp_path):
    assert read(tmp_path, "x,y\n0.0,a\n-0.0,a\n0,a\n").column("x").to_list() == [0, 0, 0]


def test_an_empty_cell_is_nothing_quoted_or_not(tmp_path):
    data = read(tmp_path, 'a,b\n"",x\n,""\n3,\n')
    assert data.column("a").to_list() == [None, None, 3]
    assert data.column("b").to_list() == ["x", None, None]


@pytest.mark.parametrize(
    ("content", "code", "row"),
    [
        ("a,b,c\n1,2,3\n1,2\n1,2,3\n", "csv-ragged", 3),
        ("a,b,c\n1,2,3,4\n1,2,3\n", "csv-ragged", 2),
        ("a,b,c\n1,2,3\n\n1,2,3\n", "csv-ragged", 3),
        ("a,b,c\n1,2,3\n1,2", "csv-last-row", 3),
        ('a,b,c\n1,2,3\n1,2,"x', "file-cut", None),
        ('a,b,c\n1,2,"x"y\n', "csv-quotes", None),
        ("a,b,c\r1,2,3\r", "csv-line-ends", None),
        (f"a,b,c\n1,2,{'x' * 200_000}\n", "csv-cell-long", None),
        ("a,A,c\n1,2,3\n", "duplicate-column", None),
        ("a,,c\n1,2,3\n", "column-unnamed", None),
    ],
)
def test_broken_rows_and_names_are_refused(tmp_path, content, code, row):
    with pytest.raises(FileError) as caught:
        path = tmp_path / "d.csv"
        path.write_text(content, newline="")
        io.read(path, csv={"delimiter": ","})
    assert caught.value.code == code
    assert caught.value.facts.get("row") == row


def test_blank_lines_at_the_end_are_no_records(tmp_path):
    assert read(tmp_path, "a,b\n1,2\n\n\n").height == 1


def test_a_cut_between_rows_is_seen_by_the_side_dictionary(tmp_path):
    path = tmp_path / "d.csv"
    io.write(pl.DataFrame({"x": range(100)}), path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:50]))
    with pytest.raises(FileError) as caught:
        io.read(path)
    assert caught.value.code == "side-mismatch-records"


def test_another_file_under_an_old_side_dictionary_is_refused(tmp_path):
    path = tmp_path / "d.csv"
    io.write(pl.DataFrame({"x": [1, 2]}), path)
    path.write_text("y\n1\n2\n")
    with pytest.raises(FileError) as caught:
        io.read(path)
    assert caught.value.code == "side-mismatch-columns"
    path.write_text("x\n1\nz\n")
    with pytest.raises(FileError) as caught:
        io.read(path)
    assert caught.value.code == "side-mismatch-type"
    assert "z" not in caught.value.facts.values()


def test_formulas_are_made_harmless_and_numbers_are_not_touched(tmp_path):
    texts = ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "-5", "+5", "-5,3", "x=1", None]
    io.write(pl.DataFrame({"t": texts, "n": range(len(texts)), "=m": "a"}), tmp_path / "d.csv")
    raw = pl.read_csv(tmp_path / "d.csv", infer_schema=False)
    guarded = ["'=1+1", "'+x", "'-x", "'@x", "'\tx", "'\rx"]
    assert raw["t"].to_list() == [*guarded, "-5", "+5", "-5,3", "x=1", None]
    assert "'=m" in raw.columns
    assert io.read(tmp_path / "d.csv").column("t").to_list() == texts
    io.write(pl.DataFrame({"t": texts[:-1]}), tmp_path / "d.xlsx")
    import zipfile

    with zipfile.ZipFile(tmp_path / "d.xlsx") as book:
        assert b"<f>" not in book.read("xl/worksheets/sheet1.xml")


def test_apostrophes_of_others_stay(tmp_path):
    assert read(tmp_path, "t\n'=x\ny\n").column("t").to_list() == ["'=x", "y"]


dangerous = st.text(alphabet="'=+-@\t\r\n\",;5x á", max_size=6)


@given(st.lists(st.one_of(st.none(), dangerous), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_any_text_comes_back(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("texts") / "d.csv"
    frame = pl.DataFrame({"t": pl.Series(texts, dtype=pl.String), "n": range(len(texts))})
    io.write(frame, path)
    assert io.read(path).frame.equals(frame, null_equal=True)


@given(st.text(alphabet="'=+-@\t\r5x", max_size=6))
def test_guarding_is_undone_and_leaves_no_formula(text):
    guarded = harmless.guard(pl.Series([text]))
    assert harmless.unguard(guarded)[0] == text
    assert harmless.unguard_text(harmless.guard_text(text)) == text
    assert guarded[0] == harmless.guard_text(text)


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=5))
@settings(max_examples=40, deadline=None)
def test_any_number_comes_back(tmp_path_factory, numbers):
    path = tmp_path_factory.mktemp("numbers") / "d.csv"
    frame = pl.DataFrame({"x": numbers})
    io.write(frame, path)
    assert io.read(path).frame.equals(frame)
