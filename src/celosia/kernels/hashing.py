"""Places in open-addressing tables: every bit of a key moves every bit of its place."""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def spread(x):
    """Finaliser of MurmurHash3 (public domain)."""
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xFF51AFD7ED558CCD)
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ (x >> np.uint64(33))


@jit
def masked_place(packed, row, mask, size):
    """The first place of a packed key, seen through a mask, in a table whose size is a power of two."""
    x = np.uint64(0)
    for w in range(mask.size):
        x = spread(x ^ (packed[row, w] & mask[w]))
    return np.int64(x & np.uint64(size - 1))


@jit
def masked_equal(one, i, other, j, mask):
    """Whether two packed keys are equal through a mask."""
    for w in range(mask.size):
        if (one[i, w] ^ other[j, w]) & mask[w]:
            return False
    return True
