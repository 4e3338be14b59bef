r"""Privacy loss seen from outside: what a mechanism may lose, and what its outputs show that it loses.

Nothing here knows how noise is drawn. ``exact_epsilon`` is the ε that discrete Gaussian noise of a declared variance
has at a δ, from sums of the formula; ``shown_epsilon`` is the ε that draws of a mechanism prove that it has at least.
A sound mechanism shows less than it declares; one that shows more is broken.

References
----------
Balle, B. and Wang, Y.-X. (2018), Improving the Gaussian mechanism for differential privacy, ICML 2018, theorem 5
(the loss as a random variable). Jagielski, M., Ullman, J. and Oprea, A. (2020), Auditing differentially private machine
learning, NeurIPS 33 (lower bounds by Clopper and Pearson from two samples).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_THRESHOLDS = 400
"""Rejection regions that are tried on the first half of the draws."""


def exact_delta(epsilon: float, variances: Sequence[float]) -> float:
    r"""The δ at this ε of answers that a neighbour moves by one each, under discrete Gaussian noise.

    With :math:`k_i \sim N_{\mathbb Z}(0, \sigma_i^2)` the loss is
    :math:`L = \sum_i (1 + 2k_i)/(2\sigma_i^2)`, and :math:`\delta = E[(1 - e^{\varepsilon - L})_+]`.

    Parameters
    ----------
    variances
        :math:`\sigma_i^2` of each answer that moves; equal ones are added up first, at no loss of exactness.
    """
    losses, chances = np.zeros(1), np.ones(1)
    for variance, answers in Counter(map(float, variances)).items():
        total, pmf = _sum_of_draws(variance, answers)
        own = (answers + 2 * total) / (2 * variance)
        losses = np.add.outer(losses, own).ravel()
        chances = np.multiply.outer(chances, pmf).ravel()
        kept = chances > 1e-18
        losses, chances = losses[kept], chances[kept]
    above = losses > epsilon
    return float((chances[above] * -np.expm1(epsilon - losses[above])).sum())


def exact_epsilon(delta: float, variances: Sequence[float]) -> float:
    """The least ε at which these answers have no more than this δ."""
    low, high = 0.0, 1.0
    while exact_delta(high, variances) > delta:
        low, high = high, 2 * high
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if exact_delta(middle, variances) > delta else (low, middle)
    return high


def shown_epsilon(one: Floats, other: Floats, delta: float, confidence: float = 0.95) -> float:
    r"""A lower bound of ε at this δ, from a statistic of outputs on two neighbouring files.

    For a region R, :math:`P_1(R) \le e^\varepsilon P_0(R) + \delta`; so
    :math:`\varepsilon \ge \log\frac{P_1(R) - \delta}{P_0(R)}`. The region, a half-line of the statistic, is chosen on
    the first half of the draws; on the second half both probabilities are bounded (Clopper and Pearson).

    Parameters
    ----------
    one, other
        The statistic, one value a draw, on either file.
    confidence
        Of the bound: right in at least so large a share of audits.
    """
    halves = [(side[: side.size // 2], side[side.size // 2 :]) for side in (one, other)]
    best, sign, cut, forward = -np.inf, 1.0, np.inf, True
    for way in (1.0, -1.0):
        first, second = (np.sort(way * side[0]) for side in halves)
        cuts = np.quantile(np.concatenate([first, second]), np.linspace(0.001, 0.999, _THRESHOLDS))
        p, q = (1 - np.searchsorted(side, cuts) / side.size for side in (first, second))
        for straight in (True, False):
            found = _guess(*((p, q) if straight else (q, p)), delta, min(first.size, second.size))
            if found.max() > best:
                best, sign, cut, forward = float(found.max()), way, float(cuts[found.argmax()]), straight
    above, below = ((int((sign * side[1] >= cut).sum()), side[1].size) for side in halves)
    return max(0.0, _bound(*((above, below) if forward else (below, above)), delta, confidence))


def _sum_of_draws(variance: float, answers: int) -> tuple[Floats, Floats]:
    """The values and probabilities of the sum of independent draws of one discrete Gaussian."""
    reach = int(9 * np.sqrt(variance)) + 2
    k = np.arange(-reach, reach + 1, dtype=np.float64)
    single = np.exp(-(k**2) / (2 * variance))
    single /= single.sum()
    pmf = single
    for _ in range(answers - 1):
        pmf = np.convolve(pmf, single)
    return np.arange(-answers * reach, answers * reach + 1, dtype=np.float64), pmf


def _guess(likely: Floats, unlikely: Floats, delta: float, draws: int) -> Floats:
    """About the bound that regions of these shares would give: only the choice of one rests on it."""
    low = likely - 2 * np.sqrt(likely * (1 - likely) / draws) - delta
    high = unlikely + 2 * np.sqrt(unlikely * (1 - unlikely) / draws) + 4 / draws
    return np.where(low > 0, np.log(np.maximum(low, 1e-300) / high), -np.inf)


def _bound(likely: tuple[int, int], unlikely: tuple[int, int], delta: float, confidence: float) -> float:
    """The ε that two counts show, each bounded at half of what may go wrong."""
    from scipy.stats import beta

    risk = (1 - confidence) / 2
    (hits, n), (misses, m) = likely, unlikely
    low = float(beta.ppf(risk, hits, n - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - risk, misses + 1, m - misses)) if misses < m else 1.0
    return float(np.log((low - delta) / high)) if low > delta else -np.inf
