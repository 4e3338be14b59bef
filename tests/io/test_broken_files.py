"""Files that are missing, empty, cut or not what their name says."""

from __future__ import annotations

import json
import random
import subprocess
import sys

import polars as pl
import pytest

from celosia import Dictionary, Microdata, Variable, io
from celosia.core.errors import CelosiaError, FileError
from celosia.core.language import LANGUAGES, speaking
from celosia.io.side import side_path

FORMATS = ["csv", "tsv", "parquet", "xlsx", "sav", "zsav", "dta", "por", "xpt"]
SECRET = "Zorobabel"


def written(tmp_path, suffix):
    rows = range(2000)
    frame = pl.DataFrame({"x": rows, "y": [i / 7 for i in rows], "t": [f"{SECRET}{i}" for i in rows]})
    path = tmp_path / f"d.{suffix}"
    io.write(frame, path)
    return path


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("with_side", [True, False])
@pytest.mark.parametrize("share", [0.02, 0.3, 0.5, 0.9, 0.997])
def test_a_file_cut_in_the_middle_is_never_read(tmp_path, suffix, with_side, share):
    path = written(tmp_path, suffix)
    if not with_side:
        side_path(path).unlink(missing_ok=True)
    content = path.read_bytes()
    cut = content[: int(len(content) * share)]
    if suffix in ("csv", "tsv"):
        cut = cut[: cut.rindex(b"\n") + 3]  # within a row: between rows only the side dictionary knows
    path.write_bytes(cut)
    for language in LANGUAGES:
        with speaking(language), pytest.raises(FileError) as caught:
            io.read(path)
        assert str(path) in str(caught.value)
        assert SECRET not in str(caught.value)
    assert path.read_bytes() == cut


def test_a_transport_file_cut_at_a_record_is_never_read(tmp_path):
    path = written(tmp_path, "xpt")
    side_path(path).unlink()
    content = path.read_bytes()
    path.write_bytes(content[: (len(content) // 160) * 80])
    with pytest.raises(FileError) as caught:
        io.read(path)
    assert caught.value.code == "file-cut"


def test_a_stata_file_without_its_last_bytes_is_never_read(tmp_path):
    path = written(tmp_path, "dta")
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(FileError) as caught:
        io.read(path)
    assert caught.value.code == "file-cut"


@pytest.mark.parametrize("suffix", [*FORMATS, "sas7bdat", "txt"])
def test_missing_empty_folder_and_false_files(tmp_path, suffix):
    path = tmp_path / f"d.{suffix}"
    codes = []
    rubbish = b"\x00\x01nothing of the sort\xff\xfe" * 40
    for content in (None, b"", rubbish):
        if content is not None:
            path.write_bytes(content)
        with pytest.raises(FileError) as caught:
            io.read(path)
        codes.append(caught.value.code)
    assert codes[:2] == ["file-missing", "file-empty"]
    assert codes[2] in ("file-broken", "file-cut", "csv-not-text", "file-encoding")
    path.unlink()
    path.mkdir()
    with pytest.raises(FileError) as caught:
        io.read(path)
    assert caught.value.code == "file-is-folder"


def test_excel_names_are_checked(tmp_path):
    import xlsxwriter

    for heads, code in ((["a", "A"], "duplicate-column"), (["a", None, "c"], "column-unnamed")):
        with xlsxwriter.Workbook(str(tmp_path / "d.xlsx")) as book:
            sheet = book.add_worksheet()
            sheet.write_row(0, 0, heads)
            sheet.write_row(1, 0, [1, 2, 3][: len(heads)])
        with pytest.raises(FileError) as caught:
            io.read(tmp_path / "d.xlsx")
        assert caught.value.code == code


def test_broken_side_dictionaries(tmp_path):
    path = written(tmp_path, "csv")
    side = side_path(path)
    good = side.read_text()
    for content, code in (
        ("file: [", "yaml-broken"),
        ("file: {celosia: '1'}\nvariables: {}", "side-broken"),
        (good.replace("celosia: '1'", "celosia: '9'"), "side-version"),
        ("hola: 1\nvariables: {}", "codebook-yaml"),
        ("- 1", "codebook-yaml"),
    ):
        side.write_text(content)
        with pytest.raises(FileError) as caught:
            io.read(path)
        assert caught.value.code == code, content


@pytest.mark.parametrize("suffix", ["sav", "zsav"])
@pytest.mark.parametrize(("byte", "readable"), [(0x8D, False), (0x37, True)])
def test_a_labelled_code_of_another_encoding_is_refused_and_ends_nothing(tmp_path, suffix, byte, readable):
    """In a process of its own: read by the library alone, such a code ends the process."""
    path = tmp_path / f"d.{suffix}"
    book = Dictionary.of(Variable(name="t", values={"0560": "x" * 20, "0561": "y" * 20}))
    io.write(Microdata(pl.DataFrame({"t": ["0560", "0561"]}), book), path)
    content = bytearray(path.read_bytes())
    content[content.index(b"0560    \x14") + 3] = byte
    path.write_bytes(content)
    side_path(path).unlink(missing_ok=True)
    program = "import sys; from celosia.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program, "inspect", str(path), "--json"], capture_output=True)
    codes = [error["code"] for error in json.loads(done.stdout)["errors"]]
    assert (done.returncode, codes) == ((0, []) if readable else (2, ["file-encoding"]))


def test_labelled_codes_beyond_ascii_are_read(tmp_path):
    path = tmp_path / "d.sav"
    book = Dictionary.of(Variable(name="t", values={"ñu": "Ñuble", "v": "Valparaíso"}))
    io.write(Microdata(pl.DataFrame({"t": ["ñu", "v"]}), book), path)
    assert io.read(path).dictionary["t"].values == {"ñu": "Ñuble", "v": "Valparaíso"}


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("suffix", FORMATS)
def test_a_few_wrong_bytes_are_read_or_refused_and_never_crash(tmp_path, suffix, seed):
    path = written(tmp_path, suffix)
    side_path(path).unlink(missing_ok=True)
    content = bytearray(path.read_bytes())
    chance = random.Random(seed)
    for _ in range(5):
        content[chance.randrange(len(content))] = chance.randrange(256)
    path.write_bytes(content)
    try:
        io.read(path)
    except CelosiaError as error:
        assert SECRET not in str(error)
