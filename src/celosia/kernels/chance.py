"""SipHash-2-4 of two words: the loop form of ``core.chance`` (see there for the reference)."""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def _rotate(x, bits):
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


@jit
def _round(a, b, c, d):
    a += b
    c += d
    b = _rotate(b, 13) ^ a
    d = _rotate(d, 16) ^ c
    a = _rotate(a, 32)
    c += b
    a += d
    b = _rotate(b, 17) ^ c
    d = _rotate(d, 21) ^ a
    c = _rotate(c, 32)
    return a, b, c, d


@jit
def hash_pair(k0, k1, record, draw):
    """The 64-bit hash of (record, draw) under the key (k0, k1)."""
    a = np.uint64(0x736F6D6570736575) ^ k0
    b = np.uint64(0x646F72616E646F6D) ^ k1
    c = np.uint64(0x6C7967656E657261) ^ k0
    d = np.uint64(0x7465646279746573) ^ k1
    for word in (record, draw, np.uint64(16) << np.uint64(56)):
        d ^= word
        a, b, c, d = _round(a, b, c, d)
        a, b, c, d = _round(a, b, c, d)
        a ^= word
    c ^= np.uint64(0xFF)
    for _ in range(4):
        a, b, c, d = _round(a, b, c, d)
    return a ^ b ^ c ^ d


@jit
def uniforms(k0, k1, ids, draw, out):
    """Fill ``out`` with one number in [0, 1) for each record."""
    for i in range(ids.size):
        out[i] = np.float64(hash_pair(k0, k1, ids[i], draw) >> np.uint64(11)) * 2.0**-53
