from __future__ import annotations

import pytest

from celosia import io
from celosia.core.errors import FileError, OptionError
from celosia.io import CsvForm

ROWS = [
    ["comuna", "edad", "ingreso"],
    ["01101", "34", "12{m}5"],
    ["13101", "7", "1034{m}25"],
    ["05101", "51", "0{m}125"],
]


def text(delimiter: str, mark: str) -> str:
    return "".join(delimiter.join(row).format(m=mark) + "\r\n" for row in ROWS)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("mark", [",", "."])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_every_form_is_found_out(tmp_path, delimiter, mark, encoding):
    if delimiter == mark == ",":
        return
    path = tmp_path / "d.csv"
    path.write_bytes(text(delimiter, mark).encode(encoding))
    form = io.sniff(path)
    assert form == CsvForm(delimiter=delimiter, decimal=mark, encoding=encoding, header=True)
    data = io.read(path, csv=form)
    assert data.column("comuna").to_list() == ["01101", "13101", "05101"]
    assert data.column("edad").to_list() == [34, 7, 51]
    assert data.column("ingreso").to_list() == [12.5, 1034.25, 0.125]
    assert data.frame.equals(io.read(path).frame)


def test_quoted_decimal_commas(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text('a,b\n1,"2,5"\n2,"3,75"\n')
    assert io.sniff(path).decimal == ","
    assert io.read(path).column("b").to_list() == [2.5, 3.75]


@pytest.mark.parametrize(("encoding", "word"), [("latin-1", "Ñuñoa"), ("cp1252", "«Ñuñoa» – €")])
def test_old_encodings(tmp_path, encoding, word):
    path = tmp_path / "d.csv"
    path.write_bytes(f"comuna;n\n{word};1\n".encode(encoding))
    assert io.sniff(path).encoding == encoding
    assert io.read(path).column("comuna")[0] == word


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("a,b;c,d\n1,2;3,4\n5,6;7,8\n", "csv-delimiter-doubt"),
        ("a;b\n1,5;2.5\n", "csv-decimal-doubt"),
        ("a;b\n1;1.234\n2;5.678\n", "csv-decimal-doubt"),
        ("a;b\n1;1.234,5\n", "csv-thousands"),
        ("1;2\n3;4\n", "csv-header-doubt"),
        ("comuna;2017\nArica;4\n", "csv-header-doubt"),
        ("\n \n", "file-empty"),
        ("a,b\r1,2\r", "csv-line-ends"),
        (f"a,b\n1,{'x' * 200_000}\n", "csv-cell-long"),
    ],
)
def test_doubt_is_asked_and_never_guessed(tmp_path, content, code):
    path = tmp_path / "d.csv"
    path.write_text(content)
    with pytest.raises(FileError) as caught:
        io.sniff(path)
    assert caught.value.code == code


def test_a_row_that_is_long_under_one_sign_only_is_no_doubt(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(",".join(f"una_variable_cualquiera_{i}" for i in range(6000)) + "\n" + ",".join(["1"] * 6000))
    assert io.sniff(path).delimiter == "," and len(io.read(path).variables) == 6000


def test_what_the_user_says_settles_the_doubt(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("1;1.234\n2;5.678\n")
    data = io.read(path, csv={"header": False, "decimal": "."})
    assert data.variables == ("column_1", "column_2")
    assert data.column("column_2").to_list() == [1.234, 5.678]


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "d.csv"
    path.write_bytes(b"a,b\n1,\x00\n")
    with pytest.raises(FileError) as caught:
        io.sniff(path)
    assert caught.value.code == "csv-not-text"
    path.write_bytes(b"a,b\n1,\x81\xff\n")
    with pytest.raises(FileError) as caught:
        io.sniff(path)
    assert caught.value.code == "csv-encoding"


def test_a_decimal_mark_that_appears_late_is_not_missed(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text("a;b\n" + "1;2\n" * 3000 + "1;2,5\n")
    with pytest.raises(FileError) as caught:
        io.read(path)
    assert caught.value.code == "csv-decimal-column"
    assert io.read(path, csv={"decimal": ","}).column("b")[-1] == 2.5


def test_the_csv_option_is_for_csv(tmp_path):
    (tmp_path / "d.parquet").write_bytes(b"x")
    with pytest.raises(Exception, match="csv"):
        io.read(tmp_path / "d.parquet", csv=CsvForm())


@pytest.mark.parametrize("csv", [{"delimeter": ";"}, {"delimiter": "::"}, {"decimal": "x"}, {"header": "quizás"}])
def test_unknown_csv_options_are_refused(tmp_path, csv):
    path = tmp_path / "d.csv"
    path.write_text("a,b\n1,2\n")
    with pytest.raises(OptionError) as caught:
        io.read(path, csv=csv)
    assert caught.value.facts["option"] == next(iter(csv))


def test_our_own_files_are_never_in_doubt(tmp_path):
    import polars as pl

    frame = pl.DataFrame({"2017": [1, 2], "a;b|c": ["x;y|z", "1;2|3"]})
    io.write(frame, tmp_path / "d.csv")
    assert io.read(tmp_path / "d.csv").frame.equals(frame)
