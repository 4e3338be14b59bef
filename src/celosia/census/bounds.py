"""Limits of the answers of a query at the places of each level, made as narrow as they imply each other."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import permutations

import numpy as np
import numpy.typing as npt

from celosia.census.geography import Geography
from celosia.census.query import Query
from celosia.core.errors import PolicyError

Ints = npt.NDArray[np.int64]

NO_LIMIT = 1 << 40
"""Above any count; sums of it stay far from overflow."""
_ROUNDS = 50
"""Limits are valid after any number of rounds; trees of totals need two."""


@dataclass(frozen=True, eq=False)
class Bounds:
    """Limits of one query at the nodes of one level.

    Attributes
    ----------
    level
        Position of the level.
    query
        What is limited.
    low, high
        One row a node, one column an answer; ``NO_LIMIT`` and 0 where there is none.
    """

    level: int
    query: Query
    low: Ints
    high: Ints

    @property
    def fixed(self) -> bool:
        """Whether every answer has one possible value."""
        return bool((self.low == self.high).all())

    @property
    def idle(self) -> bool:
        """Whether nothing is limited."""
        return bool((self.low == 0).all() and (self.high >= NO_LIMIT).all())

    @classmethod
    def free(cls, level: int, query: Query, nodes: int) -> Bounds:
        """No limits."""
        return cls(level, query, np.zeros((nodes, query.size), np.int64), np.full((nodes, query.size), NO_LIMIT))


def tighten(given: Iterable[Bounds], geography: Geography) -> tuple[Bounds, ...]:
    """Every limit that the given ones imply, on all levels; contradictions are refused.

    Three steps are repeated until nothing changes: the children of a place add up to it; it leaves each child what
    the others cannot take; and so for the answers of a finer query within those of a coarser one.
    """
    narrow = _Narrowing(geography)
    for bounds in given:
        narrow.add(bounds)
    narrow.run()
    return tuple(bounds for bounds in narrow.found.values() if not bounds.idle)


class _Narrowing:
    """The limits found so far, by level and query."""

    def __init__(self, geography: Geography) -> None:
        self.geography = geography
        self.found: dict[tuple[int, str], Bounds] = {}
        self.changed = False

    def add(self, bounds: Bounds) -> None:
        """Take limits in; a query that is limited anywhere is followed on every level."""
        for level, nodes in enumerate(self.geography.nodes):
            key = (level, bounds.query.name)
            self.found.setdefault(key, Bounds.free(level, bounds.query, nodes))
        self._narrow(bounds.level, bounds.query.name, bounds.low, bounds.high)

    def run(self) -> None:
        """Repeat the three steps until nothing changes."""
        queries = {query.name: query for query in (bounds.query for bounds in self.found.values())}
        inside = {
            (fine, coarse): into
            for fine, coarse in permutations(queries, 2)
            if (into := queries[fine].into(queries[coarse])) is not None and (into >= 0).all()
        }
        depth = self.geography.depth
        for _ in range(_ROUNDS):
            self.changed = False
            for name in queries:
                for level in reversed(range(depth - 1)):
                    self._children_make_the_parent(level, name)
                for level in range(depth - 1):
                    self._parent_leaves_its_children(level, name)
            for (fine, coarse), into in inside.items():
                for level in range(depth):
                    self._answers_within_answers(level, fine, coarse, into)
            if not self.changed:
                return

    def _children_make_the_parent(self, level: int, name: str) -> None:
        below = self.found[level + 1, name]
        self._narrow(
            level,
            name,
            self.geography.sum_children(level, below.low),
            self.geography.sum_children(level, below.high),
        )

    def _parent_leaves_its_children(self, level: int, name: str) -> None:
        above, below = self.found[level, name], self.found[level + 1, name]
        parent = self.geography.parents[level + 1]
        others_low = self.geography.sum_children(level, below.low)[parent] - below.low
        others_high = self.geography.sum_children(level, below.high)[parent] - below.high
        self._narrow(level + 1, name, above.low[parent] - others_high, above.high[parent] - others_low)

    def _answers_within_answers(self, level: int, fine: str, coarse: str, into: npt.NDArray[np.int32]) -> None:
        one = self.found[level, fine]
        sums = Query(coarse, into, self.found[level, coarse].query.size)
        low, high = sums.answers(one.low), sums.answers(one.high)
        self._narrow(level, coarse, low, high)
        whole = self.found[level, coarse]
        others_low, others_high = low[:, into] - one.low, high[:, into] - one.high
        self._narrow(level, fine, whole.low[:, into] - others_high, whole.high[:, into] - others_low)

    def _narrow(self, level: int, name: str, low: Ints, high: Ints) -> None:
        old = self.found[level, name]
        new = Bounds(level, old.query, np.maximum(old.low, low), np.minimum(old.high, high))
        crossed = (new.low > new.high).any(axis=1)
        if crossed.any():
            raise PolicyError(
                "invariants-contradict", query=name, level=self.geography.levels[level], places=int(crossed.sum())
            )
        if (new.low > old.low).any() or (new.high < old.high).any():
            self.changed = True
            self.found[level, name] = new
