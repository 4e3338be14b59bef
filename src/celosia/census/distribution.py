"""The distributions of the noise, with their cumulative probabilities enclosed to any number of bits.

Whole numbers only: a probability is a pair of integers that enclose it, in units of a power of two. Interval
arithmetic keeps the enclosure rigorous, so that a comparison with a stream of random bits is decided or put off,
never guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from celosia.core.errors import OptionError

_GUARD = 96
"""Bits carried beyond those asked for."""
_LOG2 = Fraction(6931471806, 10**10)
"""A little above the natural logarithm of 2."""

Interval = tuple[int, int]


@dataclass(frozen=True)
class DiscreteGaussian:
    r"""P(k) proportional to :math:`e^{-k^2/(2\sigma^2)}` on the integers (Canonne, Kamath and Steinke 2020).

    Parameters
    ----------
    parameter
        σ², exact.
    """

    parameter: Fraction

    def __post_init__(self) -> None:
        _check(self.parameter, "variance", Fraction(1, 10**4), Fraction(10**9))

    @property
    def variance(self) -> Fraction:
        """σ². The true variance is never above it, and below it by less than 10⁻⁶ of it from σ² = 1 on."""
        return self.parameter

    @property
    def exponents(self) -> tuple[Fraction, Fraction]:
        """P(1)/P(0) = e^-a, and each following ratio is e^-b times the one before: here b = 2a = 1/σ²."""
        return 1 / (2 * self.parameter), 1 / self.parameter

    def reach(self, bits: int) -> int:
        """Beyond it the weight is under 2^-bits."""
        return isqrt(int(2 * self.parameter * bits * _LOG2)) + 1


@dataclass(frozen=True)
class DiscreteLaplace:
    r"""P(k) proportional to :math:`e^{-|k|/t}` on the integers: pure differential privacy.

    Parameters
    ----------
    parameter
        The scale t, exact.

    References
    ----------
    Ghosh, A., Roughgarden, T. and Sundararajan, M. (2012), Universally utility-maximizing privacy mechanisms,
    *SIAM Journal on Computing* 41(6), 1673-1693.
    """

    parameter: Fraction

    def __post_init__(self) -> None:
        _check(self.parameter, "scale", Fraction(1, 100), Fraction(10**5))

    @property
    def variance(self) -> Fraction:
        r""":math:`2q/(1-q)^2` with :math:`q = e^{-1/t}`, to nine digits or more."""
        from math import sinh

        return Fraction(1 / (2 * sinh(float(1 / (2 * self.parameter))) ** 2)).limit_denominator(10**9)

    @property
    def exponents(self) -> tuple[Fraction, Fraction]:
        """P(1)/P(0) = e^-a, and each following ratio is the same."""
        return 1 / self.parameter, Fraction(0)

    def reach(self, bits: int) -> int:
        """Beyond it the weight is under 2^-bits."""
        return int(self.parameter * bits * _LOG2) + 1


Distribution = DiscreteGaussian | DiscreteLaplace


def _check(value: Fraction, option: str, low: Fraction, high: Fraction) -> None:
    if not isinstance(value, Fraction):
        raise OptionError("noise-exact", option=option)
    if not low <= value <= high:
        raise OptionError("option-range", option=option, low=str(low), high=str(high))


@dataclass(frozen=True)
class Boundaries:
    """F(k) for k from -reach to reach - 1, enclosed: ``low[i] <= F(i - reach) 2^bits < high[i]``."""

    bits: int
    reach: int
    low: tuple[int, ...]
    high: tuple[int, ...]


@lru_cache(maxsize=64)
def boundaries(law: Distribution, bits: int) -> Boundaries:
    """The cumulative probabilities of a distribution, enclosed to about ``bits`` bits."""
    reach = law.reach(bits + 16)
    unit = bits + _GUARD
    weights, rest = _weights(law, reach, unit)
    # tails[k] encloses the weight of all integers at or beyond k >= 1; the rest lies beyond the reach.
    tails: list[Interval] = [(0, rest)]
    for low, high in reversed(weights[1:]):
        tails.append((tails[-1][0] + low, tails[-1][1] + high))
    tails.reverse()
    whole = (weights[0][0] + 2 * tails[0][0], weights[0][1] + 2 * tails[0][1])
    left = tails[-2::-1]  # F(-k) is the tail from k on, for k = reach … 1
    right = [(whole[0] - high, whole[1] - low) for low, high in tails[:-1]]  # F(k) lacks the tail from k + 1 on
    return Boundaries(
        bits,
        reach,
        low=tuple((low << bits) // whole[1] for low, _ in (*left, *right)),
        high=tuple(min((high << bits) // whole[0], (1 << bits) - 1) + 1 for _, high in (*left, *right)),
    )


def _weights(law: Distribution, reach: int, unit: int) -> tuple[list[Interval], int]:
    """The weights of 0 … reach in units of 2^-unit, and a bound of all that lies beyond."""
    first, change = law.exponents
    ratio, factor = _exp(first, unit), _exp(change, unit)
    weights: list[Interval] = [(1 << unit, 1 << unit)]
    for _ in range(reach):
        weights.append(_times(weights[-1], ratio, unit))
        ratio = _times(ratio, factor, unit)
    # Ratios never grow: what lies beyond is under the geometric series of the last one.
    rest = (weights[-1][1] * ratio[1]) // ((1 << unit) - ratio[1]) + 1
    return weights, rest


def _times(one: Interval, other: Interval, unit: int) -> Interval:
    return (one[0] * other[0]) >> unit, min(((one[1] * other[1]) >> unit) + 1, one[1])


@lru_cache(maxsize=256)
def _exp(exponent: Fraction, unit: int) -> Interval:
    """e^-exponent in units of 2^-unit: the decimal module rounds its exponential correctly."""
    if exponent == 0:
        return 1 << unit, 1 << unit
    with localcontext() as context:
        context.prec = unit + 20  # decimal digits, so that both roundings together stay far below one unit
        context.Emin, context.Emax = -(10**9), 10**9
        value = (-Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()
        nearest = int(value * Decimal(2) ** unit)
    return max(0, nearest - 1), nearest + 2
