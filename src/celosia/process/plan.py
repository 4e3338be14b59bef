"""A plan: everything that was decided about a file, in one YAML text that keeps its comments.

Roles, scenarios, policy, hierarchies and steps live only here. Unknown fields are refused; scalars keep their source
spelling; every step carries a name, filled in by the writer, so that inserting one changes no other's chance.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, field_validator

from celosia.core.condition import Condition
from celosia.core.dictionary import Dictionary, Role
from celosia.core.errors import PlanError
from celosia.core.hierarchy_rules import Tree
from celosia.core.model import Frozen, ReadOnly
from celosia.core.textfile import read_text
from celosia.process.anonymity import Anonymity
from celosia.process.inventory import Source
from celosia.process.policy import Policy
from celosia.process.rules import PlanRule
from celosia.process.scenario import FileKind, Scenario
from celosia.process.step import Step, free_name
from celosia.process.yaml import load_text

VERSION = "1"


class Release(Frozen):
    """Where the results go: public data, and the internal page and key beside them."""

    folder: str = "salida"
    data: str = "datos.csv"
    title: str = ""

    @field_validator("data")
    @classmethod
    def _a_file_name(cls, data: str) -> str:
        from celosia.io.formats import format_to_write

        if Path(data).name != data:
            raise PlanError("release-name", name=data)
        format_to_write(data)
        return data


class Plan(Frozen):
    """A plan as data; ``text`` is what its authors wrote, steps of theirs and all."""

    version: str = VERSION
    title: str = ""
    source: str | None = None
    csv: ReadOnly[str, Any] = Field(default_factory=dict, validate_default=True)
    """What is known of the form of a CSV source: delimiter, decimal, encoding, header; the rest is found out."""
    kind: FileKind | None = None
    dictionary: Dictionary = Dictionary()
    dictionary_file: str | None = None
    rules: tuple[PlanRule, ...] = ()
    """What is true of every record, and an intruder knows: emptied cells that follow from others hide nothing."""
    sources: tuple[Source, ...] = ()
    """The inventory of data sets that intruders could use."""
    scenarios: tuple[Scenario, ...] = ()
    groups: ReadOnly[str, Condition] = Field(default_factory=dict, validate_default=True)
    """Name of a group → which records of the original data are in it; their risk is shown beside the mean."""
    hierarchies: ReadOnly[str, Tree] = Field(default_factory=dict, validate_default=True)
    anonymity: Anonymity | None = None
    """Published counts, and what they are asked of the birth dates that the file may show."""
    policy: str | None = None
    steps: tuple[Step, ...] = ()
    release: Release = Release()
    path: str = ""
    text: str = Field(default="", repr=False)

    # -- reading -----------------------------------------------------------------------------------

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """A plan from its file."""
        return cls.parse(read_text(Path(path)), path)

    @classmethod
    def parse(cls, text: str, path: str | Path = "plan.yaml") -> Plan:
        """A plan from its text; relative names in it start at the folder of ``path``."""
        from celosia.process.planfile import read_plan

        where = Path(path)
        fields = read_plan(load_text(text, where.name), where)
        try:
            return cls(**fields, path=str(where), text=text)
        except ValidationError as error:
            raise PlanError.of_fields(error, where=where.name, model=cls, unwritten=("path", "text")) from None

    @staticmethod
    def json_schema() -> dict[str, Any]:
        """The JSON schema of a plan's text, for editors."""
        from celosia.process.schema import plan_schema

        return plan_schema(Release)

    def resolve(self, name: str) -> Path:
        """A file named in the plan, from the plan's folder."""
        return Path(self.path).parent / name

    @property
    def inputs(self) -> tuple[Path, ...]:
        """Every file that is read, the plan's own among them."""
        named = [self.source, self.dictionary_file, *(source.file for source in self.sources)]
        named += [self.policy] if self.policy and Path(self.policy).suffix else []
        named += [self.anonymity.counts.file] if self.anonymity else []
        return (Path(self.path), *(self.resolve(name) for name in named if name))

    def codebook(self) -> Path | None:
        """The file of the dictionary, where the plan names one."""
        return self.resolve(self.dictionary_file) if self.dictionary_file else None

    def load_policy(self, name: str) -> Policy:
        """A policy by name, or by file from the plan's folder."""
        return Policy.load(self.resolve(name) if Path(name).suffix else name)

    def render(self) -> str:
        """The plan as YAML: its authors' text, with the steps as they are now and every step named."""
        from celosia.process.planwriter import render

        return render(self)

    # -- parts -------------------------------------------------------------------------------------

    def scenario(self, name: str | None = None) -> Scenario:
        """The scenario of this name; by default the prioritised one, else the first."""
        for scenario in sorted(self.scenarios, key=lambda scenario: not scenario.prioritised):
            if name is None or scenario.name == name:
                return scenario
        known = tuple(scenario.name for scenario in self.scenarios)
        raise PlanError("scenario-unknown", scenario=name or "", known=known)

    @property
    def step_names(self) -> tuple[str, ...]:
        """Names of the steps, in order."""
        return tuple(step.name for step in self.steps)

    def free_name(self, do: str) -> str:
        """A name for a new step that no step has."""
        return free_name(do, self.step_names)

    # -- the same plan, changed --------------------------------------------------------------------

    def without_steps(self) -> Plan:
        """The plan before any step."""
        return self.model_copy(update={"steps": ()})

    def with_step(self, step: Step) -> Plan:
        """The plan with one more step."""
        return self.model_copy(update={"steps": (*self.steps, step)})

    def with_role(self, variable: str, role: Role | str) -> Plan:
        """The plan with a variable's role declared."""
        return self.model_copy(update={"dictionary": self.dictionary.replace(variable, role=role)})
