"""The tables of a census plan: what is counted, at what price, and what is asked of the result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Field, model_validator

from celosia.census import Attribute, Budget, Domain, Grouping, Protection, PureBudget
from celosia.census.attribute import Codes
from celosia.census.exact import Exact
from celosia.census.groups import Group
from celosia.census.rules import AnyRule
from celosia.core.codes import Code
from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import PlanError
from celosia.core.model import Frozen, Names, ReadOnly
from celosia.process.census.limits import PlanInvariants
from celosia.process.census.sources import DataFile
from celosia.process.step import Step

_EMPTY: Any = Field(default_factory=dict, validate_default=True)


class Coding(Frozen):
    """The codes of a variable where the dictionary does not list them, and what they are recoded to.

    Parameters
    ----------
    codes
        Every code that it may have; by default those of the dictionary.
    recode
        The file's code → the published one; a code that is not named stays.
    labels
        Published code → what it is called.
    """

    codes: Codes | None = None
    recode: ReadOnly[Code, Code] = _EMPTY
    labels: ReadOnly[Code, str] = _EMPTY

    @model_validator(mode="before")
    @classmethod
    def _from_codes(cls, value: Any) -> Any:
        if value is None:
            return {}
        if isinstance(value, list) or (isinstance(value, Mapping) and set(value) == {"from", "to"}):
            return {"codes": value}
        return value


class Split(Frozen):
    """A budget: ρ (zero-concentrated) or ε (pure), and its shares by level and by query."""

    rho: Annotated[Exact, Field(gt=0)] | None = None
    epsilon: Annotated[Exact, Field(gt=0)] | None = None
    levels: ReadOnly[str, Exact] | None = None
    queries: ReadOnly[str, Exact]
    at: ReadOnly[str, ReadOnly[str, Exact]] = _EMPTY

    @model_validator(mode="after")
    def _one_currency(self) -> Split:
        if (self.rho is None) == (self.epsilon is None):
            raise PlanError("census-budget-currency")
        return self

    def budget(self, protection: Protection) -> Budget | PureBudget:
        """The budget, for a protected unit."""
        shares: dict[str, Any] = {"levels": self.levels, "queries": self.queries, "at": self.at}
        if self.rho is not None:
            return Budget(rho=self.rho, protection=protection, **shares)
        assert self.epsilon is not None
        return PureBudget(epsilon=self.epsilon, protection=protection, **shares)


class Comparing(Frozen):
    """The comparison with other protections: what an intruder knows of a person and wants to learn.

    Parameters
    ----------
    keys, sensitive
        What the intruder knows, and what she wants to know.
    k, l
        Below how many records, or different values, a class counts as a risk.
    auxiliary
        Her file of persons; by default she knows everybody.
    protections
        Name → steps of the registry, done to the confidential records: any method joins the table.
    """

    keys: Names
    sensitive: str
    k: int = Field(default=3, ge=2)
    l: int = Field(default=2, ge=2)  # noqa: E741 (its name in the literature)
    auxiliary: DataFile | None = None
    protections: ReadOnly[str, tuple[Step, ...]] = _EMPTY


class Counted(Frozen):
    """One table of the census: what is measured, at what price, and what is asked of the result."""

    variables: ReadOnly[str, Coding]
    rules: tuple[AnyRule, ...] = ()
    groupings: ReadOnly[str, Grouping] = _EMPTY
    invariants: PlanInvariants = PlanInvariants()
    budget: Split
    questions: ReadOnly[str, tuple[str, ...]] = _EMPTY
    """Level → queries that the evaluation asks of the release."""
    groups: tuple[Group, ...] = ()
    """Whose errors and risks are shown beside those of all."""
    compare: Comparing | None = None
    curve: tuple[Exact, ...] = ()
    """Budgets at which the evaluation tries the census."""
    file: str = ""
    """Name of the public file; its suffix says the format."""
    size: str = "CANT_PER"
    """For households: the variable that holds the number of persons."""
    top: int = Field(default=10, ge=1)
    """For households: so many persons or more are one code."""

    @model_validator(mode="before")
    @classmethod
    def _named(cls, value: Any) -> Any:
        groups = value.get("groups") if isinstance(value, Mapping) else None
        if not isinstance(groups, Mapping):
            return value
        named = [
            {"name": name} | ({"where": one} if isinstance(one, str) else dict(one)) for name, one in groups.items()
        ]
        return {**value, "groups": named}

    def domain(self, dictionary: Dictionary) -> Domain:
        """The cells, from the declared dictionary."""
        return Domain.of(
            dictionary,
            {name: coding.codes for name, coding in self.variables.items()},
            {name: coding.recode for name, coding in self.variables.items()},
            self.rules,
            self.groupings,
        )

    def told(self, name: str, known: Dictionary) -> Variable:
        """What is published of a variable: what the dictionary says of the codes that can be."""
        coding, about = self.variables[name], known[name]
        can = Attribute.of(about, coding.codes, coding.recode).categories
        said = {code: label for code, label in {**about.values, **coding.labels}.items() if code in can}
        return Variable(
            name=name,
            label=about.label,
            unit=about.unit,
            values=said,
            missing={code: kind for code, kind in about.missing.items() if code in can},
            null=about.null,
        )
