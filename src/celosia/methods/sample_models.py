r"""Models of the sample: what the sizes of the groups of a generalised file must be, all together.

Where the groups do not comply at first, the smallest are lost one after the other until the others do; ``k_map`` sets
the least size of each.
"""

from __future__ import annotations

from abc import abstractmethod
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from celosia.core.errors import DataError, PromiseError
from celosia.core.method import Promise
from celosia.core.microdata import Microdata
from celosia.core.model import Share
from celosia.engines.contract import Ints
from celosia.methods.group_models import (
    AlphaK,
    BetaLikeness,
    DeltaDisclosure,
    LDiversity,
    PrivacyModel,
    TCloseness,
)
from celosia.risk.class_sizes import ClassSizes
from celosia.risk.population_uniqueness import ESTIMATORS
from celosia.verify.generalised import sizes
from celosia.verify.models import FewGroups, Mapped


class KMap(PrivacyModel):
    r"""Each record alike to k of the population, estimated: groups of at least :math:`k'` in the sample.

    A group of k people shows as :math:`X \sim \text{Poisson}(k n/N)` records. :math:`k'` is the first number of
    records that such a group exceeds with a chance of at most ``alpha``; ``zero_truncated`` for groups seen at all.
    """

    model: Literal["k_map"] = "k_map"
    k: Annotated[int, Field(ge=2)]
    population: Annotated[float, Field(gt=0)]
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.1
    zero_truncated: bool = False

    def least(self, records: int) -> int:
        """The records that a group of the sample must have."""
        if self.population < records:
            raise DataError("population-too-small", population=round(self.population), records=records)
        rate = self.k * records / self.population
        chance = float(np.exp(-rate))
        scale, reached, first = (1.0 - chance, 0.0, 1) if self.zero_truncated else (1.0, 0.0, 0)
        terms = 0
        for i in range(self.k + first):
            if i >= first and terms < self.k:
                reached += chance / scale
                terms += 1
                if reached >= 1.0 - self.alpha:
                    break
            chance *= rate / (i + 1)
        return min(self.k, terms + 1)

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (Mapped(keys, self.k, self.population, self.alpha, self.zero_truncated),)


class SampleModel(PrivacyModel):
    """A model that judges the sizes of the kept groups."""

    @abstractmethod
    def sound(self, sizes: Ints) -> bool:
        """Whether groups of these sizes comply."""


class AverageRisk(SampleModel):
    """Groups per record at most ``risk``; and the share of records in groups smaller than 1/``highest``."""

    model: Literal["average_risk"] = "average_risk"
    risk: Share
    highest: Share | None = None
    at_risk: Annotated[float, Field(ge=0, le=1)] = 0.0

    def sound(self, sizes: Ints) -> bool:
        """Whether groups of these sizes comply."""
        records = int(sizes.sum())
        if not records:
            return True
        if sizes.size > self.risk * records * (1 + 1e-12):
            return False
        if self.highest is None:
            return True
        exposed = int(sizes[1.0 / sizes > self.highest + 1e-12].sum())
        return exposed <= self.at_risk * records * (1 + 1e-12)

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (FewGroups(keys, self.risk, self.highest, self.at_risk),)


class SampleUniqueness(SampleModel):
    """The share of kept records that are alone with their key."""

    model: Literal["sample_uniqueness"] = "sample_uniqueness"
    share: Annotated[float, Field(ge=0, le=1)]

    def sound(self, sizes: Ints) -> bool:
        """Whether groups of these sizes comply."""
        return int((sizes == 1).sum()) <= self.share * int(sizes.sum()) * (1 + 1e-12)

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (FewGroups(keys, 1.0, 0.5, self.share),)


class PopulationUniqueness(SampleModel):
    """The estimated share of the population that is alone with its key."""

    model: Literal["population_uniqueness"] = "population_uniqueness"
    share: Annotated[float, Field(ge=0, le=1)]
    population: Annotated[float, Field(gt=0)]
    estimator: Literal["dankar", "pitman", "zayatz", "snb"] = "dankar"

    def sound(self, sizes: Ints) -> bool:
        """Whether the estimate is low enough; without one, only where nobody is alone in the sample."""
        if not (sizes == 1).any():
            return True
        classes = ClassSizes.of(sizes)
        names: tuple[str, ...] = (self.estimator,)
        if self.estimator == "dankar":
            names = ("pitman",) if classes.records <= 0.1 * self.population else ("zayatz", "snb")
        found = []
        for name in names:
            with suppress(DataError):
                found.append(ESTIMATORS[name](classes, self.population).uniques)
        return bool(found) and min(found) <= self.share * self.population

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (FewUniques(keys, self),)


@dataclass(frozen=True)
class FewUniques:
    """The estimate again, from the groups of the output counted anew."""

    keys: tuple[str, ...]
    model: PopulationUniqueness

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        return self.keys

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where it is too high."""
        found = sizes(after, self.keys).to_numpy().astype(np.int64)
        if found.size > 1 and not self.model.sound(found):
            raise PromiseError("promise-uniques", share=self.model.share)


Model = Annotated[
    LDiversity
    | TCloseness
    | AlphaK
    | DeltaDisclosure
    | BetaLikeness
    | KMap
    | AverageRisk
    | SampleUniqueness
    | PopulationUniqueness,
    Field(discriminator="model"),
]
"""Any of the models; in a plan, by its ``model``."""
