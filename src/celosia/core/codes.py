"""The canonical spelling of a code.

Codes are text everywhere outside a data column: in hierarchies, mappings, value labels, missing codes,
grouping tables and JSON. This module alone decides how a value is spelled:

* integers, and floats equal to one, without a decimal point (``1``, ``-3``);
* other floats in their shortest form (``2.5``), decimals exactly;
* text as written (``01101`` stays ``01101``);
* booleans ``true`` and ``false``; dates and times in ISO 8601;
* nothing (null, NaN) has no spelling: ``None``.
"""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal
from typing import Annotated, Any

import polars as pl
from pydantic import BeforeValidator

from celosia.core.errors import DataError

_EXACT = 2**53
"""Floats at or above it are not integers anybody wrote."""

_NUMBER = re.compile(r"[+-]?\d+(\.\d*)?([eE][+-]?\d{1,3})?", re.ASCII)


def spell(value: Any) -> str | None:
    """The canonical spelling of one value."""
    if value is None or (isinstance(value, float) and value != value):
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value)
    if isinstance(value, float):
        return str(int(value)) if value == int_or_nan(value) else repr(value)
    if isinstance(value, Decimal):
        return _spell_decimal(value)
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if hasattr(value, "item"):  # a numpy scalar; str gives the shortest form in its own precision
        plain = value.item()
        return spell(float(str(value)) if isinstance(plain, float) else plain)
    raise DataError("code-type", type=type(value).__name__)


def int_or_nan(value: float) -> float:
    """The value itself where it is an integer that a float holds exactly, else NaN."""
    return value if abs(value) < _EXACT and value.is_integer() else float("nan")


def _spell_decimal(value: Decimal) -> str:
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def as_shown(values: pl.Series) -> pl.Series:
    """Floats of 32 bits as the decimals that they show (12.3, not 12.300000190734863), in 64 bits."""
    return values.cast(pl.String).cast(pl.Float64) if values.dtype == pl.Float32 else values


def type_name(dtype: pl.DataType) -> str:
    """The plain name of a type: ``Datetime``, without its unit."""
    return str(dtype.base_type())


def spell_series(values: pl.Series) -> pl.Series:
    """The canonical spelling of a whole column, as text; null where there is nothing."""
    values = as_shown(values)
    kind = values.dtype
    if kind == pl.String:
        return values
    if kind in (pl.Categorical, pl.Enum) or kind.is_integer():
        return values.cast(pl.String)
    if kind == pl.Null:
        return values.cast(pl.String)
    if kind == pl.Boolean or kind.is_temporal() or kind.is_float() or kind.is_decimal():
        whole = values.drop_nans() if kind.is_float() else values
        if kind.is_float() and bool(((whole.floor() == whole) & (whole.abs() < _EXACT)).all()):
            return values.fill_nan(None).cast(pl.Int64).cast(pl.String)
        if values.is_empty():
            return pl.Series(values.name, [], dtype=pl.String)
        distinct = values.unique()
        spelled = pl.Series([spell(value) for value in distinct.to_list()], dtype=pl.String)
        return values.replace_strict(distinct, spelled, return_dtype=pl.String)
    raise DataError("column-type", variable=values.name, type=type_name(kind))


def spell_number(code: str) -> str:
    """A code as a column of numbers spells it (``99.0`` is ``99``); one that is no number, or a long one, stays."""
    number = float(code) if _NUMBER.fullmatch(code) else float("nan")
    return str(spell(number)) if abs(number) < _EXACT else code


def _to_code(value: Any) -> Any:
    spelled = spell(value)
    return value if spelled is None else spelled


Code = Annotated[str, BeforeValidator(_to_code)]
"""A field that holds a code: takes any scalar, keeps its canonical spelling."""


def sort_key(code: str) -> tuple[int, float, str]:
    """Order of codes: numbers by size, then text by letters."""
    try:
        number = float(code)
    except ValueError:
        number = float("nan")
    return (0, number, code) if number == number else (1, 0.0, code)


def back_to(codes: pl.Series, dtype: pl.DataType) -> pl.Series | None:
    """Codes in a column's own type; ``None`` where some code cannot be written in it."""
    if dtype == pl.String:
        return codes
    if isinstance(dtype, pl.Categorical | pl.Enum):
        return None
    try:
        typed = _typed(codes, dtype)
    except pl.exceptions.PolarsError:
        return None
    same = spell_series(typed).eq_missing(codes).all()
    return typed if same else None


def _typed(codes: pl.Series, dtype: pl.DataType) -> pl.Series:
    if dtype == pl.Boolean:
        return codes.replace_strict(["true", "false"], [True, False], return_dtype=pl.Boolean)
    if dtype == pl.Date:
        return codes.str.to_date("%Y-%m-%d")
    if dtype.is_temporal():
        return pl.Series(codes.name, [_parsed(code, dtype) for code in codes.to_list()], dtype=dtype)
    return codes.cast(dtype, strict=True)


def _parsed(code: str | None, dtype: pl.DataType) -> dt.datetime | dt.time | None:
    reader = dt.time if dtype == pl.Time else dt.datetime
    try:
        return None if code is None else reader.fromisoformat(code)
    except ValueError:
        raise pl.exceptions.InvalidOperationError from None
