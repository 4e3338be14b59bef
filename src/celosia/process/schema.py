"""The JSON schema of a plan, for editors: one text, made from the models that read plans.

An editor sees numbers and booleans where a plan keeps the spelling of its author, so every plain text field takes
any scalar.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from celosia.core.dictionary import Role, Variable
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_rules import CsvHierarchy, HierarchyRule
from celosia.io.csv_form import CsvForm
from celosia.methods import REGISTRY, method
from celosia.process.anonymity import Anonymity, Question
from celosia.process.inventory import Source
from celosia.process.rules import FORMS
from celosia.process.scenario import FileKind, Scenario

_TEXT: dict[str, Any] = {"type": "string"}
_NAMES: dict[str, Any] = {"type": "array", "items": _TEXT, "minItems": 1}


def plan_schema(release: type[Any]) -> dict[str, Any]:
    """The schema; ``release`` is the model of the plan's last section."""
    shared: dict[str, Any] = {}
    rules = [_TEXT, *(_fields(form, shared) for form in FORMS)]
    steps, tree = steps_and_tree(shared)
    rules = _named_trees(rules, tree)
    variable = _fields(Variable, shared, without=("name",))
    scenario = _fields(Scenario, shared, without=("name",), optional=("keys",))  # its sources may give the keys
    source = _fields(Source, shared, without=("name",))
    properties = {
        "celosia": {"enum": [1, "1"]},
        "title": _TEXT,
        "source": _TEXT,
        "csv": _fields(CsvForm, shared),
        "kind": {"enum": [kind.value for kind in FileKind]},
        "dictionary": {"anyOf": [_TEXT, _mapping({"anyOf": [variable, {"type": "null"}]})]},
        "roles": {
            **_mapping({"anyOf": [_TEXT, _NAMES]}),
            "propertyNames": {"enum": [role.value for role in Role]},
        },
        "rules": {"type": "array", "items": {"anyOf": rules}},
        "sources": _mapping({"anyOf": [_NAMES, source]}),
        "scenarios": _mapping({"anyOf": [_NAMES, scenario]}),
        "groups": _mapping(_TEXT),
        "hierarchies": _mapping(tree),
        "anonymity": _anonymity(shared),
        "policy": _TEXT,
        "steps": steps,
        "release": _fields(release, shared),
    }
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Celosía plan",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": shared,
    }
    relaxed: dict[str, Any] = any_scalar(whole)
    return relaxed


def steps_and_tree(shared: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schemas of a list of steps and of a hierarchy in any form; what they refer to goes to ``shared``."""
    steps = [_step(do, shared) for do in REGISTRY]
    tree = _tree(shared)
    for name in shared:
        shared[name] = _named_trees(shared[name], tree)
    return {"type": "array", "items": {"oneOf": _named_trees(steps, tree)}}, tree


_ROWS = {"type": "array", "items": {"type": "array", "items": _TEXT}, "minItems": 1}


def _tree(shared: dict[str, Any]) -> dict[str, Any]:
    """A hierarchy in any of its forms."""
    forms = []
    for form in (Hierarchy, HierarchyRule, CsvHierarchy):
        shared[form.__name__] = _fields(form, shared)
        forms.append({"$ref": f"#/$defs/{form.__name__}"})
    return {"anyOf": [_ROWS, *forms, {"type": "object", "additionalProperties": _TEXT, "minProperties": 1}]}


def _named_trees(schema: Any, tree: dict[str, Any]) -> Any:
    """The schema of methods and their models with every hierarchy open to the name of one, and to all its forms."""
    if isinstance(schema, list):
        return [_named_trees(part, tree) for part in schema]
    if not isinstance(schema, dict):
        return schema
    opened = {name: _named_trees(part, tree) for name, part in schema.items()}
    own = opened.get("properties", {})
    one = {"anyOf": [_TEXT, *tree["anyOf"]]}
    if "hierarchy" in own:
        own["hierarchy"] = one
    if "hierarchies" in own:
        own["hierarchies"] = {"anyOf": [_NAMES, _mapping(one)]}
    return opened


def _anonymity(shared: dict[str, Any]) -> dict[str, Any]:
    """The section on published counts: its questions by name."""
    section = _fields(Anonymity, shared)
    question = _fields(Question, shared, without=("name",))
    section["properties"]["questions"] = _mapping({"anyOf": [question, {"type": "null"}]})
    return section


def _mapping(values: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def _step(do: str, shared: dict[str, Any]) -> dict[str, Any]:
    """The schema of one method as a step: its fields, and those of every step that it has not itself."""
    fields = _fields(method(do), shared)
    own = fields["properties"]
    every = {"name": _TEXT, "level": {"enum": ["record", "household"]}, "where": _TEXT, "strata": _NAMES}
    fields["properties"] = {"do": {"const": do}, **every, **own}
    fields["required"] = ["do", *fields.get("required", [])]
    return fields


def _fields(
    model: type[Any], shared: dict[str, Any], without: tuple[str, ...] = (), optional: tuple[str, ...] = ()
) -> dict[str, Any]:
    """A model's schema without some fields; what it refers to goes to ``shared``."""
    schema: dict[str, Any] = model.model_json_schema()
    shared |= schema.pop("$defs", {})
    schema["description"] = schema.get("description", "").split("\n")[0]
    schema["properties"] = {name: facts for name, facts in schema["properties"].items() if name not in without}
    schema["required"] = [name for name in schema.get("required", []) if name not in (*without, *optional)]
    return schema


def any_scalar(schema: Any) -> Any:
    """The schema with every free text open to numbers and booleans."""
    if isinstance(schema, list):
        return [any_scalar(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    opened = {name: any_scalar(part) for name, part in schema.items()}
    if schema.get("type") == "string" and "enum" not in schema and "const" not in schema:
        opened["type"] = ["string", "number", "boolean"]
    return opened
