"""Counting where a missing value may be anything.

Distinct keys come sorted by their pattern (which variables are observed) and packed in bit fields, zero for
not observed, so that the projection of a key on any set of variables is an AND with a mask. For a pair
of patterns p and q, keys match where they agree on the variables that both observe: one hash table over the
smaller side, in which slots collect the counts of both sides, serves both directions.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.hashing import masked_equal, masked_place


@jit
def _match_pair(packed, count, weight, mask, a0, a1, b0, b1, table, slot, sums, into_a, into_b, weights_a, weights_b):
    """Add to every key of rows a0..a1 its matches among b0..b1, and the reverse; a is the smaller side."""
    size = 4
    while size < 2 * (a1 - a0):
        size *= 2
    table[:size] = -1
    slots = 0
    for i in range(a0, a1):
        place = masked_place(packed, i, mask, size)
        while table[place] >= 0 and not masked_equal(packed, np.int64(sums[table[place], 4]), packed, i, mask):
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place] = slots
            sums[slots, :4] = 0
            sums[slots, 4] = i
            slots += 1
        s = table[place]
        slot[i - a0] = s
        sums[s, 0] += count[i]
        sums[s, 1] += weight[i]
    for j in range(b0, b1):
        place = masked_place(packed, j, mask, size)
        while table[place] >= 0 and not masked_equal(packed, np.int64(sums[table[place], 4]), packed, j, mask):
            place = (place + 1) & (size - 1)
        s = table[place]
        if s >= 0:
            into_b[j] += sums[s, 0]
            weights_b[j] += sums[s, 1]
            sums[s, 2] += count[j]
            sums[s, 3] += weight[j]
    for i in range(a0, a1):
        s = slot[i - a0]
        into_a[i] += sums[s, 2]
        weights_a[i] += sums[s, 3]


@jit
def match_patterns(packed, count, weight, starts, masks, complete, pairs, counts, weights):
    """Matches of every key over the pairs of patterns given.

    Parameters
    ----------
    packed, count, weight
        Distinct keys sorted by pattern, with their records and scaled weights.
    starts, masks
        First row of each pattern (and the end), and the bits that it observes.
    complete
        Whether the pattern observes every variable.
    pairs
        Pairs of patterns (p, q), p != q, both observing something.
    counts, weights
        Out: columns 0 and 1 are the matches among complete and among incomplete patterns.
    """
    widest = 1
    for p in range(starts.size - 1):
        widest = max(widest, starts[p + 1] - starts[p])
    room = 4
    while room < 2 * widest:
        room *= 2
    table = np.empty(room, dtype=np.int32)
    slot = np.empty(widest, dtype=np.int32)
    sums = np.empty((widest, 5), dtype=np.int64)
    mask = np.empty(packed.shape[1], dtype=np.uint64)
    for n in range(pairs.shape[0]):
        p, q = pairs[n, 0], pairs[n, 1]
        if starts[p + 1] - starts[p] > starts[q + 1] - starts[q]:
            p, q = q, p
        for w in range(mask.size):
            mask[w] = masks[p, w] & masks[q, w]
        from_p = 0 if complete[p] else 1
        from_q = 0 if complete[q] else 1
        _match_pair(
            packed,
            count,
            weight,
            mask,
            starts[p],
            starts[p + 1],
            starts[q],
            starts[q + 1],
            table,
            slot,
            sums,
            counts[from_q],
            counts[from_p],
            weights[from_q],
            weights[from_p],
        )


@jit
def match_between(packed, masks, starts, known, known_masks, known_starts, count, weight, counts, weights):
    """For every key of one file, the records of another that agree with it on what both observe.

    Both files are packed alike and sorted by pattern; ``known``, ``count``, ``weight`` are the file that is counted.
    """
    table = np.empty(4, dtype=np.int32)
    sums = np.empty((known_starts[-1], 2), dtype=np.int64)
    both = np.empty(packed.shape[1], dtype=np.uint64)
    for p in range(known_starts.size - 1):
        first, last = known_starts[p], known_starts[p + 1]
        size = 4
        while size < 2 * (last - first):
            size *= 2
        if table.size < size:
            table = np.empty(size, dtype=np.int32)
        for q in range(starts.size - 1):
            for w in range(both.size):
                both[w] = known_masks[p, w] & masks[q, w]
            table[:size] = -1
            for i in range(first, last):
                place = masked_place(known, i, both, size)
                while table[place] >= 0 and not masked_equal(known, table[place], known, i, both):
                    place = (place + 1) & (size - 1)
                if table[place] < 0:
                    table[place] = i
                    sums[i, 0] = 0
                    sums[i, 1] = 0
                sums[table[place], 0] += count[i]
                sums[table[place], 1] += weight[i]
            for j in range(starts[q], starts[q + 1]):
                place = masked_place(packed, j, both, size)
                while table[place] >= 0 and not masked_equal(known, table[place], packed, j, both):
                    place = (place + 1) & (size - 1)
                if table[place] >= 0:
                    counts[j] += sums[table[place], 0]
                    weights[j] += sums[table[place], 1]
