r"""The best node of a lattice: best first by a floor of the loss, exact, and with a proven bound if stopped before.

Nodes are taken by the least that they and all above them can lose. The first one whose floor is not below the best
loss found ends the search: nothing that is left can be better. A node that loses more records than allowed to
conditions that joining groups never spoils rules out all that are more detailed. Where one turns up, the boundary on a
path from it to the top is found by bisection, so that single nodes rule out many; from a node that is ruled out the
search goes on just past the one that does. From what complies there, and at first from the top, it goes down as long
as something is gained, so that there is a good choice long before there is a proof.

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

_TRIED = 8
"""Of the hopeless nodes above a node, so many that were found last are tried: which leads farthest?"""


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
    time_budget: float
    start: float = field(default_factory=lambda: time.monotonic())
    reached: float = 0.0
    seen: dict[Levels, Seen] = field(default_factory=dict)
    floors: dict[Levels, float] = field(default_factory=dict)
    least_of: dict[Levels, float] = field(default_factory=dict)
    heap: list[tuple[float, int, Levels]] = field(default_factory=list)
    best: Seen | None = None
    barriers: Ints = field(init=False)

    def __post_init__(self) -> None:
        self.barriers = np.zeros((0, len(self.goal.low)), dtype=np.int64)

    def look(self, levels: Levels) -> Seen:
        """Judge a node, once."""
        if (known := self.seen.get(levels)) is not None:
            return known
        self.tell()
        found = self.seen[levels] = self.goal.look(levels)
        if found.hopeless:
            self._rule_out_below(levels)
        elif found.feasible and (self.best is None or self._rank(found) < self._rank(self.best)):
            self.best = found
        return found

    def tell(self) -> None:
        """Say how far the work is: how near the proof has come to the best, or the time to its end."""
        proven = self.reached / self.least if self.least > 0 else 1.0
        spent = (time.monotonic() - self.start) / self.time_budget
        self.check(min(max(proven, spent, 0.0), 1.0))

    @property
    def over(self) -> bool:
        """Whether the time is over and there is something to give back."""
        return self.best is not None and time.monotonic() >= self.start + self.time_budget

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

    def ruled_out(self, levels: Levels) -> Ints:
        """The hopeless nodes known that are at least as general."""
        return self.barriers[(self.barriers >= np.array(levels)).all(axis=1)]

    def beyond(self, levels: Levels, barriers: Ints) -> list[Levels]:
        """The nodes just past a hopeless one: whatever is above a node and complies is at or above one of them.

        Of these hopeless nodes above it the one is taken that leaves the most to lose.
        """
        ways = [
            [
                (*levels[:j], int(level) + 1, *levels[j + 1 :])
                for j, level in enumerate(barrier)
                if level < self.goal.high[j]
            ]
            for barrier in barriers[-_TRIED:]
        ]
        return max(ways, key=lambda nodes: min((self.floor(node) for node in nodes), default=float("inf")))

    def descend(self, here: Seen) -> None:
        """From a node that complies down, one level at a time, as long as something is gained."""
        for levels in sorted(self.goal.below(here.levels), key=self.floor):
            if self.over:
                break
            if self.floor(levels) < self.least and not self.ruled_out(levels).size:
                found = self.look(levels)
                if found.feasible and self._rank(found) < self._rank(here):
                    return self.descend(found)
        return None

    def bisect(self, levels: Levels) -> None:
        """Look for the last hopeless node on the path from this one to the top that loses the least."""
        path = [levels]
        while above := list(self.goal.above(path[-1])):
            path.append(min(above, key=self.floor))
        low, high = 0, len(path) - 1
        while high - low > 1:
            middle = (low + high) // 2
            hopeless = self.ruled_out(path[middle]).size > 0 or self.look(path[middle]).hopeless
            low, high = (middle, high) if hopeless else (low, middle)
        if (found := self.seen.get(path[high])) and found.feasible and self.floor(path[high]) < self.least:
            self.descend(found)

    def _rule_out_below(self, levels: Levels) -> None:
        node = np.array([levels], dtype=np.int64)
        beyond = ~(self.barriers <= node).all(axis=1)
        self.barriers = np.concatenate([self.barriers[beyond], node])

    def step(self) -> bool:
        """Take the node with the lowest floor; whether anything better may be left."""
        floor, rank, levels = heappop(self.heap)
        self.reached = floor
        if floor >= self.least:
            self.heap.clear()
            return False
        self.tell()
        if self.floors[levels] > floor:
            heappush(self.heap, (self.floors[levels], rank, levels))
            return True
        if not self.ruled_out(levels).size:
            found = self.look(levels)
            floor = max(floor, found.floor)
            if found.hopeless:
                self.bisect(levels)
        barriers = self.ruled_out(levels)
        for above in self.beyond(levels, barriers) if barriers.size else self.goal.above(levels):
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
        Called with how far the work is, from 0 to 1; may raise to stop.
    time_budget
        Seconds after which the best so far is given back, once there is one.
    every
        Whether to look at all nodes in the end, for those who choose among them.
    """
    search = _Search(goal, check, float("inf") if time_budget is None else time_budget)
    top = search.look(goal.high)
    if top.hopeless:
        raise DataError("generalization-impossible", k=goal.k, count=goal.limit)
    if top.feasible:
        search.descend(top)
    search.push(goal.low, 0.0)
    while search.heap and not search.over:
        if not search.step():
            break
    if search.best is None:
        raise DataError("generalization-impossible", k=goal.k, count=goal.limit)
    bound = min(search.heap[0][0], search.least) if search.heap else search.least
    for levels in goal.every() if every else ():
        if search.over:
            break
        search.look(levels)
    return Optimum(search.best, tuple(search.seen.values()), bound, bound >= search.least)
