"""The records of a file as a suppression sees them: keys as digits, some cells emptied so far, grouped anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from celosia.core.microdata import Microdata
from celosia.engines import engine
from celosia.engines.contract import Classes, Counting, Ints
from celosia.kernels.handing_out import hand_out
from celosia.methods.bits import bit_fields
from celosia.methods.covering import LEFT, Cover, Task

Mask = npt.NDArray[np.bool_]
Digits = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Grouped:
    """Records grouped by what they show now of some keys.

    Attributes
    ----------
    digits, index, count
        The distinct keys (the stratum first, if there are any), the one of each record, and the records of each.
    flag
        What the caller told apart, of each distinct key.
    mass, each
        What the records of each distinct key count for together, and what the least of them counts for.
    weight
        The sum of their scaled weights, where there are any.
    fixed
        How many variables come first that are not keys.
    """

    digits: Digits
    index: npt.NDArray[np.int32]
    count: Ints
    flag: Ints
    mass: Ints
    each: Ints
    weight: Ints
    fixed: int

    def task(self, need: int, budget: Ints | None = None) -> Task:
        """Every key that counts for less than it needs is to be protected; ``budget`` is what each record may lose."""
        if budget is not None:
            order = np.argsort(self.index, kind="stable")
            budget = np.minimum.reduceat(budget[order], np.concatenate([[0], np.cumsum(self.count)[:-1]]))
        return Task(self.digits, self.count, self.mass < need, self.mass, self.each, need, self.fixed, budget)

    def of_records(self, found: Cover, ids: npt.NDArray[np.uint64]) -> tuple[Mask, Mask]:
        """For each record, which variables to empty, and whether it is left; of one key's the lowest ids come first."""
        variables = self.digits.shape[1]
        emptied = np.zeros((self.index.size, variables + 1), dtype=np.bool_)
        if found.rows.size:
            parts = np.argsort(found.rows, kind="stable")
            first = np.searchsorted(found.rows[parts], np.arange(self.count.size + 1))
            masks = np.zeros((len(found.key_sets) + 1, variables + 1), dtype=np.bool_)
            for s, key_set in enumerate(found.key_sets):
                masks[s, list(key_set.keys)] = True
            masks[LEFT, variables] = True
            in_order = bool((ids[1:] > ids[:-1]).all())
            order = np.arange(ids.size) if in_order else np.argsort(ids)
            sets = found.sets[parts] % len(masks)
            hand_out(self.index, order, first, found.counts[parts], sets, masks, emptied)
        return emptied[:, :-1], emptied[:, -1]


@dataclass(frozen=True, eq=False)
class CodedRecords:
    """The keys of a file as digits.

    Attributes
    ----------
    names
        The keys.
    digits, index, count
        The distinct keys with their stratum first (if there are any), the one of each record, the records of each.
    fixed
        1 where there are strata.
    counting
        Whether an emptied cell may be anything or is a category of its own.
    ids
        The record ids.
    group
        Records that lose some keys together.
    weights, mass
        The scaled weight of each record, and what it counts for; 1 where not given.
    """

    names: tuple[str, ...]
    digits: Digits
    index: npt.NDArray[np.int32]
    count: Ints
    fixed: int
    counting: Counting
    ids: npt.NDArray[np.uint64]
    group: Classes | None = None
    weights: Ints | None = field(default=None, repr=False)
    mass: Ints | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        data: Microdata,
        names: Sequence[str],
        strata: Sequence[str],
        counting: Counting,
        group: str | None = None,
    ) -> CodedRecords:
        """The records of a file; strata are told apart by every code, missing ones too."""
        coded = engine(data).encode(names, counting)
        digits, index, count = coded.digits, coded.index, coded.count
        if strata:
            stratum = engine(data).encode(strata, "strict").index
            pair = stratum.astype(np.int64) * len(digits) + index
            distinct, inverse, count = np.unique(pair, return_inverse=True, return_counts=True)
            stratum, key = np.divmod(distinct, len(digits))
            digits = np.column_stack([stratum + 1, digits[key]]).astype(np.int32)
            index = inverse.reshape(-1).astype(np.int32)
        groups = None if group is None else engine(data).group(group)
        return cls(tuple(names), digits, index, count, int(bool(strata)), counting, data.ids, groups)

    @property
    def height(self) -> int:
        """How many records there are."""
        return self.index.size

    def now(self, emptied: Mask, keys: Sequence[int], flag: npt.NDArray[np.int32] | None = None) -> Grouped:
        """The records by what they show of some keys once cells are emptied; a flag keeps records apart."""
        touched = emptied[:, list(keys)].any(axis=1)
        if flag is not None:
            touched |= flag > 0
        columns = [*range(self.fixed), *(j + self.fixed for j in keys)]
        if not touched.any() and len(keys) == len(self.names):
            return self._grouped(self.digits, self.index, self.count, np.zeros(self.count.size, dtype=np.int64))
        changed = np.flatnonzero(touched)
        rows = self.digits[self.index[changed]][:, columns]
        beyond = self.digits[:, columns].max(axis=0) + 1 if self.counting == "strict" else np.zeros(len(columns))
        lost = np.zeros(rows.shape, dtype=np.bool_)
        lost[:, self.fixed :] = emptied[changed][:, list(keys)]
        rows = np.where(lost, beyond.astype(np.int32), rows)
        told = np.zeros((len(self.digits) + changed.size, 1), dtype=np.int32)
        if flag is not None:
            told[len(self.digits) :, 0] = flag[changed]
        matrix = np.hstack([np.vstack([self.digits[:, columns], rows]), told])
        example, inverse = distinct_rows(matrix)
        index = inverse[: len(self.digits)][self.index]
        index[changed] = inverse[len(self.digits) :]
        count = np.bincount(index, minlength=example.size)
        there = np.flatnonzero(count)
        number = np.cumsum(count > 0) - 1
        kept = matrix[example[there]]
        return self._grouped(kept[:, :-1], number[index].astype(np.int32), count[there], kept[:, -1].astype(np.int64))

    def _grouped(self, digits: Digits, index: npt.NDArray[np.int32], count: Ints, flag: Ints) -> Grouped:
        count = count.astype(np.int64)
        if self.mass is None or self.weights is None:
            return Grouped(digits, index, count, flag, count, np.ones_like(count), count, self.fixed)
        order = np.argsort(index, kind="stable")
        first = np.concatenate([[0], np.cumsum(count)[:-1]])
        mass, weight = self.mass[order], np.add.reduceat(self.weights[order], first)
        each = np.minimum.reduceat(mass, first)
        return Grouped(digits, index, count, flag, np.add.reduceat(mass, first), each, weight, self.fixed)


def distinct_rows(matrix: Digits) -> tuple[Ints, Ints]:
    """One position of each distinct row, and the number of every row among these."""
    words, _ = bit_fields(matrix)
    if words.shape[1] == 1:
        _, example, inverse = np.unique(words[:, 0], return_index=True, return_inverse=True)
    else:
        _, example, inverse = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return example, inverse.reshape(-1)
