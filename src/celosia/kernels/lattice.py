"""Loops that group records at a node of the lattice of levels, from the groups of a more detailed node."""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def _place(key):
    """Every bit of the words of a key moves the place (finaliser of MurmurHash3, public domain)."""
    x = np.uint64(0)
    for w in range(key.size):
        x ^= key[w]
        x ^= x >> np.uint64(33)
        x *= np.uint64(0xFF51AFD7ED558CCD)
        x ^= x >> np.uint64(33)
        x *= np.uint64(0xC4CEB9FE1A85EC53)
        x ^= x >> np.uint64(33)
    return x


@jit
def group(digits, fields, start, word, rows, table, keys, index, first):
    """Number the groups of some rows of ``digits`` whose ancestors are equal, in order of appearance.

    ``fields[start[j] + digit]`` holds the bits of a digit's ancestor in word ``word[j]`` of the key. ``table`` starts
    at -1 and its size is a power of two; ``keys`` takes a key a group, ``index`` the group of each row, ``first`` a row
    of each group. Returns the number of groups.
    """
    mask = np.uint64(table.size - 1)
    words = keys.shape[1]
    key = np.zeros(words, dtype=np.uint64)
    found = 0
    for i in range(rows.size):
        row = rows[i]
        key[:] = 0
        for j in range(digits.shape[1]):
            key[word[j]] |= fields[start[j] + digits[row, j]]
        place = _place(key) & mask
        while True:
            number = table[place]
            if number < 0:
                table[place] = found
                keys[found] = key
                first[found] = row
                index[i] = found
                found += 1
                break
            same = True
            for w in range(words):
                if keys[number, w] != key[w]:
                    same = False
                    break
            if same:
                index[i] = number
                break
            place = (place + np.uint64(1)) & mask
    return found


@jit
def add_rows(index, tallies, total):
    """Add the rows of a table to those of their groups."""
    for i in range(index.size):
        for v in range(tallies.shape[1]):
            total[index[i], v] += tallies[i, v]


@jit
def weigh(digits, lines, start, rows, size, kept, weight):
    """Sum size times ``lines`` over the groups, for each key: in column 0 of those kept, in column 1 of the others."""
    for i in range(rows.size):
        side = 0 if kept[i] else 1
        for j in range(digits.shape[1]):
            weight[j, side] += size[i] * lines[start[j] + digits[rows[i], j]]


@jit
def spread(digits, ancestors, start, rows, size, kept, count):
    """Count, for each key and ancestor, the records of the groups that are not kept."""
    for i in range(rows.size):
        if not kept[i]:
            for j in range(digits.shape[1]):
                count[start[j] + ancestors[start[j] + digits[rows[i], j]]] += size[i]
