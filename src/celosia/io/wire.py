"""Microdata as a file will hold them, and back.

On the way out the record id and the marks stay behind; suppressed cells get a code of their own, and
columns that a format has no type for get one it has. What is needed to undo that goes with the dictionary.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import FileError
from celosia.core.microdata import Microdata
from celosia.io import dated, suppression
from celosia.io.clock import Clock
from celosia.io.formats import Missing, Support

_EXACT = 2**53
_TYPES = {str(dtype): dtype for dtype in (
    pl.Int8(), pl.Int16(), pl.Int32(), pl.Int64(), pl.UInt8(), pl.UInt16(), pl.UInt32(), pl.UInt64(),
    pl.Float32(), pl.Float64(), pl.String(), pl.Boolean(), pl.Date(), pl.Time(),
    pl.Datetime("ms"), pl.Datetime("us"), pl.Datetime("ns"),
)}  # fmt: skip


@dataclass(frozen=True)
class Wire:
    """A frame that a format can write, with the dictionary of that frame."""

    frame: pl.DataFrame
    dictionary: Dictionary
    types: Mapping[str, str] = field(default_factory=dict)
    """The type each column had, where it can be given back."""
    formats: Mapping[str, str] = field(default_factory=dict)
    """Display formats that turn numbers into dates in the file."""


def encode(data: Microdata, support: Support, clock: Clock | None = None) -> Wire:
    """The data as this format can hold them."""
    frame, dictionary = data.frame, data.dictionary
    columns: list[pl.Series] = []
    formats: dict[str, str] = {}
    for column in frame.get_columns():
        variable = dictionary[column.name]
        held = _held(column, variable, support, clock)
        if clock is not None and held.dtype.is_numeric() and not column.dtype.is_numeric():
            formats[column.name] = _display(column, variable, clock)
        mask = data.suppressed(column.name) & held.is_null()
        if mask.any():
            as_letter = support.missing is Missing.LETTERS
            held, described = suppression.fill(held, mask, variable, as_letter=as_letter)
            dictionary = dictionary.replace(column.name, values=described.values, missing=described.missing)
        columns.append(held.alias(column.name))
    formats = {name: display for name, display in formats.items() if display}
    types = {name: str(dtype) for name, dtype in frame.schema.items() if str(dtype) in _TYPES}
    return Wire(pl.DataFrame(columns), dictionary, types, formats)


def _display(column: pl.Series, variable: Variable, clock: Clock) -> str:
    """The display format that makes the numbers of a column dates again."""
    if column.dtype == pl.Boolean:
        return ""
    same = clock.kind(variable.format) == column.dtype or column.dtype == pl.String
    return variable.format if same else clock.default(column.dtype)


def _held(column: pl.Series, variable: Variable, support: Support, clock: Clock | None) -> pl.Series:
    """The column in a type that the format has."""
    kind = column.dtype
    if support.format == "parquet":
        return column
    if kind in (pl.Categorical, pl.Enum, pl.Null):
        return column.cast(pl.String)
    if kind.is_decimal():
        return column.cast(pl.Float64)
    if kind in (pl.Int128, pl.UInt64) or (kind == pl.Int64 and not support.own_integers):
        return _int64(column, support)
    if kind == pl.Boolean and clock is not None:
        return column.cast(pl.Int8)
    if kind.is_temporal() and clock is not None:
        number = clock.to_number(column)
        return spell_series(column) if number is None else number
    if isinstance(kind, pl.Datetime) and kind.time_zone:
        return spell_series(column)
    if clock is not None and kind == pl.String:
        numbers = dated.to_number(column, variable, clock)
        return column if numbers is None else numbers
    return column


def _int64(column: pl.Series, support: Support) -> pl.Series:
    """The integers, if the format keeps them exactly."""
    limit = 2**63 if support.own_integers else _EXACT
    wide = column.cast(pl.Int128)
    if ((wide >= limit) | (wide <= -limit)).any():
        raise FileError("number-too-long", variable=column.name, format=support.format)
    return column.cast(pl.Int64)


def decode(
    frame: pl.DataFrame, dictionary: Dictionary, types: Mapping[str, str], key: bytes | None, path: str
) -> Microdata:
    """The data that a file holds: cells of suppressed codes emptied and marked, types as they were."""
    masks, clean = suppression.found(frame, dictionary)
    columns = []
    for column in frame.get_columns():
        mask = masks.get(column.name)
        bare = column if mask is None else column.zip_with(~mask, pl.Series([None], dtype=column.dtype))
        columns.append(_typed(bare, types.get(column.name), path))
    data = Microdata(pl.DataFrame(columns), clean, key=key)
    return data.suppress({name: mask.to_numpy() for name, mask in masks.items()})


def _typed(column: pl.Series, name: str | None, path: str) -> pl.Series:
    """The column in the type it had when we wrote it."""
    if name is None or str(column.dtype) == name:
        return column
    target = _TYPES.get(name)
    if target is None:
        raise FileError("side-type", path=path, variable=column.name, type=name)
    try:
        return _cast(column, target)
    except pl.exceptions.PolarsError:
        raise FileError("side-mismatch-type", path=path, variable=column.name, type=name) from None


def _cast(column: pl.Series, target: pl.DataType) -> pl.Series:
    if column.dtype == pl.String and target == pl.Boolean:
        return column.replace_strict(["true", "false"], [True, False], return_dtype=pl.Boolean)
    if column.dtype == pl.String and target.is_temporal():
        dates = dated.parse(column, target)
        if dates is None:
            raise pl.exceptions.InvalidOperationError
        return dates
    if isinstance(column.dtype, pl.Datetime) and target == pl.Time:
        return column.dt.time()
    if column.dtype.is_numeric() and target.is_temporal():  # it would be counted from another day
        raise pl.exceptions.InvalidOperationError
    if target == pl.String:
        return spell_series(column)
    return column.cast(target, strict=True)
