"""Loops that group records at a node of the lattice of levels, from the groups of a more detailed node.

Keys are packed: ``word``, ``shift`` and ``mask`` say where each has its bits. ``climbs[at[j] + ancestor]`` holds the
bits of the ancestor that the j-th key climbs to; it stays where ``at[j]`` is negative.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.hashing import spread


@jit
def roll_up(packed, size, word, shift, mask, at, climbs, table, out, total, index):
    """Join the groups that become equal, numbered in order of appearance; how many there are.

    ``table`` is as long as a power of two above the number of rows. ``out`` takes the key of each group, ``total`` its
    size, ``index`` the group of each row.
    """
    words = packed.shape[1]
    last = np.uint64(table.size - 1)
    moving = np.flatnonzero(at >= 0)
    table[:] = -1
    found = 0
    for i in range(packed.shape[0]):
        for w in range(words):
            out[found, w] = packed[i, w]
        for m in range(moving.size):
            j = moving[m]
            w = word[j]
            ancestor = (packed[i, w] >> shift[j]) & mask[j]
            out[found, w] = (out[found, w] & ~(mask[j] << shift[j])) | climbs[at[j] + np.int64(ancestor)]
        place = np.uint64(0)
        for w in range(words):
            place = spread(place ^ out[found, w])
        place &= last
        number = table[place]
        while number >= 0:
            same = True
            for w in range(words):
                if out[number, w] != out[found, w]:
                    same = False
                    break
            if same:
                break
            place = (place + np.uint64(1)) & last
            number = table[place]
        if number < 0:
            number = found
            table[place] = number
            total[number] = 0
            found += 1
        total[number] += size[i]
        index[i] = number
    return found


@jit
def first_with(least, packed, size, word, shift, mask, ways, climbs, table, out, total, index):
    """The first of several nodes (a row of ``ways`` each) with a group of at least so many, and its number of groups.

    Where there is none, the number of nodes and 0. The groups are left where ``roll_up`` puts them.
    """
    for node in range(ways.shape[0]):
        found = roll_up(packed, size, word, shift, mask, ways[node], climbs, table, out, total, index)
        for g in range(found):
            if total[g] >= least:
                return node, found
    return ways.shape[0], 0


@jit
def nearest(levels, sizes, many, node):
    """The smallest of many groupings that is nowhere more general than a node; the first of equals."""
    best = -1
    for number in range(many):
        if best >= 0 and sizes[number] >= sizes[best]:
            continue
        below = True
        for j in range(node.size):
            if levels[number, j] > node[j]:
                below = False
                break
        if below:
            best = number
    return best


@jit
def add_rows(index, tallies, total):
    """Add the rows of a table to those of their groups."""
    for i in range(index.size):
        for v in range(tallies.shape[1]):
            total[index[i], v] += tallies[i, v]


@jit
def weigh(packed, word, shift, mask, at, leaves, size, kept, weight):
    """Sum size times leaves over the groups, for each key: in column 0 of those kept, in column 1 of the others.

    ``leaves[at[j] + ancestor]`` holds the leaves under an ancestor of the j-th key.
    """
    for g in range(size.size):
        side = 0 if kept[g] else 1
        for j in range(word.size):
            ancestor = (packed[g, word[j]] >> shift[j]) & mask[j]
            weight[j, side] += size[g] * leaves[at[j] + np.int64(ancestor)]


@jit
def tally_lost(packed, word, shift, mask, at, size, kept, count):
    """Count, for each key and ancestor, the records of the groups that are not kept."""
    for g in range(size.size):
        if not kept[g]:
            for j in range(word.size):
                ancestor = (packed[g, word[j]] >> shift[j]) & mask[j]
                count[at[j] + np.int64(ancestor)] += size[g]
