r"""What the groups of a generalised file must be beside large enough: models of attribute and of sample risk.

A model of *groups* judges each group by itself; one of the *sample* judges all the kept groups together, and is
satisfied, where it is not at first, by losing the smallest groups one after the other. With :math:`q` the shares of
the sensitive values in a group and :math:`p` in the whole file, both among observed values, the definitions are those
of ``risk.l_diversity``, ``t_closeness``, ``alpha_k``, ``delta_disclosure`` and ``beta_likeness``; a group without
observed values hurts none of them.

A model is *monotone* where joining groups never spoils them: then a node that loses too many records rules out all that
are more detailed. Models that only survive the joining of sound groups are monotone where no record may be lost.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field, model_validator

from celosia.core.dictionary import MissingKind
from celosia.core.errors import DataError, OptionError
from celosia.core.hierarchy import Hierarchy
from celosia.core.method import Promise
from celosia.core.model import Frozen, Share
from celosia.engines.contract import Ints
from celosia.methods.lattice import Floats, Lattice
from celosia.methods.leveled_keys import Sensitive
from celosia.risk.class_sizes import ClassSizes
from celosia.risk.population_uniqueness import ESTIMATORS
from celosia.verify.models import Close, Diverse, FewGroups, LittleGain, NoneFrequent, OddsStay

Mask = npt.NDArray[np.bool_]

ROUNDING = 1e-9
"""A figure this near to its limit is taken to be at it."""


def _as_hierarchy(given: Any) -> Any:
    return Hierarchy.from_rows(given) if isinstance(given, list | tuple) else given


Tree = Annotated[Hierarchy, BeforeValidator(_as_hierarchy)]
"""A hierarchy, or its rows, most detailed code first."""


class GroupModel(Frozen):
    """A model that judges each group by the values of its sensitive variable."""

    sensitive: str

    convex: ClassVar[bool] = True
    """Whether joining sound groups gives a sound one."""

    @abstractmethod
    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""

    @abstractmethod
    def sound(self, tally: Ints, whole: Ints, variable: Sensitive) -> Mask:
        """Which groups comply: records by value in each group (never none), and in the whole file."""

    def monotone_at(self, limit: int) -> bool:
        """Whether a node that loses too many records to it rules out the more detailed ones."""
        return self.convex and limit == 0

    def fails(self, lattice: Lattice, tally: Sequence[Ints], among: Mask) -> Mask:
        """Which of some groups with observed values do not comply: records by value for each sensitive variable."""
        place = next(i for i, held in enumerate(lattice.sensitive) if held.name == self.sensitive)
        judged = np.flatnonzero(among & tally[place].any(axis=1))
        failing = np.zeros(among.size, dtype=np.bool_)
        whole: Ints = lattice.tallies[place].sum(axis=0)
        failing[judged] = ~self.sound(tally[place][judged], whole, lattice.sensitive[place])
        return failing


class LDiversity(GroupModel):
    """At least l values, effective values, or values that no other outweighs by c."""

    model: Literal["l_diversity"] = "l_diversity"
    l: Annotated[float, Field(ge=1)]  # noqa: E741 (its name in the literature)
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: Annotated[float, Field(gt=0)] = 2.0

    def monotone_at(self, limit: int) -> bool:
        """Values only join: distinct ones are never fewer."""
        return self.kind == "distinct" or super().monotone_at(limit)

    def sound(self, tally: Ints, whole: Ints, variable: Sensitive) -> Mask:
        """Groups that are l-diverse."""
        if self.kind == "distinct":
            return np.asarray((tally > 0).sum(axis=1) >= self.l)
        if self.kind == "entropy":
            share = tally / tally.sum(axis=1, keepdims=True)
            bits = -np.where(tally > 0, share * np.log(np.maximum(share, 1e-300)), 0.0).sum(axis=1)
            return np.asarray(np.exp(bits) >= self.l - ROUNDING)
        down = -np.sort(-tally, axis=1)
        least = int(np.ceil(self.l))
        if least > down.shape[1]:
            return np.zeros(len(tally), dtype=np.bool_)
        tail = down[:, least - 1 :].sum(axis=1)
        return np.asarray((down[:, least - 1] > 0) & (down[:, 0] < self.c * tail * (1.0 - 1e-12)))

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (Diverse(keys, self.sensitive, self.l, self.kind, self.c),)


class TCloseness(GroupModel):
    """No farther than t from the values of the whole file."""

    model: Literal["t_closeness"] = "t_closeness"
    t: Annotated[float, Field(ge=0, le=1)]
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    hierarchy: Tree | None = None

    @model_validator(mode="after")
    def _tree_where_asked(self) -> TCloseness:
        if self.distance == "hierarchical" and self.hierarchy is None:
            raise OptionError("hierarchy-needed")
        if self.distance != "hierarchical" and self.hierarchy is not None:
            raise OptionError("option-needs", option="hierarchy", needs='distance="hierarchical"')
        return self

    def sound(self, tally: Ints, whole: Ints, variable: Sensitive) -> Mask:
        """Groups that are t-close."""
        if self.distance != "equal" and MissingKind.NOT_APPLICABLE in variable.kinds:
            raise DataError("not-applicable-unplaced", variable=variable.name)
        apart = tally / tally.sum(axis=1, keepdims=True) - whole / whole.sum()
        if self.distance == "ordered":
            far = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(1, apart.shape[1] - 1)
        elif self.hierarchy is not None:
            far = _in_tree(apart, self.hierarchy, variable)
        else:
            far = np.abs(apart).sum(axis=1) / 2
        return np.asarray(far <= self.t + ROUNDING)

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        paths = self.hierarchy.rows if self.hierarchy is not None else ()
        return (Close(keys, self.sensitive, self.t, self.distance, paths),)


def _in_tree(apart: Floats, tree: Hierarchy, variable: Sensitive) -> Floats:
    """The mean of the equal distances between the branches of each level below the root."""
    path = {row[0]: row for row in tree.rows}
    if unknown := sum(code not in path for code in variable.codes):
        raise DataError("hierarchy-codes-unknown", variable=variable.name, count=unknown)
    height = max(1, tree.depth - (len(tree.codes[-1]) == 1))
    total = np.zeros(len(apart))
    for level in range(height):
        place = {code: i for i, code in enumerate(tree.codes[level])}
        joined = np.zeros((apart.shape[1], len(place)))
        joined[np.arange(apart.shape[1]), [place[path[code][level]] for code in variable.codes]] = 1.0
        total += np.abs(apart @ joined).sum(axis=1) / 2
    return total / height


class AlphaK(GroupModel):
    """No sensitive value more frequent than alpha."""

    model: Literal["alpha_k"] = "alpha_k"
    alpha: Share

    def sound(self, tally: Ints, whole: Ints, variable: Sensitive) -> Mask:
        """Groups where no value is too frequent."""
        return np.asarray(tally.max(axis=1) <= (self.alpha + ROUNDING) * tally.sum(axis=1))

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (NoneFrequent(keys, self.sensitive, self.alpha),)


class DeltaDisclosure(GroupModel):
    """The odds of every value that the group holds move less than delta bits."""

    model: Literal["delta_disclosure"] = "delta_disclosure"
    delta: Annotated[float, Field(gt=0)]

    convex: ClassVar[bool] = False

    def sound(self, tally: Ints, whole: Ints, variable: Sensitive) -> Mask:
        """Groups below delta."""
        ratio = (tally / tally.sum(axis=1, keepdims=True)) / (np.maximum(whole, 1) / whole.sum())
        moved = np.where(tally > 0, np.abs(np.log2(np.where(tally > 0, ratio, 1.0))), 0.0)
        return np.asarray(moved.max(axis=1) < self.delta - ROUNDING)

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (OddsStay(keys, self.sensitive, self.delta),)


class BetaLikeness(GroupModel):
    """No value gains more than beta; in the enhanced sense, nor more than -ln of its share."""

    model: Literal["beta_likeness"] = "beta_likeness"
    beta: Annotated[float, Field(gt=0)]
    kind: Literal["basic", "enhanced"] = "basic"

    def sound(self, tally: Ints, whole: Ints, variable: Sensitive) -> Mask:
        """Groups where no value gains too much."""
        p = np.maximum(whole, 1) / whole.sum()
        gain = (tally / tally.sum(axis=1, keepdims=True)) / p - 1
        most = np.minimum(self.beta, -np.log(p)) if self.kind == "enhanced" else self.beta
        return np.asarray(((gain <= most + ROUNDING) | (tally == 0)).all(axis=1))

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (LittleGain(keys, self.sensitive, self.beta, self.kind),)


class KMap(Frozen):
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
        """Nothing beside k: what it estimates is not seen in the output."""
        return ()


class SampleModel(Frozen):
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
        """Nothing: what it estimates is not seen in the output."""
        return ()


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
