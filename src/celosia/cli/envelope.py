"""What is printed as JSON: the one object of ``--json`` (schema and version, status, results, warnings, errors)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import Any

from celosia.cli import streams
from celosia.core.errors import CelosiaError, CelosiaWarning

VERSION = 1


def post(
    command: str,
    status: str,
    results: Mapping[str, Any] | None = None,
    warnings: Sequence[CelosiaWarning] = (),
    errors: Sequence[CelosiaError] = (),
) -> None:
    """Print the object of a command; where no command was understood it is of the program."""
    whole = {
        "schema": f"celosia.{command}" if command else "celosia",
        "version": VERSION,
        "status": status,
        "results": results,
        "warnings": [warning.to_dict() for warning in warnings],
        "errors": [error.to_dict() for error in errors],
    }
    print_json(whole)


def print_json(whole: Mapping[str, Any]) -> None:
    """Print an object; letters that the stream has not are escaped, numbers that JSON has not are null."""
    escaped = not streams.all_letters()
    streams.tell(json.dumps(_plain(whole), ensure_ascii=escaped, indent=1, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if isinstance(value, Mapping):
        return {str(name): _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):  # a number of numpy
        return _plain(value.item())
    if isinstance(value, float):
        return value if isfinite(value) else None
    return value if value is None or isinstance(value, str | int) else str(value)
