"""The language a user reads: messages by code from gettext catalogues, numbers by locale.

Every text that a user sees is looked up here by a stable code (``error.file-missing``). The catalogues
live in ``celosia/locale/<language>/LC_MESSAGES/celosia.po``; a test checks that both languages hold
the same codes and the same placeholders.
"""

from __future__ import annotations

import gettext
import locale
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("es", "en")
LOCALE_DIRECTORY = Path(__file__).parent.parent / "locale"
_NUMBER_LOCALE = {"es": "es_CL", "en": "en"}
_LONG = 10_000
"""Numbers from here on are written in groups of digits within a sentence."""
_chosen: ContextVar[str | None] = ContextVar("celosia_language", default=None)


def language() -> str:
    """The language in force: chosen, else ``CELOSIA_LANG``, else the system's, else Spanish."""
    chosen = _chosen.get()
    if chosen is not None:
        return chosen
    for name in (os.environ.get("CELOSIA_LANG"), _system_language()):
        if name and name[:2].lower() in LANGUAGES:
            return name[:2].lower()
    return "es"


def _system_language() -> str | None:
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable)
        if value:
            return value
    return locale.getlocale()[0] if sys.platform == "win32" else None


@contextmanager
def speaking(name: str | None) -> Iterator[None]:
    """Within the block texts are in this language (``None`` leaves it as it is)."""
    if name is None:
        yield
        return
    if name not in LANGUAGES:
        raise ValueError(f"unknown language; known: {', '.join(LANGUAGES)}")
    token = _chosen.set(name)
    try:
        yield
    finally:
        _chosen.reset(token)


@cache
def _catalogue(name: str) -> gettext.NullTranslations:
    return gettext.translation("celosia", localedir=LOCALE_DIRECTORY, languages=[name])


def has_text(code: str) -> bool:
    """Whether the catalogue in force holds this code."""
    return _catalogue(language()).gettext(code) != code


def text(code: str, /, **facts: object) -> str:
    """The text for a code in the language in force, with its facts filled in."""
    template = _template(code, facts.get("count"))
    if not facts:
        return template.replace("{{", "{").replace("}}", "}")
    return template.format(**{name: _fact(name, value) for name, value in facts.items()})


def _template(code: str, count: object) -> str:
    """The text of a code; of one thing where its ``count`` is one and the catalogue tells them apart."""
    catalogue = _catalogue(language())
    found = catalogue.ngettext(code, code, count) if isinstance(count, int) else code
    return found if found != code else catalogue.gettext(code)


def _fact(name: str, value: object) -> object:
    """A fact as a reader sees it: lists with commas, long numbers grouped, shares as percentages, types by name."""
    if name == "share" and isinstance(value, float):
        return f"{number(100 * value)}\u202f%"
    if isinstance(value, int) and abs(value) >= _LONG:
        return number(value, 0)
    if isinstance(value, tuple | list | set | frozenset):
        return ", ".join(str(item) for item in value)
    if isinstance(value, dict):
        return "; ".join(f"{key}: {text(item) if has_text(item) else item}" for key, item in value.items())
    return text(f"type.{value}") if name == "type" and has_text(f"type.{value}") else value


def number(value: float, decimals: int | None = None, at_most: int = 3) -> str:
    """A number as the language in force writes it; ``decimals`` fixes how many it shows, ``at_most`` ends at zeros."""
    from babel.numbers import format_decimal

    shown = "#" * at_most if decimals is None else "0" * decimals
    pattern = f"#,##0.{shown}" if shown else "#,##0"
    return str(format_decimal(value, format=pattern, locale=_NUMBER_LOCALE[language()]))


def power_of_ten(value: float) -> str:
    """A tiny number as it is read aloud: 10⁻¹⁰."""
    mantissa, _, exponent = f"{value:.1e}".partition("e")
    raised = "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] if digit.isdigit() else "⁻" for digit in str(int(exponent)))
    return f"10{raised}" if float(mantissa) == 1 else f"{number(float(mantissa), 1)} · 10{raised}"


def number_signs() -> dict[str, Any]:
    """How charts write numbers in the language in force: as ``number`` and ``percent`` do (the form of d3-format)."""
    decimal, thousands = (",", ".") if language() == "es" else (".", ",")
    return {
        "decimal": decimal,
        "thousands": thousands,
        "grouping": [3],
        "currency": ["", ""],
        "percent": "\u202f%",
    }


def percent(share: float, decimals: int = 2) -> str:
    """A share in [0, 1] as a percentage in the language in force; what is not none never reads as none."""
    least = 10.0**-decimals
    shown = f"<{number(least, decimals)}" if 0 < 100 * share < least / 2 else number(100 * share, decimals)
    return shown + "\u202f%"
