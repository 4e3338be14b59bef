"""CSV files: every cell is read as text, then columns of plain numbers become numbers.

A code keeps its spelling: a column with a leading zero, a sign or a letter anywhere stays text, and so does one whose
value labels name a code that a number would respell (``10.10``), or where two spellings would become one number, unless
the dictionary says that it counts or measures. Dates in ISO form become dates. An empty cell is nothing; so is ``""``,
unless our side dictionary says that the column is text.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path

import polars as pl

from celosia.core.dictionary import Dictionary, Level, Variable
from celosia.core.errors import FileError, warn
from celosia.io import harmless
from celosia.io.columns import check_names
from celosia.io.csv_form import CsvForm, own_form, refused
from celosia.io.side import SideFile
from celosia.io.wire import Wire

_INTEGER = r"^(0|-?[1-9]\d{0,17})$"
_FLOAT = {
    ".": r"^-?(0|[1-9]\d*)(\.\d+([eE][+-]?\d+)?|[eE][+-]\d+)?$",
    ",": r"^-?(0|[1-9]\d*)(,\d+([eE][+-]?\d+)?|[eE][+-]\d+)?$",
}
_LONG = r"^-?\d{16,}$"
"""Whole numbers that a float does not hold to the last digit: a number of an account, not a measurement."""
_RESPELLED = r"[.,]\d*0$|[eE]"
"""Decimals that the number itself would be written without."""
_OTHER_MARK = {".": r"^-?\d+,\d+$", ",": r"^-?\d+\.\d+$"}
_DATE = r"^\d{4}-\d{2}-\d{2}$"


def read_csv(path: Path, form: CsvForm, side: SideFile, book: Dictionary) -> pl.DataFrame:
    """The file as a frame; ``book`` is all that is known of its variables."""
    names, records = _check_rows(path, form)
    text = _as_text(path, form).head(records)
    text.columns = names
    if side.harmless:
        text = text.rename({name: harmless.unguard_text(name) for name in names})
        text = text.with_columns(harmless.unguard(c) for c in text.get_columns() if _may_be_guarded(c, side))
    return text.select(_guess(c, side, book[c.name], form.decimal, path) for c in text.get_columns())


def _may_be_guarded(column: pl.Series, side: SideFile) -> bool:
    return not side.types.get(column.name, "String").startswith(("Int", "UInt", "Float"))


def _check_rows(path: Path, form: CsvForm) -> tuple[list[str], int]:
    """Names of the columns and number of records; every row must have as many cells as the first."""
    try:
        with path.open(encoding=form.encoding, newline="") as stream:
            rows = csv.reader(stream, delimiter=form.delimiter, strict=True)
            first = next(rows)
            records = _check_lengths(rows, len(first), path) + (not form.header)
    except UnicodeError:
        raise FileError("csv-encoding", path=str(path)) from None
    except csv.Error as error:
        raise refused(error, path) from None
    names = first if form.header else [f"column_{place}" for place in range(1, len(first) + 1)]
    check_names(names, path)
    return names, records


def _check_lengths(rows: Iterator[list[str]], width: int, path: Path) -> int:
    """How many records there are; blank lines may only end the file, or be empty cells of a single column."""
    records, blanks, short = 0, 0, None
    for number, row in enumerate(rows, start=2):
        if not row and width > 1:
            blanks += 1
            continue
        if short is None and (blanks or len(row) != width):
            short = (number - blanks, 0 if blanks else len(row))
        elif short is not None:
            raise FileError("csv-ragged", path=str(path), row=short[0], found=short[1], expected=width)
        records += 1
    if short is not None:
        code = "csv-last-row" if 0 < short[1] < width else "csv-ragged"
        raise FileError(code, path=str(path), row=short[0], found=short[1], expected=width)
    return records


def _as_text(path: Path, form: CsvForm) -> pl.DataFrame:
    source: Path | bytes = path
    if form.encoding not in ("utf-8", "utf-8-sig"):
        source = path.read_bytes().decode(form.encoding).encode()
    try:
        return pl.read_csv(source, separator=form.delimiter, has_header=form.header, infer_schema=False)
    except pl.exceptions.NoDataError:
        raise FileError("file-empty", path=str(path)) from None
    except pl.exceptions.PolarsError:
        raise FileError("file-broken", path=str(path)) from None


def _guess(column: pl.Series, side: SideFile, variable: Variable, decimal: str, path: Path) -> pl.Series:
    """The column in the plainest type that keeps the spelling of its codes."""
    if side.types.get(column.name) == "String":
        return column
    bare = column.replace("", None)
    values = bare.drop_nulls()
    if not values.len():
        return bare
    if values.str.contains(_INTEGER).all():
        return bare.cast(pl.Int64)
    if values.str.contains(_FLOAT[decimal]).all() and not values.str.contains(_LONG).any():
        numbers = bare.str.replace(",", ".", literal=True).cast(pl.Float64)
        return bare if column.name not in side.types and _are_codes(bare, numbers, variable) else numbers
    if values.str.contains(f"{_OTHER_MARK[decimal]}|{_INTEGER}").all():
        raise FileError("csv-decimal-column", path=str(path), variable=column.name)
    if column.name not in side.types and values.str.contains(_DATE).all():
        dates = bare.str.to_date("%Y-%m-%d", strict=False)
        return dates if dates.null_count() == bare.null_count() else bare
    return bare


def _are_codes(texts: pl.Series, numbers: pl.Series, variable: Variable) -> bool:
    """Whether these decimals are codes: their spelling counts, and as numbers they would lose it."""
    if variable.level in (Level.DISCRETE, Level.CONTINUOUS):
        return False
    respelled = texts.filter(texts.str.contains(_RESPELLED))
    if respelled.is_in([code for code in variable.values if variable.kind_of(code) is None]).any():
        return True
    if respelled.is_empty():
        return False
    other = numbers != 0
    merged = texts.filter(other).n_unique() - numbers.filter(other).n_unique()
    if merged and variable.level is not Level.CATEGORICAL:
        warn("csv-spellings", variable=texts.name, count=merged)
    return merged > 0


def write_csv(wire: Wire, path: Path) -> None:
    """The frame as CSV in UTF-8 (``.tsv``: tabs), with dangerous texts made harmless."""
    guarded = wire.frame.with_columns(
        harmless.guard(column) for column in wire.frame.get_columns() if column.dtype == pl.String
    )
    guarded = guarded.rename({name: harmless.guard_text(name) for name in guarded.columns})
    guarded.write_csv(
        path,
        separator=own_form(path).delimiter,
        datetime_format="%Y-%m-%dT%H:%M:%S%.f",
    )
