"""Counts of the cells that hold somebody, place by place: memory follows the records, not the domain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census.geography import Geography
from celosia.census.query import Query

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Counts:
    """The histograms of a run of places without their zeros.

    Attributes
    ----------
    first
        Where the entries of each place begin; one more at the end.
    cell
        The cell of each entry, ascending within a place.
    count
        How many are in it: never 0.
    cells
        Number of cells of the domain.
    """

    first: Ints
    cell: npt.NDArray[np.int32]
    count: npt.NDArray[np.int32]
    cells: int

    @classmethod
    def of_records(cls, place: npt.NDArray[np.int32], cell: npt.NDArray[np.int32], places: int, cells: int) -> Counts:
        """Count records, given the place and the cell of each."""
        from celosia.kernels.census import sort_by_place

        first = _first(np.bincount(place, minlength=places))
        sorted_cells = np.empty(cell.size, dtype=np.int32)
        sort_by_place(place, cell, first, sorted_cells)
        records = cls(first, sorted_cells, np.ones(cell.size, dtype=np.int32), cells)
        return records.gather(np.arange(places + 1))

    @classmethod
    def of_rows(cls, rows: Sequence[Counts]) -> Counts:
        """Runs of places, one after the other."""
        sizes = np.concatenate([np.diff(one.first) for one in rows])
        cell = np.concatenate([one.cell for one in rows])
        return cls(_first(sizes), cell, np.concatenate([one.count for one in rows]), rows[0].cells)

    @classmethod
    def of_table(cls, table: npt.NDArray[Any], cell: npt.NDArray[np.int32], cells: int) -> Counts:
        """From a table with one row a place and one column a cell; the columns are those of ``cell``, ascending."""
        row, column = np.nonzero(table)
        first = _first(np.bincount(row, minlength=len(table)))
        return cls(first, cell[column].astype(np.int32), table[row, column].astype(np.int32), cells)

    @classmethod
    def levels(cls, leaves: Counts, geography: Geography) -> tuple[Counts, ...]:
        """The counts of every level, root first, from those of the leaves."""
        found = [leaves]
        for first_child in reversed(geography.first_child):
            found.append(found[-1].gather(first_child))
        return tuple(reversed(found))

    @property
    def places(self) -> int:
        """Number of places."""
        return self.first.size - 1

    @property
    def total(self) -> int:
        """All that are counted."""
        return int(self.count.sum(dtype=np.int64))

    @property
    def entries(self) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Place, cell and count of everything that is not zero."""
        return np.repeat(np.arange(self.places), np.diff(self.first)), self.cell, self.count

    def gather(self, members: Ints) -> Counts:
        """The sums of runs of places: run ``r`` is ``members[r]`` up to ``members[r + 1]``."""
        from celosia.kernels.census import gather_cells

        first = np.empty(members.size, dtype=np.int64)
        cell, count = np.empty(self.cell.size, dtype=np.int32), np.empty(self.cell.size, dtype=np.int32)
        written = gather_cells(self.first, members, self.cell, self.count, self.cells, first, cell, count)
        return Counts(first, cell[:written].copy(), count[:written].copy(), self.cells)

    def of_place(self, place: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """The cells of one place that hold somebody, and how many each."""
        entries = slice(int(self.first[place]), int(self.first[place + 1]))
        return self.cell[entries], self.count[entries]

    def answers(self, query: Query) -> Ints:
        """The answers of a query, one row a place."""
        from celosia.kernels.census import sum_entries

        out = np.zeros((self.places, query.size), dtype=np.int64)
        sum_entries(self.first, self.cell, self.count, query.group, out)
        return out

    def part(self, places: slice) -> Counts:
        """A run of the places."""
        start, stop, _ = places.indices(self.places)
        entries = slice(int(self.first[start]), int(self.first[stop]))
        return Counts(
            self.first[start : stop + 1] - self.first[start], self.cell[entries], self.count[entries], self.cells
        )

    def dense(self) -> npt.NDArray[np.int32]:
        """One row a place, one column a cell."""
        table = np.zeros((self.places, self.cells), dtype=np.int32)
        place, cell, count = self.entries
        table[place, cell] = count
        return table


def _first(sizes: npt.NDArray[Any]) -> Ints:
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def answers(query: Query, counts: Counts | npt.NDArray[Any]) -> Ints:
    """The answers of a query for histograms in either form."""
    return counts.answers(query) if isinstance(counts, Counts) else query.answers(counts).astype(np.int64)
