"""Rules of a plan: what is true of every record or household, and an intruder knows as well.

One form a kind, told by one of its fields; ``rules`` gives them as the verifier takes them, for the original data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import Field, ValidationError, model_validator

from celosia.core.condition import Condition
from celosia.core.errors import OptionError, PlanError
from celosia.core.hierarchy_rules import Tree
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen, Names
from celosia.process.planhierarchies import PlanHierarchies
from celosia.verify import deduction
from celosia.verify.deduction import Rule


class EditRule(Frozen):
    """If ``given`` then ``then``; without ``given``, always."""

    then: Condition
    given: Condition | None = None

    def rules(self, original: Microdata) -> tuple[Rule, ...]:
        """As the verifier takes it."""
        return (deduction.Edit(then=self.then, given=self.given or ""),)


class SkipRule(Frozen):
    """The questions ``asked`` are not applicable where the condition does not hold, and only there."""

    asked: str | Names
    where: Condition

    def rules(self, original: Microdata) -> tuple[Rule, ...]:
        """As the verifier takes it."""
        return tuple(deduction.Skip(asked=name, where=self.where) for name in _tuple(self.asked))


class SumRule(Frozen):
    """``total`` is the sum of ``parts``."""

    total: str
    parts: Names

    def rules(self, original: Microdata) -> tuple[Rule, ...]:
        """As the verifier takes it."""
        return (deduction.Sum(parts=self.parts, total=self.total),)


class HouseholdSumRule(Frozen):
    """``total`` is the sum of ``part`` over the members of the household."""

    household: str
    part: str
    total: str

    def rules(self, original: Microdata) -> tuple[Rule, ...]:
        """As the verifier takes it."""
        return (deduction.HouseholdSum(self.household, part=self.part, total=self.total),)


class DependencyRule(Frozen):
    """The variables ``of`` give the variable ``gives``: as the file shows, by a hierarchy, or by their beginning.

    With ``hierarchy``, one of the plan's by name, ``to_level`` says which of its levels ``gives`` is; with ``drop``,
    how many characters at the end of ``of`` are left out.
    """

    of: str | Names
    gives: str
    hierarchy: Tree | None = None
    to_level: int | None = Field(default=None, ge=1)
    drop: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.hierarchy is None) != (self.to_level is None):
            named = ("hierarchy", "to_level")
            option, needs = named if self.to_level is None else named[::-1]
            raise OptionError("option-needs", option=option, needs=needs)
        if self.hierarchy is not None and self.drop is not None:
            raise OptionError("options-one", options=("hierarchy", "drop"))
        if (self.hierarchy is not None or self.drop is not None) and len(_tuple(self.of)) > 1:
            raise OptionError("rule-one-variable", field="of")
        return self

    def rules(self, original: Microdata) -> tuple[Rule, ...]:
        """As the verifier takes it."""
        of = _tuple(self.of)
        if self.hierarchy is not None and self.to_level is not None and of[0] in original:
            tree = self.hierarchy.on(original, of[0])
            return (deduction.Dependency.of_hierarchy(of[0], self.gives, tree, self.to_level),)
        if self.drop is not None:
            return (deduction.Prefix(of[0], self.gives, self.drop),)
        return (deduction.Dependency(of=of, gives=self.gives),)


class MembersRule(Frozen):
    """``size`` counts the records of the household where the condition holds, up to ``top``; or that is ``exactly``."""

    household: str
    size: str | None = None
    top: int | None = None
    where: Condition | None = None
    exactly: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _counted(self) -> Self:
        if (self.size is None) == (self.exactly is None):
            raise OptionError("options-one", options=("size", "exactly"))
        return self

    def rules(self, original: Microdata) -> tuple[Rule, ...]:
        """As the verifier takes it."""
        return (deduction.Members(self.household, self.size, self.top, self.where or "", self.exactly),)


class KinRule(Frozen):
    """In a household, ``parents`` are at least ``gap`` years older than ``children``."""

    household: str
    parents: Condition
    children: Condition
    age: str
    gap: int = Field(ge=0)

    def rules(self, original: Microdata) -> tuple[Rule, ...]:
        """As the verifier takes it."""
        return (deduction.Kin(self.household, self.parents, self.children, self.age, self.gap),)


PlanRule = EditRule | SkipRule | HouseholdSumRule | SumRule | DependencyRule | KinRule | MembersRule
_TOLD_BY: Mapping[str, type[PlanRule]] = {
    "then": EditRule,
    "asked": SkipRule,
    "part": HouseholdSumRule,
    "total": SumRule,
    "gives": DependencyRule,
    "parents": KinRule,
    "size": MembersRule,
    "exactly": MembersRule,
}
"""The field by which a form is told; the first that is there counts."""

FORMS: tuple[type[PlanRule], ...] = tuple(dict.fromkeys(_TOLD_BY.values()))


def read_rule(written: Any, where: str, hierarchies: PlanHierarchies) -> PlanRule:
    """A rule as a plan writes it."""
    fields = {"then": written} if isinstance(written, str) else written
    if not isinstance(fields, Mapping):
        raise PlanError("rule-form", where=where)
    form = next((form for field, form in _TOLD_BY.items() if field in fields), None)
    if form is None:
        raise PlanError("rule-form", where=where)
    try:
        return form(**hierarchies.placed(fields))
    except ValidationError as error:
        raise PlanError.of_fields(error, where=where, model=form) from None
    except OptionError as error:
        error.facts.setdefault("where", where)
        raise


def _tuple(names: str | tuple[str, ...]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else names
