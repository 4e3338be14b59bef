r"""Local recoding: every record takes the least of the levels at which it has company.

The nodes of the lattice are taken one after the other, from the one that loses least. At each, the records still
waiting are grouped, and groups that are large enough (and fulfil the models) are placed there; the others wait for the
next node. It is the optimum of ``methods.generalization`` with suppression free, repeated on what it would suppress,
until nobody waits: each round takes the next node. So one key has codes of several levels in the end, and no placed
group can go down again: at any less losing node its records were not enough.

A node's loss is :math:`\sum_j w_j d_j`, with :math:`d_j` the share of the domain that codes of the j-th key stand for
over the whole file (``loss`` of ``methods.losses``). Groups only join, so that k holds by construction. Those left at
the end, fewer than k or against a model, join the group where that costs least, or lose their keys where that is less.
Where the lattice has more than ten million nodes, every other level of its highest keys is passed over.

References
----------
Prasser, Kohlmayer & Kuhn (2016), *The importance of context: risk-based de-identification of biomedical data*, Methods
of Information in Medicine 55(4), 347-355, for recoding in rounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Annotated, ClassVar

import numpy as np
import polars as pl
from pydantic import Field

from celosia.core.errors import DataError
from celosia.core.method import Protected
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import engine
from celosia.engines.contract import Ints
from celosia.methods.climbing import ClimbingMethod, climbed
from celosia.methods.group_models import AlphaK, BetaLikeness, GroupModel, LDiversity, TCloseness
from celosia.methods.joining import Recoded
from celosia.methods.lattice import Floats, Lattice, Room
from celosia.methods.leveled_keys import LeveledKey
from celosia.methods.packing import Levels

LocalModel = Annotated[LDiversity | TCloseness | AlphaK | BetaLikeness, Field(discriminator="model")]
"""Models of single groups that survive the joining of two that comply."""

_NODES = 10_000_000
_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class LocallyRecoded(Protected):
    """Data with codes of several levels.

    Attributes
    ----------
    rounds
        The levels of each round and the records it placed.
    suppressed_records
        Records that lost their keys.
    loss
        The share of the domain that codes stand for (``loss`` of ``methods.losses``), over the whole file.
    """

    rounds: pl.DataFrame = field(default_factory=pl.DataFrame, repr=False)
    suppressed_records: int = 0
    loss: float = 0.0


class LocalRecoding(ClimbingMethod):
    """Reach k-anonymity by levels that differ from record to record.

    Parameters
    ----------
    hierarchies, k, weights
        As in ``Generalization``.
    suppression_limit
        The share of the records that may lose their keys; few or none do.
    models
        ``l_diversity``, ``t_closeness``, ``alpha_k`` and ``beta_likeness``, which hold in every group.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"edad": [21, 21, 36, 38]})
    >>> rows = [(21, "20-29", "*"), (36, "30-39", "*"), (38, "30-39", "*")]
    >>> LocalRecoding(hierarchies={"edad": rows}, k=2).apply(frame).data["edad"].to_list()
    ['21', '21', '30-39', '30-39']
    """

    do: ClassVar[str] = "local_recoding"

    k: Annotated[int, Field(ge=2)]
    suppression_limit: Annotated[float, Field(ge=0, le=1)] = 1.0
    models: tuple[LocalModel, ...] = ()

    def _transform(self, data: Microdata, run: Run) -> LocallyRecoded:
        trees = self.trees(data)
        coded = engine(data).encode((*self.keys, *self.sensitive), "strict")
        lattice = Lattice.of(coded, tuple(trees.values()))
        models = tuple(model.on(data) for model in self.models)
        weights = np.array([self.weights.get(name, 0.5) for name in self.keys])
        recoded = Recoded(lattice, weights)
        rounds = list(self._rounds(recoded, models, run))
        recoded.join_the_rest(self.k, models)
        lost = int(lattice.count[recoded.waiting].sum())
        if lost > self.limit(data) or lost == data.height:
            raise DataError("generalization-impossible", k=self.k, count=self.limit(data))
        keys = engine(data).encode(self.keys, "strict")
        return LocallyRecoded(
            climbed(data, keys, lattice.keys, trees, recoded.levels, recoded.waiting),
            method=self,
            run=run,
            rounds=self._table(rounds),
            suppressed_records=lost,
            loss=recoded.loss(),
        )

    def _rounds(self, recoded: Recoded, models: Sequence[GroupModel], run: Run) -> Iterator[tuple[Levels, int]]:
        """Place records node by node; the levels of each round and the records that it placed."""
        from celosia.kernels import lattice as kernel

        rest, room = recoded.rest(), None
        packing = recoded.lattice.packing
        where = (packing.word, packing.shift, packing.mask)
        for nodes in _by_loss(recoded.lattice.keys, recoded.cost):
            ways, at = packing.between(rest.ground.levels, nodes), 0
            while at < len(nodes) and rest.records:
                run.check(self.do, 1.0 - rest.records / recoded.lattice.records)
                ground = rest.ground
                room = room or Room(ground)
                step, found = kernel.first_with(
                    self.k, ground.packed, ground.size, *where, ways[at:], packing.climbs, *room
                )
                at += step + 1
                if not found:
                    continue
                levels: Levels = tuple(nodes[at - 1].tolist())
                sound = room.size[:found] >= self.k
                if models:
                    tallies = rest.group(levels).tallies
                    sound &= ~reduce(np.logical_or, [model.fails(rest, tallies, sound) for model in models])
                if sound.any():
                    yield levels, recoded.place(levels, sound[room.index])
                    rest, room = recoded.rest(), None

    def _table(self, rounds: list[tuple[Levels, int]]) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "levels": [dict(zip(self.keys, levels, strict=True)) for levels, _ in rounds],
                "records": [records for _, records in rounds],
            }
        )


def _by_loss(keys: tuple[LeveledKey, ...], cost: Mapping[int, Floats]) -> Iterator[Ints]:
    """The nodes from the least loss up, some at a time, a row each; of equal ones the more detailed first."""
    levels = [np.arange(key.height + 1) for key in keys]
    while np.prod([float(chosen.size) for chosen in levels]) > _NODES:
        most = max(range(len(levels)), key=lambda j: levels[j].size)
        levels[most] = np.union1d(levels[most][::2], levels[most][-1:])
    total = np.zeros(())
    for j, chosen in enumerate(levels):
        total = np.add.outer(total, cost[j][chosen])
    order = np.argsort(total.round(12), axis=None, kind="stable")
    for start in range(0, order.size, _AT_ONCE):
        places = np.unravel_index(order[start : start + _AT_ONCE], total.shape)
        yield np.stack([chosen[place] for chosen, place in zip(levels, places, strict=True)], axis=1)
