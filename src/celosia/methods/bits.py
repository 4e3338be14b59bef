"""Keys in bit fields: the projection of a key on any of its variables is an AND with a mask."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Words = npt.NDArray[np.uint64]


def bit_fields(digits: npt.NDArray[np.int32]) -> tuple[Words, Words]:
    """Keys in bit fields over 64-bit words, and the bits of each variable."""
    places: list[tuple[int, int, int]] = []
    word, used = 0, 0
    for j in range(digits.shape[1]):
        width = int(digits[:, j].max(initial=0)).bit_length()
        if used + width > 64:
            word, used = word + 1, 0
        places.append((word, used, width))
        used += width
    packed = np.zeros((len(digits), word + 1), dtype=np.uint64)
    fields = np.zeros((digits.shape[1], word + 1), dtype=np.uint64)
    for j, (at, shift, width) in enumerate(places):
        packed[:, at] |= digits[:, j].astype(np.uint64) << np.uint64(shift)
        fields[j, at] = np.uint64(((1 << width) - 1) << shift)
    return packed, fields


def power_of_two(n: int) -> int:
    """The size of a table with room for so many."""
    return 1 << max(2, int(np.ceil(np.log2(max(n, 1)))))
