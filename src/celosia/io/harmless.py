"""Text that a spreadsheet would take for a formula, made harmless and given back.

A cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return, and is not a plain number,
gets an apostrophe before it. A cell that begins with apostrophes before one of these gets one more, so that
taking one away gives back every cell exactly.
"""

from __future__ import annotations

import re

import polars as pl

_DANGEROUS = r"^'*[=+\-@\t\r]"
_NUMBER = r"^[+-]?\d+([.,]\d+)?$"
_MADE_HARMLESS = r"^'+[=+\-@\t\r]"


def guard(values: pl.Series) -> pl.Series:
    """The column with dangerous texts behind an apostrophe."""
    dangerous = values.str.contains(_DANGEROUS) & ~values.str.contains(_NUMBER)
    return values.zip_with(~dangerous.fill_null(False), "'" + values)


def unguard(values: pl.Series) -> pl.Series:
    """The column as it was before ``guard``."""
    guarded = values.str.contains(_MADE_HARMLESS).fill_null(False)
    return values.zip_with(~guarded, values.str.slice(1))


def guard_text(text: str) -> str:
    """One text, made harmless."""
    return f"'{text}" if re.match(_DANGEROUS, text) and not re.match(_NUMBER, text) else text


def unguard_text(text: str) -> str:
    """One text as it was before ``guard_text``."""
    return text[1:] if re.match(_MADE_HARMLESS, text) else text
