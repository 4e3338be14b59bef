"""The base of every declared value of the house: immutable, strict, silent about its inputs."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer

K = TypeVar("K")
V = TypeVar("V")


class Frozen(BaseModel):
    """Immutable, strict about fields, and without inputs in its errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


def _as_dict(mapping: Mapping[Any, Any]) -> dict[Any, Any]:
    return {key: _as_dict(value) if isinstance(value, Mapping) else value for key, value in mapping.items()}


ReadOnly = Annotated[
    Mapping[K, V], AfterValidator(lambda mapping: MappingProxyType(dict(mapping))), PlainSerializer(_as_dict)
]
"""A mapping that nobody can change after it was checked."""

Names = Annotated[tuple[str, ...], Field(min_length=1)]
"""At least one name of a variable."""

Share = Annotated[float, Field(gt=0, le=1)]
"""A share in (0, 1]."""
