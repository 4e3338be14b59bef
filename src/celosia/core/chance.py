"""Chance that belongs to a record: a keyed hash of (key, record, draw).

SipHash-2-4 (Aumasson & Bernstein 2012, *SipHash: a fast short-input PRF*, INDOCRYPT 2012, LNCS 7668,
489-508) with a 128-bit key. It is a pseudo-random function: who does not know the key cannot tell its
values from chance, and the same key gives the same draw to the same record on every engine, in any
order and any partition. ``kernels.chance`` holds the same function for loops; shared test vectors
(the authors' own) keep the two equal.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

Words = npt.NDArray[np.uint64]

_INITIAL = (0x736F6D6570736575, 0x646F72616E646F6D, 0x6C7967656E657261, 0x7465646279746573)


def _rotate(x: Words, bits: int) -> Words:
    return (x << np.uint64(bits)) | (x >> np.uint64(64 - bits))


class _State:
    """The four words of SipHash, one of each a message."""

    def __init__(self, key: bytes, count: int) -> None:
        k0, k1 = (int.from_bytes(key[8 * i : 8 * i + 8], "little") for i in range(2))
        self.v = [np.full(count, c ^ k, dtype=np.uint64) for c, k in zip(_INITIAL, (k0, k1, k0, k1), strict=True)]

    def round(self) -> None:
        a, b, c, d = self.v
        a = a + b
        c = c + d
        b = _rotate(b, 13) ^ a
        d = _rotate(d, 16) ^ c
        a = _rotate(a, 32)
        c = c + b
        a = a + d
        b = _rotate(b, 17) ^ c
        d = _rotate(d, 21) ^ a
        c = _rotate(c, 32)
        self.v = [a, b, c, d]

    def take(self, word: Words) -> None:
        self.v[3] = self.v[3] ^ word
        self.round()
        self.round()
        self.v[0] = self.v[0] ^ word

    def finish(self) -> Words:
        self.v[2] = self.v[2] ^ np.uint64(0xFF)
        for _ in range(4):
            self.round()
        a, b, c, d = self.v
        return a ^ b ^ c ^ d


def hash_words(key: bytes, *words: Words | np.uint64) -> Words:
    """SipHash-2-4 of messages of a fixed number of 64-bit words each."""
    columns = np.broadcast_arrays(*(np.asarray(word, dtype=np.uint64) for word in words))
    state = _State(key, columns[0].size)
    for column in columns:
        state.take(column)
    state.take(np.full(columns[0].size, (8 * len(columns) % 256) << 56, dtype=np.uint64))
    return state.finish()


def hash_texts(key: bytes, texts: pl.Series) -> Words:
    """SipHash-2-4 of the UTF-8 bytes of each text."""
    lengths = texts.str.len_bytes().to_numpy().astype(np.uint64)
    full = (int(lengths.max()) if lengths.size else 0) // 8 + 1
    padded = np.array(texts.cast(pl.Binary).to_list(), dtype=f"S{8 * full}")
    data = padded.view("<u8").reshape(-1, full)
    out = np.empty(len(texts), dtype=np.uint64)
    for count in np.unique(lengths // 8):
        rows = np.flatnonzero(lengths // 8 == count)
        state = _State(key, rows.size)
        for j in range(int(count)):
            state.take(data[rows, j].astype(np.uint64))
        state.take(data[rows, int(count)].astype(np.uint64) | (lengths[rows] & np.uint64(0xFF)) << np.uint64(56))
        out[rows] = state.finish()
    return out


def uniforms(key: bytes, ids: Words, draw: int = 0) -> npt.NDArray[np.float64]:
    """One number in [0, 1) for each record: the top 53 bits of its hash."""
    bits = hash_words(key, ids, np.uint64(draw))
    return (bits >> np.uint64(11)).astype(np.float64) * 2.0**-53
