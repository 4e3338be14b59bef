r"""Local recoding: rounds of generalization, each on the records that the last one could not place.

The first round leaves every key as detailed as it can and places the records whose groups are large enough. The next
one takes the rest alone, climbs the least that lets it place at least a given share of the file, and so on; where no
choice of levels places so many, the share is halved until everything that can be is placed. One key then has codes of
several levels. Groups of different rounds only ever join, so that k holds. Fewer than k records may be left at the end,
and lose their keys. Last, each group goes down again as far as its own records allow (``methods.refining``).

Each round is the optimum of ``methods.generalization`` with suppression free: records not placed wait at no cost.

References
----------
Prasser, Kohlmayer & Kuhn (2016), *The importance of context: risk-based de-identification of biomedical data*, Methods
of Information in Medicine 55(4), 347-355, for recoding in rounds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field

from celosia.core.errors import DataError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import Share
from celosia.core.run import Run
from celosia.engines import engine
from celosia.engines.contract import Ints
from celosia.methods.class_models import AlphaK, LDiversity
from celosia.methods.climbing import Trees, check_input, climbed
from celosia.methods.lattice import Lattice, Levels
from celosia.methods.losses import loss_on
from celosia.methods.optimum import Goal, optimum
from celosia.methods.refining import refined
from celosia.verify import SameRecords, Untouched
from celosia.verify.generalised import Ancestors, SafeOrEmptied

LocalModel = Annotated[LDiversity | AlphaK, Field(discriminator="model")]
"""Models that look at a group alone and survive its joining another."""


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
    hierarchies, k
        As in ``Generalization``.
    models
        ``l_diversity`` and ``alpha_k``, which hold in every group.
    least_share
        The share of the file that each round must place, as long as that is possible.

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
    least_share: Share = 0.01

    def _transform(self, data: Microdata, run: Run) -> LocallyRecoded:
        check_input(data, self.hierarchies, self.k, self._sensitive)
        coded = engine(data).encode((*self.hierarchies, *self._sensitive), "strict")
        whole = Lattice.of(coded, tuple(self.hierarchies.values()))
        keys = engine(data).encode(tuple(self.hierarchies), "strict")
        levels = np.zeros(whole.digits.shape, dtype=np.int64)
        waiting = np.ones(whole.count.size, dtype=np.bool_)
        rounds: list[tuple[Levels, int]] = []
        least = max(self.k, int(np.ceil(self.least_share * data.height)))
        barriers: Ints | None = None
        while waiting.any():
            run.check(self.do, 1.0 - float(whole.count[waiting].sum()) / data.height)
            found = self._round(whole.part(waiting), least, barriers)
            if found is None:
                if least == self.k:
                    break
                least, barriers = max(self.k, least // 2), None
                continue
            # What places too few records of these places too few of what is left of them.
            at, chosen, barriers = found
            rows = np.flatnonzero(waiting)[chosen]
            levels[rows] = at
            waiting[rows] = False
            rounds.append((at, int(whole.count[rows].sum())))
        levels = refined(whole, levels, ~waiting, self.k, self.models)
        treated = climbed(data, keys, whole.keys, self.hierarchies, levels, waiting)
        lost = int(whole.count[waiting].sum())
        loss = self._loss(whole, levels, waiting)
        return LocallyRecoded(
            treated, method=self, run=run, rounds=self._table(rounds), suppressed_records=lost, loss=loss
        )

    def _round(
        self, rest: Lattice, least: int, barriers: Ints | None
    ) -> tuple[Levels, npt.NDArray[np.bool_], Ints] | None:
        """The levels of a round and the distinct keys that it places; ``None`` where it cannot place so many."""
        if rest.records < least:
            return None
        goal = Goal(rest, loss_on(rest, "loss", 0.0, {}, None), self.k, rest.records - least, self.models)
        try:
            found = optimum(goal, barriers=barriers)
        except DataError:
            return None
        levels = found.best.levels
        split = goal.split(levels)[0]
        return levels, rest.members(split.grouping, split.kept), found.barriers

    def _loss(self, whole: Lattice, levels: Ints, lost: npt.NDArray[np.bool_]) -> float:
        """The mean of the keys' losses, as ``loss`` has it."""
        total = 0.0
        for j, key in enumerate(whole.keys):
            lines = np.stack(key.lines)[levels[:, j], whole.digits[:, j]]
            given = float((np.where(lost, key.domain, lines) * whole.count).sum()) / key.domain
            least = whole.records / key.domain
            room = whole.records - least
            total += np.log1p(max(0.0, (given - least) / room) if room > 0 else 0.0)
        return float(np.expm1(total / len(whole.keys)))

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
