r"""Which cells to empty where an emptied cell may be anything: the search behind ``counting="wildcard"``.

Two records match where they agree on every key that both show. If record :math:`i` does not show the keys
:math:`S_i`, and :math:`D_{ij}` are the keys on which :math:`i` and :math:`j` differ,

.. math:: f_i = \#\{j : D_{ij} \subseteq S_i \cup S_j\} \ge k

is asked of every record that violates it. Nobody comes to show no key at all. Either each violator
loses something itself, the cheapest set that makes it match enough; or those lose first whose loss covers most of
what is lacking for its cost, and the violators covered by then are spared. What is not needed in the end is given
back by ``methods.giving_back``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import Ints
from celosia.kernels import matching as kernel
from celosia.kernels.wildcards import match_between
from celosia.methods.bits import Words, bit_fields
from celosia.methods.covering import LEFT, Cover, KeySet, Task
from celosia.methods.slots import SlotFinder, Slots

Small = npt.NDArray[np.int32]

_ENTRIES = 150_000_000
"""Slots hold their violators: at most so many in all; the cheapest sets have theirs."""

_COUNTS = 40_000_000
"""Numbers that are kept for those that wait at once."""


def reached(task: Task, amounts: Ints) -> Ints:
    """The sum of what all keys that match each distinct key amount to, by the convention of ``risk.frequencies``."""
    packed, fields = bit_fields(task.digits)
    hidden = hidden_bits(task.digits)
    order = np.argsort(hidden, kind="stable")
    patterns, starts = np.unique(hidden[order], return_index=True)
    found = np.empty(order.size, dtype=np.int64)
    found[order] = _matching(task, amounts, packed, fields, packed[order], patterns, np.append(starts, order.size))
    return found


def _full(task: Task) -> int:
    """The bits of a record that shows none of its keys, which complete ones do not match; -1 for a single key."""
    variables = task.digits.shape[1]
    return -1 if variables - task.fixed < 2 else (1 << variables) - (1 << task.fixed)


def _matching(task: Task, amounts: Ints, packed: Words, fields: Words, asked: Words, bits: Ints, starts: Ints) -> Ints:
    """What matches keys that come in the order of what they hide: ``bits[i]`` from ``starts[i]`` on."""
    hidden, full = hidden_bits(task.digits), _full(task)
    masks = shown_masks(fields, bits)
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
            shown_masks(fields, patterns),
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
    search = _Search(task, sets)
    found, short = search.cover_some() if spare else search.treat_each(check)
    found = np.where(short, LEFT, found)
    told = np.flatnonzero(short | (found >= 0))
    return Cover(sets, search.rows[told], np.ones(told.size, dtype=np.int64), found[told].astype(np.int64))


class _Search:
    """One search: what does not change while it runs. Each record that violates is a row."""

    def __init__(self, task: Task, sets: Sequence[KeySet]) -> None:
        self.task, self.sets = task, sets
        units = np.flatnonzero(task.must)
        self.rows = np.repeat(units, task.count[units])
        self.mass = task.each[self.rows]
        self.cost = np.array([s.cost for s in sets])
        self.bits = np.array([sum(1 << j for j in s.keys) for s in sets], dtype=np.int64)
        self.keys, self.variables = bit_fields(task.digits)
        self.packed = self.keys[self.rows]
        self.start = hidden_bits(task.digits)[self.rows]
        self.starts, self.start_number = np.unique(self.start, return_inverse=True)

    # -- every violator loses something ------------------------------------------------------------

    def treat_each(self, check: Callable[[float], None]) -> tuple[Small, npt.NDArray[np.bool_]]:
        """The set that each row loses, and who found none: the cheapest with which it reaches the need.

        First it is tried without looking at what others lose, then with that, level by level of cost.
        """
        set_of = np.full(self.rows.size, -1, dtype=np.int32)
        ends = [*np.flatnonzero(np.diff(self.cost) > 1e-9) + 1, self.cost.size]
        alone = np.empty((0, self.rows.size), dtype=np.int64)
        waiting = np.arange(self.rows.size)
        for low, high in zip([0, *ends[:-1]], ends, strict=True):
            check(low / self.cost.size)
            new = self._alone(waiting, low, high)
            best = new.argmax(axis=0)
            enough = new[best, np.arange(waiting.size)] >= self.task.need
            set_of[waiting[enough]] = low + best[enough]
            alone, waiting = np.concatenate([alone, new])[:, ~enough], waiting[~enough]
            levels = np.array([0, *ends[: ends.index(high) + 1]], dtype=np.int64)
            while waiting.size and self._treat_with_others(waiting, alone, levels, set_of):
                still = set_of[waiting] < 0
                alone, waiting = alone[:, still], waiting[still]
            if not waiting.size:
                break
        return set_of, set_of < 0

    def _alone(self, waiting: Ints, low: int, high: int) -> Ints:
        """What each row reaches by losing each of some sets, whoever else loses what; -1 where it may not lose it."""
        found = np.full((high - low, waiting.size), -1, dtype=np.int64)
        order = np.argsort(self.start_number[waiting], kind="stable")
        where = np.searchsorted(self.start_number[waiting][order], np.arange(self.starts.size + 1))
        parts, bits, places = [], [], []
        for n, start in enumerate(self.starts.tolist()):
            some = order[where[n] : where[n + 1]]
            for s in range(low, high):
                lost = int(self.bits[s])
                able = some[self.task.may_lose(self.rows[waiting[some]], self.sets[s])]
                if able.size and lost & ~start and start | lost != _full(self.task):
                    parts.append(self.packed[waiting[able]])
                    bits.append(start | lost)
                    places.append((s - low) * waiting.size + able)
        if parts:
            starts = np.concatenate([[0], np.cumsum([len(part) for part in parts])])
            amounts = self.task.count * self.task.each
            asked, hidden = np.concatenate(parts), np.array(bits, dtype=np.int64)
            matches = _matching(self.task, amounts, self.keys, self.variables, asked, hidden, starts)
            found.reshape(-1)[np.concatenate(places)] = matches
        return found

    def _treat_with_others(self, waiting: Ints, alone: Ints, levels: Ints, set_of: Small) -> int:
        """Some of those that wait lose a set with which they reach the need, given what others lost; how many."""
        lost = np.flatnonzero(set_of >= 0)
        hidden = self.starts[:, None] | self.bits[: levels[-1]]
        loses = np.zeros(hidden.shape, dtype=np.bool_)
        loses[self.start_number[lost], set_of[lost]] = True
        began = np.broadcast_to(self.starts[:, None], hidden.shape)
        pairs = np.unique(np.stack([hidden[loses], began[loses]]), axis=1)
        with_ = hidden[:, :, None] | pairs[0]
        without = hidden[:, :, None] | pairs[1]
        differ = with_ != without
        masks = np.unique(np.concatenate([with_[differ], without[differ]]))
        if not masks.size:
            return 0
        row_with, row_without = np.searchsorted(masks, with_), np.searchsorted(masks, without)
        asked = np.zeros((masks.size, pairs.shape[1]), dtype=np.bool_)
        for row in (row_with, row_without):
            asked[row[differ], np.nonzero(differ)[2]] = True
        pattern_of = np.full(hidden.shape, -1, dtype=np.int32)
        for p, (bits, start) in enumerate(pairs.T.tolist()):
            pattern_of[(hidden == bits) & (self.starts == start)[:, None]] = p
        pattern = pattern_of[self.start_number[lost], set_of[lost]]
        lost = lost[np.argsort(pattern, kind="stable")]
        first = np.concatenate([[0], np.cumsum(np.bincount(pattern, minlength=pairs.shape[1]))])
        done, most = 0, max(1, _COUNTS // (masks.size * pairs.shape[1]))
        for at in range(0, waiting.size, most):
            some = waiting[at : at + most]
            group = np.empty((masks.size, some.size), dtype=np.int32)
            counts = np.zeros((masks.size * some.size, pairs.shape[1]), dtype=np.int64)
            shown_as = shown_masks(self.variables, masks)
            kernel.count_lost(self.packed, some, lost, first, self.mass, shown_as, asked, group, counts)
            done += kernel.treat_each(
                some,
                self.mass,
                self.task.need,
                alone[:, at : at + most],
                levels,
                self.start_number[some],
                row_with,
                row_without,
                pattern_of,
                group,
                counts,
                set_of,
            )
        return done

    # -- some lose, and cover the others -----------------------------------------------------------

    def cover_some(self) -> tuple[Small, npt.NDArray[np.bool_]]:
        """The set that each row loses, if any, and who still lacks something."""
        amounts = self.task.count * self.task.each
        reach = reached(self.task, amounts)[self.rows]
        other = np.flatnonzero(~self.task.must)
        players = self._players(self.packed, self.start, self.mass)
        others = self._players(self.keys[other], hidden_bits(self.task.digits)[other], amounts[other])
        slots = self._slots()
        set_of = np.full(self.rows.size, -1, dtype=np.int32)
        kernel.cover_some(
            players,
            others,
            self.variables,
            self.start,
            _full(self.task),
            self.task.need,
            self.bits,
            self.cost,
            slots.set_of,
            slots.first,
            slots.members,
            set_of,
            reach,
        )
        return set_of, reach < self.task.need

    def _slots(self) -> Slots:
        """The rows that show the same once a set is emptied, set by set."""
        nobody = np.empty(0, dtype=np.int64)
        finder = SlotFinder(self.packed, self.mass, self.packed[:0], nobody, 0)
        some = self.bits[: max(1, _ENTRIES // self.rows.size)]
        everybody, masks = np.arange(self.rows.size), shown_masks(self.variables, some)
        able = [everybody[self.task.may_lose(self.rows, s)] for s in self.sets[: some.size]]
        return Slots.joined([finder.slots(s, mask, able[s]) for s, mask in enumerate(masks)])

    def _players(self, packed: Words, bits: Ints, mass: Ints) -> kernel.Players:
        return kernel.Players(packed, ~shown_masks(self.variables, bits), bits.copy(), mass)


def hidden_bits(digits: npt.NDArray[np.int32]) -> Ints:
    """The variables that each key does not show, as bits."""
    places = np.int64(1) << np.arange(digits.shape[1], dtype=np.int64)
    found: Ints = (digits == 0) @ places
    return found


def shown_masks(fields: Words, hidden: Ints) -> Words:
    """For each set of variables that are not shown, as bits, the bits of packed keys that are left."""
    masks = np.full((hidden.size, fields.shape[1]), np.iinfo(np.uint64).max, dtype=np.uint64)
    for j, field in enumerate(fields):
        masks[(hidden >> j & 1).astype(np.bool_)] &= ~field
    return masks
