"""The nearest treated records of every original one, ties counted exactly.

Treated records are collapsed to distinct points with counts, so that repeated values cost nothing, and held in a k-d
tree. Time grows with n log n in few variables; in ten or more a tree helps little and it grows with the square.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.core.run import Run
from celosia.kernels.nearest import build, nearest, within
from celosia.risk.before_after import Floats
from celosia.risk.mixed_distance import Space

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_LEAF = 8
_CHUNK = 1 << 14
_ALL = int(np.iinfo(np.int64).max)


@dataclass(frozen=True, eq=False)
class Neighbours:
    """What an intruder who looks for the nearest treated record finds.

    Attributes
    ----------
    sums
        Scaled sum (``Space.distance`` makes it a distance) from each original record to its nearest treated one.
    candidates
        Treated records at that distance.
    own
        Whether the record's own is among them.
    """

    sums: Floats
    candidates: Ints
    own: Mask


def neighbours(space: Space, run: Run) -> Neighbours:
    """Search the nearest treated records of each original one; all are, where nothing can be compared."""
    tree, own = Tree.of(space), space.own()
    sums = tree.nearest(space.original, own, run)
    limit = space.ties(sums)
    candidates = tree.within(space.original, limit, _ALL, run)
    candidates[np.isinf(sums)] = len(space.masked)
    return Neighbours(sums, candidates, own <= limit)


def crowded(space: Space, distance: float, enough: int, run: Run) -> Mask:
    """Whether there are ``enough`` treated records up to a distance from each original one."""
    limit = np.full(len(space.original), distance**2 if space.squared else distance)
    return Tree.of(space).within(space.original, limit, enough, run) >= enough


@dataclass(frozen=True, eq=False)
class Tree:
    """A k-d tree over the distinct treated records, as ``kernels.nearest`` describes it."""

    points: Floats
    count: Ints
    span: Ints
    child: Ints
    low: Floats
    high: Floats
    space: Space

    @classmethod
    def of(cls, space: Space) -> Tree:
        """Grow the tree."""
        points, count = distinct(space.masked)
        order = np.arange(len(points), dtype=np.int64)
        most = 2 * len(points) + 1
        span, child = np.empty((most, 2), dtype=np.int64), np.empty(most, dtype=np.int64)
        low, high = np.empty((most, points.shape[1])), np.empty((most, points.shape[1]))
        nodes = build(points, space.kind, space.scale, _LEAF, order, span, child, low, high)
        boxes = low[:nodes].copy(), high[:nodes].copy()
        return cls(points[order], count[order], span[:nodes].copy(), child[:nodes].copy(), *boxes, space)

    def nearest(self, queries: Floats, known: Floats, run: Run) -> Floats:
        """The scaled sum to the nearest point, no greater than what is known already."""
        best = known.copy()

        def search(part: Ints) -> None:
            lowered = best[part]
            nearest(queries[part], lowered, *self._shape)
            best[part] = lowered

        _each(queries, search, run)
        return best

    def within(self, queries: Floats, limit: Floats, enough: int, run: Run) -> Ints:
        """How many records are at sums up to a limit; counting may stop at ``enough``."""
        found = np.zeros(limit.size, dtype=np.int64)

        def count(part: Ints) -> None:
            added = np.zeros(part.size, dtype=np.int64)
            within(queries[part], limit[part], enough, added, self.count, *self._shape)
            found[part] = added

        _each(queries, count, run)
        return found

    @property
    def _shape(self) -> tuple[Any, ...]:
        space = self.space
        tree = (self.points, self.span, self.child, self.low, self.high)
        return (*tree, space.kind, space.scale, space.importance, space.whole)


def distinct(records: Floats) -> tuple[Floats, Ints]:
    """The distinct rows, sorted, and how many records share each; what is missing in one equals what is in another."""
    ordered = records[np.lexsort(records.T[::-1])]
    below, above = ordered[:-1], ordered[1:]
    new = ((below != above) & ~(np.isnan(below) & np.isnan(above))).any(axis=1)
    starts = np.flatnonzero(np.concatenate([[True], new]))
    return np.ascontiguousarray(ordered[starts]), np.diff(starts, append=len(ordered))


def _each(queries: Floats, task: Callable[[Ints], None], run: Run) -> None:
    """A task on chunks of the queries, near ones together so that the tree stays in the processor's cache."""
    order = np.lexsort(queries.T[::-1])

    def work(first: int) -> None:
        run.check("neighbours", first / order.size)
        task(order[first : first + _CHUNK])

    with ThreadPoolExecutor(run.threads) as pool:
        list(pool.map(work, range(0, order.size, _CHUNK)))
