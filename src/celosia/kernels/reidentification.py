"""The individual risk of a key, one key at a time."""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def expected_inverse(f, p):
    """E[1/F | f] for a negative binomial F: (p/f) 2F1(1, 1; f+1; 1-p), for any f > 0 and 0 < p <= 1.

    Gauss's continued fraction (DLMF 15.7.1 with b = 0) by the modified Lentz method: every part is
    positive and below one, so that nothing cancels.
    """
    z = 1.0 - p
    tiny = 1e-300
    value = f
    c = value
    d = 0.0
    for n in range(1, 200_000_000):
        half = n // 2
        u = (1.0 + half) * (f + half) if n % 2 else half * (f - 1.0 + half)
        t = f + n
        d = t - u * z * d
        d = 1.0 / (d if d != 0.0 else tiny)
        c = t - u * z / c
        if c == 0.0:
            c = tiny
        step = c * d
        value *= step
        if abs(step - 1.0) < 1e-16:
            break
    return p / value


@jit
def exact_risks(sample, population, risk):
    """The exact expectation for each key from its f and F >= f; 0 where f is 0 (nobody is found)."""
    for i in range(sample.size):
        risk[i] = expected_inverse(sample[i], sample[i] / population[i]) if sample[i] > 0 else 0.0


@jit
def usual_risks(sample, population, risk):
    """The risk of each key from its f and F >= f (see ``risk.individual`` for the formulas)."""
    for i in range(sample.size):
        if sample[i] == 0:
            risk[i] = 0.0
            continue
        f, p = sample[i], sample[i] / population[i]
        if population[i] == f:
            risk[i] = 1.0 / f
        elif f > 2 and f == np.floor(f):
            risk[i] = p / (f - (1.0 - p))
        elif f == 1 and p < 0.9:
            risk[i] = p / (1.0 - p) * np.log(1.0 / p)
        elif f == 2 and p < 0.9:
            odds = p / (1.0 - p)
            risk[i] = odds - odds * odds * np.log(1.0 / p)
        else:
            risk[i] = expected_inverse(f, p)
