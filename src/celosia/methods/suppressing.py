"""A local suppression at work: its options as terms of a search, variables within their limits, records dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from celosia.core.dictionary import Role
from celosia.core.errors import DataError
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import engine
from celosia.methods.coded_records import CodedRecords
from celosia.methods.risk_limit import RiskLimit
from celosia.methods.suppression_search import Aim, Outcome, Terms, search

if TYPE_CHECKING:
    from celosia.methods.local_suppression import LocalSuppression

Mask = npt.NDArray[np.bool_]

_STEP, _STEEPEST = 1e3, 1e9
"""How much dearer each rank of importance is than the next, and the dearest than the cheapest at most."""

_ROUNDS = 10
"""How often a variable that loses more than it may becomes dearer, by ever more, before the search gives up."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a suppression would do.

    Attributes
    ----------
    data
        The records that stay.
    lost
        For each variable, which of them lose it.
    left
        Which of them could not be protected.
    violators
        Records that did not reach what is asked for, in the file as it came.
    """

    data: Microdata
    lost: dict[str, Mask] = field(repr=False)
    left: Mask = field(repr=False)
    violators: int


class Suppressing:
    """One suppression with its run."""

    def __init__(self, method: LocalSuppression, run: Run) -> None:
        self.method, self.run = method, run

    def found(self, data: Microdata) -> Found:
        """What is emptied, dropped and left; records are dropped until those that stay can be protected."""
        method = self.method
        data.require(*method.keys, *method.strata, *(name for group in method.linked for name in group))
        records, terms = self._records(data), self._terms(data)
        self._enough(data, terms, "fewer-than-k")
        violators = None
        while True:
            outcome = self._within_limits(records, terms)
            violators = int(outcome.violators.sum()) if violators is None else violators
            if method.impossible == "stop" or not outcome.left.any():
                return Found(data, self._lost(outcome), outcome.left, violators)
            data = data.take(~outcome.left)
            self._enough(data, terms, "record-suppression-all")
            records = self._records(data)

    def _enough(self, data: Microdata, terms: Terms, code: str) -> None:
        least = 1 if terms.limit else max(aim.need for aim in terms.aims)
        if data.height < least:
            raise DataError(code, k=least, count=data.height)

    def _within_limits(self, records: CodedRecords, terms: Terms) -> Outcome:
        """A search in which no variable loses more than it may: what does becomes dearer, and it starts again."""
        limits = self.method.max_lost or {}
        most = {self.method.keys.index(name): int(share * records.height) for name, share in limits.items()}
        over: list[int] = []
        for dearer in 2.0 ** np.arange(_ROUNDS):
            prices = [price * (dearer if j in over else 1.0) for j, price in enumerate(terms.prices)]
            terms = replace(terms, prices=tuple(prices))
            outcome = search(records, terms, check=lambda done: self.run.check(self.method.do, done))
            over = [j for j, cells in most.items() if outcome.emptied[:, j].sum() > cells]
            if not over:
                return outcome
        left = outcome.left.copy()
        for j in over:
            losing = np.flatnonzero(outcome.emptied[:, j])
            left[losing[np.argsort(records.ids[losing])][most[j] :]] = True
        return replace(outcome, left=left)

    def _lost(self, outcome: Outcome) -> dict[str, Mask]:
        """For each variable, the records that lose it: keys, and what is linked to them."""
        keys = self.method.keys
        lost = {name: outcome.emptied[:, j] for j, name in enumerate(keys)}
        for group in self.method.linked:
            together = np.logical_or.reduce([lost[name] for name in group if name in keys])
            for name in group:
                lost[name] = together
        return lost

    def impossible(self, found: Found) -> DataError:
        """Why it stops, and which of its limits alone would let it go on."""
        records, terms = self._records(found.data), self._terms(found.data)
        every = tuple((j,) for j in range(len(self.method.keys)))
        lighter: dict[str, Terms | None] = {
            "max_share": replace(terms, most=len(self.method.keys)),
            "never": replace(terms, blocks=every) if self.method.never else None,
            "max_lost": terms if self.method.max_lost else None,
        }
        if self.method.max_lost:  # the others must do within it
            lighter |= {"max_share": None, "never": None}
        helps = [name for name, other in lighter.items() if other and not search(records, other).left.any()]
        count = int(found.left.sum())
        if helps:
            return DataError("suppression-limits", count=count, limits=tuple(helps))
        return DataError("suppression-impossible", count=count)

    # -- how the search sees it --------------------------------------------------------------------

    def _weight(self, data: Microdata) -> str | None:
        if self.method.max_risk is None:
            return None
        return self.method.weight or data.role(Role.WEIGHT)

    def _records(self, data: Microdata) -> CodedRecords:
        method = self.method
        group = method.household.id if method.household else None
        records = CodedRecords.of(data, method.keys, method.strata, method.counting, group)
        weight = self._weight(data)
        if method.max_risk is None or weight is None:
            return records
        weights = engine(data).weights(weight)
        return replace(records, weights=weights, mass=RiskLimit(method.max_risk).mass(weights))

    def _terms(self, data: Microdata) -> Terms:
        method, keys = self.method, self.method.keys
        limit = None
        if method.max_risk is None:
            asked = sorted(method.asked, key=lambda aim: -len(aim[0]))
            aims = [Aim(tuple(keys.index(name) for name in names), k) for names, k in asked]
        else:
            limit = RiskLimit(method.max_risk)
            weighted = self._weight(data) is not None
            aims = [Aim(tuple(range(len(keys))), limit.need if weighted else limit.records)]
            limit = limit if weighted else None
        shared = tuple(keys.index(name) for name in (method.household.keys if method.household else ()))
        return Terms(
            aims=tuple(aims),
            counting=method.counting,
            spare=method.spare_covered,
            blocks=self._blocks(),
            prices=self._prices(shared, self._members(data)),
            most=method.most,
            shared=shared,
            limit=limit,
            effort=method.effort,
        )

    def _blocks(self) -> tuple[tuple[int, ...], ...]:
        """Keys that are emptied together; those never emptied, and what goes with them, are in none."""
        keys, never = self.method.keys, set(self.method.never)
        groups = [tuple(name for name in keys if name in group) for group in self.method.linked]
        grouped = {name for group in groups for name in group}
        blocks = [*groups, *((name,) for name in keys if name not in grouped)]
        return tuple(tuple(keys.index(name) for name in block) for block in blocks if not never & set(block))

    def _prices(self, shared: tuple[int, ...], members: float) -> tuple[float, ...]:
        """What a cell of each key costs, for all who lose it together."""
        named, cost = self.method.importance, self.method.cost or {}
        prices = _by_rank(self.method.keys, named) if named else [cost.get(name, 1.0) for name in self.method.keys]
        return tuple(price * (members if j in shared else 1.0) for j, price in enumerate(prices))

    def _members(self, data: Microdata) -> float:
        """How many records a household has on average, once it is sure that its keys are the same for all."""
        household = self.method.household
        if household is None:
            return 1.0
        data.require(household.id)
        for name in household.keys:
            values = data.frame.group_by(household.id).n_unique().select(household.id, name)
            varying = int((values[name] > 1).sum())
            if varying:
                raise DataError("household-varies", variable=name, count=varying)
        return data.height / max(engine(data).group(household.id).size, 1)


def _by_rank(keys: Sequence[str], importance: Mapping[str, int]) -> list[float]:
    """The price of each key: one cell outweighs very many of later ranks, and all those of a record."""
    ranks = [importance.get(name, max(len(keys), *importance.values())) for name in keys]
    places = sorted(set(ranks), reverse=True)
    step = min(_STEP, _STEEPEST ** (1 / max(len(places) - 1, 1)))
    return [float(step ** places.index(rank)) for rank in ranks]
