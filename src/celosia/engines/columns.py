"""One polars column as small integers and the sorted table of its distinct codes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import MissingKind, Variable
from celosia.engines.contract import Categories, Counting, Ints
from celosia.kernels.counting import mark_present

_NARROW = 1 << 22
"""A range of integers up to this wide is looked up in a table, whatever the number of records."""

_NULL, _SUPPRESSED = 0, 1
"""Places of the two empty values before the distinct ones."""


@dataclass(frozen=True, eq=False)
class Column:
    """Integers ``values`` (``low`` = null, ``low + 1`` = suppressed) and what the present ones mean."""

    values: Ints
    low: int
    width: int
    present: Ints
    distinct: pl.Series
    has_null: bool
    has_suppressed: bool

    def digits(self, variable: Variable, missing: Counting) -> tuple[Categories, Ints]:
        """The categories of the column and the digit of each place ``value - low``."""
        codes: list[str | None] = []
        kinds: list[MissingKind | None] = []
        digit_of = np.zeros(self.width, dtype=np.int64)

        def category(code: str | None, kind: MissingKind | None) -> int:
            codes.append(code)
            kinds.append(kind)
            return len(codes)

        unanswered: list[int] = []
        emptied = [_SUPPRESSED] if self.has_suppressed else []
        spelled = spell_series(self.distinct).to_list()
        for value, code in zip(self.present, spelled, strict=True):
            kind = variable.kind_of(code)
            if kind in (None, MissingKind.NOT_APPLICABLE):
                digit_of[value - self.low] = category(code, kind)
            else:
                (emptied if kind is MissingKind.SUPPRESSED else unanswered).append(int(value - self.low))
        if self.has_null:
            if variable.null is MissingKind.NOT_APPLICABLE:
                digit_of[_NULL] = category(None, MissingKind.NOT_APPLICABLE)
            else:
                unanswered.append(_NULL)
        if missing == "strict":
            if unanswered:
                digit_of[unanswered] = category(None, MissingKind.NON_RESPONSE)
            if emptied:
                digit_of[emptied] = category(None, MissingKind.SUPPRESSED)
        return Categories(tuple(codes), tuple(kinds)), digit_of


def column(values: pl.Series, suppressed: npt.NDArray[np.bool_] | None) -> Column:
    """Read a column once: its integers, and its distinct codes in sorted order."""
    whole, order = _as_integers(values)
    low = int(whole.min() or 0) - 2  # type: ignore[arg-type]
    high = int(whole.max() or 0)  # type: ignore[arg-type]
    nulls = whole.null_count()
    numbers = (whole.fill_null(low) if nulls else whole).to_numpy()
    if suppressed is not None:
        numbers = np.where(suppressed, low + 1, numbers)
    width = high - low + 1
    if width > max(_NARROW, 4 * whole.len()):
        ordered = whole.drop_nulls().unique().sort().to_numpy()
        ranked = np.searchsorted(ordered, numbers) + 2
        ranked[numbers == low] = _NULL
        ranked[numbers == low + 1] = _SUPPRESSED
        present, numbers, low, width = np.arange(ordered.size) + 2, ranked, 0, ordered.size + 2
        codes = pl.Series(ordered)
    else:
        seen = np.zeros(width, dtype=np.uint8)
        mark_present(numbers, low, seen)
        present = np.flatnonzero(seen[2:]) + 2 + low
        codes = pl.Series(present)
    distinct = order.gather(codes) if order is not None else codes.cast(values.dtype)
    hidden = int(suppressed.sum()) if suppressed is not None else 0
    return Column(numbers, low, width, present, distinct, nulls > hidden, hidden > 0)


def _as_integers(values: pl.Series) -> tuple[pl.Series, pl.Series | None]:
    """Integers in the order of the values; for those that are ranks, the values by rank as well."""
    kind = values.dtype
    if kind.is_integer() and kind not in (pl.UInt64, pl.Int128, pl.UInt128):
        return values.cast(pl.Int64), None
    if kind.is_float():
        whole = values.drop_nulls()
        if bool((whole.floor() == whole).all()) and bool((whole.abs() < 2**53).all()):
            return values.cast(pl.Int64), None
    if kind in (pl.String, pl.Categorical, pl.Enum):
        values = values.cast(pl.String)
    order = values.drop_nulls().unique().sort()
    if order.is_empty():
        return pl.Series(values.name, [None] * values.len(), dtype=pl.Int64), order
    if values.dtype == pl.String:
        return values.cast(pl.Enum(order)).to_physical().cast(pl.Int64), order
    return values.replace_strict(order, pl.int_range(order.len(), eager=True), return_dtype=pl.Int64), order
