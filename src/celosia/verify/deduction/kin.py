"""Parent and child ages: nobody is younger than their child, by some years."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from celosia.core.condition import holds, names
from celosia.verify.deduction.cells import Floats, Ints, Mask
from celosia.verify.deduction.knowledge import Knowledge
from celosia.verify.deduction.rule import Rule


@dataclass(frozen=True)
class Kin(Rule):
    """In a household, who is a parent is older by at least ``gap`` years than who is a child.

    Attributes
    ----------
    parents, children
        Conditions that tell who they are: the head of the household, and sons and daughters of the head.
    age
        The age in years.
    """

    group: str
    parents: str
    children: str
    age: str
    gap: int

    @property
    def name(self) -> str:
        """Who is older."""
        return f"{self.age}[{self.parents}] ≥ {self.age}[{self.children}] + {self.gap}"

    @property
    def variables(self) -> tuple[str, ...]:
        """The age and the variables of both conditions."""
        return tuple(dict.fromkeys([self.age, *names(self.parents), *names(self.children)]))

    @property
    def household(self) -> str | None:
        """The household."""
        return self.group

    def wrong(self, known: Knowledge) -> Mask:
        """Households with a child that must be too old."""
        bounds = self._bounds(known)
        return np.asarray(bounds.oldest_child + self.gap > bounds.youngest_parent)

    def narrow(self, known: Knowledge, rows: Ints) -> None:
        """Ages that the other generation leaves, and who cannot be of a generation."""
        bounds = self._bounds(known)
        mine = rows[bounds.home[rows] >= 0]
        home = bounds.home[mine]
        below, above = known.bounds(self.age)
        for condition, who, low, high in (
            (self.parents, bounds.parent, bounds.oldest_child + self.gap, np.full(bounds.size, np.inf)),
            (self.children, bounds.child, np.full(bounds.size, -np.inf), bounds.youngest_parent - self.gap),
        ):
            sure = mine[who[1][mine]]
            if known.cells[self.age].listed:
                known.clip(self.age, sure, low[bounds.home[sure]], high[bounds.home[sure]], self.name)
            never = (below[mine] > high[home]) | (above[mine] < low[home])
            open_ = mine[never & who[0][mine] & ~who[1][mine]]
            if open_.size:
                fits = lambda table, condition=condition: ~holds(condition, table)  # noqa: E731
                known.keep(names(condition), open_, fits, self.name)

    def _bounds(self, known: Knowledge) -> _Bounds:
        home = known.group(self.group)
        size = int(home.max(initial=-1)) + 1
        parent, child = known.judged(self.parents), known.judged(self.children)
        below, above = known.bounds(self.age)
        youngest, oldest = np.full(size, np.inf), np.full(size, -np.inf)
        parents, children = (home >= 0) & parent[1], (home >= 0) & child[1]
        np.minimum.at(youngest, home[parents], above[parents])
        np.maximum.at(oldest, home[children], below[children])
        return _Bounds(home, size, parent, child, youngest, oldest)


@dataclass(frozen=True, eq=False)
class _Bounds:
    """The household of each record, who may and who must be of each generation, and ages by household.

    The youngest parent is at most as old as said, the oldest child at least.
    """

    home: Ints
    size: int
    parent: tuple[Mask, Mask]
    child: tuple[Mask, Mask]
    youngest_parent: Floats
    oldest_child: Floats
