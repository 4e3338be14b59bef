r"""Population uniques by the shifted negative binomial model.

The :math:`K` classes of the population have sizes :math:`1 + X`, :math:`X` negative binomial with shape :math:`a` and
probability :math:`b`, so that :math:`K b^a` of them are uniques. Records are kept with the sampling fraction
:math:`f`; with :math:`z = (1-f)(1-b)` the sample is expected to have

.. math::
    c_1 = K f \frac{b^a}{(1-z)^a}\Bigl(1 + \frac{a z}{1-z}\Bigr), \qquad
    c_2 = K \frac{f^2}{2}\,\frac{a (1-b)\, b^a}{(1-z)^{a+2}}\,\bigl(2 - (1-a) z\bigr)

and :math:`u = K\bigl(1-(1-f)\,b^a/(1-z)^a\bigr)` classes, :math:`c_1` uniques and :math:`c_2` pairs. (A widely used
implementation multiplies by :math:`(1-z)^{a+2}` in :math:`c_2` where it must divide, and has its parentheses wrong in
Shlosser's denominator; it finds nothing where there is a solution.)

``snb`` solves the three equations for :math:`K, a, b`. ``snb_shlosser`` is the estimator of the literature, which
first puts in Shlosser's :math:`K` as modified by Haas and Stokes and drops the equation of :math:`u`,

.. math::
    \hat K = u + c_1\,\frac{\sum_i i f^2 (1-f^2)^{i-1} c_i}{\sum_i (1-f)^i\bigl((1+f)^i-1\bigr) c_i}
      \left(\frac{\sum_i (1-f)^i c_i}{\sum_i i f (1-f)^{i-1} c_i}\right)^{2};

that :math:`\hat K` is far too high in small samples (twofold uniques at f = 0.1 even where the model is true), which
is why it is not ours. In both, the ratio :math:`\rho = 2c_2/(f c_1)` is, given :math:`b`, a quadratic in :math:`a` with
one positive root, so that one equation in :math:`b` remains; of several roots the one whose expected number of classes
is nearest to the sample's is taken.

References
----------
Chen & Keller-McNulty (1998), *Estimation of identification disclosure risk in microdata*, Journal of Official
Statistics 14(1), 79-95. Haas & Stokes (1998), *Estimating the number of classes in a finite population*, JASA 93,
1475-1487.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from celosia.core.errors import DataError
from celosia.risk.class_sizes import ClassSizes, Estimate, Floats

_LOGITS = np.linspace(-25.0, 18.0, 431)
"""Where the equation in logit b is looked at before its roots are bracketed."""


@dataclass(frozen=True)
class ShiftedNegativeBinomial:
    """Class sizes of a population: ``classes`` of them, of 1 + a negative binomial (shape, chance) each."""

    classes: float
    shape: float
    chance: float

    @property
    def uniques(self) -> float:
        """Classes of one person."""
        return float(self.classes * self.chance**self.shape)

    def expected(self, fraction: float) -> tuple[float, float, float]:
        """Classes, uniques and pairs expected in a sample of this fraction."""
        a, b, f = self.shape, self.chance, fraction
        kept = f + b * (1 - f)  # 1 - z
        z = 1 - kept
        none = (b / kept) ** a
        uniques = self.classes * f * none * (1 + a * z / kept)
        pairs = self.classes * f**2 / 2 * a * (1 - b) * none / kept**2 * (2 - (1 - a) * z)
        return self.classes * (1 - (1 - f) * none), uniques, pairs


def snb(sizes: ClassSizes, population: float) -> Estimate:
    """Population uniques from a sample of a population of this size.

    Examples
    --------
    >>> import numpy as np
    >>> sizes = ClassSizes.of(np.repeat([1, 2, 3, 4, 5, 8], [400, 160, 80, 45, 25, 20]))
    >>> round(snb(sizes, population=4_000).uniques)
    444
    """
    fraction = sizes.records / population
    return _estimate(solve(sizes, fraction, estimator="snb"))


def snb_shlosser(sizes: ClassSizes, population: float) -> Estimate:
    """The same with Shlosser's number of classes, as the literature has it."""
    fraction = sizes.records / population
    return _estimate(solve(sizes, fraction, shlosser(sizes, fraction), estimator="snb_shlosser"))


