"""What is wrong with a declaration: its fields, which are known there, and what they admit; never what was given."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError
    from pydantic_core import ErrorDetails

_CODES = {"extra_forbidden": "field-unknown", "missing": "field-absent"}
_LIMITS = {
    "greater_than": "> {gt:g}",
    "greater_than_equal": "≥ {ge:g}",
    "less_than": "< {lt:g}",
    "less_than_equal": "≤ {le:g}",
}
_KINDS = (
    ("int", "integer"),
    ("float", "number"),
    ("fraction", "number"),
    ("bool", "boolean"),
    ("string", "text"),
    ("date", "date"),
    ("tuple", "list"),
    ("list", "list"),
    ("iterable", "list"),
    ("too_short", "list"),
    ("mapping", "mapping"),
    ("dict", "mapping"),
    ("model", "mapping"),
)


def refusal(
    error: ValidationError, model: type[BaseModel], unwritten: Collection[str] = ()
) -> tuple[str, dict[str, Any]]:
    """The code and the facts for what a model found wrong: the gravest kind, and all fields of that kind."""
    found: dict[str, list[ErrorDetails]] = {}
    for problem in error.errors(include_input=False, include_url=False):
        found.setdefault(_CODES.get(problem["type"], "field-invalid"), []).append(problem)
    code = next(code for code in ("field-unknown", "field-absent", "field-invalid") if code in found)
    problems = found[code]
    facts: dict[str, Any] = {"fields": tuple(dict.fromkeys(_path(problem["loc"]) for problem in problems))}
    if code == "field-unknown":
        facts["known"] = tuple(
            dict.fromkeys(name for one in problems for name in _known(model, one["loc"]) if name not in unwritten)
        )
    if code == "field-invalid":
        facts["expected"] = {_path(problem["loc"]): _expected(problem) for problem in reversed(problems)}
    return code, facts


def _path(location: Sequence[int | str]) -> str:
    """Where a field is, without the names of the forms that were tried on it."""
    return ".".join(str(part) for part in location if isinstance(part, int) or re.fullmatch(r"[^\W\d]\w*", part))


def _known(model: type[BaseModel], location: Sequence[int | str]) -> tuple[str, ...]:
    """The fields of the model that a place in a declaration belongs to; of all it may belong to, where it is open."""
    candidates = [model]
    for part in location[:-1]:
        named = [one for one in candidates if _is_called(one, part)]
        within = [one.model_fields[part].annotation for one in candidates if part in one.model_fields]
        candidates = named or [one for annotation in within for one in _models_in(annotation)] or candidates
    return tuple(name for one in candidates for name in one.model_fields)


def _is_called(model: type[BaseModel], name: int | str) -> bool:
    """Whether a place in a declaration names this one of several models: by its class, or by a word of its own."""
    return model.__name__ == name or any(name in get_args(field.annotation) for field in model.model_fields.values())


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and hasattr(annotation, "model_fields"):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)


def _expected(problem: ErrorDetails) -> str:
    """What a field admits: a limit, the words it knows, or a kind of value."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in _LIMITS:
        return _LIMITS[kind].format(**context)
    if words := re.findall(r"'([^']*)'", str(context.get("expected", context.get("expected_tags", "")))):
        return " | ".join(words)
    return next((f"kind.{said}" for begin, said in _KINDS if kind.startswith(begin)), "kind.other")
