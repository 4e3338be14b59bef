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

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Annotated, ClassVar

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from celosia.core.errors import OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import ReadOnly
from celosia.core.run import Run
from celosia.engines import engine
from celosia.engines.contract import Ints
from celosia.methods.class_models import AlphaK, LDiversity
from celosia.methods.climbing import Trees, check_input, climbed
from celosia.methods.joining import Recoded
from celosia.methods.lattice import Floats, Lattice, Room
from celosia.methods.leveled_keys import LeveledKey
from celosia.methods.packing import Levels
from celosia.verify import SameRecords, Untouched
from celosia.verify.generalised import Ancestors, SafeOrEmptied

LocalModel = Annotated[LDiversity | AlphaK, Field(discriminator="model")]
"""Models that look at a group alone and survive its joining another."""

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


class LocalRecoding(Method):
    """Reach k-anonymity by levels that differ from record to record.

    Parameters
    ----------
    hierarchies, k, weights
        As in ``Generalization``.
    models
        ``l_diversity`` and ``alpha_k``, which hold in every group.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"edad": [21, 21, 36, 38]})
    >>> rows = [(21, "20-29", "*"), (36, "30-39", "*"), (38, "30-39", "*")]
    >>> LocalRecoding(hierarchies={"edad": rows}, k=2).apply(frame).data["edad"].to_list()
    ['21', '21', '30-39', '30-39']
    """

    do: ClassVar[str] = "local_recoding"

    hierarchies: Trees
    k: Annotated[int, Field(ge=2)]
    models: tuple[LocalModel, ...] = ()
    weights: ReadOnly[str, Annotated[float, Field(gt=0, le=1)]] = Field(default_factory=dict, validate_default=True)

    @model_validator(mode="after")
    def _weights_of_keys(self) -> LocalRecoding:
        if unknown := set(self.weights) - set(self.hierarchies):
            raise OptionError("weights-unknown", variables=tuple(sorted(unknown)))
        return self

    def _transform(self, data: Microdata, run: Run) -> LocallyRecoded:
        check_input(data, self.hierarchies, self.k, self._sensitive)
        coded = engine(data).encode((*self.hierarchies, *self._sensitive), "strict")
        lattice = Lattice.of(coded, tuple(self.hierarchies.values()))
        weights = np.array([self.weights.get(name, 0.5) for name in self.hierarchies])
        recoded = Recoded(lattice, weights)
        rounds = list(self._rounds(recoded, run))
        recoded.join_the_rest(self.k, self.models)
        keys = engine(data).encode(tuple(self.hierarchies), "strict")
        return LocallyRecoded(
            climbed(data, keys, lattice.keys, self.hierarchies, recoded.levels, recoded.waiting),
            method=self,
            run=run,
            rounds=self._table(rounds),
            suppressed_records=int(lattice.count[recoded.waiting].sum()),
            loss=recoded.loss(),
        )

    def _rounds(self, recoded: Recoded, run: Run) -> Iterator[tuple[Levels, int]]:
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
                if self.models:
                    tallies = rest.group(levels).tallies
                    sound &= ~reduce(np.logical_or, [model.fails(rest, tallies, sound) for model in self.models])
                if sound.any():
                    yield levels, recoded.place(levels, sound[room.index])
                    rest, room = recoded.rest(), None

    def _table(self, rounds: list[tuple[Levels, int]]) -> pl.DataFrame:
        names = tuple(self.hierarchies)
        return pl.DataFrame(
            {
                "levels": [dict(zip(names, levels, strict=True)) for levels, _ in rounds],
                "records": [records for _, records in rounds],
            }
        )

    @property
    def _sensitive(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(model.sensitive for model in self.models))

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Codes climb or are emptied, and nothing else changes."""
        return (
            SameRecords(),
            Untouched(frozenset(self.hierarchies)),
            *(Ancestors(name, tree.rows) for name, tree in self.hierarchies.items()),
        )

    def lasting(self) -> tuple[Promise, ...]:
        """k and the models, for every record that has its keys."""
        keys = tuple(self.hierarchies)
        models = [promise for model in self.models for promise in model.promises(keys)]
        return (SafeOrEmptied(keys, self.k), *models)


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
