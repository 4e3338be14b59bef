"""Groups that go down their hierarchies again: as far as all of their records agree, or split into groups still sound.

Where the records of a group have one ancestor at a lower level of a key, that is published and costs nothing. Where the
groups that a key one level lower makes of it are each large enough and fulfil the models, it is split by the key that
gains most; and so on until no group can be.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import Ints
from celosia.methods.class_models import GroupModel, Mask
from celosia.methods.lattice import Floats, Lattice


def refined(lattice: Lattice, levels: Ints, placed: Mask, k: int, models: Sequence[GroupModel]) -> Ints:
    """Lower levels for the distinct keys that are placed; those that share a group still share one."""
    work = _Refining(lattice.part(placed), levels[placed], k, models)
    work.agree()
    while work.split():
        work.agree()
    out = levels.copy()
    out[placed] = work.levels
    return out


class _Refining:
    """Distinct keys, their levels and their groups."""

    def __init__(self, lattice: Lattice, levels: Ints, k: int, models: Sequence[GroupModel]) -> None:
        self.lattice, self.levels, self.k, self.models = lattice, levels, k, models
        self.ancestors = [np.stack(key.ancestor) for key in lattice.keys]
        self.lines = [np.stack(key.lines) for key in lattice.keys]
        published = [self._at(j, levels[:, j]) for j in range(levels.shape[1])]
        self.group = _numbered(np.column_stack([levels, *published]))

    def agree(self) -> None:
        """Take each key of each group down as long as its records agree."""
        order = np.argsort(self.group, kind="stable")
        start = np.flatnonzero(np.diff(self.group[order], prepend=-1))
        for j, key in enumerate(self.lattice.keys):
            for level in range(key.height - 1, -1, -1):
                below = self._at(j, np.full(order.size, level))[order]
                same = np.minimum.reduceat(below, start) == np.maximum.reduceat(below, start)
                one_above = self.levels[:, j] == level + 1
                self.levels[same[self.group] & one_above, j] = level

    def split(self) -> bool:
        """Split every group that can be, by the key that gains most; whether any was."""
        groups = int(self.group.max(initial=-1)) + 1
        best, chosen = np.zeros(groups), np.full(groups, -1)
        for j in range(len(self.lattice.keys)):
            gain = self._gain(j, groups)
            chosen[gain > best] = j
            best = np.maximum(best, gain)
        for j in np.unique(chosen[chosen >= 0]).tolist():
            self.levels[chosen[self.group] == j, j] -= 1
        key = np.zeros(self.group.size, dtype=np.int64)
        for j in range(len(self.lattice.keys)):
            moved = chosen[self.group] == j
            key[moved] = self._at(j, self.levels[:, j])[moved] + 1
        self.group = _numbered(np.column_stack([self.group, key]))
        return bool((chosen >= 0).any())

    def _gain(self, j: int, groups: int) -> Floats:
        """What each group would gain by a split in a key; 0 where its parts would not be sound."""
        count = self.lattice.count
        low = np.maximum(self.levels[:, j] - 1, 0)
        part = _numbered(np.column_stack([self.group, self._at(j, low)]))
        sound = np.bincount(part, weights=count) >= self.k
        for model in self.models:
            sound &= self._complies(model, part)
        every = np.ones(groups, dtype=np.bool_)
        np.logical_and.at(every, self.group, sound[part])
        digits = self.lattice.digits[:, j]
        lines = self.lines[j]
        saved = (lines[self.levels[:, j], digits] - lines[low, digits]) / self.lattice.keys[j].domain
        gain: Floats = np.bincount(self.group, weights=saved * count, minlength=groups)
        return np.where(every, gain, 0.0)

    def _complies(self, model: GroupModel, part: Ints) -> Mask:
        """Which parts fulfil a model."""
        place = next(i for i, held in enumerate(self.lattice.sensitive) if held.name == model.sensitive)
        rows = self.lattice.tallies[place]
        tally = np.zeros((int(part.max(initial=-1)) + 1, rows.shape[1]), dtype=np.int64)
        np.add.at(tally, part, rows)
        seen = tally.any(axis=1)
        good = np.ones(len(tally), dtype=np.bool_)
        good[seen] = model.sound(tally[seen], rows.sum(axis=0), self.lattice.sensitive[place])
        return good

    def _at(self, j: int, level: Ints) -> npt.NDArray[np.int32]:
        """The ancestor of each distinct key's digit at a level."""
        found: npt.NDArray[np.int32] = self.ancestors[j][level, self.lattice.digits[:, j]]
        return found


def _numbered(rows: npt.NDArray[np.integer]) -> Ints:  # type: ignore[type-arg]
    """Equal rows numbered alike, from 0."""
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        wide = number * (int(column.max()) + 1) + column
        number = np.unique(wide, return_inverse=True)[1].reshape(-1)
    return number
