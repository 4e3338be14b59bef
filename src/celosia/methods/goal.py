"""What a node of the lattice must fulfil, and what is seen of one that is looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from celosia.engines.contract import Ints
from celosia.methods.group_models import GroupModel, Mask
from celosia.methods.lattice import Grouping, Lattice
from celosia.methods.losses import Loss, Split
from celosia.methods.packing import Levels
from celosia.methods.sample_models import KMap, Model, SampleModel


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
    low, high
        The most detailed and the most general node that may be.
    """

    lattice: Lattice
    loss: Loss
    k: int
    limit: int
    models: Sequence[Model]
    low: Levels
    high: Levels

    @property
    def nodes(self) -> int:
        """Number of nodes within the bounds."""
        return prod(high - low + 1 for low, high in zip(self.low, self.high, strict=True))

    def every(self) -> Iterator[Levels]:
        """All nodes within the bounds."""
        spans = (range(low, high + 1) for low, high in zip(self.low, self.high, strict=True))
        return product(*spans)

    def above(self, levels: Levels) -> Iterator[Levels]:
        """The nodes one step more general, within the bounds."""
        for j, highest in enumerate(self.high):
            if levels[j] < highest:
                yield (*levels[:j], levels[j] + 1, *levels[j + 1 :])

    def below(self, levels: Levels) -> Iterator[Levels]:
        """The nodes one step more detailed, within the bounds."""
        for j, lowest in enumerate(self.low):
            if levels[j] > lowest:
                yield (*levels[:j], levels[j] - 1, *levels[j + 1 :])

    def look(self, levels: Levels) -> Seen:
        """Group the records at a node and judge it."""
        split, hard = self.split(levels)
        loss = self.loss.of(split)
        kept = split.grouping.size[split.kept]
        risk = 1.0 / int(kept.min()) if kept.size else 0.0
        floor = self.loss.floor_of(split.grouping)
        return Seen(levels, split.lost, loss, risk, split.lost <= self.limit, hard > self.limit, floor)

    def split(self, levels: Levels) -> tuple[Split, int]:
        """The groups that are kept, and the records lost to conditions that only get easier further up.

        Of a group that fails a model only the records with observed values are among the latter: in a more detailed
        group the others may stand alone, and break nothing.
        """
        grouping = self.lattice.group(levels)
        maps = [model.least(self.lattice.records) for model in self.models if isinstance(model, KMap)]
        kept = grouping.size >= max([self.k, *maps])
        hard = int(grouping.size[~kept].sum())
        for model in self.models:
            if isinstance(model, GroupModel):
                fails = model.fails(self.lattice, grouping.tallies, kept)
                if model.monotone_at(self.limit):
                    hard += int(grouping.tallies[model.place(self.lattice)][fails].sum())
                kept &= ~fails
        asked = [model for model in self.models if isinstance(model, SampleModel)]
        if asked:
            kept = self._thinned(asked, grouping, kept)
        return Split(grouping, kept), hard

    def _thinned(self, asked: Sequence[SampleModel], grouping: Grouping, kept: Mask) -> Mask:
        """Without the smallest groups, as few as it takes for the rest to comply.

        Of groups of one size those with the most general codes go first; a file that is all one group is no risk.
        """
        if grouping.size.size == 1:
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
