r"""Which cells to empty where an emptied cell may be anything: the search behind ``counting="wildcard"``.

Two records match where they agree on every key that both show. If record :math:`i` does not show the keys
:math:`S_i`, and :math:`D_{ij}` are the keys on which :math:`i` and :math:`j` differ,

.. math:: f_i = \#\{j : D_{ij} \subseteq S_i \cup S_j\} \ge k

is asked of every record that violates it. Records that show no key at all count for nobody. Either each violator
loses something itself, the cheapest set that makes it match enough; or those lose first whose loss covers most of
what is lacking for its cost, and the violators covered by then are spared. In the end whatever is not needed is
given back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.kernels import covering as grouping
from celosia.kernels import matching as kernel
from celosia.kernels.wildcards import match_between
from celosia.methods.covering import Cover, Ints, KeySet, Words, bit_fields, power_of_two

_ROOM = 150_000_000
"""A number is kept for each row and violator: at most so many."""

_CANDIDATES = 16_000_000
"""Pairs of a violator and a set that are weighed against each other at once."""

_PASSES = 10


@dataclass(frozen=True, eq=False)
class Violators:
    """The records to protect and the file they are in.

    Attributes
    ----------
    digits, count
        The distinct keys of the file and the records of each; 0 is a cell that is not shown.
    fixed
        How many variables come first that are never emptied: strata.
    must
        The distinct keys to protect.
    mass, need
        What a record of each distinct key counts for, and how much must match every record.
    """

    digits: npt.NDArray[np.int32]
    count: Ints
    fixed: int
    must: npt.NDArray[np.bool_]
    mass: Ints
    need: int

    @property
    def rows(self) -> Ints:
        """The distinct key of each violating record."""
        units = np.flatnonzero(self.must)
        return np.repeat(units, self.count[units])

    @property
    def full(self) -> int:
        """The bits of a record that shows none of its keys, which counts for nobody; -1 for a single key."""
        variables = self.digits.shape[1]
        return -1 if variables - self.fixed < 2 else (1 << variables) - (1 << self.fixed)


def cover_matching(
    file: Violators, sets: Sequence[KeySet], spare: bool, check: Callable[[float], None] = lambda done: None
) -> Cover:
    """Protect every violator by emptying some of the sets, the cheapest first; ``spare`` those that others cover."""
    rows = file.rows
    if not rows.size or not sets:
        none = np.empty(0, dtype=np.int64)
        return Cover(sets, none, none, none, np.unique(rows))
    search = _Search(file, sets, rows)
    state = search.state()
    if spare:
        search.cover_some(state, check)
    else:
        search.treat_each(state, check)
    search.improve(state, spare, check)
    lost = np.flatnonzero(state.set_of >= 0)
    short = state.reach < file.need if spare else state.set_of < 0
    return Cover(
        sets,
        rows[lost],
        np.ones(lost.size, dtype=np.int64),
        state.set_of[lost].astype(np.int64),
        np.unique(rows[short]),
    )


class _Search:
    """One search: what does not change while it runs."""

    def __init__(self, file: Violators, sets: Sequence[KeySet], rows: Ints) -> None:
        self.file, self.sets, self.rows = file, sets, rows
        self.cost = np.array([s.cost for s in sets])
        self.bits = np.array([sum(1 << j for j in s.keys) for s in sets], dtype=np.int64)
        self.start = _hidden(file.digits[rows])
        self.problem = self._problem()

    def _problem(self) -> kernel.Problem:
        packed, fields = bit_fields(self.file.digits)
        bits = self._row_bits()
        shown = np.stack([_shown_mask(fields, int(b)) for b in bits])
        parts = [self._slots(packed[self.rows], mask) for mask in shown]
        sizes = np.array([first.size - 1 for _, first, _, _ in parts])
        offset = np.concatenate([[0], np.cumsum(sizes)])
        within = self._within(packed, fields, shown, np.concatenate([example for _, _, _, example in parts]), offset)
        return kernel.Problem(
            np.int64(self.file.need),
            self.file.digits[self.rows],
            self.file.mass[self.rows],
            self.start,
            self.bits,
            self.cost,
            bits,
            np.stack([group + at for (group, _, _, _), at in zip(parts, offset[:-1], strict=True)]).astype(np.int32),
            np.concatenate(
                [first[:-1] + n * self.rows.size for n, (_, first, _, _) in enumerate(parts)]
                + [np.array([len(parts) * self.rows.size])]
            ),
            np.concatenate([members for _, _, members, _ in parts]),
            within,
            np.int64(self.file.full),
        )

    def _row_bits(self) -> Ints:
        """The sets of variables that are numbered: what violators may come to hide, then what two may together."""
        room = max(1, _ROOM // self.rows.size)
        starts = np.unique(self.start)
        needed = np.unique(np.concatenate([starts, *(starts | s for s in self.bits[:room])]))
        if needed.size > room:
            least = {int(b): self._price(int(b)) for b in needed}
            return np.sort(np.array(sorted(least, key=lambda b: (least[b], b))[:room], dtype=np.int64))
        pairs: Ints = needed
        if needed.size**2 <= 1 << 22:
            pairs = np.unique(needed[:, None] | needed[None, :])
        return pairs if pairs.size <= room else needed

    def _price(self, bits: int) -> float:
        return float(sum(s.cost for s in self.sets if len(s.keys) == 1 and bits >> s.keys[0] & 1))

    def _slots(self, packed: Words, mask: Words) -> tuple[Ints, Ints, npt.NDArray[np.int32], Ints]:
        """The group of each violator under a mask, where each group begins, its members, and one of them."""
        n = len(packed)
        group, example = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int32)
        table = np.empty(power_of_two(2 * n), dtype=np.int32)
        found = grouping.group_units(packed, mask, table, group, example)
        first, members = np.empty(found + 1, dtype=np.int64), np.empty(n, dtype=np.int32)
        grouping.sort_by_group(group, first, members)
        return group.astype(np.int64), first, members, example[:found].astype(np.int64)

    def _within(self, packed: Words, fields: Words, shown: Words, example: Ints, offset: Ints) -> Ints:
        """The mass of all records that match each slot's violators as they came."""
        digits = self.file.digits
        hidden = _hidden(digits)
        speaking = np.flatnonzero(hidden != self.file.full)
        order = speaking[np.argsort(hidden[speaking], kind="stable")]
        patterns, starts = np.unique(hidden[order], return_index=True)
        masks = np.stack([_shown_mask(fields, int(b)) for b in patterns])
        counts = np.zeros(example.size, dtype=np.int64)
        nothing = np.zeros(order.size, dtype=np.int64)
        match_between(
            packed[self.rows[example]],
            shown,
            offset,
            packed[order],
            masks,
            np.append(starts, order.size),
            (self.file.count * self.file.mass)[order],
            nothing,
            counts,
            np.zeros(example.size, dtype=np.int64),
        )
        return counts

    def state(self) -> kernel.State:
        """Nobody lost anything."""
        n = self.rows.size
        problem = self.problem
        patterns = np.unique(np.concatenate([np.unique(self.start), *(np.unique(self.start) | b for b in self.bits)]))
        state = kernel.State(
            set_of=np.full(n, -1, dtype=np.int32),
            shown=self.start.copy(),
            reach=problem.within[problem.slot_of[np.searchsorted(problem.rows, self.start), np.arange(n)]],
            pattern=np.zeros(n, dtype=np.int32),
            patterns=patterns,
            many=np.zeros(patterns.size, dtype=np.int64),
            head=np.full(patterns.size, -1, dtype=np.int32),
            after=np.full(n, -1, dtype=np.int32),
            before=np.full(n, -1, dtype=np.int32),
            active=np.zeros(patterns.size, dtype=np.int32),
            at=np.zeros(1, dtype=np.int64),
            found=np.empty(n, dtype=np.int32),
        )
        for i in range(n):
            kernel.enlist(state, i)
        return state

    def treat_each(self, state: kernel.State, check: Callable[[float], None]) -> None:
        """Every violator loses the cheapest set that will do; after each level those before are tried again."""
        high = 0
        while high < self.cost.size and (state.set_of < 0).any():
            check(0.5 * high / self.cost.size)
            low, high = high, int(np.searchsorted(self.cost, self.cost[high] + 1e-9, side="right"))
            while kernel.treat_each(self.problem, state, low, high) and (state.set_of < 0).any():
                pass
        kernel.count_reach(self.problem, state)

    def cover_some(self, state: kernel.State, check: Callable[[float], None]) -> None:
        """Those lose first whose loss covers most for its cost; as many sets at once as can be weighed."""
        high = 0
        while high < self.cost.size and (state.reach < self.file.need).any():
            check(0.5 * high / self.cost.size)
            candidates = int((state.set_of < 0).sum())
            low, high = high, min(self.cost.size, high + max(1, _CANDIDATES // max(candidates, 1)))
            keys = np.empty(candidates * (high - low) + 1)
            items = np.empty(keys.size, dtype=np.int64)
            kernel.cover_some(self.problem, state, low, high, self._lacking(state), keys, items)

    def _lacking(self, state: kernel.State) -> Ints:
        """What the violators of each slot lack together."""
        lacking = np.maximum(self.file.need - state.reach, 0)
        running = np.concatenate([[0], np.cumsum(lacking[self.problem.members])])
        found: Ints = running[self.problem.first[1:]] - running[self.problem.first[:-1]]
        return found

    def improve(self, state: kernel.State, spare: bool, check: Callable[[float], None]) -> None:
        """Give back what is not needed, the dearest first, pass after pass."""
        for passing in range(_PASSES):
            check(0.5 + 0.5 * passing / _PASSES)
            lost = np.flatnonzero(state.set_of >= 0)
            order = lost[np.argsort(-self.cost[state.set_of[lost]], kind="stable")]
            if kernel.give_back(self.problem, state, order, spare) <= 1e-9:
                break


def _hidden(digits: npt.NDArray[np.int32]) -> Ints:
    """The variables that each key does not show, as bits."""
    places = np.int64(1) << np.arange(digits.shape[1], dtype=np.int64)
    found: Ints = (digits == 0) @ places
    return found


def _shown_mask(fields: Words, hidden: int) -> Words:
    """The bits of packed keys that are left where some variables are not shown."""
    kept = [fields[j] for j in range(len(fields)) if not hidden >> j & 1]
    return np.bitwise_or.reduce(kept, axis=0) if kept else np.zeros(fields.shape[1], dtype=np.uint64)
