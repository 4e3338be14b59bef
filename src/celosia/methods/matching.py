r"""Which cells to empty where an emptied cell may be anything: the search behind ``counting="wildcard"``.

Two records match where they agree on every key that both show. If record :math:`i` does not show the keys
:math:`S_i`, and :math:`D_{ij}` are the keys on which :math:`i` and :math:`j` differ,

.. math:: f_i = \#\{j : D_{ij} \subseteq S_i \cup S_j\} \ge k

is asked of every record that violates it. Nobody comes to show no key at all. Either each violator
loses something itself, the cheapest set that makes it match enough; or those lose first whose loss covers most of
what is lacking for its cost, and the violators covered by then are spared. In the end whatever is not needed is
given back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import Ints
from celosia.kernels import matching as kernel
from celosia.kernels import slots as grouping
from celosia.kernels.wildcards import match_between
from celosia.methods.bits import Words, bit_fields, power_of_two
from celosia.methods.covering import LEFT, Cover, KeySet, Task

_ROOM = 150_000_000
"""A number is kept for each row and violator: at most so many."""

_CANDIDATES = 16_000_000
"""Pairs of a violator and a set that are weighed against each other at once."""

_PASSES = 10


def reached(task: Task, amounts: Ints) -> Ints:
    """The sum of what all keys that match each distinct key amount to, by the convention of ``risk.frequencies``."""
    packed, fields = bit_fields(task.digits)
    hidden = _hidden(task.digits)
    order = np.argsort(hidden, kind="stable")
    patterns, starts = np.unique(hidden[order], return_index=True)
    masks = np.stack([_shown_mask(fields, int(b)) for b in patterns])
    found = np.empty(order.size, dtype=np.int64)
    found[order] = _matching(
        task, amounts, packed, fields, packed[order], patterns, masks, np.append(starts, order.size)
    )
    return found


def _full(task: Task) -> int:
    """The bits of a record that shows none of its keys, which complete ones do not match; -1 for a single key."""
    variables = task.digits.shape[1]
    return -1 if variables - task.fixed < 2 else (1 << variables) - (1 << task.fixed)


def _matching(
    task: Task, amounts: Ints, packed: Words, fields: Words, asked: Words, bits: Ints, masks: Words, starts: Ints
) -> Ints:
    """What matches keys that come in the order of what they hide: ``bits``, and ``masks`` for what they show."""
    hidden, full = _hidden(task.digits), _full(task)
    counts = np.zeros(starts[-1], dtype=np.int64)

    def count(some: npt.NDArray[np.bool_], known: Ints) -> None:
        order = known[np.argsort(hidden[known], kind="stable")]
        patterns, first = np.unique(hidden[order], return_index=True)
        if not order.size or not some.any():
            return
        begin = np.concatenate([[0], np.cumsum(np.diff(starts)[some])])
        rows = np.repeat(some, np.diff(starts))
        found = np.zeros(begin[-1], dtype=np.int64)
        match_between(
            asked[rows],
            masks[some],
            begin,
            packed[order],
            np.stack([_shown_mask(fields, int(b)) for b in patterns]),
            np.append(first, order.size),
            amounts[order],
            np.zeros(order.size, dtype=np.int64),
            found,
            np.zeros(begin[-1], dtype=np.int64),
        )
        counts[rows] = found

    everybody = np.arange(hidden.size)
    if (hidden == full).any():
        count(bits == 0, everybody[hidden != full])
        count(bits != 0, everybody)
    else:
        count(np.ones(bits.size, dtype=np.bool_), everybody)
    return counts


def cover_matching(
    task: Task, sets: Sequence[KeySet], spare: bool, check: Callable[[float], None] = lambda done: None
) -> Cover:
    """Protect every violator by emptying some of the sets, the cheapest first; ``spare`` those that others cover."""
    if not task.must.any() or not sets:
        return Cover.none(task, sets)
    units = np.flatnonzero(task.must)
    rows = np.repeat(units, task.count[units])
    search = _Search(task, sets, rows)
    state = search.state()
    if spare:
        search.cover_some(state, check)
    else:
        search.treat_each(state, check)
    search.improve(state, spare, check)
    found = state.set_of.astype(np.int64)
    if spare:
        found[state.reach < task.need] = LEFT
    told = np.flatnonzero((found != LEFT) | (state.reach < task.need) | (not spare))
    return Cover(sets, rows[told], np.ones(told.size, dtype=np.int64), found[told])


class _Search:
    """One search: what does not change while it runs."""

    def __init__(self, task: Task, sets: Sequence[KeySet], rows: Ints) -> None:
        self.task, self.sets, self.rows = task, sets, rows
        self.cost = np.array([s.cost for s in sets])
        self.bits = np.array([sum(1 << j for j in s.keys) for s in sets], dtype=np.int64)
        self.start = _hidden(task.digits[rows])
        self.problem = self._problem()

    def _problem(self) -> kernel.Problem:
        packed, fields = bit_fields(self.task.digits)
        bits = self._row_bits()
        shown = np.stack([_shown_mask(fields, int(b)) for b in bits])
        parts = [self._slots(packed[self.rows], mask) for mask in shown]
        sizes = np.array([first.size - 1 for _, first, _, _ in parts])
        offset = np.concatenate([[0], np.cumsum(sizes)])
        examples = packed[self.rows][np.concatenate([example for _, _, _, example in parts])]
        within = _matching(self.task, self.task.count * self.task.each, packed, fields, examples, bits, shown, offset)
        return kernel.Problem(
            np.int64(self.task.need),
            self.task.digits[self.rows],
            self.task.each[self.rows],
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
            np.int64(_full(self.task)),
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
        kernel.enlist_all(state)
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
        while high < self.cost.size and (state.reach < self.task.need).any():
            check(0.5 * high / self.cost.size)
            candidates = int((state.set_of < 0).sum())
            low, high = high, min(self.cost.size, high + max(1, _CANDIDATES // max(candidates, 1)))
            keys = np.empty(candidates * (high - low) + 1)
            items = np.empty(keys.size, dtype=np.int64)
            kernel.cover_some(self.problem, state, low, high, self._lacking(state), keys, items)

    def _lacking(self, state: kernel.State) -> Ints:
        """What the violators of each slot lack together."""
        lacking = np.maximum(self.task.need - state.reach, 0)
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
