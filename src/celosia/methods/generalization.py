r"""Generalization: one level of its hierarchy for each key, the best of all choices.

Every key is replaced by its ancestors at one level throughout the file (full-domain recoding). Records in groups that
are still too small, or break another model, lose all of their keys: at most a given share of the file. Of all choices
of levels that comply, the one with the least loss is found, exactly (``methods.optimum``; the losses are those of
``methods.losses``, the models those of ``methods.group_models`` and
``methods.sample_models``). Conventions agree with ARX 3.9.2: records without
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
from celosia.core.language import number, percent, text
from celosia.core.method import Protected
from celosia.core.microdata import Microdata
from celosia.core.model import ReadOnly
from celosia.core.picture import Picture, chart
from celosia.core.run import Run
from celosia.engines import engine
from celosia.methods.climbing import ClimbingMethod, climbed
from celosia.methods.goal import Goal
from celosia.methods.lattice import Lattice
from celosia.methods.losses import Aggregate, LossName, loss_on
from celosia.methods.optimum import Optimum, optimum

Level = Annotated[int, Field(ge=0)]


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
        ``loss``, ``suppressed`` and their ``share`` of the records.
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

    def choices(self) -> pl.DataFrame:
        """Of the choices looked at those that none beats in both loss and suppressed records.

        Above the one chosen: what suppressing less costs. Below it: what suppressing more spares.
        """
        rows = self.explored.sort("suppressed", "loss", maintain_order=True)
        least = rows["loss"].cum_min().shift(1).fill_null(float("inf"))
        front = rows.filter(rows["loss"] < least)
        levels = [dict(chosen) for chosen in front["levels"]]
        return front.with_columns(
            pl.Series("levels", [", ".join(f"{name} {level}" for name, level in chosen.items()) for chosen in levels]),
            pl.Series("chosen", [chosen == dict(self.levels) for chosen in levels]),
        )

    def picture(self) -> Picture:
        """The share of the records that are suppressed against the loss, of every choice looked at."""
        what = {True: text("choice.complies"), False: text("choice.fails")}
        near = (pl.col("share").round(3), pl.col("loss").round_sig_figs(3), pl.col("feasible"))
        rows = self.explored.select(near).unique(maintain_order=True).sort("feasible")
        choice = pl.col("feasible").replace_strict(what, return_dtype=pl.String)
        points = rows.select("loss", suppressed_records="share", choice=choice)
        mine = {"loss": self.loss, "suppressed_records": self._share, "choice": text("choice.chosen")}
        return chart(
            pl.concat([points, pl.DataFrame([mine])]),
            "loss",
            "suppressed_records",
            mark="point",
            group="choice",
            share=True,
            alternative=text(
                "picture.choices",
                count=self.explored.height,
                loss=number(self.loss, 4),
                share=percent(self._share),
            ),
        )

    @property
    def _share(self) -> float:
        """The share of the records that are suppressed."""
        same = (pl.col("loss") == self.loss) & (pl.col("suppressed") == self.suppressed_records)
        return float(self.explored.filter(same)["share"][0])

    def to_dict(self) -> dict[str, Any]:
        """What was found; of the choices looked at, their number."""
        return super().to_dict() | {"explored": self.explored.height}


class Generalization(ClimbingMethod):
    """Reach k-anonymity, and more, by the best level of each key's hierarchy.

    Parameters
    ----------
    hierarchies
        Key → its hierarchy, its rows (most detailed code first) or a rule; every code of the data must be a leaf.
    k
        How many records must share each key at the least.
    suppression_limit
        The share of the records that may lose their keys.
    models
        What else must hold: see ``methods.group_models`` and ``methods.sample_models``.
    loss
        What to minimise: see ``methods.losses``.
    weights
        How much the loss of each key counts; keys that are not named count 0.5.
    factor
        Weight of suppressing against generalising: 0 makes suppressing free, 1 generalising.
    aggregate
        How the losses of the keys make one; each loss has its own by default.
    levels
        Key → the level that it must have, or the lowest and the highest that it may have.
    every_choice
        Whether to look at all combinations of levels, and not only at those that the proof needs.
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
    one_level: ClassVar[bool] = True

    loss: LossName = "loss"
    factor: Annotated[float, Field(ge=0, le=1)] = 0.5
    aggregate: Aggregate | None = None
    levels: ReadOnly[str, Level | tuple[Level, Level]] = Field(default_factory=dict, validate_default=True)
    every_choice: bool = False
    time_budget: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _options_fit(self) -> Generalization:
        if unknown := set(self.levels) - set(self.hierarchies):
            raise OptionError("levels-unknown", variables=tuple(sorted(unknown)))
        if self.loss == "average_class_size" and self.factor == 0:
            raise OptionError("option-range", option="factor", low="> 0", high=1)
        return self

    def _transform(self, data: Microdata, run: Run) -> Generalised:
        trees = self.trees(data)
        coded = engine(data).encode((*self.keys, *self.sensitive), "strict")
        lattice = Lattice.of(coded, tuple(trees.values()))
        goal = self._goal(lattice, data)
        found = optimum(goal, lambda done: run.check(self.do, done), self.time_budget, self.every_choice)
        keys = engine(data).encode(self.keys, "strict")
        split, _ = goal.split(found.best.levels)
        lost = ~split.kept[lattice.group_of(found.best.levels)]
        levels = np.broadcast_to(np.array(found.best.levels, dtype=np.int64), keys.digits.shape)
        return Generalised(
            climbed(data, keys, lattice.keys, trees, levels, lost),
            method=self,
            run=run,
            levels=dict(zip(self.keys, found.best.levels, strict=True)),
            suppressed_records=found.best.lost,
            loss=found.best.loss,
            bound=found.bound,
            proven=found.proven,
            explored=_table(found, self.keys, data.height),
        )

    def _goal(self, lattice: Lattice, data: Microdata) -> Goal:
        """What to look for on a lattice."""
        spans = [self._span(name, key.height) for name, key in zip(self.keys, lattice.keys, strict=True)]
        return Goal(
            lattice,
            loss_on(lattice, self.loss, self.factor, self.weights, self.aggregate),
            self.k,
            self.limit(data),
            tuple(model.on(data) for model in self.models),
            tuple(low for low, _ in spans),
            tuple(high for _, high in spans),
        )

    def _span(self, name: str, height: int) -> tuple[int, int]:
        """The lowest and the highest level that a key may have."""
        asked = self.levels.get(name, (0, height))
        low, high = (asked, asked) if isinstance(asked, int) else asked
        if not low <= high <= height:
            raise OptionError("level-range", variable=name, low=0, high=height)
        return low, high


def _table(found: Optimum, names: tuple[str, ...], records: int) -> pl.DataFrame:
    """What was looked at, a row a node, the least loss first."""
    columns = {
        "levels": [dict(zip(names, seen.levels, strict=True)) for seen in found.seen],
        "feasible": [seen.feasible for seen in found.seen],
        "risk": [seen.risk for seen in found.seen],
        "loss": [seen.loss for seen in found.seen],
        "suppressed": [seen.lost for seen in found.seen],
        "share": [seen.lost / records for seen in found.seen],
    }
    return pl.DataFrame(columns).sort("loss", maintain_order=True)
