"""Estimators and models straight from their definitions, slowly: what the fast ones are held against."""

from __future__ import annotations

from math import comb, lgamma, log

import numpy as np
from scipy.optimize import minimize
from scipy.stats import nbinom


def once_drawn(size: int, records: int, population: int) -> float:
    """P(X = 1) of the hypergeometric from binomials of integers."""
    return size * comb(population - size, records - 1) / comb(population, records)


def pitman_likelihood(theta: float, alpha: float, counts: list[int]) -> float:
    """The log likelihood of Pitman's formula, term by term."""
    between = sum(log(theta + i * alpha) for i in range(1, len(counts)))
    within = sum(log(i - alpha) for size in counts for i in range(1, size))
    return between - sum(log(theta + i) for i in range(1, sum(counts))) + within


def pitman_uniques(counts: list[int], population: float) -> float:
    """The estimate from a general-purpose maximiser."""

    def minus(x):
        return -pitman_likelihood(np.exp(x[0]), 1 / (1 + np.exp(-x[1])), counts)

    best = min(
        (
            minimize(minus, start, method="Nelder-Mead", options={"xatol": 1e-10, "fatol": 1e-13, "maxiter": 5000})
            for start in ([0.0, 0.0], [3.0, -1.0])
        ),
        key=lambda found: found.fun,
    )
    theta, alpha = np.exp(best.x[0]), 1 / (1 + np.exp(-best.x[1]))
    return float(np.exp(lgamma(theta + 1) - lgamma(theta + alpha) + alpha * log(population)))


def snb_expected(classes: float, a: float, b: float, fraction: float, most: int = 4000) -> tuple[float, float, float]:
    """Classes, uniques and pairs expected in a sample, summed over the sizes of the population's classes."""
    size = np.arange(1, most)
    chance = nbinom.pmf(size - 1, a, b)
    none = (1 - fraction) ** size
    one = size * fraction * (1 - fraction) ** (size - 1)
    two = size * (size - 1) / 2 * fraction**2 * (1 - fraction) ** (size - 2.0)
    return tuple(float(classes * (chance @ part)) for part in (1 - none, one, two))


def taus(records, people, fitted) -> tuple[float, float]:
    """τ₁ and τ₂, cell by cell."""
    first = second = 0.0
    for f, w, mean in zip(records, people, fitted, strict=True):
        if f == 1:
            pi = 1 / w
            v = (1 - pi) * mean / pi
            first += np.exp(-v)
            second += 1.0 if v == 0 else (1 - np.exp(-v)) / v
    return first, second
