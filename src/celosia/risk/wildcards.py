"""Counting keys where a missing value may be anything: within one file, or one file against another."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.core.errors import warn
from celosia.core.run import Run
from celosia.engines import Keys
from celosia.engines.contract import Ints
from celosia.kernels.wildcards import match_between, match_patterns

Numbers = npt.NDArray[np.float64] | npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]


def wildcard(keys: Keys, weights: Ints, alpha: float, run: Run) -> tuple[Numbers, Numbers]:
    """Frequencies of the distinct keys, and their weights, by the definition of ``risk.frequencies``."""
    matches = Matches.of(keys, weights, run)
    return matches.frequency(keys.count, 0, alpha), matches.frequency(weights, 1, alpha)


@dataclass(frozen=True, eq=False)
class Packed:
    """Distinct keys in bit fields, sorted by the pattern of what they observe."""

    order: Ints
    words: Words
    patterns: npt.NDArray[np.bool_]
    masks: Words
    starts: Ints

    @classmethod
    def of(cls, keys: Keys, observing: npt.NDArray[np.bool_] | None = None) -> Packed:
        """Pack keys; ``observing`` says what counts as observed (by default whatever is not 0)."""
        present = keys.digits > 0 if observing is None else observing
        patterns, pattern = _patterns(present)
        order = np.argsort(pattern, kind="stable")
        starts = np.searchsorted(pattern[order], np.arange(len(patterns) + 1)).astype(np.int64)
        words, masks = _pack(keys, patterns, order)
        return cls(order, words, patterns, masks, starts)

    def back(self, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Values of the sorted keys in the order of the keys."""
        out = np.empty_like(values)
        out[..., self.order] = values
        return out


@dataclass(frozen=True, eq=False)
class Matches:
    """For every distinct key, its matches among the other complete and the other incomplete keys."""

    observed: Ints
    variables: int
    records: tuple[Ints, Ints]
    weights: tuple[Ints, Ints]

    @classmethod
    def of(cls, keys: Keys, weights: Ints, run: Run) -> Matches:
        """Count the matches over all pairs of patterns that occur, in the threads of the run."""
        packed = Packed.of(keys)
        observing = np.logical_or.reduce(packed.patterns, axis=1)
        p, q = np.triu_indices(len(packed.patterns), 1)
        pairs = np.stack([p, q], axis=1)[observing[p] & observing[q]].astype(np.int64)
        complete = packed.patterns.all(axis=1)
        count, weight = keys.count[packed.order], weights[packed.order]

        def match(part: Ints) -> tuple[Ints, Ints]:
            counts = np.zeros((2, count.size), dtype=np.int64)
            sums = np.zeros((2, count.size), dtype=np.int64)
            match_patterns(packed.words, count, weight, packed.starts, packed.masks, complete, part, counts, sums)
            return counts, sums

        threads = max(1, min(run.threads, len(pairs)))
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(match, [pairs[t::threads] for t in range(threads)]))
        counts = packed.back(np.sum([part[0] for part in parts], axis=0))
        sums = packed.back(np.sum([part[1] for part in parts], axis=0))
        observed = (keys.digits > 0).sum(axis=1)
        return cls(observed, len(keys.names), (counts[0], counts[1]), (sums[0], sums[1]))

    def frequency(self, own: Ints, which: int, alpha: float) -> Numbers:
        """The frequency of every key by its definition, from its own records and its matches."""
        among_complete, among_incomplete = (self.records, self.weights)[which]
        empty = self.observed == 0
        everybody, nobody = int(own.sum()), int(own[empty].sum())
        incomplete = (self.observed < self.variables) & ~empty
        maybe = among_incomplete + np.where(incomplete | (self.variables == 1), nobody, 0)
        extra: Numbers = maybe if alpha == 1 else alpha * maybe.astype(np.float64)
        return np.where(empty, everybody, own + among_complete + extra)


def count_in(asked: Packed, known: Packed, count: Ints, weight: Ints) -> tuple[Ints, Ints]:
    """For every asked key, in its own order, the known records (and weights) that agree on what both observe."""
    counts = np.zeros(asked.order.size, dtype=np.int64)
    weights = np.zeros(asked.order.size, dtype=np.int64)
    match_between(
        asked.words,
        asked.masks,
        asked.starts,
        known.words,
        known.masks,
        known.starts,
        count[known.order],
        weight[known.order],
        counts,
        weights,
    )
    return asked.back(counts), asked.back(weights)


def _patterns(present: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], Ints]:
    """The patterns of observed variables that occur, and the pattern of each key."""
    bits = np.packbits(present, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    words = padded.view(np.uint64)
    if words.shape[1] == 1:
        _, first, pattern = np.unique(words[:, 0], return_index=True, return_inverse=True)
    else:
        _, first, pattern = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return present[first], pattern.reshape(-1)


def _pack(keys: Keys, patterns: npt.NDArray[np.bool_], order: Ints) -> tuple[Words, Words]:
    """Keys in bit fields over as many 64-bit words as they need, and the bits that each pattern observes."""
    widths = [len(c).bit_length() for c in keys.categories]
    places: list[tuple[int, int]] = []
    word, used = 0, 0
    for width in widths:
        if used + width > 64:
            word, used = word + 1, 0
        places.append((word, used))
        used += width
    packed = np.zeros((order.size, word + 1), dtype=np.uint64)
    masks = np.zeros((len(patterns), word + 1), dtype=np.uint64)
    for j, ((word, shift), width) in enumerate(zip(places, widths, strict=True)):
        packed[:, word] |= keys.digits[order, j].astype(np.uint64) << np.uint64(shift)
        bits = np.uint64(((1 << width) - 1) << shift)
        masks[:, word] |= np.where(patterns[:, j], bits, np.uint64(0))
    return packed, masks


def warn_of_empty_records(keys: Keys) -> None:
    """Say how many records have no observed key at all."""
    count = int(keys.count[(keys.digits == 0).all(axis=1)].sum())
    if count:
        warn("all-missing", count=count)
