"""The tables that users hand us: taken in as ``Microdata``, given back as what they were."""

from __future__ import annotations

from typing import Any

import narwhals as nw
import polars as pl

from celosia.core.microdata import RECORD_ID, Microdata


def enter(frame: Any) -> Microdata:
    """Any accepted table as ``Microdata``."""
    return frame if isinstance(frame, Microdata) else Microdata(frame)


def give_back(treated: Microdata, original: Any) -> Any:
    """Treated data as the kind of table that came in.

    Columns that did not change are the caller's own, with their types (and, in pandas, the index).
    """
    if isinstance(original, Microdata):
        return treated
    if isinstance(original, pl.LazyFrame):
        return treated.frame.lazy()
    table = nw.from_native(original, eager_only=True)
    before = Microdata(original)
    rows = treated.ids.astype("int64")
    kept = table[rows] if rows.size != before.height or (rows != range(before.height)).any() else table
    columns = []
    for name in treated.variables:
        now = treated.column(name)
        unchanged = name in before and now.equals(before.column(name).gather(rows), check_dtypes=True, null_equal=True)
        columns.append(kept[name] if unchanged else _foreign(now, kept))
    if isinstance(original, pl.DataFrame):
        return pl.DataFrame([c.to_native() if isinstance(c, nw.Series) else c for c in columns])
    return kept.select(**{name: column for name, column in zip(treated.variables, columns, strict=True)}).to_native()


def _foreign(values: pl.Series, like: nw.DataFrame[Any]) -> nw.Series[Any]:
    """A polars column in the library of another frame."""
    return nw.new_series(values.name, values.to_list(), backend=like.implementation)


__all__ = ["RECORD_ID", "enter", "give_back"]
