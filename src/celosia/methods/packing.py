"""Packed keys: the ancestor of each key at a node stands in its own bits of a few words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import Ints
from celosia.methods.leveled_keys import LeveledKey

Levels = tuple[int, ...]
Words = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Packing:
    """Where the ancestors of each key stand in a packed key, and what they become further up.

    Attributes
    ----------
    word, shift, mask
        The word of each key, its first bit there, and its bits once they are shifted down.
    climbs
        For each key and pair of levels, the bits of the ancestor at the second for each ancestor at the first.
    leaves
        For each key and level, the leaves under each ancestor.
    """

    word: Ints
    shift: Words
    mask: Words
    climbs: Words = field(repr=False)
    leaves: Ints = field(repr=False)
    _climb: Ints = field(repr=False)
    _start: Ints = field(repr=False)

    @classmethod
    def of(cls, keys: Sequence[LeveledKey]) -> Packing:
        """As many keys in a word as have room."""
        places, word, used = [], 0, 0
        widths = [max(int(ancestor.max()).bit_length() for ancestor in key.ancestor) for key in keys]
        for width in widths:
            if used + width > 64:
                word, used = word + 1, 0
            places.append((word, used))
            used += width
        levels = max(key.height for key in keys) + 1
        climb, start = np.full((len(keys), levels, levels), -1), np.zeros((len(keys), levels), dtype=np.int64)
        climbs, leaves, climbing, numbers = [], [], 0, 0
        for j, (key, (_, shift)) in enumerate(zip(keys, places, strict=True)):
            for low, below in enumerate(key.ancestor):
                under = np.zeros(int(below.max()) + 1, dtype=np.int64)
                under[below] = key.lines[low]
                leaves.append(under)
                start[j, low], numbers = numbers, numbers + under.size
                for high in range(low + 1, key.height + 1):
                    up = np.zeros(under.size, dtype=np.uint64)
                    up[below] = key.ancestor[high].astype(np.uint64) << np.uint64(shift)
                    climbs.append(up)
                    climb[j, low, high], climbing = climbing, climbing + up.size
        words, shifts = zip(*places, strict=True)
        mask = np.array([(1 << width) - 1 for width in widths], dtype=np.uint64)
        joined = np.concatenate([*climbs, np.zeros(1, dtype=np.uint64)])
        return cls(
            np.array(words), np.array(shifts, dtype=np.uint64), mask, joined, np.concatenate(leaves), climb, start
        )

    @property
    def words(self) -> int:
        """Words of a packed key."""
        return int(self.word[-1]) + 1

    def pack(self, ancestors: Sequence[npt.NDArray[np.int32]]) -> Words:
        """Ancestors, an array a key, in their bits."""
        packed = np.zeros((ancestors[0].size, self.words), dtype=np.uint64)
        for j, ancestor in enumerate(ancestors):
            packed[:, self.word[j]] |= ancestor.astype(np.uint64) << self.shift[j]
        return packed

    def column(self, packed: Words, j: int) -> Ints:
        """The ancestors of one key."""
        found: Ints = ((packed[:, self.word[j]] >> self.shift[j]) & self.mask[j]).astype(np.int64)
        return found

    def between(self, low: Levels, high: Ints) -> Ints:
        """Where in ``climbs`` each key finds its way from one node to another, or to several; -1 where it stays."""
        found: Ints = self._climb[np.arange(len(low)), np.array(low), high]
        return found

    def at(self, levels: Levels) -> Ints:
        """Where in ``leaves`` the ancestors of each key begin."""
        found: Ints = self._start[np.arange(len(levels)), np.array(levels)]
        return found
