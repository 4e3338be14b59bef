"""Shares as people write limits: ``10 %`` or ``0.1``, kept exact; ``< 10 %`` is strict, ``0 %`` means none at all."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

_ROUNDING = Fraction(1, 10**12)


def _as_share(value: Any) -> Any:
    """``10 %`` or ``0.1`` as an exact fraction."""
    text = str(value).strip()
    part = text.removesuffix("%").strip().replace(",", ".")
    try:
        share = Fraction(part) / (100 if text.endswith("%") else 1)
    except (ValueError, ZeroDivisionError):
        raise ValueError("not a share") from None
    if not 0 <= share <= 1:
        raise ValueError("not a share")
    return share


def _as_limit(value: Any) -> Any:
    text = str(value).strip()
    return text.removeprefix("<").strip() if text.startswith("<") else "0" if _as_share(text) == 0 else value


_to_text = PlainSerializer(lambda share: f"{float(share * 100):g} %")
ExactShare = Annotated[Fraction, BeforeValidator(_as_share), _to_text]
"""A share in [0, 1]."""
Below = Annotated[Fraction, BeforeValidator(_as_share), BeforeValidator(_as_limit), _to_text]
"""A limit that a share must stay below; zero means none at all."""


def stays_below(units: float | Fraction, of: int, limit: Fraction) -> bool:
    """Whether so many units (or expected units) of so many are within a limit.

    Counts are exact; an estimate as near to the limit as rounding goes counts as on it.
    """
    if limit == 0:
        return units == 0
    exact = units if isinstance(units, Fraction) else Fraction(units) * (1 + _ROUNDING)
    return exact < limit * of
