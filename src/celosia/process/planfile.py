"""From the YAML that people write to the fields of a plan: short forms, names of hierarchies, names of steps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from celosia.core.dictionary import Dictionary, Role, Variable
from celosia.core.errors import OptionError, PlanError
from celosia.demography.published import CountsFile
from celosia.io.book_yaml import from_document
from celosia.io.csv_form import known_form
from celosia.process.anonymity import Anonymity, Question
from celosia.process.inventory import Source
from celosia.process.planhierarchies import PlanHierarchies
from celosia.process.rules import read_rule
from celosia.process.scenario import FileKind, Scenario
from celosia.process.step import Step, free_name
from celosia.risk.scenarios import MOST

M = TypeVar("M", bound=BaseModel)
_SECTIONS = (
    *("dictionary", "roles", "rules", "sources", "scenarios", "groups", "hierarchies"),
    *("anonymity", "policy", "steps", "release"),
)
_FIELDS = ("celosia", "title", "source", "csv", "kind", *_SECTIONS)  # in the order in which people write them


def read_plan(written: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """The fields of ``Plan`` from what was written in ``path``."""
    where = path.name
    if "census" in written:
        raise PlanError("plan-of-census", where=where)
    if unknown := [name for name in written if name not in _FIELDS]:
        raise PlanError("plan-field-unknown", where=where, fields=tuple(unknown), known=_FIELDS)
    fields: dict[str, Any] = {}
    for name in ("title", "source", "policy"):
        if written.get(name) is not None:
            fields[name] = written[name]
    if written.get("celosia") not in (None, "1"):
        raise PlanError("plan-version", where=where, known="1")
    if written.get("release") is not None:
        fields["release"] = written["release"]
    fields["csv"] = _csv(written.get("csv") or {}, where)
    if written.get("kind") is not None:
        fields["kind"] = _kind(written["kind"], where)
    described = written.get("dictionary")
    if isinstance(described, str):
        fields["dictionary_file"] = described
        described = None
    fields["dictionary"] = _dictionary(described or {}, written.get("roles") or {}, where)
    hierarchies = PlanHierarchies.read(written.get("hierarchies") or {}, fields["dictionary"], path)
    fields["hierarchies"] = hierarchies.known
    rules = written.get("rules") or []
    if not isinstance(rules, list):
        raise PlanError("plan-not-list", where=where, field="rules")
    numbered = enumerate(rules, start=1)
    fields["rules"] = tuple(read_rule(rule, f"{where}: rules {n}", hierarchies) for n, rule in numbered)
    fields["sources"] = _sources(written.get("sources") or {}, where)
    fields["scenarios"] = _scenarios(written.get("scenarios") or {}, fields["sources"], where)
    groups = written.get("groups") or {}
    _mapping(groups, where, "groups")
    fields["groups"] = groups
    fields["anonymity"] = _anonymity(written.get("anonymity"), path)
    fields["steps"] = read_steps(written.get("steps") or [], hierarchies, where)
    return fields


def _csv(form: Any, where: str) -> dict[str, Any]:
    _mapping(form, where, "csv")
    try:
        return known_form(form)
    except OptionError as error:
        error.facts["where"] = f"{where}: csv"
        raise


def _kind(value: Any, where: str) -> FileKind:
    if value == "register":
        raise PlanError("register-undeclared", where=where)
    try:
        return FileKind(value)
    except ValueError:
        raise PlanError("kind-unknown", where=where, known=tuple(kind.value for kind in FileKind)) from None


def _dictionary(described: Mapping[str, Any], roles: Mapping[str, Any], where: str) -> Dictionary:
    _mapping(described, where, "dictionary")
    _mapping(roles, where, "roles")
    for name, facts in described.items():
        _mapping(facts or {}, where, f"dictionary: {name}")
    book = from_document(described if set(described) == {"variables"} else {"variables": described}, where)
    try:
        for role, names in roles.items():
            for name in _names(names, where, f"roles: {role}"):
                book = _in_role(book, name, role, where)
    except ValidationError as error:
        raise PlanError.of_fields(error, where=f"{where}: dictionary", model=Variable, unwritten=("name",)) from None
    for role in (Role.WEIGHT, Role.HOUSEHOLD, Role.ID):
        book.one_with_role(role)
    return book


def _in_role(book: Dictionary, name: str, role: str, where: str) -> Dictionary:
    """The dictionary with one more role: a variable has one, or the last written would hide the others."""
    before, after = book[name].role, book.replace(name, role=role)
    if before is not None and before is not after[name].role:
        raise PlanError("variable-two-roles", where=where, variable=name, roles=(str(before), role))
    return after


def _sources(written: Any, where: str) -> tuple[Source, ...]:
    _mapping(written, where, "sources")
    made = []
    for name, facts in written.items():
        given = {"keys": facts} if isinstance(facts, list) else facts or {}
        _mapping(given, where, f"sources: {name}")
        made.append(_called(Source, name, given, f"{where}: {name}"))
    return tuple(made)


def _called(model: type[M], name: str, facts: Mapping[str, Any], where: str) -> M:
    """A part of a plan that is called by its key, not by a field of its own."""
    if "name" in facts:
        known = tuple(field for field in model.model_fields if field != "name")
        raise PlanError("field-unknown", where=where, fields=("name",), known=known)
    try:
        return model(name=name, **facts)
    except ValidationError as error:
        raise PlanError.of_fields(error, where=where, model=model, unwritten=("name",)) from None
    except OptionError as error:
        error.facts.setdefault("where", where)
        raise


def _with_keys_of_sources(facts: Mapping[str, Any], inventory: Mapping[str, Source], where: str) -> Mapping[str, Any]:
    """A scenario that names no keys has all those of its sources; with an inventory, sources are in it."""
    named = _names(facts.get("sources") or [], where, "sources")
    if inventory and (unknown := [name for name in named if name not in inventory]):
        raise PlanError("source-unknown", where=where, sources=tuple(unknown), known=tuple(inventory))
    keys = dict.fromkeys(key for name in named if name in inventory for key in inventory[name].keys)
    return facts if "keys" in facts or not keys else {**facts, "keys": list(keys)}


def _scenarios(written: Any, sources: tuple[Source, ...], where: str) -> tuple[Scenario, ...]:
    _mapping(written, where, "scenarios")
    made = []
    inventory = {source.name: source for source in sources}
    for name, facts in written.items():
        given = {"keys": facts} if isinstance(facts, list) else facts or {}
        _mapping(given, where, f"scenarios: {name}")
        given = _with_keys_of_sources(given, inventory, f"{where}: {name}")
        made.append(_called(Scenario, name, given, f"{where}: {name}"))
    if len(made) > MOST:
        raise PlanError("scenarios-too-many", where=where, most=MOST)
    if sum(scenario.prioritised for scenario in made) > 1:
        raise PlanError("scenarios-prioritised", where=where)
    return tuple(made)


def _anonymity(written: Any, path: Path) -> Anonymity | None:
    if written is None:
        return None
    where = f"{path.name}: anonymity"
    _mapping(written, path.name, "anonymity")
    questions = written.get("questions") or {}
    _mapping(questions, path.name, "anonymity: questions")
    made = []
    for name, facts in questions.items():
        _mapping(facts or {}, path.name, f"anonymity: {name}")
        made.append(_called(Question, name, facts or {}, f"{path.name}: {name}"))
    try:
        section = Anonymity(**{**written, "questions": tuple(made)})
    except ValidationError as error:
        raise PlanError.of_fields(error, where=where, model=Anonymity) from None
    except OptionError as error:
        error.facts.setdefault("where", where)
        raise
    return section.model_copy(update={"counts": section.counts.within(path.parent)})


def read_steps(written: Any, hierarchies: PlanHierarchies, where: str) -> tuple[Step, ...]:
    """A list of steps as a plan writes it, each with a name."""
    if not isinstance(written, list):
        raise PlanError("plan-not-list", where=where, field="steps")
    steps: list[Step] = []
    taken: set[str] = set()
    for number, facts in enumerate(written, start=1):
        if not isinstance(facts, dict) or not isinstance(facts.get("do"), str):
            raise PlanError("step-without-do", where=where, step=str(number))
        given = _with_counts(hierarchies.placed(facts), hierarchies.path.parent)
        step = Step.parse(given, free_name(given["do"], taken))
        if step.name in taken:
            raise PlanError("step-name-taken", where=where, step=step.name)
        taken.add(step.name)
        steps.append(step)
    return tuple(steps)


def _with_counts(facts: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The fields of a step, the file of counts that one may name starting at the plan's folder."""
    if "counts" not in facts:
        return facts
    try:
        named = TypeAdapter(CountsFile).validate_python(facts["counts"])
    except ValidationError:
        return facts  # the method says what is wrong with it
    return {**facts, "counts": named.within(folder)}


def _names(value: Any, where: str, field: str) -> list[str]:
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise PlanError("plan-field-form", where=where, field=field)
    return names


def _mapping(value: Any, where: str, field: str) -> None:
    if not isinstance(value, Mapping):
        raise PlanError("plan-not-mapping", where=where, field=field)
