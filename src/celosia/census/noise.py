"""Exact noise on the integers, fast.

A draw is the inverse of the cumulative distribution at a uniform number U whose bits are read lazily. Sixteen bits
decide almost every draw by one look into a table; the next forty-eight decide all but about one in 10¹⁸, by
comparison with the leading 64 bits of the boundaries; whoever is still on a boundary takes 64 bits more and
is compared at higher precision, as often as it needs. Nothing is rounded at any stage, so the distribution is
exact, not near: no term for the sampler enters δ.

References
----------
Knuth, D. and Yao, A. (1976), The complexity of nonuniform random number generation, in *Algorithms and Complexity*,
Academic Press, 357-428 (lazy comparison with the bits of the cumulative probabilities).
Canonne, C., Kamath, G. and Steinke, T. (2020), The discrete Gaussian for differential privacy; arXiv:2004.00010.
"""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from celosia.census.bits import Bits
from celosia.census.distribution import DiscreteGaussian, DiscreteLaplace, Distribution, boundaries

Ints = npt.NDArray[np.int64]

_BLOCK = 1 << 20
"""Draws that are made at a time."""
_OPEN = np.iinfo(np.int32).min
"""Marks the sixteen bits that do not decide a draw."""


def gaussian(variance: Fraction, size: int, source: Bits) -> Ints:
    """Independent draws of the discrete Gaussian with parameter σ² (exact)."""
    return sampler(DiscreteGaussian(variance)).draw(size, source)


def laplace(scale: Fraction, size: int, source: Bits) -> Ints:
    """Independent draws of the discrete Laplace with scale t (exact)."""
    return sampler(DiscreteLaplace(scale)).draw(size, source)


@lru_cache(maxsize=64)
def sampler(law: Distribution) -> Sampler:
    """The sampler of a distribution, with its tables."""
    return Sampler(law)


class Sampler:
    """Tables of one distribution, and the three stages of a draw."""

    def __init__(self, law: Distribution) -> None:
        self.law = law
        known = boundaries(law, 64)
        # Every leading word that a boundary may have: one, or two where its enclosure straddles a whole number.
        edges = [(edge, i) for i, low in enumerate(known.low) for edge in range(low, known.high[i])]
        self.edge = np.array([edge for edge, _ in edges], dtype=np.uint64)
        self.value = np.append([i for _, i in edges], len(known.low)) - known.reach
        self.direct = self._decided_by_sixteen_bits()

    def _decided_by_sixteen_bits(self) -> npt.NDArray[np.int32]:
        head = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
        direct = self.value[np.searchsorted(self.edge, head)].astype(np.int32)
        direct[(self.edge >> np.uint64(48)).astype(np.int64)] = _OPEN
        return direct

    def draw(self, size: int, source: Bits) -> Ints:
        """Independent draws."""
        out = np.zeros(size, dtype=np.int64)
        self.add(out, source)
        return out

    def add(self, values: Ints, source: Bits) -> None:
        """Add a draw to each value of a contiguous array, in place."""
        flat = values.reshape(-1)
        assert np.shares_memory(flat, values) or not values.size
        for start in range(0, flat.size, _BLOCK):
            part = flat[start : start + _BLOCK]
            part += self._block(part.size, source)

    def _block(self, size: int, source: Bits) -> npt.NDArray[np.int32]:
        head = source.words(size, np.uint16)
        out = self.direct[head]
        undecided = np.flatnonzero(out == _OPEN)
        if undecided.size:
            more = source.words(undecided.size, np.uint64)
            leading = (head[undecided].astype(np.uint64) << np.uint64(48)) | (more >> np.uint64(16))
            place = np.searchsorted(self.edge, leading)
            out[undecided] = self.value[place]
            on_edge = self.edge[np.minimum(place, self.edge.size - 1)] == leading
            for i in np.flatnonzero(on_edge):
                out[undecided[i]] = self.refine(int(leading[i]), 64, source)
        return out

    def refine(self, leading: int, bits: int, source: Bits) -> int:
        """The draw whose uniform number begins with these bits: more are taken until they decide."""
        while True:
            known = boundaries(self.law, bits)
            place = bisect_left(known.low, leading + 1)  # the first k with U < F(k) for certain
            if place < len(known.low) and (place == 0 or known.high[place - 1] <= leading):
                return place - known.reach
            leading = (leading << 64) | int(source.words(1, np.uint64)[0])
            bits += 64
