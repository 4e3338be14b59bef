"""Loops that turn columns into keys and count them."""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.hashing import spread


@jit
def mark_present(values, low, present):
    """Set ``present[v - low]`` for every value."""
    for i in range(values.size):
        present[values[i] - low] = 1


@jit
def add_digit(values, low, digit_of, base, codes):
    """Add one variable's digit to the code of every record."""
    for i in range(values.size):
        codes[i] += digit_of[values[i] - low] * base


@jit
def collapse_direct(codes, slot, index, count, distinct):
    """Number the codes that occur in ascending order; ``slot`` has one zero for each possible code.

    Returns how many there are; ``count`` holds the records of each, ``index`` the number of each record.
    """
    for i in range(codes.size):
        slot[codes[i]] += 1
    d = 0
    for c in range(slot.size):
        if slot[c]:
            distinct[d] = c
            count[d] = slot[c]
            slot[c] = d
            d += 1
    for i in range(codes.size):
        index[i] = slot[codes[i]]
    return d


@jit
def collapse_hashed(codes, table, index, count, distinct):
    """Number the codes that occur by first appearance; ``table`` holds -1, its size is a power of two.

    Returns how many there are, or -1 where the table is too small.
    """
    mask = np.uint64(table.size - 1)
    d = 0
    for i in range(codes.size):
        place = spread(np.uint64(codes[i])) & mask
        while True:
            number = table[place]
            if number < 0:
                if 2 * d >= table.size or d >= count.size:
                    return -1
                table[place] = d
                distinct[d] = codes[i]
                count[d] = 1
                index[i] = d
                d += 1
                break
            if distinct[number] == codes[i]:
                count[number] += 1
                index[i] = number
                break
            place = (place + np.uint64(1)) & mask
    return d


@jit
def renumber(index, number):
    """Replace every record's number."""
    for i in range(index.size):
        index[i] = number[index[i]]


@jit
def scale_weights(weights, scale, scaled):
    """Weights as integers; returns the largest rounding error in units of the last place."""
    worst = 0.0
    for i in range(weights.size):
        exact = weights[i] * scale
        whole = np.rint(exact)
        worst = max(worst, abs(exact - whole) / max(1.0, abs(exact) * 1e-9))
        scaled[i] = np.int64(whole)
    return worst


@jit
def sum_by(index, values, total):
    """Add every record's integer to its group."""
    for i in range(index.size):
        total[index[i]] += values[i]


@jit
def spread_to(index, of_group, out):
    """Give every record its group's value."""
    for i in range(index.size):
        out[i] = of_group[index[i]]


@jit
def unite_by(index, risk, united):
    """The chance that something happens to anyone of a group; ``united`` starts at zero.

    u + r (1 - u) keeps small risks to full precision, and a group of one at its own risk exactly.
    """
    for i in range(index.size):
        united[index[i]] += risk[i] * (1.0 - united[index[i]])
