r"""Whether a log-linear model is too simple or too rich for its risk to be believed.

With :math:`\hat\lambda_c = \hat\mu_c/\pi_c` and :math:`h_1(\lambda)=e^{-(1-\pi)\lambda}`,
:math:`h_2(\lambda) = (1-e^{-(1-\pi)\lambda})/((1-\pi)\lambda)`, the bias of :math:`\hat\tau_i = \sum_{f_c=1} h_i` is
estimated, to second order in the error of :math:`\hat\lambda_c`, by

.. math::
    \hat B_i = \sum_c \hat\mu_c e^{-\hat\mu_c} \Bigl\{ -h_i'(\hat\lambda_c)\,\frac{f_c-\hat\mu_c}{\pi_c}
      + h_i''(\hat\lambda_c)\,\frac{(f_c-\hat\mu_c)^2 - f_c}{2\pi_c^2} \Bigr\} .

The two brackets are uncorrelated for a Poisson count, with variances :math:`\mu` and :math:`2\mu^2`, so that where the
model holds

.. math::
    \hat v_i = \sum_c \Bigl( \frac{\mu_c e^{-\mu_c}h_i'}{\pi_c} \Bigr)^2 \mu_c
      + 2\Bigl( \frac{\mu_c e^{-\mu_c} h_i''}{2\pi_c^2} \Bigr)^2 \mu_c^2

and :math:`\hat B_i/\sqrt{\hat v_i}` is nearly standard normal. Above 1.96 the model fits too little and overstates the
risk; below -1.96 it fits too much and understates it. Of several models the one with the smallest absolute value is
to be preferred. The deviance is given to compare nested models; it has no chi-squared law in a table so sparse.

References
----------
Skinner & Shlomo (2008), *Assessing identification risk in survey microdata using log-linear models*, JASA 103(483),
989-1001.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from celosia.core.language import number, text
from celosia.risk.cells import Cells, Floats
from celosia.risk.poisson import deviance

LIMIT = 1.96
"""Beyond this standardised bias a model is refused (a test of 5 %)."""

_CHUNK = 1 << 18
_SMALL = 1e-2

Verdict = Literal["under", "over", "good"]


@dataclass(frozen=True)
class ModelFit:
    """How well a model serves for its two risks.

    Attributes
    ----------
    bias_1, bias_2
        Estimated bias of τ₁ and τ₂.
    z_1, z_2
        The same divided by their standard errors.
    deviance, parameters, cells
        For the comparison of nested models.
    """

    bias_1: float
    bias_2: float
    z_1: float
    z_2: float
    deviance: float
    parameters: int
    cells: int

    @property
    def verdict(self) -> Verdict:
        """``under`` or ``over`` where the bias of τ₂ is beyond chance, else ``good``."""
        return "under" if self.z_2 > LIMIT else "over" if self.z_2 < -LIMIT else "good"

    @property
    def sentence(self) -> str:
        """What that means, in the reader's language."""
        return text(f"model-fit.{self.verdict}", z=number(self.z_2, 2))

    def __str__(self) -> str:
        return self.sentence


def assess(cells: Cells, fitted: Floats, parameters: int) -> ModelFit:
    """Judge the fitted counts of all cells."""
    total = np.zeros((2, 2))
    for first in range(0, fitted.size, _CHUNK):
        part = slice(first, first + _CHUNK)
        total += _parts(cells.records[part], cells.people[part], fitted[part], cells.share)
    bias, variance = total
    z = np.divide(bias, np.sqrt(variance), out=np.zeros(2), where=variance > 0)
    return ModelFit(
        bias_1=float(bias[0]),
        bias_2=float(bias[1]),
        z_1=float(z[0]),
        z_2=float(z[1]),
        deviance=deviance(cells.records, fitted),
        parameters=parameters,
        cells=fitted.size,
    )


def _parts(records: Floats, people: Floats, fitted: Floats, share: float) -> Floats:
    """The sums of bias (first row) and variance for τ₁ and τ₂ (columns) over some cells."""
    used = fitted > 0
    f, mu = records[used], fitted[used]
    pi = np.divide(f, people[used], out=np.full(f.size, share), where=f > 0)
    rest = 1 - pi
    v = rest * mu / pi
    kept = mu * np.exp(-mu)
    first, second = -(f - mu) / pi, ((f - mu) ** 2 - f) / (2 * pi**2)
    out = np.empty((2, 2))
    for i, (slope, curve) in enumerate(((-np.exp(-v), np.exp(-v)), _match_derivatives(v))):
        a, b = kept * slope * rest, kept * curve * rest**2
        out[0, i] = (a * first + b * second).sum()
        out[1, i] = ((a / pi) ** 2 * mu + 2 * (b / (2 * pi**2)) ** 2 * mu**2).sum()
    return out


def _match_derivatives(v: Floats) -> tuple[Floats, Floats]:
    """First and second derivative of (1 - exp(-v))/v, by their series where the closed form loses digits."""
    small = v < _SMALL
    x = np.where(small, 1.0, v)
    gone = np.exp(-x)
    slope = (gone * (1 + x) - 1) / x**2
    curve = (2 - gone * (x * x + 2 * x + 2)) / x**3
    near = np.where(small, v, 0.0)
    series_slope = -1 / 2 + near / 3 - near**2 / 8 + near**3 / 30 - near**4 / 144
    series_curve = 1 / 3 - near / 4 + near**2 / 10 - near**3 / 36 + near**4 / 168
    return np.where(small, series_slope, slope), np.where(small, series_curve, curve)
