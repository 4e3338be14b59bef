"""Brute force on births: every way in which a few people can be born in a few periods, and formulas as printed."""

from __future__ import annotations

from collections import defaultdict
from decimal import Decimal, getcontext
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np


def spread(size: int, chances) -> dict[tuple[int, ...], float]:
    """Probability of every vector (periods with 1 person, with 2, … with ``size``), over all assignments."""
    found: dict[tuple[int, ...], float] = defaultdict(float)
    for births in product(range(len(chances)), repeat=size):
        held = np.bincount(births, minlength=len(chances))
        levels = tuple(np.bincount(held, minlength=size + 1)[1:])
        found[levels] += float(np.prod([chances[birth] for birth in births]))
    return dict(found)


def formula(size: int, k: int, periods: int) -> Fraction:
    """Formula (1): expected periods in which exactly k of so many people are born."""
    return comb(size, k) * Fraction(periods - 1) ** (size - k) / Fraction(periods) ** (size - 1)


def formula_unequal(size: int, k: int, chances) -> Fraction:
    """Its form for unequal chances."""
    return sum((comb(size, k) * p**k * (1 - p) ** (size - k) for p in map(Fraction, chances)), Fraction(0))


def precise(size: int, k: int, periods: int) -> Decimal:
    """k times formula (1) for millions of people, to 40 digits."""
    getcontext().prec = 60
    below = Decimal(periods - 1) / Decimal(periods)
    return Decimal(k) * periods * comb(size, k) * (below ** (size - k)) / Decimal(periods) ** k


def variance(size: int, k: int, periods: int) -> float:
    """Exact variance of the number of periods with exactly k people, from the chance that two periods have so."""
    one = float(formula(size, k, periods)) / periods
    both = 0.0
    if 2 * k <= size:
        ways = comb(size, k) * comb(size - k, k)
        both = float(Fraction(ways * (periods - 2) ** (size - 2 * k), periods**size))
    return periods * one * (1 - one) + periods * (periods - 1) * (both - one**2)
