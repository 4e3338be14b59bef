"""The end of a strict suppression with several aims: what no aim needs any more is shown again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from celosia.methods.coded_records import CodedRecords

Mask = npt.NDArray[np.bool_]
Aims = Sequence[tuple[tuple[int, ...], int]]


def give_back(records: CodedRecords, emptied: Mask, aims: Aims, prices: Sequence[float]) -> None:
    """Show cells again, the dearest first, as long as every aim holds. ``emptied`` is changed in place.

    A key without a price (infinity) is left as it is.
    """
    price = np.array(prices)
    rows, columns = np.nonzero(emptied & np.isfinite(price))
    order = np.lexsort((records.ids[rows], columns, -price[columns]))
    cells = np.column_stack([rows, columns])[order]
    tables = [_Classes(records, emptied, keys, need) for keys, need in aims]
    for row, column in cells.tolist():
        touched = [table for table in tables if column in table.keys]
        now = emptied[row].copy()
        now[column] = False
        if all(table.may_change(row, now) for table in touched):
            for table in touched:
                table.change(row, now)
            emptied[row, column] = False


class _Classes:
    """The classes of the records on some keys, and what each amounts to."""

    def __init__(self, records: CodedRecords, emptied: Mask, keys: tuple[int, ...], need: int) -> None:
        grouped = records.now(emptied, keys)
        self.records, self.keys, self.need = records, keys, need
        signs = map(tuple, grouped.digits.tolist())
        self.amount = dict(zip(signs, grouped.mass.tolist(), strict=True))
        self.beyond = records.digits.max(axis=0) + 1
        self.sign = {row: self._shown(row, emptied[row]) for row in np.flatnonzero(emptied.any(axis=1)).tolist()}

    def _shown(self, row: int, emptied: Mask) -> tuple[int, ...]:
        fixed, digits = self.records.fixed, self.records.digits[self.records.index[row]]
        keys = [int(self.beyond[j + fixed] if emptied[j] else digits[j + fixed]) for j in self.keys]
        return (*digits[:fixed].tolist(), *keys)

    def _mass(self, row: int) -> int:
        return 1 if self.records.mass is None else int(self.records.mass[row])

    def may_change(self, row: int, emptied: Mask) -> bool:
        """Whether both classes hold what they need if a record goes over."""
        new = self._shown(row, emptied)
        left = self.amount[self.sign[row]] - self._mass(row)
        return bool(left >= self.need or left == 0) and self.amount.get(new, 0) >= self.need

    def change(self, row: int, emptied: Mask) -> None:
        """A record goes over."""
        new, mass = self._shown(row, emptied), self._mass(row)
        self.amount[self.sign[row]] -= mass
        self.amount[new] += mass
        self.sign[row] = new
