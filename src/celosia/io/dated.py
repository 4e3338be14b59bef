"""Columns of dates that also hold codes of missing.

A date cannot hold a code, so such a column is text: dates in ISO form, codes as they are. Its display format
still says that it is a date, and statistical formats get numbers back.
"""

from __future__ import annotations

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import Variable
from celosia.io.clock import Clock


def to_text(numbers: pl.Series, coded: pl.Series, kind: pl.DataType, clock: Clock) -> pl.Series | None:
    """ISO text for a column of numbers, save where ``coded`` says that the number is a code."""
    dates = clock.from_number(numbers.zip_with(~coded, pl.Series([None], dtype=numbers.dtype)), kind)
    return None if dates is None else spell_series(dates).zip_with(~coded, spell_series(numbers))


def to_number(column: pl.Series, variable: Variable, clock: Clock) -> pl.Series | None:
    """Numbers for a text column of ISO dates and codes; ``None`` where it is not one."""
    kind = clock.kind(variable.format)
    if kind is None or column.dtype != pl.String or not variable.missing:
        return None
    codes = column.is_in(list(variable.missing)).fill_null(False)
    bare = column.zip_with(~codes, pl.Series([None], dtype=pl.String))
    dates = parse(bare, kind)
    numbers = None if dates is None else clock.to_number(dates)
    if numbers is None:
        return None
    kept = column.zip_with(codes, pl.Series([None], dtype=pl.String)).cast(numbers.dtype, strict=False)
    return None if kept.null_count() != (~codes).sum() else numbers.zip_with(~codes, kept)


def parse(column: pl.Series, kind: pl.DataType) -> pl.Series | None:
    """Dates or times from ISO text; ``None`` where some text is none."""
    if column.null_count() == column.len():
        return column.cast(kind)
    try:
        if kind == pl.Date:
            return column.str.to_date("%Y-%m-%d", strict=True)
        if kind == pl.Time:
            return column.str.to_time("%H:%M:%S%.f", strict=True)
        unit = kind.time_unit if isinstance(kind, pl.Datetime) else "us"
        return column.str.to_datetime("%Y-%m-%dT%H:%M:%S%.f", time_unit=unit, strict=True)
    except pl.exceptions.PolarsError:
        return None
