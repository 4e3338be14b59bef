"""Rules of a plan: what is true of every record, and an intruder knows as well.

One form a kind: a condition, or ``given`` and ``then`` (bounds and skips); ``parts`` and their ``total``; ``of`` one or
several variables, which ``gives`` another (strata and places); ``household`` and the ``size`` that counts its members.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from celosia.core.condition import Condition
from celosia.core.errors import PlanError
from celosia.core.model import Frozen, Names
from celosia.verify.deduction import Dependency, Edit, Members, Rule, Sum


class EditRule(Frozen):
    """If ``given`` then ``then``; without ``given``, always."""

    then: Condition
    given: Condition | None = None

    def rule(self) -> Rule:
        """As the verifier takes it."""
        return Edit(then=self.then, given=self.given or "")


class SumRule(Frozen):
    """``total`` is the sum of ``parts``."""

    total: str
    parts: Names

    def rule(self) -> Rule:
        """As the verifier takes it."""
        return Sum(parts=self.parts, total=self.total)


class DependencyRule(Frozen):
    """The variables ``of`` give the variable ``gives``, as the file itself shows."""

    of: str | Names
    gives: str

    def rule(self) -> Rule:
        """As the verifier takes it."""
        return Dependency(of=(self.of,) if isinstance(self.of, str) else self.of, gives=self.gives)


class MembersRule(Frozen):
    """``size`` counts the records of the household, up to ``top``."""

    household: str
    size: str
    top: int | None = None

    def rule(self) -> Rule:
        """As the verifier takes it."""
        return Members(self.household, self.size, self.top)


PlanRule = EditRule | SumRule | DependencyRule | MembersRule
FORMS: tuple[type[PlanRule], ...] = (EditRule, SumRule, DependencyRule, MembersRule)


def read_rule(written: Any, where: str) -> PlanRule:
    """A rule as a plan writes it."""
    fields = {"then": written} if isinstance(written, str) else written
    if not isinstance(fields, Mapping):
        raise PlanError("rule-form", where=where)
    form = next((form for form in FORMS if _named_by(form) in fields), None)
    if form is None:
        raise PlanError("rule-form", where=where)
    try:
        return form(**fields)
    except ValidationError as error:
        raise PlanError.of_fields(error, where=where) from None


def _named_by(form: type[PlanRule]) -> str:
    """The field by which a form is told from the others."""
    return {EditRule: "then", SumRule: "total", DependencyRule: "gives", MembersRule: "size"}[form]
