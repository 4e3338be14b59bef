"""The end of a suppression with several aims: every emptied cell that no aim needs any more is shown again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import Ints
from celosia.kernels import giving_back as kernel
from celosia.methods.coded_records import CodedRecords, Digits, distinct_rows

Mask = npt.NDArray[np.bool_]
Aims = Sequence[tuple[tuple[int, ...], int]]


def give_back(
    records: CodedRecords, emptied: Mask, aims: Aims, prices: Sequence[float], violators: Sequence[Mask], each: bool
) -> None:
    """Show cells again, the dearest first, as long as every aim holds. ``emptied`` is changed in place.

    A key without a price is left as it is. ``violators`` are the records that violated each aim as the file came;
    with ``each``, all of them keep one of its keys empty.
    """
    price = np.array(prices)
    rows, columns = np.nonzero(emptied & np.isfinite(price))
    order = np.lexsort((records.ids[rows], columns, -price[columns]))
    cells = np.column_stack([rows, columns])[order]
    if records.counting == "strict":
        _strict(records, emptied, cells, aims)
    else:
        _wildcard(records, emptied, cells, aims, violators, each)


def _strict(records: CodedRecords, emptied: Mask, cells: Ints, aims: Aims) -> None:
    """A cell is shown again where the class left keeps what it needs, and a class is there to come back to."""
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


def _wildcard(
    records: CodedRecords, emptied: Mask, cells: Ints, aims: Aims, violators: Sequence[Mask], each: bool
) -> None:
    """A cell is shown again where everybody is still matched by enough."""
    quiet = ~(np.logical_or.reduce(violators) | emptied.any(axis=1))
    playing = np.flatnonzero(~quiet)
    place = np.cumsum(~quiet) - 1
    digits = records.digits[records.index]
    mass = np.ones(records.height, dtype=np.int64) if records.mass is None else records.mass
    others, others_mass = _summed(digits[quiet], mass[quiet])
    places = np.int64(1) << np.arange(digits.shape[1], dtype=np.int64)
    keys = places[records.fixed :]
    start = (digits[playing] == 0) @ places
    file = (
        digits[playing],
        start | emptied[playing] @ keys,
        mass[playing],
        others,
        (others == 0) @ places,
        others_mass,
    )
    always = places[: records.fixed].sum()
    bits = np.array([keys[list(positions)].sum() for positions, _ in aims], dtype=np.int64)
    reach = np.zeros((len(aims), playing.size), dtype=np.int64)
    for a in range(len(aims)):
        kernel.count_matches(*file, always, bits[a], reach[a])
    needs = np.array([need for _, need in aims], dtype=np.int64)
    treated = np.stack([violating[playing] & each for violating in violators])
    rows, columns = cells.T
    back = np.zeros(len(cells), dtype=np.bool_)
    kernel.show_again(*file, always, bits, needs, treated, start, reach, place[rows], keys[columns], back)
    emptied[rows[back], columns[back]] = False


def _summed(digits: Digits, mass: Ints) -> tuple[Digits, Ints]:
    """The distinct rows and what each amounts to."""
    if not len(digits):
        return digits, np.empty(0, dtype=np.int64)
    example, number = distinct_rows(digits)
    return digits[example], np.bincount(number, weights=mass, minlength=example.size).astype(np.int64)
