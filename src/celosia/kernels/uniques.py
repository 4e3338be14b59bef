"""Search of minimal sample uniques, one set of variables at a time.

Keys come with those of a single record first. Only they can be unique, and one that is unique on a subset
of the set at hand is no longer counted: nothing it could meet there is left. The others only get in the way.
Bitmaps hold, for each set of the level below, the keys that are unique on it or on a part of it.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.hashing import spread


@jit
def _code(digits, subset, stride, row):
    """The code of a key on a set of variables, or -1 where one of them is not observed."""
    code = np.int64(0)
    for j in range(subset.size):
        digit = digits[subset[j], row]
        if digit == 0:
            return np.int64(-1)
        code += (digit - 1) * stride[j]
    return code


@jit
def _candidates(digits, subset, stride, singles, below, covered, covers, rows, codes):
    """The keys of one record that are unique on no smaller set; ``covers`` becomes what those cover."""
    found = 0
    for w in range(covers.size):
        done = np.uint64(0)
        for b in range(below.size):
            done |= covered[below[b], w]
        covers[w] = done
        if done == np.uint64(0xFFFFFFFFFFFFFFFF):
            continue
        for bit in range(min(64, singles - 64 * w)):
            if (done >> np.uint64(bit)) & np.uint64(1):
                continue
            code = _code(digits, subset, stride, 64 * w + bit)
            if code >= 0:
                rows[found] = 64 * w + bit
                codes[found] = code
                found += 1
    return found


@jit
def _alone_by_place(digits, subset, stride, singles, codes, table, alone):
    """Whether each candidate has its code for itself; ``table`` has a zero for each possible code, and keeps it."""
    for c in range(codes.size):
        table[codes[c]] = min(table[codes[c]] + 1, 2)
    for row in range(singles, digits.shape[1]):
        code = _code(digits, subset, stride, row)
        if code >= 0 and table[code]:
            table[code] = 2
    for c in range(codes.size):
        alone[c] = table[codes[c]] == 1
    for c in range(codes.size):
        table[codes[c]] = 0


@jit
def _alone_by_hash(digits, subset, stride, singles, codes, slots, alone):
    """The same through a hash table of the candidates; the size of ``slots`` is a power of two."""
    size = 4
    while size < 2 * codes.size:
        size *= 2
    mask = np.uint64(size - 1)
    slots[:size] = -1
    for c in range(codes.size):
        place = spread(np.uint64(codes[c])) & mask
        while slots[place] >= 0 and codes[slots[place]] != codes[c]:
            place = (place + np.uint64(1)) & mask
        alone[c] = slots[place] < 0
        if slots[place] < 0:
            slots[place] = c
        else:
            alone[slots[place]] = False
    for row in range(singles, digits.shape[1]):
        code = _code(digits, subset, stride, row)
        if code < 0:
            continue
        place = spread(np.uint64(code)) & mask
        while slots[place] >= 0 and codes[slots[place]] != code:
            place = (place + np.uint64(1)) & mask
        if slots[place] >= 0:
            alone[slots[place]] = False


@jit
def minimal_on(digits, subset, stride, space, singles, below, covered, covers, rows, codes, alone, table, slots):
    """Find the keys for which this set of variables is a minimal unique.

    Parameters
    ----------
    digits
        One row a variable, one column a key; the first ``singles`` keys have one record.
    subset, stride, space
        The variables, the place value of each in a code, and how many codes there are.
    below, covered, covers
        Which bitmaps of ``covered`` are of sets one smaller than this, and the bitmap of this one, to be written.
    rows, codes, alone, table, slots
        Room; ``rows`` ends with the keys found. ``table`` is all zeros before and after.

    Returns
    -------
    int
        How many were found.
    """
    candidates = _candidates(digits, subset, stride, singles, below, covered, covers, rows, codes)
    if candidates == 0:
        return 0
    if space <= table.size:
        _alone_by_place(digits, subset, stride, singles, codes[:candidates], table, alone)
    else:
        _alone_by_hash(digits, subset, stride, singles, codes[:candidates], slots, alone)
    found = 0
    for c in range(candidates):
        if alone[c]:
            row = rows[c]
            covers[row // 64] |= np.uint64(1) << np.uint64(row % 64)
            rows[found] = row
            found += 1
    return found


@jit
def add_scores(key, subset, weight, member, score, parts):
    """Add the weight of every minimal unique to its key, and to the part of each variable in it."""
    for u in range(key.size):
        gain = weight[subset[u]]
        score[key[u]] += gain
        for v in range(member.shape[1]):
            if member[subset[u], v]:
                parts[key[u], v] += gain
