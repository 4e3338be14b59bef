"""Excel workbooks: the first sheet, with names in its first row.

Text is always written as text, never as a formula. Excel keeps numbers to 15 or 16 digits.
"""

from __future__ import annotations

import datetime as dt
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import FileError
from celosia.io.columns import check_names
from celosia.io.wire import Wire

_FIRST_DAY = dt.date(1900, 3, 1)
"""Before it Excel's calendar has a day that never was."""
_DATE_FORMATS = {pl.Date: "yyyy-mm-dd", pl.Datetime: "yyyy-mm-dd hh:mm:ss", pl.Time: "hh:mm:ss"}


def read_excel(path: Path, sheet: int = 0) -> pl.DataFrame:
    """One sheet as a frame; whole numbers are integers, midnights are dates."""
    book = open_workbook(path)
    import fastexcel

    try:
        heads = book.load_sheet(sheet, header_row=None, n_rows=1, dtypes="string").to_polars()
        names = list(heads.row(0)) if heads.height else []
        check_names(names, path)
        with _no_notices():
            frame: pl.DataFrame = book.load_sheet(sheet, schema_sample_rows=None).to_polars()
    except (fastexcel.FastExcelError, pl.exceptions.PolarsError):
        raise FileError("file-broken", path=str(path)) from None
    if frame.width != len(names):
        raise FileError("column-unnamed", path=str(path), position=min(frame.width, len(names)) + 1)
    frame.columns = names
    return frame.select(_plain(column) for column in frame.get_columns())


@contextmanager
def _no_notices() -> Iterator[None]:
    """Without fastexcel's notice, on the user's screen, of every column that is empty."""
    logger = logging.getLogger("fastexcel.types.dtype")
    before, logger.disabled = logger.disabled, True
    try:
        yield
    finally:
        logger.disabled = before


def open_workbook(path: Path) -> Any:
    """The workbook, or an error that says it is broken."""
    import fastexcel

    try:
        return fastexcel.read_excel(str(path))
    except fastexcel.FastExcelError:
        raise FileError("file-broken", path=str(path)) from None


def _plain(column: pl.Series) -> pl.Series:
    if column.dtype == pl.Float64:
        whole = column.drop_nulls()
        return column.cast(pl.Int64) if ((whole.floor() == whole) & (whole.abs() < 2**53)).all() else column
    if column.dtype.is_temporal() and isinstance(column.dtype, pl.Datetime):
        moments = column.cast(pl.Datetime("us"))
        midnight = (moments.dt.truncate("1d") == moments).all()
        return moments.cast(pl.Date) if midnight else moments
    if column.dtype in (pl.String, pl.Null):
        return column.cast(pl.String).replace("", None)
    return column


def write_excel(wire: Wire, path: Path) -> None:
    """The frame as the only sheet of a workbook."""
    import xlsxwriter

    if wire.frame.height and all(value is None for value in wire.frame.row(-1)):
        raise FileError("excel-empty-record")
    book = xlsxwriter.Workbook(str(path), {"constant_memory": True, "strings_to_urls": False})
    try:
        sheet = book.add_worksheet("datos")
        formats = {kind: book.add_format({"num_format": text}) for kind, text in _DATE_FORMATS.items()}
        columns = [_writable(column) for column in wire.frame.get_columns()]
        for place, column in enumerate(columns):
            sheet.write_string(0, place, column.name)
        kinds = [column.dtype.base_type() for column in columns]
        for number, row in enumerate(zip(*columns, strict=True), start=1):
            for place, value in enumerate(row):
                _write_cell(sheet, number, place, value, formats.get(kinds[place]))
        book.close()
    except xlsxwriter.exceptions.FileCreateError as error:
        cause = error.args[0] if error.args else None
        raise cause if isinstance(cause, OSError) else OSError(str(path)) from None


def _write_cell(sheet: Any, row: int, column: int, value: Any, date_format: Any) -> None:
    if value is None:
        return
    if isinstance(value, str):
        sheet.write_string(row, column, value)
    elif isinstance(value, bool):
        sheet.write_boolean(row, column, value)
    elif date_format is not None:
        sheet.write_datetime(row, column, value, date_format)
    else:
        sheet.write_number(row, column, value)


def _writable(column: pl.Series) -> pl.Series:
    """Dates as Excel counts them, or as text where it cannot."""
    if column.dtype == pl.Date:
        inside = (column >= _FIRST_DAY).all()
    elif isinstance(column.dtype, pl.Datetime):
        whole_ms = (column.dt.truncate("1ms") == column).all()
        inside = whole_ms and (column.dt.date() >= _FIRST_DAY).all()
    elif column.dtype == pl.Time:
        inside = (column.cast(pl.Int64) % 1_000_000_000 == 0).all()
    else:
        return column
    return column if inside else spell_series(column)
