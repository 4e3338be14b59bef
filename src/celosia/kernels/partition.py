"""Cutting groups of records in two along one variable, as near to the middle as both halves allow.

A *unit* is a distinct key; ``place[unit, variable]`` is the place of its code in the variable's order, below zero where
it has none. Groups are the units ``members[first[group]:first[group + 1]]``.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def _widest(place, width_of, members, rank):
    """The variable with the ``rank``-th widest span within a group (0 is the widest); -1 where none is left."""
    variables = place.shape[1]
    width = np.zeros(variables)
    for v in range(variables):
        low, high = place[members[0], v], place[members[0], v]
        for m in range(1, members.size):
            low, high = min(low, place[members[m], v]), max(high, place[members[m], v])
        if low >= 0:
            width[v] = width_of[v, high] - width_of[v, low]
    for _ in range(rank):
        width[np.argmax(width)] = 0.0
    best = np.argmax(width)
    return best if width[best] > 0.0 else -1


@jit
def cut(place, width_of, count, first, members, ranks, k, right):
    """Cut every group along its variable of the rank given, where both halves have k records.

    ``width_of[variable, place]`` says how far along its variable a place is. ``right[unit]`` becomes true for units
    that go to the second half. Returns for each group the variable, -1 where no variable of that rank is left, and -2
    where it cannot be cut along it.
    """
    along = np.empty(ranks.size, dtype=np.int64)
    records = np.zeros(width_of.shape[1], dtype=np.int64)
    for g in range(ranks.size):
        some = members[first[g] : first[g + 1]]
        v = _widest(place, width_of, some, ranks[g])
        along[g] = v
        if v < 0:
            continue
        low, high, total = width_of.shape[1], 0, 0
        for m in range(some.size):
            at = place[some[m], v]
            records[at] += count[some[m]]
            low, high, total = min(low, at), max(high, at), total + count[some[m]]
        below, best, limit = 0, total, -1
        for at in range(low, high):
            below += records[at]
            off = abs(2 * below - total)
            if records[at] > 0 and below >= k and total - below >= k and off < best:
                best, limit = off, at
        for at in range(low, high + 1):
            records[at] = 0
        if limit < 0:
            along[g] = -2
            continue
        for m in range(some.size):
            right[some[m]] = place[some[m], v] > limit
    return along
