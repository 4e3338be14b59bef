r"""Generalization: one level of its hierarchy for each key, the best of all choices.

Every key is replaced by its ancestors at one level throughout the file (full-domain recoding). Records in groups that
are still too small, or break another model, lose all of their keys: at most a given share of the file. Of all choices
of levels that comply, the one with the least loss is found, exactly (``methods.optimum``; the losses are those of
``methods.losses``, the models those of ``methods.class_models``). Conventions agree with ARX 3.9.2: records without
keys need no company, sensitive values stay with them, and models compare with the file as it came in.

A missing cell that is no leaf of the hierarchy stays as it is at every level and counts as one leaf.

References
----------
Samarati (2001), *Protecting respondents' identities in microdata release*, IEEE TKDE 13(6), 1010-1027.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from celosia.core.errors import OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import ReadOnly
from celosia.core.run import Run
from celosia.engines import engine
from celosia.methods.class_models import GroupModel, Model
from celosia.methods.climbing import Trees, check_input, climbed
from celosia.methods.lattice import Lattice
from celosia.methods.losses import Aggregate, LossName, loss_on
from celosia.methods.optimum import Goal, Optimum, optimum
from celosia.verify import SameRecords, Untouched
from celosia.verify.generalised import Ancestors, EmptiedAtMost, SafeOrEmptied


@dataclass(frozen=True, eq=False)
class Generalised(Protected):
    """Data at the levels found.

    Attributes
    ----------
    levels
        The level of each key; 0 is the leaves.
    suppressed_records
        Records that lost their keys.
    loss, bound, proven
        The loss, what no choice can go below, and whether both are the same.
    explored
        Every choice of levels that was looked at: ``levels``, ``feasible``, ``risk`` (one over the smallest group),
        ``loss``, ``suppressed``.
    """

    levels: Mapping[str, int] = field(default_factory=dict)
    suppressed_records: int = 0
    loss: float = 0.0
    bound: float = 0.0
    proven: bool = True
    explored: pl.DataFrame = field(default_factory=pl.DataFrame, repr=False)

    def table(self) -> pl.DataFrame:
        """The level and the cells changed, by key."""
        cells = [self.changed.get(name, 0) for name in self.levels]
        return pl.DataFrame({"variable": list(self.levels), "level": list(self.levels.values()), "cells": cells})

    def to_dict(self) -> dict[str, Any]:
        """What was found; of the choices looked at, their number."""
        return super().to_dict() | {"explored": self.explored.height}


class Generalization(Method):
    """Reach k-anonymity, and more, by the best level of each key's hierarchy.

    Parameters
    ----------
    hierarchies
        Key → its hierarchy, or its rows, most detailed code first; every code of the data must be a leaf.
    k
        How many records must share each key at the least.
    suppression_limit
        The share of the records that may lose their keys.
    models
        What else must hold: see ``methods.class_models``.
    loss
        What to minimise: see ``methods.losses``.
    weights
        How much the loss of each key counts; keys that are not named count 0.5.
    factor
        Weight of suppressing against generalising: 0 makes suppressing free, 1 generalising.
    aggregate
        How the losses of the keys make one; each loss has its own by default.
    time_budget
        Seconds after which the best so far is taken; ``bound`` says how good it may be.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"edad": [21, 24, 36, 38], "sexo": ["M", "H", "M", "M"]})
    >>> found = Generalization(
    ...     hierarchies={
    ...         "edad": [(21, "20-29", "*"), (24, "20-29", "*"), (36, "30-39", "*"), (38, "30-39", "*")],
    ...         "sexo": [("M", "*"), ("H", "*")],
    ...     },
    ...     k=2,
    ... ).apply(frame)
    >>> dict(found.levels), round(found.loss, 3), found.data["edad"].to_list()
    ({'edad': 1, 'sexo': 1}, 0.633, ['20-29', '20-29', '30-39', '30-39'])
    """

    do: ClassVar[str] = "generalization"

    hierarchies: Trees
    k: Annotated[int, Field(ge=1)]
    suppression_limit: Annotated[float, Field(ge=0, le=1)] = 0.0
    models: tuple[Model, ...] = ()
    loss: LossName = "loss"
    weights: ReadOnly[str, Annotated[float, Field(gt=0, le=1)]] = Field(default_factory=dict, validate_default=True)
    factor: Annotated[float, Field(ge=0, le=1)] = 0.5
    aggregate: Aggregate | None = None
    time_budget: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _has_a_goal(self) -> Generalization:
        if self.k == 1 and not self.models:
            raise OptionError("option-range", option="k", low=2, high="n")
        if unknown := set(self.weights) - set(self.hierarchies):
            raise OptionError("weights-unknown", variables=tuple(sorted(unknown)))
        return self

    def _transform(self, data: Microdata, run: Run) -> Generalised:
        check_input(data, self.hierarchies, self.k, self._sensitive)
        lattice, found, goal = self._found(data, run)
        coded = engine(data).encode(tuple(self.hierarchies), "strict")
        split, _ = goal.split(found.best.levels)
        lost = ~split.kept[lattice.group_of(found.best.levels)]
        levels = np.broadcast_to(np.array(found.best.levels, dtype=np.int64), coded.digits.shape)
        treated = climbed(data, coded, lattice.keys, self.hierarchies, levels, lost)
        names = tuple(self.hierarchies)
        return Generalised(
            treated,
            method=self,
            run=run,
            levels=dict(zip(names, found.best.levels, strict=True)),
            suppressed_records=found.best.lost,
            loss=found.best.loss,
            bound=found.bound,
            proven=found.proven,
            explored=_table(found, names),
        )

    def _found(self, data: Microdata, run: Run) -> tuple[Lattice, Optimum, Goal]:
        """The lattice, the best node and what it was the best for."""
        coded = engine(data).encode((*self.hierarchies, *self._sensitive), "strict")
        lattice = Lattice.of(coded, tuple(self.hierarchies.values()))
        loss = loss_on(lattice, self.loss, self.factor, self.weights, self.aggregate)
        goal = Goal(lattice, loss, self.k, int(self.suppression_limit * data.height + 1e-9), self.models)
        return lattice, optimum(goal, lambda done: run.check(self.do, done), self.time_budget), goal

    @property
    def _sensitive(self) -> tuple[str, ...]:
        """The sensitive variables of the models, once each."""
        return tuple(dict.fromkeys(model.sensitive for model in self.models if isinstance(model, GroupModel)))

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Codes climb or are emptied, few records lose their keys, and nothing else changes."""
        keys = tuple(self.hierarchies)
        return (
            SameRecords(),
            Untouched(frozenset(keys)),
            *(Ancestors(name, tree.rows, one_level=True) for name, tree in self.hierarchies.items()),
            EmptiedAtMost(keys, self.suppression_limit),
        )

    def lasting(self) -> tuple[Promise, ...]:
        """k and the models, for every record that has its keys."""
        keys = tuple(self.hierarchies)
        models = [promise for model in self.models for promise in model.promises(keys)]
        return (SafeOrEmptied(keys, self.k), *models)


def _table(found: Optimum, names: tuple[str, ...]) -> pl.DataFrame:
    """What was looked at, a row a node, the least loss first."""
    columns = {
        "levels": [dict(zip(names, seen.levels, strict=True)) for seen in found.seen],
        "feasible": [seen.feasible for seen in found.seen],
        "risk": [seen.risk for seen in found.seen],
        "loss": [seen.loss for seen in found.seen],
        "suppressed": [seen.lost for seen in found.seen],
    }
    return pl.DataFrame(columns).sort("loss", maintain_order=True)
