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
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np

from celosia.core.errors import DataError
from celosia.engines.contract import Ints
from celosia.methods.goal import Goal, Seen
from celosia.methods.packing import Levels


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
    """

    best: Seen
    seen: tuple[Seen, ...]
    bound: float
    proven: bool


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
        self.check(min(len(self.seen) / self.goal.nodes, 1.0))
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
        while above := list(self.goal.above(path[-1])):
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

    def step(self) -> bool:
        """Take the node with the lowest floor; whether anything better may be left."""
        floor, rank, levels = heappop(self.heap)
        if floor >= self.least:
            self.heap.clear()
            return False
        if self.floors[levels] > floor:
            heappush(self.heap, (self.floors[levels], rank, levels))
            return True
        if not self.ruled_out(levels):
            found = self.look(levels)
            floor = max(floor, found.floor)
            if found.hopeless:
                self.bisect(levels)
        for above in self.goal.above(levels):
            self.push(above, floor)
        return True

    @staticmethod
    def _rank(seen: Seen) -> tuple[float, int]:
        return seen.loss, sum(seen.levels)


def optimum(
    goal: Goal,
    check: Callable[[float], None] = lambda done: None,
    time_budget: float | None = None,
    every: bool = False,
) -> Optimum:
    """The node with the least loss among those that comply.

    Parameters
    ----------
    goal
        What is wanted.
    check
        Called with the share of the nodes looked at; may raise to stop.
    time_budget
        Seconds after which the best so far is given back, once there is one.
    every
        Whether to look at all nodes in the end, for those who choose among them.
    """
    search = _Search(goal, check)
    end = float("inf") if time_budget is None else time.monotonic() + time_budget
    if search.look(goal.high).hopeless:
        raise DataError("generalization-impossible", k=goal.k, count=goal.limit)
    search.push(goal.low, 0.0)
    while search.heap and (search.best is None or time.monotonic() < end):
        if not search.step():
            break
    if search.best is None:
        raise DataError("generalization-impossible", k=goal.k, count=goal.limit)
    bound = min(search.heap[0][0], search.least) if search.heap else search.least
    for levels in goal.every() if every else ():
        if time.monotonic() >= end:
            break
        search.look(levels)
    return Optimum(search.best, tuple(search.seen.values()), bound, bound >= search.least)
