r"""Minimum covariance determinant: centre and covariance that up to half of the records cannot spoil.

Among all subsets of :math:`h = \lfloor (n+p+1)/2 \rfloor` records, the one whose covariance has the smallest
determinant gives the raw estimate. It is sought by concentration: from the mean and covariance of a subset, the
:math:`h` records with the smallest Mahalanobis distances make a new one, whose determinant is never greater. The steps
follow FAST-MCD:

1. from many random subsets of :math:`p+1` records, two concentrations each; the ten best go on;
2. files of more than 2000 records start from up to five random groups of 600, whose best go on in the groups together,
   and whose best go on in the whole file;
3. the best are concentrated until nothing changes.

The raw covariance is made consistent at the normal distribution by :math:`c(h/n)`,

.. math:: c(a) = \frac{a}{P(\chi^2_{p+2} \le \chi^2_{p;a})},

and enlarged for small samples (Pison and others). The result is the covariance of the records within
:math:`\chi^2_{p;0.975}` of it, times :math:`c(a)` for their share :math:`a`; for this second step no correction for
small samples is made (it is 0.3 % at 93 records of 3 variables). Records are put in order of their values first, so
that the order of the file does not matter.

References
----------
Rousseeuw & Van Driessen (1999), *A fast algorithm for the minimum covariance determinant estimator*, Technometrics
41(3), 212-223. Croux & Haesbroeck (1999), *Influence function and efficiency of the minimum covariance determinant
scatter matrix estimator*, Journal of Multivariate Analysis 71, 161-190. Pison, Van Aelst & Willems (2002), *Small
sample corrections for LTS and MCD*, Metrika 55, 111-123.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from celosia.core.errors import DataError
from celosia.core.run import Run
from celosia.risk.before_after import Floats

_STARTS = 500
_WHOLE = 2000
"""Records up to which the starts are tried on the whole file."""
_GROUP, _GROUPS = 600, 5
_BEST = 10
_LARGE = 20_000
"""Records above which two candidates, not ten, are concentrated on the whole file."""
_MOST_STEPS = 200
_SINGULAR = 1e-10
_INSIDE = 0.975
_SMALL_SAMPLE = {1: (0.262024211897096, 0.604756680630497), 2: (0.673292623522027, 0.691365864961895)}
"""a and b of the correction 1 / (1 - exp(a) / n ** b), for one and for two variables (Pison and others)."""
_SMALL_SAMPLE_FITS = ((-1.42764571687802, 1.26263336932151, 2), (-1.06141115981725, 1.28907991440387, 3))
"""For more variables a and b follow from 1 + g / p ** e, fitted at n = q p²: (g, e, q) for two q."""


@dataclass(frozen=True, eq=False)
class Location:
    """Centre and covariance of some records."""

    centre: Floats = field(repr=False)
    covariance: Floats = field(repr=False)

    @classmethod
    def of(cls, records: Floats) -> Location:
        """The ordinary mean and covariance (n - 1)."""
        centre = records.mean(axis=0)
        away = records - centre
        return cls(centre, away.T @ away / max(len(records) - 1, 1))

    @property
    def singular(self) -> bool:
        """Whether the records lie on a plane, or nearly."""
        spread = np.sqrt(np.diag(self.covariance))
        if not (spread > _SINGULAR * np.abs(self.centre)).all():  # a constant may vary by rounding
            return True
        return bool(np.linalg.eigvalsh(self.covariance / np.outer(spread, spread))[0] < _SINGULAR)

    @property
    def size(self) -> float:
        """Logarithm of the determinant: what is minimised."""
        sign, logarithm = np.linalg.slogdet(self.covariance)
        return float(logarithm) if sign > 0 else -np.inf

    def squares(self, records: Floats) -> Floats:
        """Squared Mahalanobis distance of each record."""
        away = np.linalg.solve(np.linalg.cholesky(self.covariance), (records - self.centre).T)
        return np.asarray(np.einsum("ij,ij->j", away, away))

    def closest(self, records: Floats, h: int) -> Location:
        """One concentration: the location of the ``h`` records closest to this one."""
        return Location.of(records[np.argpartition(self.squares(records), h - 1)[:h]])


def minimum_covariance(records: Floats, variables: Sequence[str], run: Run) -> Location:
    """The reweighted minimum covariance determinant of records without missing values.

    Chance (the random starts) comes from ``run``; where the best subset is clear any run finds the same.
    """
    n, p = records.shape
    if n <= 2 * p:
        raise DataError("covariance-few-records", records=n, needed=2 * p + 1)
    ordered = records[np.lexsort(records.T[::-1])]
    h = (n + p + 1) // 2
    found = [_settled(ordered, start, h, run) for start in _candidates(ordered, h, run.rng("mcd"))]
    if not found or (best := min(found, key=lambda location: location.size)).singular:
        raise DataError("covariance-singular", variables=tuple(variables))
    return _reweighted(
        ordered, Location(best.centre, best.covariance * _consistency(p, h / n) * _small_sample(n, p)), variables
    )


def _candidates(records: Floats, h: int, rng: np.random.Generator) -> list[Location]:
    """Good starts for the whole file."""
    n = len(records)
    if n <= _WHOLE:
        return _best(_started(records, h, _STARTS, rng), _BEST)
    groups = min(n // _GROUP, _GROUPS)
    drawn = rng.permutation(n)[: groups * _GROUP]
    kept = []
    for group in np.split(drawn, groups):
        part = records[group]
        kept += _best(_started(part, h * _GROUP // n, _STARTS // groups, rng), _BEST)
    merged = records[drawn]
    share = h * len(merged) // n
    return _best((_concentrated(merged, start, share, 2) for start in kept), 2 if n > _LARGE else _BEST)


def _started(records: Floats, h: int, starts: int, rng: np.random.Generator) -> Iterator[Location]:
    """From each random start, two concentrations."""
    for _ in range(starts):
        drawn = rng.permutation(len(records))
        size = records.shape[1] + 1
        start = Location.of(records[drawn[:size]])
        while start.singular and size < len(records):
            size *= 2
            start = Location.of(records[drawn[:size]])
        yield _concentrated(records, start, h, 2)


def _concentrated(records: Floats, start: Location, h: int, steps: int) -> Location:
    for _ in range(steps):
        if start.singular:
            break
        start = start.closest(records, h)
    return start


def _settled(records: Floats, start: Location, h: int, run: Run) -> Location:
    """Concentrate until the determinant falls no more."""
    for _ in range(_MOST_STEPS):
        run.check()
        if start.singular:
            break
        following = start.closest(records, h)
        if following.size >= start.size - 1e-12:
            return min(start, following, key=lambda location: location.size) if following.size < start.size else start
        start = following
    return start


def _best(found: Iterable[Location], most: int) -> list[Location]:
    return sorted(found, key=lambda location: location.size)[:most]


def _consistency(p: int, share: float) -> float:
    from scipy.special import gammainc

    return 1.0 if share >= 1 else float(share / gammainc(p / 2 + 1, _quantile(p, share) / 2))


def _small_sample(n: int, p: int) -> float:
    """How much too small the raw covariance of normal samples of n is on average."""
    if p in _SMALL_SAMPLE:
        a, b = _SMALL_SAMPLE[p]
    else:
        (g, e, q), (g2, e2, q2) = _SMALL_SAMPLE_FITS
        at, at2 = math.log(-g / p**e), math.log(-g2 / p**e2)
        b = (at - at2) / (math.log(q2 * p * p) - math.log(q * p * p))
        a = at + b * math.log(q * p * p)
    return float(1 / (1 - math.exp(a) / n**b))


def _quantile(p: int, share: float) -> float:
    """Quantile of the chi-squared distribution (its cdf is an incomplete gamma function)."""
    from scipy.special import gammaincinv

    return float(2 * gammaincinv(p / 2, share))


def _reweighted(records: Floats, raw: Location, variables: Sequence[str]) -> Location:
    p = records.shape[1]
    inside = raw.squares(records) <= _quantile(p, _INSIDE)
    kept = Location.of(records[inside])
    if kept.singular:
        raise DataError("covariance-singular", variables=tuple(variables))
    return Location(kept.centre, kept.covariance * _consistency(p, float(inside.mean())))
