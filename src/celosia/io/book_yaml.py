"""Code books in YAML: a mapping of variables, each a mapping of facts.

::

    variables:
      sexo:
        label: Sexo
        values: {1: Hombre, 2: Mujer, 99: No responde}
        missing: {99: non_response}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import FileError
from celosia.io import words

_NAMED = {"level", "identification", "dane", "role", "null"}


def to_document(dictionary: Dictionary) -> dict[str, Any]:
    """The dictionary as plain mappings of text."""
    return {"variables": {variable.name: _facts(variable) for variable in dictionary}}


def _facts(variable: Variable) -> dict[str, Any]:
    facts = variable.model_dump(exclude={"name"}, exclude_defaults=True)
    return {name: _plain(value) for name, value in facts.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return str(value).lower() if isinstance(value, bool) else str(value)


def from_document(document: Any, path: str) -> Dictionary:
    """The dictionary that a document describes; field names and values in Spanish or English."""
    if not isinstance(document, dict) or set(map(words.plain, document)) - {"variables"} or not document:
        raise FileError("codebook-yaml", path=path)
    variables = next(iter(document.values())) or {}
    if not isinstance(variables, dict):
        raise FileError("codebook-yaml", path=path)
    described = (_variable(name, facts or {}, path) for name, facts in variables.items())
    return Dictionary(variables=tuple(described))


def _variable(name: str, facts: Any, path: str) -> Variable:
    if not isinstance(facts, dict):
        raise FileError("codebook-variable", path=path, variable=name)
    fields: dict[str, Any] = {"name": name}
    for header, value in facts.items():
        field = words.field(header)
        if field is None or field in ("name", "code"):
            raise FileError("codebook-field", path=path, variable=name, field=header, known=words.PROPERTIES)
        fields[field] = _meant(field, value)
    try:
        return Variable.model_validate(fields)
    except ValidationError as error:
        field = str((*error.errors()[0]["loc"], "")[0])
        raise FileError("codebook-value", path=path, variable=name, field=field) from None


def _meant(field: str, value: Any) -> Any:
    if isinstance(value, str):
        return words.value(field, value) if field in _NAMED or field == "sensitive" else value
    if field == "missing" and isinstance(value, dict):
        return {code: words.value("missing", kind) for code, kind in value.items()}
    if field == "missing" and isinstance(value, list):
        return dict.fromkeys(value, MissingKind.NON_RESPONSE)
    if field == "missing_ranges" and isinstance(value, list):
        return [_meant_range(span) for span in value]
    return value


def _meant_range(span: Any) -> Any:
    if not isinstance(span, dict) or not isinstance(span.get("kind"), str):
        return span
    return {**span, "kind": words.value("missing", span["kind"])}
