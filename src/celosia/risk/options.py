"""Options of measures, refused in one way: whole numbers, numbers in a range, one of some names."""

from __future__ import annotations

from collections.abc import Iterable
from math import inf, isfinite
from numbers import Integral, Real
from typing import Any

from celosia.core.errors import OptionError


def whole_number(option: str, value: Any, low: int = 1) -> None:
    """Refuse what is not a whole number from ``low`` up."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < low:
        raise OptionError("option-whole", option=option, low=low)


def within(option: str, value: Any, low: float, high: float = inf, *, above: bool = False, below: bool = False) -> None:
    """Refuse what is not a finite number from ``low`` to ``high``; ``above`` and ``below`` leave out the ends."""
    number = isinstance(value, Real) and isfinite(value)
    if not (number and low <= value <= high) or (above and value == low) or (below and value == high):
        raise OptionError("option-range", option=option, low=low, high="∞" if high == inf else high)


def one_of(option: str, value: Any, known: Iterable[str]) -> None:
    """Refuse a name that is not one of those known."""
    if value not in (names := tuple(known)):
        raise OptionError("option-unknown", option=option, known=names)
