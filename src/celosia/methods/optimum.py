r"""The best node of a lattice: best first by a floor of the loss, exact, and with a proven bound if stopped before.

Nodes are taken by the least that they and all above them can lose. The first one whose floor is not below the best
loss found ends the search: nothing that is left can be better. A node that loses more records than allowed to
conditions that joining groups never spoils rules out all that are more detailed. Where one turns up, the boundary on a
path from it to the top is found by bisection, so that single nodes rule out many.

References
----------
Kohlmayer, Prasser, Eckert, Kemper & Kuhn (2012), *Flash: efficient, stable and optimal k-anonymity*, PASSAT 2012,
708-717 (bisection of paths). Hart, Nilsson & Raphael (1968), IEEE TSSC 4(2), 100-107 (best first).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from celosia.core.errors import DataError
from celosia.engines.contract import Ints
from celosia.methods.class_models import GroupModel, KMap, Mask, Model, SampleModel
from celosia.methods.lattice import Grouping, Lattice
from celosia.methods.losses import Loss, Split
from celosia.methods.packing import Levels


@dataclass(frozen=True, eq=False)
class Seen:
    """What is known of a node that was looked at.

    Attributes
    ----------
    levels
        The node.
    lost
        Records that it would suppress.
    loss
        What it loses.
    risk
        One over the smallest kept group; 0 where none is kept.
    feasible
        Whether it complies.
    hopeless
        Whether no node that is more detailed can.
    floor
        What it and all above it lose at the least.
    """

    levels: Levels
    lost: int
    loss: float
    risk: float
    feasible: bool
    hopeless: bool
    floor: float


@dataclass(frozen=True, eq=False)
class Goal:
    """What a node must fulfil, and the loss to minimise.

    Attributes
    ----------
    k
        Records of each kept group.
    limit
        Records that may be lost.
    """

    lattice: Lattice
    loss: Loss
    k: int
    limit: int
    models: Sequence[Model] = ()

    def look(self, levels: Levels) -> Seen:
        """Group the records at a node and judge it."""
        split, hard = self.split(levels)
        loss = self.loss.of(split)
        kept = split.grouping.size[split.kept]
        risk = 1.0 / int(kept.min()) if kept.size else 0.0
        floor = self.loss.floor_of(split.grouping)
        return Seen(levels, split.lost, loss, risk, split.lost <= self.limit, hard > self.limit, floor)

    def split(self, levels: Levels) -> tuple[Split, int]:
        """The groups that are kept, and the records lost to conditions that only get easier further up."""
        grouping = self.lattice.group(levels)
        maps = [model.least(self.lattice.records) for model in self.models if isinstance(model, KMap)]
        kept = grouping.size >= max([self.k, *maps])
        hard = ~kept
        for model in self.models:
            if isinstance(model, GroupModel):
                fails = model.fails(self.lattice, grouping.tallies, kept)
                if model.monotone_at(self.limit):
                    hard |= fails
                kept &= ~fails
        asked = [model for model in self.models if isinstance(model, SampleModel)]
        if asked:
            kept = self._thinned(asked, grouping, kept)
        return Split(grouping, kept), int(grouping.size[hard].sum())

    def _thinned(self, asked: Sequence[SampleModel], grouping: Grouping, kept: Mask) -> Mask:
        """Without the smallest groups, as few as it takes for the rest to comply.

        Of groups of one size those with the most general codes go first; one that is general in every key is no risk.
        """
        if grouping.levels == self.lattice.heights:
            return kept
        rows = np.flatnonzero(kept)
        order = rows[np.lexsort((rows, -self._generality(grouping)[rows], grouping.size[rows]))]
        sizes = grouping.size[order]
        low, high = 0, 0
        while high < sizes.size and not all(model.sound(sizes[high:]) for model in asked):
            low, high = high + 1, min(2 * high + 1, sizes.size)
        while low < high:
            middle = (low + high) // 2
            if all(model.sound(sizes[middle:]) for model in asked):
                high = middle
            else:
                low = middle + 1
        thinned = kept.copy()
        thinned[order[:low]] = False
        return thinned

    def _generality(self, grouping: Grouping) -> Ints:
        """For each group, what its records lose by their codes, on a scale that joins the keys."""
        packing, total = self.lattice.packing, np.zeros(grouping.size.size)
        for j, (key, start) in enumerate(zip(self.lattice.keys, packing.at(grouping.levels), strict=True)):
            leaves = packing.leaves[start + packing.column(grouping.packed, j)]
            total += np.log1p((leaves - 1) / max(key.domain - 1, 1))
        return np.rint(total * 1e9).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Optimum:
    """What the search came to.

    Attributes
    ----------
    best
        The best node found.
    seen
        All nodes looked at, in order.
    bound
        No node loses less than this.
    proven
        Whether the best node is the best there is.
    barriers
        The most general hopeless nodes.
    """

    best: Seen
    seen: tuple[Seen, ...]
    bound: float
    proven: bool
    barriers: Ints


@dataclass(eq=False)
class _Search:
    """The state of one search."""

    goal: Goal
    check: Callable[[float], None]
    seen: dict[Levels, Seen] = field(default_factory=dict)
    floors: dict[Levels, float] = field(default_factory=dict)
    least_of: dict[Levels, float] = field(default_factory=dict)
    heap: list[tuple[float, int, Levels]] = field(default_factory=list)
    best: Seen | None = None
    barriers: Ints = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))

    def look(self, levels: Levels) -> Seen:
        """Judge a node, once."""
        if (known := self.seen.get(levels)) is not None:
            return known
        self.check(min(len(self.seen) / self.goal.lattice.nodes, 1.0))
        found = self.seen[levels] = self.goal.look(levels)
        if found.hopeless:
            self._rule_out_below(levels)
        elif found.feasible and (self.best is None or self._rank(found) < self._rank(self.best)):
            self.best = found
        return found

    @property
    def least(self) -> float:
        """The best loss so far."""
        return float("inf") if self.best is None else self.best.loss

    def floor(self, levels: Levels) -> float:
        """The floor that the levels alone give, reckoned once."""
        if levels not in self.least_of:
            self.least_of[levels] = self.goal.loss.floor(levels)
        return self.least_of[levels]

    def push(self, levels: Levels, floor: float) -> None:
        """Keep a node for later, unless it cannot be better than the best."""
        known = self.floors.get(levels)
        if known is None:
            self.floors[levels] = floor = max(floor, self.floor(levels))
            if floor < self.least:
                heappush(self.heap, (floor, sum(levels), levels))
        elif floor > known:
            self.floors[levels] = floor

    def ruled_out(self, levels: Levels) -> bool:
        """Whether a hopeless node is at least as general."""
        return bool((self.barriers >= np.array(levels)).all(axis=1).any()) if self.barriers.size else False

    def bisect(self, levels: Levels) -> None:
        """Look for the last hopeless node on the path from this one to the top that loses the least."""
        path = [levels]
        while above := list(self.goal.lattice.above(path[-1])):
            path.append(min(above, key=self.floor))
        low, high = 0, len(path) - 1
        while high - low > 1:
            middle = (low + high) // 2
            hopeless = self.ruled_out(path[middle]) or self.look(path[middle]).hopeless
            low, high = (middle, high) if hopeless else (low, middle)

    def _rule_out_below(self, levels: Levels) -> None:
        node = np.array([levels], dtype=np.int64)
        if self.barriers.size:
            beyond = ~(self.barriers <= node).all(axis=1)
            self.barriers = np.concatenate([self.barriers[beyond], node])
        else:
            self.barriers = node

    @staticmethod
    def _rank(seen: Seen) -> tuple[float, int]:
        return seen.loss, sum(seen.levels)


def optimum(
    goal: Goal,
    check: Callable[[float], None] = lambda done: None,
    time_budget: float | None = None,
    barriers: Ints | None = None,
) -> Optimum:
    """The node with the least loss among those that comply.

    Parameters
    ----------
    goal
        What is wanted.
    check
        Called with the share of the nodes looked at; may raise to stop.
    time_budget
        Seconds after which the best so far is given back.
    barriers
        Nodes known to be hopeless.
    """
    search = _Search(goal, check)
    if barriers is not None:
        search.barriers = barriers
    end = float("inf") if time_budget is None else time.monotonic() + time_budget
    if search.look(goal.lattice.heights).hopeless:
        raise DataError("generalization-impossible", k=goal.k, count=goal.limit)
    search.push((0,) * len(goal.lattice.keys), 0.0)
    while search.heap and (search.best is None or time.monotonic() < end):
        floor, rank, levels = heappop(search.heap)
        if floor >= search.least:
            search.heap.clear()
            break
        if search.floors[levels] > floor:
            heappush(search.heap, (search.floors[levels], rank, levels))
            continue
        if not search.ruled_out(levels):
            found = search.look(levels)
            floor = max(floor, found.floor)
            if found.hopeless:
                search.bisect(levels)
        for above in goal.lattice.above(levels):
            search.push(above, floor)
    if search.best is None:
        raise DataError("generalization-impossible", k=goal.k, count=goal.limit)
    bound = min(search.heap[0][0], search.least) if search.heap else search.least
    return Optimum(search.best, tuple(search.seen.values()), bound, bound >= search.least, search.barriers)
