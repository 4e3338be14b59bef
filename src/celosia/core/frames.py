"""The tables that users hand us: taken in as ``Microdata``, given back as what they were."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from celosia.core.errors import RoleError
from celosia.core.microdata import Microdata


def enter(frame: Any) -> Microdata:
    """Any accepted table as ``Microdata``."""
    return frame if isinstance(frame, Microdata) else Microdata(frame)


def variable_names(given: Any) -> tuple[str, ...]:
    """Names of variables as callers give them: one or several; where pandas numbers its columns, numbers."""
    if isinstance(given, str):
        return (given,)
    if not isinstance(given, Iterable):
        raise RoleError("names-form", type=type(given).__name__)
    return tuple(str(name) for name in given)


def give_back(treated: Microdata, original: Any, before: Microdata) -> Any:
    """Treated data as the kind of table that came in (``before`` is that table as it entered).

    Columns that did not change are the caller's own, with their types and, in pandas, the index. The others have
    the caller's type where it can hold what they hold now.
    """
    if isinstance(original, Microdata):
        return treated
    if isinstance(original, pl.LazyFrame):
        return treated.frame.lazy()
    rows = treated.ids.astype(np.int64)
    moved = rows.size != before.height or bool((rows != np.arange(before.height)).any())
    old = before.take(rows) if moved else before
    unchanged = {name for name in treated.variables if name in before and _equal(treated, old, name)}
    if isinstance(original, pl.DataFrame):
        kept = original[pl.Series(rows)] if moved else original
        return pl.DataFrame([kept[name] if name in unchanged else treated.column(name) for name in treated.variables])
    return _builder(original)(treated, before, original, rows if moved else None, unchanged)


def _equal(treated: Microdata, old: Microdata, name: str) -> bool:
    return treated.column(name).equals(old.column(name), check_dtypes=True, null_equal=True)


Build = Callable[[Microdata, Microdata, Any, Any, set[str]], Any]


def _builder(original: Any) -> Build:
    table = nw.from_native(original, eager_only=True)
    if table.implementation.is_pandas():
        return _pandas
    return _arrow if table.implementation.is_pyarrow() else _any


def _pandas(treated: Microdata, before: Microdata, original: Any, rows: Any, unchanged: set[str]) -> Any:
    import pandas as pd

    kept = original if rows is None else original.iloc[rows]
    own = {str(name): name for name in original.columns}
    columns = {}
    for name in treated.variables:
        if name in unchanged:
            columns[own[name]] = kept[own[name]]
            continue
        values = treated.column(name)
        same_type = name in before and before.column(name).dtype == values.dtype
        first = kept[own[name]].dtype if same_type else None
        columns[own.get(name, name)] = _pandas_series(pd, values, first, kept.index)
    return pd.DataFrame(columns, index=kept.index)


def _pandas_series(pd: Any, values: pl.Series, own: Any, index: Any) -> Any:
    """A column as pandas holds it: in the caller's type if no value is lost to it."""
    plain = "Int64" if values.dtype.is_integer() else "boolean" if values.dtype == pl.Boolean else None
    if plain is not None and values.null_count() == 0:
        plain = {"Int64": "int64", "boolean": "bool"}[plain]
    for dtype in (own, plain):
        if dtype is None:
            continue
        try:
            series = pd.Series(values.to_list(), index=index, dtype=dtype)
        except (TypeError, ValueError):
            continue
        if int(series.isna().sum()) == values.null_count():
            return series
    return pd.Series(values.to_list(), index=index)


def _arrow(treated: Microdata, before: Microdata, original: Any, rows: Any, unchanged: set[str]) -> Any:
    import pyarrow as pa

    kept = original if rows is None else original.take(rows)
    columns = {}
    for name in treated.variables:
        if name in unchanged:
            columns[name] = kept.column(name)
            continue
        column = treated.column(name).to_arrow()
        same_type = name in before and before.column(name).dtype == treated.column(name).dtype
        columns[name] = column.cast(kept.schema.field(name).type) if same_type else _plain(pa, column)
    return pa.table(columns)


def _plain(pa: Any, column: Any) -> Any:
    """Text in arrow's ordinary type."""
    return column.cast(pa.string()) if pa.types.is_large_string(column.type) else column


def _any(treated: Microdata, before: Microdata, original: Any, rows: Any, unchanged: set[str]) -> Any:
    table = nw.from_native(original, eager_only=True)
    kept = table if rows is None else table[rows]
    new = {
        name: kept[name]
        if name in unchanged
        else nw.new_series(name, treated.column(name).to_list(), backend=table.implementation)
        for name in treated.variables
    }
    return kept.select(**new).to_native()
