"""Errors and warnings: a stable code, facts, and a text in the reader's language.

An error says what happened, where, and how to mend it. Its facts are names of variables, options, files
and totals; a record's value never enters one.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Self

from celosia.core.language import has_text, text

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

_PACKAGE = __name__.partition(".")[0]


class _Coded:
    """A code, its facts and the text they make."""

    code: str
    facts: dict[str, Any]

    def __init__(self, code: str, /, **facts: Any) -> None:
        super().__init__(code)  # type: ignore[call-arg]  # the other base is an exception
        self.code = code
        self.facts = facts

    @property
    def message(self) -> str:
        """What happened, in one sentence."""
        return text(f"{self._prefix}.{self.code}", **self.facts)

    @property
    def fix(self) -> str | None:
        """How to mend it, where the catalogue says so."""
        code = f"{self._prefix}.{self.code}.fix"
        return text(code, **self.facts) if has_text(code) else None

    _prefix = "error"

    def __str__(self) -> str:
        lines = [self.message]
        if where := self.facts.get("where"):
            lines.append(f"  {text('label.where')}: {where}")
        if self.fix:
            lines.append(f"  {text('label.fix')}: {self.fix}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Code and facts, and the only translated part: ``message``."""
        facts = {
            name: list(value) if isinstance(value, tuple | set | frozenset) else value
            for name, value in self.facts.items()
        }
        return {"code": self.code, "kind": type(self).__name__, "message": str(self), "facts": facts}


class CelosiaError(_Coded, Exception):
    """Any refusal of Celosía. Nothing was changed."""

    @classmethod
    def of_fields(
        cls, error: ValidationError, where: str, model: type[BaseModel], unwritten: Collection[str] = ()
    ) -> Self:
        """The refusal of a declaration, from what its model found wrong: names of fields, no inputs.

        ``unwritten`` are fields of the model that are told by something else than the declaration.
        """
        from celosia.core.declared import refusal

        code, facts = refusal(error, model, unwritten)
        return cls(code, where=where, **facts)


class FileError(CelosiaError):
    """A file that is missing, broken, or cannot hold what it is given."""


class DataError(CelosiaError):
    """Data that do not allow what is asked of them."""


class RoleError(CelosiaError):
    """A variable that is missing or has the wrong role."""


class OptionError(CelosiaError):
    """An option that is unknown or out of range."""


class PlanError(CelosiaError):
    """A plan that cannot be read or does not hold together."""


class PolicyError(CelosiaError):
    """A policy that cannot be read or cannot judge this file."""


class PromiseError(CelosiaError):
    """A method's output does not keep what the method promises; it was thrown away."""


class CancelledError(CelosiaError):
    """The user stopped the work."""


class CelosiaWarning(_Coded, UserWarning):
    """Something that the user must know and that does not stop the work."""

    _prefix = "warning"


def warn(code: str, /, **facts: Any) -> None:
    """Issue a coded warning, attributed to the line outside the package that called it."""
    warnings.warn(CelosiaWarning(code, **facts), stacklevel=_outside())


def _outside() -> int:
    """How many frames above ``warn`` the first one lies that is not of the package."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == _PACKAGE:
        frame, level = frame.f_back, level + 1
    return level
