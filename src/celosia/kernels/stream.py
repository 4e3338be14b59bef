"""A stream of words for draws that belong to no record: SFC64 (Doty-Humphrey 2010, *PractRand*), keyed by SipHash.

It is the generator of the same name in numpy, word for word, but small enough to live inside a loop.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.chance import hash_pair


@jit
def next_word(state):
    """The next 64 bits; the state is four words."""
    word = state[0] + state[1] + state[3]
    state[3] += np.uint64(1)
    state[0] = state[1] ^ (state[1] >> np.uint64(11))
    state[1] = state[2] + (state[2] << np.uint64(3))
    state[2] = ((state[2] << np.uint64(24)) | (state[2] >> np.uint64(40))) + word
    return word


@jit
def next_uniform(state):
    """A number in [0, 1): the top 53 bits of the next word."""
    return np.float64(next_word(state) >> np.uint64(11)) * 2.0**-53


@jit
def start_stream(k0, k1, number, state):
    """Begin the stream of this number under the key (k0, k1); the first twelve words only mix the state."""
    for i in range(3):
        state[i] = hash_pair(k0, k1, np.uint64(number), np.uint64(i))
    state[3] = np.uint64(1)
    for _ in range(12):
        next_word(state)
