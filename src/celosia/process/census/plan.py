"""The plan of a census: everything that was decided about it, in one YAML text.

Scalars keep their source spelling and unknown fields are refused. The text is kept as its authors wrote it, comments
and all, and its hash is in the certificate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, ValidationError, model_validator

from celosia.census import Protection, Table, Unit
from celosia.census.exact import Exact
from celosia.census.ledger import DELTA, Ledger
from celosia.core.dictionary import Dictionary
from celosia.core.errors import CelosiaError, PlanError
from celosia.core.hierarchy_rules import Tree
from celosia.core.model import Frozen, ReadOnly
from celosia.core.textfile import read_text
from celosia.process.census.places import Places
from celosia.process.census.sources import Confidential
from celosia.process.census.tables import Counted
from celosia.process.planfile import read_steps
from celosia.process.planhierarchies import PlanHierarchies
from celosia.process.yaml import load_text

_OWN = ("path", "text")


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
    hierarchies: ReadOnly[str, Tree] = Field(default_factory=dict, validate_default=True)
    sources: ReadOnly[Literal["persons", "dwellings"], Confidential]
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
        if taken := [own for own in _OWN if own in written]:
            known = tuple(name for name in cls.model_fields if name not in _OWN)
            raise PlanError("field-unknown", where=where.name, fields=tuple(taken), known=known)
        try:
            return cls(**_with_steps(fields, where), path=str(where), text=text)
        except ValidationError as error:
            raise PlanError.of_fields(error, where=where.name, model=cls, unwritten=_OWN) from None
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


def _with_steps(fields: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The fields with every list of steps read, and the hierarchies that they name."""
    hierarchies = PlanHierarchies.read(fields.get("hierarchies") or {}, Dictionary(), path)

    def steps(section: Any, where: str) -> Any:
        return read_steps(section, hierarchies, f"{path.name}: {where}")

    read = dict(fields)
    if "hierarchies" in fields:
        read["hierarchies"] = hierarchies.known
    if isinstance(fields.get("sources"), Mapping):
        read["sources"] = {
            name: {**source, "steps": steps(source["steps"], name)} if _holds(source, "steps") else source
            for name, source in fields["sources"].items()
        }
    if isinstance(fields.get("tables"), Mapping):
        read["tables"] = {name: _with_protections(table, name, steps) for name, table in fields["tables"].items()}
    return read


def _with_protections(table: Any, name: str, steps: Callable[[Any, str], Any]) -> Any:
    if not _holds(table, "compare") or not _holds(table["compare"], "protections"):
        return table
    written = table["compare"]["protections"]
    if not isinstance(written, Mapping):
        return table
    protections = {own: steps(section, f"{name}, {own}") for own, section in written.items()}
    return {**table, "compare": {**table["compare"], "protections": protections}}


def _holds(section: Any, field: str) -> bool:
    return isinstance(section, Mapping) and section.get(field) is not None
