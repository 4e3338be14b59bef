"""How many of the people of a cell share their period with how many: the exact expectation (``demography.expected``).

A person of a cell of n, born in a period of chance p, shares it with Binomial(n - 1, p) others.
"""

from __future__ import annotations

import math

import numpy as np

from celosia.kernels._jit import jit

NEGLIGIBLE = 44.0
"""A tail of less than exp(-44), 8e-20, is not looked at."""


@jit
def reach(variance):
    """How far from its mean a sum of events lies at most, but for a tail of exp(-NEGLIGIBLE) (Bernstein's bound)."""
    third = NEGLIGIBLE / 3.0
    return third + math.sqrt(third * third + 2.0 * NEGLIGIBLE * variance)


@jit
def highest(size, chance):
    """The largest k that is looked at for a person of a cell."""
    mean = (size - 1) * chance
    return min(size, int(mean + reach(mean * (1.0 - chance))) + 1)


@jit
def spread_lengths(group, structure, size, starts, chance, lengths):
    """For each group, how many values of k its rows need."""
    for row in range(size.size):
        for c in range(starts[structure[row]], starts[structure[row] + 1]):
            lengths[group[row]] = max(lengths[group[row]], highest(size[row], chance[c]))


@jit
def expected_people(group, structure, size, cells, starts, number, chance, first, people):
    """Add the expected people of every k to ``people``, from ``first[group]`` (k = 1) on.

    A row is so many cells of one size; the chances of its periods are those of its structure, ``number`` of each.
    """
    longest = 1
    for g in range(first.size - 1):
        longest = max(longest, first[g + 1] - first[g])
    terms = np.empty(longest)
    for row in range(size.size):
        for c in range(starts[structure[row]], starts[structure[row] + 1]):
            everybody = cells[row] * size[row] * number[c] * chance[c]
            at = first[group[row]]
            if chance[c] >= 1.0:
                people[at + size[row] - 1] += everybody
                continue
            low, high, total = binomial_terms(size[row] - 1, chance[c], terms)
            for j in range(low, high + 1):
                people[at + j] += everybody * (terms[j - low] / total)


@jit
def binomial_terms(size, chance, terms):
    """Binomial probabilities over their largest one, from the first that counts on; first, last and sum of them.

    By ratios from the mode outwards, where every term is smaller than the one before: no factorial is taken, so that
    nothing grows or cancels, and dividing by the sum gives back what lies beyond the reach.
    """
    mean = size * chance
    far = reach(mean * (1.0 - chance))
    low, high = max(0, math.ceil(mean - far)), min(size, int(mean + far))
    mode = min(high, max(low, int((size + 1) * chance)))
    odds = chance / (1.0 - chance)
    terms[mode - low] = 1.0
    total = 1.0
    for j in range(mode, high):
        terms[j + 1 - low] = terms[j - low] * ((size - j) * odds / (j + 1))
        total += terms[j + 1 - low]
    for j in range(mode, low, -1):
        terms[j - 1 - low] = terms[j - low] * (j / ((size - j + 1) * odds))
        total += terms[j - 1 - low]
    return low, high, total
