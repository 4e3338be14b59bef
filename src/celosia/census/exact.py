"""Exact numbers in declarations: shares and budgets are fractions, never approximations."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

from celosia.core.errors import OptionError

_SHOWN = 40
"""Characters of a number that cannot be read that its error shows."""


def exact(value: Any) -> Fraction:
    """A number as the fraction that its text says: ``1/6``, ``0.1``, ``10 %``, ``2.56``.

    Examples
    --------
    >>> exact(2.56), exact("10 %"), exact("293764/114921")
    (Fraction(64, 25), Fraction(1, 10), Fraction(293764, 114921))
    """
    try:
        if isinstance(value, bool) or value is None:
            raise ValueError
        text = repr(value) if isinstance(value, float) else str(value).strip()
        if text.endswith("%"):
            return Fraction(text[:-1].strip()) / 100
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise OptionError("exact-number", value=str(value)[:_SHOWN]) from None


Exact = Annotated[Fraction, BeforeValidator(exact), PlainSerializer(str)]
"""A field that holds an exact number and is written as a fraction."""