def _estimate(found: ShiftedNegativeBinomial) -> Estimate:
    return Estimate(found.uniques, {"classes": found.classes, "a": found.shape, "b": found.chance})


def shlosser(sizes: ClassSizes, fraction: float) -> float:
    """The number of classes of the population (Shlosser's estimator as modified by Haas and Stokes)."""
    i, c, f = sizes.size, sizes.classes, fraction
    once = c @ (i * f**2 * (1 - f**2) ** (i - 1))
    lost = c @ ((1 - f**2) ** i - (1 - f) ** i)  # (1-f)^i ((1+f)^i - 1), without overflow
    ratio = c @ ((1 - f) ** i) / (c @ (i * f * (1 - f) ** (i - 1)))
    return float(sizes.number + sizes.having(1) * once / lost * ratio**2)


def solve(
    sizes: ClassSizes, fraction: float, classes: float | None = None, estimator: str = "snb"
) -> ShiftedNegativeBinomial:
    """The model that expects the uniques and pairs of the sample, and its classes unless their number is given."""
    from scipy.optimize import brentq

    uniques, pairs = sizes.having(1), sizes.having(2)
    if uniques == sizes.records:
        raise DataError("estimator-all-unique", estimator=estimator)
    if not (uniques and pairs):
        raise DataError("estimator-no-pairs", estimator=estimator)
    curve = _Curve(fraction, 2 * pairs / (fraction * uniques))

    def excess(logit: Any) -> Floats:
        if classes is not None:
            return np.asarray(curve.log_uniques(logit) - np.log(uniques / (classes * fraction)))
        return np.asarray(curve.log_classes(logit) - curve.log_uniques(logit) - np.log(sizes.number / uniques))

    along = excess(_LOGITS)
    changes = np.flatnonzero(np.sign(along[:-1]) * np.sign(along[1:]) < 0)
    roots = [float(brentq(excess, _LOGITS[i], _LOGITS[i + 1], xtol=1e-13)) for i in changes]
    if not roots:
        raise DataError("estimator-no-solution", estimator=estimator)
    models = [curve.model(root, uniques) for root in roots]
    return min(models, key=lambda model: abs(model.expected(fraction)[0] - sizes.number))


class _Curve:
    """The models along logit b whose pairs and uniques have their ratio in the sample."""

    def __init__(self, fraction: float, ratio: float) -> None:
        self.fraction, self.ratio = fraction, ratio

    def shape(self, logit: Any) -> Floats:
        """The shape a: the positive root of a quadratic, written without cancellation."""
        b, rest = _chances(logit)
        kept = self.fraction + b * (1 - self.fraction)
        z = (1 - self.fraction) * rest
        square, linear, constant = rest * z, rest * (2 - z) - self.ratio * kept * z, self.ratio * kept**2
        root = np.sqrt(linear**2 + 4 * square * constant)
        return np.asarray(np.where(linear > 0, 2 * constant / (linear + root), (root - linear) / (2 * square)))

    def log_uniques(self, logit: Any) -> Floats:
        """The logarithm of c₁/(K f)."""
        b, rest = _chances(logit)
        a, kept = self.shape(logit), self.fraction + b * (1 - self.fraction)
        return np.asarray(np.log1p(a * (1 - self.fraction) * rest / kept) - a * np.log1p(self.fraction * rest / b))

    def log_classes(self, logit: Any) -> Floats:
        """The logarithm of u/(K f)."""
        b, rest = _chances(logit)
        none = -self.shape(logit) * np.log1p(self.fraction * rest / b)
        return np.asarray(np.log((self.fraction * np.exp(none) - np.expm1(none)) / self.fraction))

    def model(self, logit: float, uniques: float) -> ShiftedNegativeBinomial:
        """The model at this b, with the number of classes that its sample uniques need."""
        classes = uniques / self.fraction * np.exp(-self.log_uniques(logit))
        return ShiftedNegativeBinomial(float(classes), float(self.shape(logit)), float(_chances(logit)[0]))


def _chances(logit: Any) -> tuple[Floats, Floats]:
    """b and 1 - b, both with all their digits."""
    return 1 / (1 + np.exp(-logit)), 1 / (1 + np.exp(logit))
