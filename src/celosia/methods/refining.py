"""Groups that go down their hierarchies again: as far as all of their records agree, or split into groups still sound.

Where the records of a group have one ancestor at a lower level of a key, that is published and costs nothing. Where
some of the parts that a key one level lower makes of it are large enough and fulfil the models, and what is left does
too, they go there, by the key that gains most; and so on until no group can be split.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
        moving = np.zeros(self.group.size, dtype=np.bool_)
        for j in range(len(self.lattice.keys)):
            gain, goes = self._gain(j, groups)
            better = gain > best
            chosen[better], best[better] = j, gain[better]
            moving = np.where(better[self.group], goes, moving)
        by = np.where(moving, chosen[self.group], -1)
        below = np.zeros(self.group.size, dtype=np.int64)
        for j in np.unique(by[by >= 0]).tolist():
            self.levels[by == j, j] -= 1
            below[by == j] = self._at(j, self.levels[:, j])[by == j] + 1
        self.group = _numbered(np.column_stack([self.group, below]))
        return bool(moving.any())

    def _gain(self, j: int, groups: int) -> tuple[Floats, Mask]:
        """What each group would gain by sending parts one level down in a key, and which distinct keys would go.

        Parts that are sound go; of the others, and the smallest sound part if these need it, the group stays.
        """
        low = np.maximum(self.levels[:, j] - 1, 0)
        part = _numbered(np.column_stack([self.group, self._at(j, low)]))
        of_part = np.zeros(int(part.max(initial=-1)) + 1, dtype=np.int64)
        of_part[part] = self.group
        goes = self._sound(part)
        lacking = ~self._sound_or_none(np.where(goes[part], groups, self.group))
        order = np.lexsort((np.bincount(part, weights=self.lattice.count), of_part))
        order = order[goes[order] & lacking[of_part[order]]]
        goes[order[np.diff(of_part[order], prepend=-1) > 0]] = False
        goes &= self._sound_or_none(np.where(goes[part], groups, self.group))[of_part]
        digits, lines = self.lattice.digits[:, j], self.lines[j]
        saved = (lines[self.levels[:, j], digits] - lines[low, digits]) / self.lattice.keys[j].domain
        moving = goes[part] & (low < self.levels[:, j])
        gain = np.bincount(self.group, weights=saved * self.lattice.count * moving, minlength=groups)
        return gain.astype(np.float64), moving

    def _sound_or_none(self, group: Ints) -> Mask:
        """For each group but the last, whether what is left of it is sound, or nothing."""
        groups = int(self.group.max(initial=-1)) + 1
        left = np.bincount(group, minlength=groups + 1) > 0
        sound = self._sound(group, groups + 1)
        return (sound | ~left)[:groups]

    def _sound(self, part: Ints, parts: int = 0) -> Mask:
        """Which parts are large enough and fulfil the models."""
        sound = np.bincount(part, weights=self.lattice.count, minlength=parts) >= self.k
        for model in self.models:
            sound &= self._complies(model, part, sound.size)
        return np.asarray(sound)

    def _complies(self, model: GroupModel, part: Ints, parts: int) -> Mask:
        """Which parts fulfil a model."""
        place = next(i for i, held in enumerate(self.lattice.sensitive) if held.name == model.sensitive)
        rows = self.lattice.tallies[place]
        tally = np.zeros((parts, rows.shape[1]), dtype=np.int64)
        np.add.at(tally, part, rows)
        seen = tally.any(axis=1)
        good = np.ones(len(tally), dtype=np.bool_)
        good[seen] = model.sound(tally[seen], rows.sum(axis=0), self.lattice.sensitive[place])
        return good

    def _at(self, j: int, level: Ints) -> npt.NDArray[np.int32]:
        """The ancestor of each distinct key's digit at a level."""
        found: npt.NDArray[np.int32] = self.ancestors[j][level, self.lattice.digits[:, j]]
        return found


def _numbered(rows: npt.NDArray[Any]) -> Ints:
    """Equal rows numbered alike, from 0."""
    if not len(rows):
        return np.zeros(0, dtype=np.int64)
    number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        wide = number * (int(column.max()) + 1) + column
        number = np.unique(wide, return_inverse=True)[1].reshape(-1)
    return number
