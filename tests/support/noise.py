"""What the noise should look like, computed another way: floating-point sums of the formulas."""

from __future__ import annotations

import numpy as np
from scipy import stats


def gaussian_pmf(variance: float) -> tuple[np.ndarray, np.ndarray]:
    """The integers that matter and their probabilities under the discrete Gaussian."""
    reach = int(40 * variance**0.5) + 3
    k = np.arange(-reach, reach + 1)
    weight = np.exp(-(k.astype(float) ** 2) / (2 * variance))
    return k, weight / weight.sum()


def laplace_pmf(scale: float) -> tuple[np.ndarray, np.ndarray]:
    """The same under the discrete Laplace."""
    reach = int(750 * scale) + 3
    k = np.arange(-reach, reach + 1)
    weight = np.exp(-np.abs(k) / scale)
    return k, weight / weight.sum()


def agreement(counts: np.ndarray, k: np.ndarray, pmf: np.ndarray) -> dict[str, float]:
    """p-values of the χ² of all cells, of mean and variance, and of both tails beyond four deviations."""
    n = counts.sum()
    variance = float((pmf * k**2).sum())
    fourth = float((pmf * k.astype(float) ** 4).sum())
    found = {
        "chi2": _chi2(counts, n * pmf),
        "mean": _two_sided(float((counts * k).sum()) / n, 0.0, (variance / n) ** 0.5),
        "variance": _two_sided(
            float((counts * k.astype(float) ** 2).sum()) / n, variance, ((fourth - variance**2) / n) ** 0.5
        ),
    }
    for name, side in (("left", k < -4 * variance**0.5), ("right", k > 4 * variance**0.5)):
        expected = n * float(pmf[side].sum())
        seen = int(counts[side].sum())
        found[name] = 2 * min(stats.poisson.cdf(seen, expected), stats.poisson.sf(seen - 1, expected))
    return found


def _two_sided(value: float, mean: float, deviation: float) -> float:
    return float(2 * stats.norm.sf(abs(value - mean) / deviation))


def _chi2(counts: np.ndarray, expected: np.ndarray) -> float:
    """Cells expected fewer than ten times are added to their neighbours towards the middle."""
    keep = expected >= 10
    first, last = np.flatnonzero(keep)[[0, -1]]
    seen, wanted = counts[first : last + 1].astype(float), expected[first : last + 1].copy()
    seen[0] += counts[:first].sum()
    seen[-1] += counts[last + 1 :].sum()
    wanted[0] += expected[:first].sum()
    wanted[-1] += expected[last + 1 :].sum()
    return float(stats.chi2.sf(((seen - wanted) ** 2 / wanted).sum(), seen.size - 1))
