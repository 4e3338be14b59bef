"""The plan of a census: everything that was decided about it, in one YAML text.

Scalars keep their source spelling and unknown fields are refused. The text is kept as its authors wrote it, comments
and all, and its hash is in the certificate.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from celosia.census import Budget, Domain, Geography, Grouping, Invariants, Protection, PureBudget, Rule, Table, Unit
from celosia.census.attribute import Codes
from celosia.census.exact import Exact
from celosia.census.groups import Group
from celosia.census.ledger import DELTA, Ledger
from celosia.core.codes import Code
from celosia.core.dictionary import Dictionary
from celosia.core.errors import CelosiaError, PlanError
from celosia.core.model import Frozen, Names, ReadOnly
from celosia.core.textfile import read_text
from celosia.process.yaml import load_text

_EMPTY: Any = Field(default_factory=dict, validate_default=True)


class DataFile(Frozen):
    """A confidential file, and its dictionary where it is not beside it."""

    file: str
    dictionary: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: Any) -> Any:
        return {"file": value} if isinstance(value, str) else value


class Gathered(Frozen):
    """A level more, that gathers the children of the places of a level into groups of at most ``most``."""

    under: str
    name: str
    most: int = Field(ge=2)


class Places(Frozen):
    """The public list of places: a file with one row a smallest place and a column a level, widest first."""

    file: str
    levels: Names
    root: str = "total"
    bypass: bool = True
    """Whether levels whose every place is the only child of another are left out."""
    gathered: tuple[Gathered, ...] = ()

    def geography(self, places: Any) -> Geography:
        """The tree."""
        tree = Geography.of_table(places, self.levels, self.root)
        tree = tree.bypassed() if self.bypass else tree
        for one in self.gathered:
            tree = tree.grouped(one.under, one.name, one.most)
        return tree


class Coding(Frozen):
    """The codes of a variable where the dictionary does not list them, and what they are recoded to."""

    codes: Codes | None = None
    recode: ReadOnly[Code, Code] = _EMPTY

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

    rho: Exact | None = None
    epsilon: Exact | None = None
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
    ine_2017
        The options of the step ``ine_census_2017``, where its rules are to be compared.
    """

    keys: Names
    sensitive: str
    k: int = Field(default=3, ge=2)
    l: int = Field(default=2, ge=2)  # noqa: E741 (its name in the literature)
    ine_2017: ReadOnly[str, Any] | None = None


class Counted(Frozen):
    """One table of the census: what is measured, at what price, and what is asked of the result."""

    variables: ReadOnly[str, Coding]
    rules: tuple[Rule, ...] = ()
    groupings: ReadOnly[str, Grouping] = _EMPTY
    invariants: Invariants = Invariants()
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


class CensusPlan(Frozen):
    """A plan as data; ``text`` is what its authors wrote.

    Parameters
    ----------
    data
        The name of the confidential data. All runs on the same data are charged to the same ledger.
    run
        The name of this run, unlike those of all other runs in the ledger.
    ledger
        The file of the ledger, made by the first run.
    protection
        The protected unit and the neighbours.
    limits
        The most that each account may ever spend on these data.
    link
        The variable that says which dwelling a person lives in, in the confidential files only.
    public
        Whether the data may be known to anybody (synthetic data): only then the evaluation is not confidential.
    """

    version: Literal["1"] = "1"
    title: str = ""
    data: str = Field(min_length=1)
    run: str = Field(default="1", pattern=r"^[\w.-]+$")
    ledger: str = "libro.json"
    protection: Protection
    limits: ReadOnly[Unit, Exact]
    delta: Exact = DELTA
    sources: ReadOnly[Literal["persons", "dwellings"], DataFile]
    link: str | None = None
    places: Places
    tables: ReadOnly[Table, Counted]
    public: bool = False
    folder: str = "salida"
    path: str = ""
    text: str = Field(default="", repr=False)

    # -- reading -----------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | Path) -> CensusPlan:
        """A plan from its file."""
        return cls.parse(read_text(Path(path)), path)

    @classmethod
    def parse(cls, text: str, path: str | Path = "plan.yaml") -> CensusPlan:
        """A plan from its text; relative names in it start at the folder of ``path``."""
        where = Path(path)
        written = load_text(text, where.name)
        if "census" not in written:
            raise PlanError("census-not-a-plan", where=where.name)
        fields = {"version" if name == "census" else name: value for name, value in written.items()}
        for own in ("path", "text"):
            if own in written:
                raise PlanError("field-unknown", where=where.name, fields=(own,))
        try:
            return cls(**fields, path=str(where), text=text)
        except ValidationError as error:
            raise PlanError.of_fields(error, where=where.name) from None
        except CelosiaError as error:
            error.facts.setdefault("where", where.name)
            raise

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON schema of a plan's text, for editors."""
        from celosia.process.census.schema import schema

        return schema()

    def resolve(self, name: str) -> Path:
        """A file named in the plan, from the plan's folder."""
        return Path(self.path).parent / name

    # -- what holds it together ----------------------------------------------------------------------

    @model_validator(mode="after")
    def _holds_together(self) -> CensusPlan:
        if not self.tables:
            raise PlanError("census-no-tables")
        if len({counted.budget.rho is None for counted in self.tables.values()}) > 1:
            raise PlanError("census-budget-currency")
        for table in self.tables:
            if absent := [name for name in self.needs(table) if name not in self.sources]:
                raise PlanError("census-source-absent", table=table.value, sources=tuple(absent))
            if self.link is None and self.uses_link(table):
                raise PlanError("census-link-absent", table=table.value)
        hidden = {self.link, *self.places.levels}
        for table, counted in self.tables.items():
            if taken := [name for name in counted.variables if name in hidden]:
                raise PlanError("census-variable-hidden", table=table.value, variables=tuple(taken))
        return self

    def needs(self, table: Table) -> tuple[Literal["persons", "dwellings"], ...]:
        """The sources that a table is made of."""
        if table is Table.PERSONS:
            return ("persons",)
        return ("dwellings",) if table is Table.DWELLINGS else ("dwellings", "persons")

    def uses_link(self, table: Table) -> bool:
        """Whether persons must be found in their dwellings."""
        return table is Table.HOUSEHOLDS or (table is Table.PERSONS and self.protection.unit is Unit.DWELLING)

    @property
    def opening(self) -> Ledger:
        """The ledger before anything is spent."""
        pure = any(counted.budget.epsilon is not None for counted in self.tables.values())
        return Ledger(
            data=self.data,
            protection=self.protection,
            limits=self.limits,
            measure="pure" if pure else "zcdp",
            delta=self.delta,
        )
