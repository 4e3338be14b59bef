"""The JSON schema of a census plan, for editors, made from the model that reads it."""

from __future__ import annotations

from typing import Any

from celosia.census.rules import Rule, Skip
from celosia.process.schema import any_scalar, steps_and_tree

_EXACT = {"description": "A number, or a fraction such as 1/6 or 10 %", "type": "string"}
_CODES = {
    "anyOf": [
        {"type": "array", "items": {"type": "string"}, "minItems": 1},
        {
            "type": "object",
            "properties": {"from": {"type": "integer"}, "to": {"type": "integer"}},
            "required": ["from", "to"],
            "additionalProperties": False,
        },
    ]
}
_NOTHING = {"type": "null"}


def schema() -> dict[str, Any]:
    """The schema; short forms that the reader takes are among its forms."""
    from celosia.process.census.plan import CensusPlan

    whole: dict[str, Any] = CensusPlan.model_json_schema()
    parts, fields = whole["$defs"], whole["properties"]
    for own in ("path", "text", "version"):
        del fields[own]
    steps, tree = steps_and_tree(parts)
    fields = {"census": {"enum": [1, "1"]}, **fields}
    fields["hierarchies"] = {"type": "object", "additionalProperties": tree}
    fields["sources"]["additionalProperties"] = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/Confidential"}]}
    parts["Confidential"]["properties"]["steps"] = steps
    compared = parts["Comparing"]["properties"]
    compared["auxiliary"] = {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/DataFile"}]}
    compared["protections"]["additionalProperties"] = steps
    for name in ("rho", "epsilon"):
        parts["Split"]["properties"][name] = _EXACT
    parts["Coding"]["properties"]["codes"] = {"anyOf": [_CODES, _NOTHING]}
    counted = parts["Counted"]["properties"]
    counted["variables"]["additionalProperties"] = {"anyOf": [_NOTHING, _CODES, {"$ref": "#/$defs/Coding"}]}
    forms = [{"type": "string"}, *(form.model_json_schema() for form in (Rule, Skip))]
    counted["rules"] = {"type": "array", "items": {"anyOf": forms}}
    counted["groups"] = {
        "type": "object",
        "additionalProperties": {"anyOf": [{"type": "string"}, _without(parts["Group"], "name")]},
    }
    parts["Grouping"]["properties"]["bands"] = {"type": "object", "additionalProperties": _CODES}
    parts["Grouping"]["required"] = ["variable"]
    parts["Group"] = _without(parts["Group"], "name")
    for unused in ("Step", "Method"):
        parts.pop(unused, None)
    made: dict[str, Any] = any_scalar(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": "Celosía census plan",
            "type": "object",
            "properties": fields,
            "required": ["census", *whole["required"]],
            "additionalProperties": False,
            "$defs": parts,
        }
    )
    return made


def _without(schema: dict[str, Any], field: str) -> dict[str, Any]:
    kept = {name: facts for name, facts in schema["properties"].items() if name != field}
    required = [name for name in schema.get("required", []) if name != field]
    return {**schema, "properties": kept, "required": required}
