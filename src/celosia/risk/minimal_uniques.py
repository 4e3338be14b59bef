r"""Minimal sample uniques: the smallest sets of variables that single a record out.

A set :math:`S` of variables is *unique* for a record if all its values on :math:`S` are observed and no other record
has the same ones; a cell that is not observed equals nothing. It is *minimal* (an MSU) if no proper part of it
is unique. Only a record that is alone in its key can have any.

Sets are taken in order of size. A record that is unique on a part of the set at hand is alone there as well, so it
is counted no more, neither for itself nor against others: what is left to count shrinks from level to level.

References
----------
Elliot, Manning & Ford (2002), *A computational algorithm for handling the special uniques problem*, International
Journal of Uncertainty, Fuzziness and Knowledge-Based Systems 10(5), 493-509. Manning, Haglin & Keane (2008),
*A recursive search algorithm for statistical disclosure assessment*, Data Mining and Knowledge Discovery 16, 165-196.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from math import comb, prod
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import OptionError
from celosia.core.run import Run
from celosia.engines import Keys
from celosia.kernels.uniques import minimal_on
from celosia.risk.options import whole_number

_PLACES = 1 << 22
"""Up to so many codes are counted in a table with a place for each."""
_ROOM = 1 << 31
"""Bytes that the bitmaps of two levels may take."""

Subset = tuple[int, ...]
Ints = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """Every minimal sample unique of a file, up to a size.

    Attributes
    ----------
    keys
        The distinct keys.
    subsets
        Sets of variables, by position; those that are minimal for somebody.
    key, subset
        For each minimal unique, the row of ``keys.digits`` and the position in ``subsets``.
    max_size
        The largest sets that were looked at.
    """

    keys: Keys = field(repr=False)
    subsets: tuple[Subset, ...] = field(repr=False)
    key: Ints = field(repr=False)
    subset: Ints = field(repr=False)
    max_size: int

    @cached_property
    def size(self) -> npt.NDArray[np.int64]:
        """Number of variables of each minimal unique."""
        return self.sizes[self.subset]

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """Number of variables of each of ``subsets``."""
        return np.array([len(subset) for subset in self.subsets], dtype=np.int64)

    def names(self) -> list[list[str]]:
        """The variables of each of ``subsets``."""
        return [[self.keys.names[j] for j in subset] for subset in self.subsets]

    def by_size(self) -> pl.DataFrame:
        """How many there are of each size, and of how many records the smallest has it."""
        smallest = np.full(self.keys.count.size, self.max_size + 1, dtype=np.int64)
        np.minimum.at(smallest, self.key, self.size)
        sizes = range(1, self.max_size + 1)
        count = np.bincount(self.size, minlength=self.max_size + 1)
        records = np.bincount(smallest, minlength=self.max_size + 1)
        return pl.DataFrame(
            {
                "size": list(sizes),
                "minimal_uniques": [int(count[s]) for s in sizes],
                "records": [int(records[s]) for s in sizes],
            },
            schema={"size": pl.Int64, "minimal_uniques": pl.Int64, "records": pl.Int64},
        )

    def table(self) -> pl.DataFrame:
        """Every minimal unique: the position of its record, its variables and how many they are."""
        record = np.empty(self.keys.count.size, dtype=np.int64)
        record[self.keys.index] = np.arange(self.keys.records)
        variables = pl.Series("variables", self.names(), dtype=pl.List(pl.String)).gather(pl.Series(self.subset))
        listed = pl.DataFrame({"record": record[self.key], "variables": variables, "size": self.size})
        return listed.sort("record", "size", maintain_order=True)


def minimal_uniques(keys: Keys, max_size: int | None = None, run: Run | None = None) -> MinimalUniques:
    """Find every minimal sample unique (keys encoded with ``missing="wildcard"``: 0 equals nothing).

    Parameters
    ----------
    keys
        The distinct keys.
    max_size
        The largest set to look at; all of them by default.
    run
        Its threads share the sets of each size.
    """
    variables = len(keys.names)
    if max_size is not None:
        whole_number("max_size", max_size)
    top = variables if max_size is None else min(max_size, variables)
    search = _Search.of(keys)
    _require_room(variables, top, search.words)
    run = run or Run()
    found: list[tuple[Subset, Ints]] = []
    covered = np.zeros((1, search.words), dtype=np.uint64)
    before: dict[Subset, int] = {}
    for size in range(1, top + 1):
        run.check("minimal_uniques", (size - 1) / top)
        level = list(combinations(range(variables), size))
        covers = np.empty((len(level), search.words), dtype=np.uint64)
        found += search.level(level, before, covered, covers, run)
        covered, before = covers, {subset: i for i, subset in enumerate(level)}
    key = np.concatenate([np.empty(0, dtype=np.int32), *(rows for _, rows in found)])
    subset = np.repeat(np.arange(len(found), dtype=np.int32), [rows.size for _, rows in found])
    return MinimalUniques(keys, tuple(subset for subset, _ in found), key, subset, top)


def _require_room(variables: int, top: int, words: int) -> None:
    widest = max(comb(variables, size) for size in range(1, top + 1))
    if 16 * widest * max(words, 16) > _ROOM:
        raise OptionError("uniques-too-many", keys=variables, subsets=widest)


@dataclass(frozen=True, eq=False)
class _Search:
    """The keys arranged for the search: one row a variable, keys of a single record first."""

    digits: Ints
    order: npt.NDArray[np.int64]
    sizes: tuple[int, ...]
    singles: int

    @classmethod
    def of(cls, keys: Keys) -> _Search:
        order = np.argsort(keys.count != 1, kind="stable")
        digits = np.ascontiguousarray(keys.digits[order].T)
        return cls(digits, order, tuple(len(c) for c in keys.categories), int((keys.count == 1).sum()))

    @property
    def words(self) -> int:
        """Words of a bitmap."""
        return -(-self.singles // 64)

    def level(
        self, level: Sequence[Subset], before: dict[Subset, int], covered: Words, covers: Words, run: Run
    ) -> list[tuple[Subset, Ints]]:
        """The minimal uniques of the sets of one size, set by set in order."""
        threads = min(run.threads, len(level))

        def part(first: int) -> dict[int, Ints]:
            room = _Room.of(self.singles)
            found = {}
            for i in range(first, len(level), threads):
                run.check()
                below = [before[s] for s in combinations(level[i], len(level[i]) - 1) if s]
                rows = self._minimal_on(level[i], np.array(below, dtype=np.int64), covered, covers[i], room)
                if rows.size:
                    found[i] = rows
            return found

        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(part, range(threads)))
        return [(level[i], parts[i % threads][i]) for i in range(len(level)) if i in parts[i % threads]]

    def _minimal_on(self, subset: Subset, below: Any, covered: Words, covers: Words, room: _Room) -> Ints:
        digits, sizes, chosen = self.digits, [max(self.sizes[j], 1) for j in subset], np.array(subset)
        if prod(sizes) >= 2**62:
            digits, sizes = self._collapsed(subset)
            chosen = np.arange(len(sizes))
        stride = np.array([prod(sizes[i + 1 :]) for i in range(len(sizes))], dtype=np.int64)
        arguments = (digits, chosen, stride, prod(sizes), self.singles, below, covered, covers)
        found = minimal_on(*arguments, room.rows, room.codes, room.alone, room.table, room.slots)
        return self.order[room.rows[:found]].astype(np.int32)

    def _collapsed(self, subset: Subset) -> tuple[Ints, list[int]]:
        """One variable in place of a set whose codes would not fit in an integer: the rank of its values."""
        digits = self.digits[list(subset)]
        _, rank = np.unique(digits, axis=1, return_inverse=True)
        whole = np.where((digits > 0).all(axis=0), rank.reshape(-1) + 1, 0).astype(np.int32)
        return np.ascontiguousarray(whole[None, :]), [int(whole.max(initial=1))]


@dataclass(frozen=True, eq=False)
class _Room:
    """Working arrays of one thread."""

    rows: Ints
    codes: npt.NDArray[np.int64]
    alone: npt.NDArray[np.bool_]
    table: npt.NDArray[np.uint8]
    slots: Ints

    @classmethod
    def of(cls, singles: int) -> _Room:
        slots = max(4, 1 << (2 * singles).bit_length())
        return cls(
            np.empty(singles, dtype=np.int32),
            np.empty(singles, dtype=np.int64),
            np.empty(singles, dtype=np.bool_),
            np.zeros(_PLACES, dtype=np.uint8),
            np.empty(slots, dtype=np.int32),
        )
