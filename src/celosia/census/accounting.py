r"""Privacy loss: zero-concentrated differential privacy read as :math:`(\varepsilon, \delta)`.

A release that is ρ-zCDP (Bun and Steinke 2016) satisfies (ε, δ)-differential privacy for every pair on a curve;
the figure that offices print is one point of it. The functions here give the tight curve of Canonne, Kamath and
Steinke; both minima are found exactly, because the derivative in α changes sign once.

References
----------
Bun, M. and Steinke, T. (2016), Concentrated differential privacy: simplifications, extensions, and lower bounds,
TCC 2016, LNCS 9985, 635-658.
Canonne, C., Kamath, G. and Steinke, T. (2020), The discrete Gaussian for differential privacy, NeurIPS 33;
arXiv:2004.00010, proposition 12 and corollary 13.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from celosia.core.errors import OptionError

Real = float | Fraction

_GRID = 100
"""Values of ε at which the power of a test is bounded."""


def epsilon(rho: Real, delta: Real) -> float:
    r"""The ε of a ρ-zCDP release at this δ, by the tight bound.

    .. math:: \varepsilon = \min_{\alpha > 1} \; \alpha\rho + \frac{\log(1/(\alpha\delta))}{\alpha - 1}
        + \log\left(1 - \frac{1}{\alpha}\right)

    Its derivative is :math:`\rho - \log(1/(\alpha\delta))/(\alpha - 1)^2`, increasing: one root, found by bisection.
    Any α gives a valid bound, so rounding can only make the figure larger.

    Examples
    --------
    >>> round(epsilon(Fraction(293764, 114921), 1e-10), 5)
    17.14355
    """
    loss, chance = _checked(rho, delta)
    if loss == 0:
        return 0.0

    def slope(t: float) -> float:
        return loss * math.exp(2 * t) + math.log1p(math.exp(t)) + math.log(chance)

    order = 1 + math.exp(_root(slope, -60.0, min(340.0, math.log(1 / chance))))
    bound = order * loss - (math.log(order) + math.log(chance)) / (order - 1) + math.log1p(-1 / order)
    return max(0.0, bound)


_tight = epsilon


def delta(rho: Real, epsilon: Real) -> float:
    r"""The δ of a ρ-zCDP release at this ε, by the tight bound.

    .. math:: \delta = \min_{\alpha > 1} \;
        \frac{\exp((\alpha - 1)(\alpha\rho - \varepsilon))}{\alpha - 1}\left(1 - \frac{1}{\alpha}\right)^{\alpha}

    Examples
    --------
    >>> round(delta(0.5, epsilon(0.5, 1e-6)) / 1e-6, 9)
    1.0
    """
    loss, wanted = float(rho), float(epsilon)
    if not (0 <= loss < math.inf and 0 <= wanted < math.inf):
        raise OptionError("option-range", option="rho", low=0, high="∞")
    if loss == 0:
        return 0.0

    def slope(t: float) -> float:
        over = math.exp(t)
        return (2 * over + 1) * loss - wanted + t - math.log1p(over)

    over = math.exp(_root(slope, -700.0, math.log(1 + (wanted + 1) / loss) + 1))
    order = 1 + over
    exponent = over * (order * loss - wanted) + over * math.log(over) - order * math.log1p(over)
    return min(1.0, math.exp(exponent))


def rho(epsilon: Real, delta: Real) -> float:
    """The largest ρ whose tight ε at this δ is not above ``epsilon``.

    Examples
    --------
    >>> round(rho(17.14355, 1e-10), 4)
    2.5562
    """
    wanted = float(epsilon)
    if not 0 <= wanted < math.inf:
        raise OptionError("option-range", option="epsilon", low=0, high="∞")
    low, high = 0.0, wanted + 1.0
    while _tight(high, delta) <= wanted:
        low, high = high, 2 * high
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if _tight(middle, delta) <= wanted else (low, middle)
    return low


def simple_epsilon(rho: Real, delta: Real) -> float:
    r"""The well-known looser figure :math:`\rho + 2\sqrt{\rho\log(1/\delta)}` (Bun and Steinke 2016, prop. 1.3).

    The thesis on the Chilean census prints this one; it is valid too, and larger.
    """
    loss, chance = _checked(rho, delta)
    return loss + 2 * math.sqrt(loss * math.log(1 / chance))


def detection(rho: Real, false_alarm: float, pure: Real | None = None) -> float:
    r"""The most often that somebody who tests a claim about one unit can be right, at this rate of false alarms.

    Any (ε, δ) of the guarantee bounds the power β of a test of size α (Wasserman and Zhou 2010):

    .. math:: \beta \le \min(e^{\varepsilon}\alpha + \delta, \; 1 - e^{-\varepsilon}(1 - \alpha - \delta)).

    The least bound on a grid of ε is given; each of them is valid.

    Parameters
    ----------
    rho
        ρ of the release.
    false_alarm
        α: how often the claim is believed although it is wrong.
    pure
        A pure ε, where there is one.

    Examples
    --------
    >>> round(detection(0.0, 0.05), 3), detection(0.1, 0.05) < detection(1.0, 0.05) < 1
    (0.05, True)

    References
    ----------
    Wasserman, L. and Zhou, S. (2010), A statistical framework for differential privacy, *JASA* 105(489), 375-389.
    """
    loss = _checked(rho, 0.5)[0]
    top = loss + 8 * math.sqrt(loss) + 1e-9
    curve = [(top * i / _GRID, delta(loss, top * i / _GRID)) for i in range(_GRID + 1)]
    if pure is not None:
        curve.append((float(pure), 0.0))
    bounds = [
        min(math.exp(wanted) * false_alarm + chance, 1 - math.exp(-wanted) * (1 - false_alarm - chance))
        for wanted, chance in curve
    ]
    return max(false_alarm, min(1.0, *bounds))


def _checked(rho: Real, delta: Real) -> tuple[float, float]:
    if not 0 <= rho < math.inf:
        raise OptionError("option-range", option="rho", low=0, high="∞")
    if not 0 < delta < 1:
        raise OptionError("option-range", option="delta", low=0, high=1)
    return float(rho), float(delta)


def _root(increasing: Callable[[float], float], low: float, high: float) -> float:
    """Where an increasing function crosses zero, to the last bit."""
    for _ in range(200):
        middle = (low + high) / 2
        if increasing(middle) < 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2
