"""Loops over the values of a sensitive variable in every class of equal keys."""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def by_value(key, value, place, keys):
    """Put the keys of the records in the order of their values; ``place`` is where each value begins."""
    for i in range(key.size):
        v = value[i]
        keys[place[v]] = key[i]
        place[v] += 1


@jit
def distinct_by_key(keys, bounds, first, last, distinct):
    """Count the values of each key: those of number ``first`` and up; ``last`` starts at -1, ``distinct`` at 0."""
    for v in range(first, bounds.size - 1):
        for i in range(bounds[v], bounds[v + 1]):
            k = keys[i]
            if last[k] != v:
                last[k] = v
                distinct[k] += 1


@jit
def pairs_by_key(keys, bounds, first, last, end, value, count):
    """Fill the (key, value) pairs, each key's in the order of the values.

    ``end`` starts where the pairs of each key begin and ends where they end; ``last`` starts at -1.
    """
    for v in range(first, bounds.size - 1):
        for i in range(bounds[v], bounds[v + 1]):
            k = keys[i]
            if last[k] == v:
                count[end[k] - 1] += 1
            else:
                last[k] = v
                value[end[k]] = v - first
                count[end[k]] = 1
                end[k] += 1


@jit
def _sort_down(counts):
    if counts.size > 32:
        counts[:] = np.sort(counts)[::-1]
        return
    for i in range(1, counts.size):
        moved = counts[i]
        j = i
        while j > 0 and counts[j - 1] < moved:
            counts[j] = counts[j - 1]
            j -= 1
        counts[j] = moved


@jit
def diversities(start, count, c, entropy, recursive):
    """Entropy and recursive diversity of each class (see ``risk.l_diversity``); 0 for a class without values.

    Counts are added from the largest down, so that the result does not depend on how values are coded.
    """
    for k in range(start.size - 1):
        f = count[start[k] : start[k + 1]].copy()
        if f.size < 2:
            entropy[k] = recursive[k] = f.size
            continue
        _sort_down(f)
        n = 0
        spread = 0.0
        for i in range(f.size):
            n += f[i]
            spread += f[i] * np.log(f[i])
        # Equal frequencies give the number of values to the last bit.
        entropy[k] = f.size if f[0] == f[-1] else np.exp(np.log(n) - spread / n)
        recursive[k] = 1
        tail = 0
        for i in range(f.size - 1, -1, -1):
            tail += f[i]
            # A hair short of c, so that equality stays a failure however c is rounded.
            if f[0] < c * tail * (1.0 - 1e-12):
                recursive[k] = i + 1
                break
