"""A file while it is recoded locally: the level of each distinct key, who still waits, and whom the last ones join."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from celosia.engines.contract import Ints
from celosia.methods.group_models import GroupModel, Mask
from celosia.methods.lattice import Floats, Lattice
from celosia.methods.packing import Levels


class Recoded:
    """The levels of the distinct keys of a lattice, and which of them wait for theirs.

    Attributes
    ----------
    levels
        The level of each distinct key (row) in each key (column), once it has one.
    waiting
        Which have none yet.
    cost
        For each key, the weighted share of the domain beyond a leaf that each of its levels loses.
    """

    def __init__(self, lattice: Lattice, weights: Floats) -> None:
        self.lattice, self.weights = lattice, weights / weights.max()
        self.levels: Ints = np.zeros(lattice.digits.shape, dtype=np.int64)
        self.waiting: Mask = np.ones(lattice.count.size, dtype=np.bool_)
        self.lines = [np.stack(key.lines) for key in lattice.keys]
        self.ancestors = [np.stack(key.ancestor) for key in lattice.keys]
        self.cost = {j: self._cost(j) for j in range(len(self.lines))}

    def rest(self) -> Lattice:
        """The distinct keys that wait."""
        return self.lattice.part(self.waiting)

    def place(self, levels: Levels, chosen: Mask) -> int:
        """Give some of those that wait their levels; how many records they are."""
        rows = np.flatnonzero(self.waiting)[chosen]
        self.levels[rows], self.waiting[rows] = levels, False
        return int(self.lattice.count[rows].sum())

    def join_the_rest(self, k: int, models: Sequence[GroupModel]) -> None:
        """Those that wait together join the group where that costs least; unless it costs more than losing them."""
        if not self.waiting.any() or self.waiting.all():
            return
        group, first = self._groups()
        rest = self._common(np.flatnonzero(self.waiting))
        levels = np.stack([self._meeting(j, first, rest) for j in range(len(self.lines))], axis=1)
        records = int(self.lattice.count[self.waiting].sum())
        size = np.bincount(group[~self.waiting], weights=self.lattice.count[~self.waiting])
        extra = np.zeros(first.size)
        for j, lines in enumerate(self.lines):
            digits = self.lattice.digits[first, j]
            after, before = lines[levels[:, j], digits] - 1, lines[self.levels[first, j], digits] - 1
            lost = records * (self.lattice.keys[j].domain - 1)
            extra += self.weights[j] * ((size + records) * after - size * before - lost) / self._beyond(j)
        possible = (levels >= 0).all(axis=1) & (extra <= 0) & (size + records >= k)
        tallies = [self._tally_with_rest(rows, group, first.size) for rows in self.lattice.tallies]
        for model in models:
            possible &= ~model.fails(self.lattice, tallies, possible)
        if possible.any():
            best = int(np.where(possible, extra, np.inf).argmin())
            self.levels[self.waiting | (group == best)] = levels[best]
            self.waiting[:] = False

    def _cost(self, j: int) -> Floats:
        """The weighted loss of a key at each level, were the whole file at it."""
        leaves = self.lines[j][:, self.lattice.digits[:, j]] @ self.lattice.count / self.lattice.records
        cost: Floats = self.weights[j] * (leaves - 1) / self._beyond(j)
        return cost

    def loss(self) -> float:
        """The geometric mean of the keys' losses, as ``loss`` has it."""
        total, count = 0.0, self.lattice.count
        for j, lines in enumerate(self.lines):
            domain = self.lattice.keys[j].domain
            given = np.where(self.waiting, domain, lines[self.levels[:, j], self.lattice.digits[:, j]])
            total += np.log1p(float((given - 1) @ count) / self.lattice.records / self._beyond(j))
        return float(np.expm1(total / len(self.lines)))

    def _beyond(self, j: int) -> int:
        """Leaves of a key beside one's own."""
        return max(1, self.lattice.keys[j].domain - 1)

    def _groups(self) -> tuple[Ints, Ints]:
        """The group of each distinct key (those that wait have -1), and one distinct key of each group."""
        placed = np.flatnonzero(~self.waiting)
        codes = [
            ancestors[self.levels[placed, j], self.lattice.digits[placed, j]]
            for j, ancestors in enumerate(self.ancestors)
        ]
        published = np.column_stack([self.levels[placed], *codes])
        _, first, number = np.unique(published, axis=0, return_index=True, return_inverse=True)
        group = np.full(self.waiting.size, -1)
        group[placed] = number.reshape(-1)
        return group, placed[first]

    def _common(self, rows: Ints) -> tuple[int, Ints]:
        """One of some distinct keys, and the lowest level of each key at which they agree; beyond the top if none."""
        low = []
        for j, ancestors in enumerate(self.ancestors):
            codes = ancestors[:, self.lattice.digits[rows, j]]
            low.append(int((codes != codes[:, :1]).any(axis=1).sum()))
        return int(rows[0]), np.array(low)

    def _meeting(self, j: int, first: Ints, rest: tuple[int, Ints]) -> Ints:
        """The lowest level at which each group and the rest have one code; -1 where they have none."""
        ancestors, (row, low) = self.ancestors[j], rest
        same = ancestors[:, self.lattice.digits[first, j]] == ancestors[:, self.lattice.digits[[row], j]]
        least = np.maximum(self.levels[first, j], low[j])
        same &= np.arange(len(ancestors))[:, np.newaxis] >= least
        return np.where(same.any(axis=0), same.argmax(axis=0), -1)

    def _tally_with_rest(self, rows: Ints, group: Ints, groups: int) -> Ints:
        """Records by value in each group once the rest has joined it."""
        tally = np.zeros((groups, rows.shape[1]), dtype=np.int64)
        np.add.at(tally, group[~self.waiting], rows[~self.waiting])
        joined: Ints = tally + rows[self.waiting].sum(axis=0)
        return joined
