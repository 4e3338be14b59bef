r"""Models of attribute risk: what each group of a generalised file must be beside large enough.

With :math:`q` the shares of
the sensitive values in a group and :math:`p` in the whole file, both among observed values, the definitions are those
of ``risk.l_diversity``, ``t_closeness``, ``alpha_k``, ``delta_disclosure`` and ``beta_likeness``; a group without
observed values hurts none of them.

A model is *monotone* where joining groups never spoils them: then a node that loses too many records rules out all that
are more detailed. Models that only survive the joining of sound groups are monotone where no record may be lost.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from celosia.core.dictionary import MissingKind
from celosia.core.errors import DataError, OptionError
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_rules import Tree
from celosia.core.method import Promise
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen, Share
from celosia.engines.contract import Ints
from celosia.methods.lattice import Floats, Lattice
from celosia.methods.leveled_keys import Sensitive
from celosia.verify.models import Close, Diverse, LittleGain, NoneFrequent, OddsStay

Mask = npt.NDArray[np.bool_]

ROUNDING = 1e-9
"""A figure this near to its limit is taken to be at it."""


class PrivacyModel(Frozen):
    """What a generalised file must be beside large enough in each group."""

    model: str

    @model_serializer(mode="wrap")
    def _with_name(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Its name is written even though it is a default: it says which model it is."""
        return {"model": self.model, **handler(self)}

    def on(self, data: Microdata) -> Self:
        """The model with all that it needs of the data."""
        return self

    @abstractmethod
    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""


class GroupModel(PrivacyModel):
    """A model that judges each group by the values of its sensitive variable."""

    sensitive: str

    convex: ClassVar[bool] = True
    """Whether joining sound groups gives a sound one."""

    @abstractmethod
    def sound(self, tally: Ints, whole: Ints, variable: Sensitive) -> Mask:
        """Which groups comply: records by value in each group (never none), and in the whole file."""

    def monotone_at(self, limit: int) -> bool:
        """Whether a node that loses too many records to it rules out the more detailed ones."""
        return self.convex and limit == 0

    def place(self, lattice: Lattice) -> int:
        """Where among the sensitive variables of a lattice its own stands."""
        return next(i for i, held in enumerate(lattice.sensitive) if held.name == self.sensitive)

    def fails(self, lattice: Lattice, tally: Sequence[Ints], among: Mask) -> Mask:
        """Which of some groups with observed values do not comply: records by value for each sensitive variable."""
        place = self.place(lattice)
        judged = np.flatnonzero(among & tally[place].any(axis=1))
        failing = np.zeros(among.size, dtype=np.bool_)
        failing[judged] = ~self.sound(tally[place][judged], lattice.whole[place], lattice.sensitive[place])
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

    def on(self, data: Microdata) -> Self:
        """The model with the hierarchy that its rule makes of the data."""
        tree = self.hierarchy and self.hierarchy.on(data, self.sensitive)
        return self.model_copy(update={"hierarchy": tree})

    def sound(self, tally: Ints, whole: Ints, variable: Sensitive) -> Mask:
        """Groups that are t-close."""
        if self.distance != "equal" and MissingKind.NOT_APPLICABLE in variable.kinds:
            raise DataError("not-applicable-unplaced", variable=variable.name)
        apart = tally / tally.sum(axis=1, keepdims=True) - whole / whole.sum()
        if self.distance == "ordered":
            far = np.abs(np.cumsum(apart, axis=1)).sum(axis=1) / max(1, apart.shape[1] - 1)
        elif isinstance(self.hierarchy, Hierarchy):
            far = _in_tree(apart, self.hierarchy, variable)
        else:
            far = np.abs(apart).sum(axis=1) / 2
        return np.asarray(far <= self.t + ROUNDING)

    def promises(self, keys: tuple[str, ...]) -> tuple[Promise, ...]:
        """What the output keeps of it."""
        return (Close(keys, self.sensitive, self.t, self.distance, self.hierarchy),)


def _in_tree(apart: Floats, tree: Hierarchy, variable: Sensitive) -> Floats:
    """The mean of the equal distances between the branches of each level below the root."""
    path = {row[0]: row for row in tree.rows}
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
