r"""Population uniques by Pitman's sampling formula.

The sizes of the :math:`u` classes of a sample of :math:`n` are thought to follow Pitman's two-parameter formula, and
:math:`\theta \ge 0`, :math:`0 < \alpha < 1` maximise its likelihood (:math:`c_j` classes of size :math:`j`):

.. math::
    \ell(\theta,\alpha) = \sum_{i=1}^{u-1}\log(\theta+i\alpha) - \sum_{i=1}^{n-1}\log(\theta+i)
      + \sum_j c_j \sum_{i=1}^{j-1}\log(i-\alpha).

A population of :math:`N` is then expected to have, for N far above θ and exactly,

.. math::
    \hat U = \frac{\Gamma(\theta+1)}{\Gamma(\theta+\alpha)}\,N^{\alpha}, \qquad
    U = N\,\frac{\Gamma(\theta+1)\,\Gamma(\theta+\alpha+N-1)}{\Gamma(\theta+\alpha)\,\Gamma(\theta+N)}.

The first is the estimator of the literature and the one given; the second is among its facts, lower where θ is not
small beside N. All sums over records are differences of log-gamma or digamma functions, so a census costs what a
survey does: θ is profiled out for each α and the derivative in α is solved for. Where the likelihood has no maximum
inside (0, 1) there is no estimate, and that is an error.

References
----------
Pitman (1996), *Random discrete distributions invariant under size-biased permutation*, Adv. Appl. Prob. 28, 525-539.
Hoshino (2001), *Applying Pitman's sampling formula to microdata disclosure risk assessment*,
Journal of Official Statistics 17(4), 499-520.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from celosia.core.errors import DataError
from celosia.risk.class_sizes import ClassSizes, Estimate

_ALPHAS = 1 / (1 + np.exp(-np.linspace(-12.0, 12.0, 97)))
"""Where the derivative of the profile likelihood is looked at before a root is bracketed."""

_LARGEST = 1e15
"""Beyond this θ the likelihood is taken to have no maximum."""


def pitman(sizes: ClassSizes, population: float) -> Estimate:
    """Population uniques from a sample of a population of this size.

    Examples
    --------
    >>> import numpy as np
    >>> sizes = ClassSizes.of(np.repeat([1, 2, 3, 10], [50, 20, 9, 4]))
    >>> round(pitman(sizes, population=10_000).uniques, 1)
    187.8
    """
    from scipy.optimize import brentq
    from scipy.special import gammaln

    if sizes.having(1) == sizes.records:
        raise DataError("estimator-all-unique", estimator="pitman")
    formula = _Formula(sizes)
    slopes = [formula.slope(float(alpha)) for alpha in _ALPHAS]
    peaks = [
        brentq(formula.slope, low, high, xtol=1e-15, rtol=1e-14)
        for (low, before), (high, after) in pairwise(zip(_ALPHAS, slopes, strict=True))
        if before > 0 >= after
    ]
    if not peaks:
        raise DataError("estimator-no-maximum", estimator="pitman")
    alpha = max(peaks, key=formula.profile)
    theta = formula.theta(alpha)
    uniques = np.exp(gammaln(theta + 1) - gammaln(theta + alpha) + alpha * np.log(population))
    exact = _expected(theta, alpha, population)
    return Estimate(float(uniques), {"theta": theta, "alpha": float(alpha), "exact": exact})


def _expected(theta: float, alpha: float, population: float) -> float:
    """The exact expectation, without the digits that a difference of log-gammas of N would lose."""
    from scipy.special import gammaln

    # Γ(x+α-1)/Γ(x) at x = θ+N by Stirling's series: x^(α-1) (1 + (α-1)(α-2)/(2x) + O(x⁻²)).
    x = theta + population
    tail = (alpha - 1) * np.log(x) + np.log1p((alpha - 1) * (alpha - 2) / (2 * x))
    return float(np.exp(np.log(population) + gammaln(theta + 1) - gammaln(theta + alpha) + tail))


class _Formula:
    """The log likelihood of a sample and its derivatives."""

    def __init__(self, sizes: ClassSizes) -> None:
        self.size, self.classes = sizes.size, sizes.classes
        self.n, self.u = sizes.records, sizes.number

    def theta(self, alpha: float) -> float:
        """The θ that maximises the likelihood at this α; infinite where it grows for ever."""
        from scipy.optimize import brentq

        if self._slope_theta(0.0, alpha) <= 0:
            return 0.0
        high = 1.0
        while self._slope_theta(high, alpha) > 0:
            high *= 8
            if high > _LARGEST:
                return float("inf")
        return float(brentq(self._slope_theta, 0.0, high, args=(alpha,), xtol=1e-13, rtol=1e-14))

    def slope(self, alpha: float) -> float:
        """The derivative in α of the likelihood with θ profiled out."""
        from scipy.special import digamma

        theta = self.theta(alpha)
        if not np.isfinite(theta):
            return float("-inf")
        spread = digamma(theta / alpha + self.u) - digamma(theta / alpha + 1)
        within = self.classes @ (digamma(self.size - alpha) - digamma(1 - alpha))
        return float((self.u - 1) / alpha - theta / alpha**2 * spread - within)

    def profile(self, alpha: float) -> float:
        """The likelihood with θ profiled out."""
        from scipy.special import gammaln

        theta = self.theta(alpha)
        start = theta / alpha
        between = (self.u - 1) * np.log(alpha) + gammaln(start + self.u) - gammaln(start + 1)
        within = self.classes @ (gammaln(self.size - alpha) - gammaln(1 - alpha))
        return float(between - gammaln(theta + self.n) + gammaln(theta + 1) + within)

    def _slope_theta(self, theta: float, alpha: float) -> float:
        from scipy.special import digamma

        start = theta / alpha
        between = (digamma(start + self.u) - digamma(start + 1)) / alpha
        return float(between - digamma(theta + self.n) + digamma(theta + 1))
