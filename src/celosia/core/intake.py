"""Tables as they enter the house: any that narwhals reads becomes polars, once its names and types are in order."""

from __future__ import annotations

import datetime as dt
from typing import Any, cast

import narwhals as nw
import polars as pl

from celosia.core.codes import spell, type_name
from celosia.core.errors import DataError

HIDDEN = "__celosia_"
"""How the names of columns begin that nobody outside may use."""

_FIRST_DAY, _LAST_DAY = (day.toordinal() - dt.date(1970, 1, 1).toordinal() for day in (dt.date.min, dt.date.max))
_IN_A_DAY = {"ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}


def to_polars(frame: Any) -> pl.DataFrame:
    """Any accepted table as polars, checked: names differ by more than case, no nested columns."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    table: pl.DataFrame = frame if isinstance(frame, pl.DataFrame) else _foreign_to_polars(frame)
    seen: dict[str, str] = {}
    for name in table.columns:
        if name.startswith(HIDDEN):
            raise DataError("reserved-name", variable=name)
        if name.casefold() in seen:
            raise DataError("duplicate-variable", variable=name)
        seen[name.casefold()] = name
    for name, dtype in table.schema.items():
        if dtype.is_nested() or dtype in (pl.Binary, pl.Object, pl.Duration):
            raise DataError("column-type", variable=name, type=type_name(dtype))
        if dtype.is_temporal() and _beyond_the_calendar(table[name]):
            raise DataError("date-range", variable=name)
    floats = [name for name, dtype in table.schema.items() if dtype.is_float()]
    with_nan = [name for name in floats if table[name].is_nan().any()]
    return table.with_columns(pl.col(with_nan).fill_nan(None)) if with_nan else table


def _beyond_the_calendar(values: pl.Series) -> bool:
    """Whether a date lies before the year 1 or after 9999, where Python and ISO 8601 end."""
    if values.dtype == pl.Time:
        return False
    size = _IN_A_DAY[values.dtype.time_unit] if isinstance(values.dtype, pl.Datetime) else 1
    count = values.to_physical()
    low, high = count.min(), count.max()
    if not isinstance(low, int) or not isinstance(high, int):
        return False
    return low < _FIRST_DAY * size or high >= (_LAST_DAY + 1) * size


def _foreign_to_polars(frame: Any) -> pl.DataFrame:
    given: Any = getattr(frame, "column_names", None) or getattr(frame, "columns", ())  # pyarrow's columns are cells
    names = [str(name) for name in given]
    if len(set(names)) < len(names):
        raise DataError("duplicate-variable", variable=next(n for n in names if names.count(n) > 1))
    try:
        table = nw.from_native(frame, eager_only=True)
    except TypeError:
        raise DataError("frame-type", type=type(frame).__name__) from None
    try:
        return cast(pl.DataFrame, table.to_polars())
    except Exception:  # noqa: BLE001 (each library has its own, and shows values; or pandas has no pyarrow for text)
        return pl.DataFrame([_one_column(table[name]) for name in table.columns])


def _one_column(column: nw.Series[Any]) -> pl.Series:
    """A column by its values where it does not go over whole; values of several types as codes, which are text."""
    name, empty = str(column.name), column.is_null().to_list()
    values = [None if gone or value != value else value for value, gone in zip(column.to_list(), empty, strict=True)]
    kinds = {type(value) for value in values if value is not None}
    try:
        if len(kinds) <= 1:
            return pl.Series(name, values)
        return pl.Series(name, [spell(value) for value in values], dtype=pl.String)
    except Exception:  # noqa: BLE001 (whatever it says may hold a value)
        raise DataError("column-type", variable=name, type=", ".join(sorted(kind.__name__ for kind in kinds))) from None
