r"""Which cells to empty so that every key is shared by k records, at the least cost: the search behind suppression.

Distinct keys with fewer than k records are the units to protect. For a set :math:`S` of keys, the units that agree
on the other keys become equal once the keys in :math:`S` are emptied; a class of them is safe with k records, some
of them perhaps borrowed from keys that have more than k. Classes are opened greedily at the least
:math:`c(S)\,(V+\max(0,k-V))/V` for the :math:`V` records that a class would newly protect, the cheapest sets first;
then classes are torn down and their units placed anew wherever that costs less, until nothing is gained.

References
----------
Chvátal (1979), *A greedy heuristic for the set-covering problem*, Mathematics of Operations Research 4(3), 233-235.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.kernels import covering as kernel

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]
Floats = npt.NDArray[np.float64]

_LEVEL = 1.25
"""Sets that cost up to so many times the cheapest of their level are weighed against each other."""

_PASSES = 25
_SLOTS = 150_000_000
"""Improvement keeps a number for each set of keys and unit: at most so many."""


@dataclass(frozen=True)
class KeySet:
    """A set of keys to empty, by position, and what emptying them costs for one record."""

    keys: tuple[int, ...]
    cost: float


@dataclass(frozen=True, eq=False)
class Cover:
    """Which records of which keys lose which set.

    Attributes
    ----------
    rows, counts, sets
        ``counts[i]`` records of the distinct key ``rows[i]`` lose the keys in ``key_sets[sets[i]]``.
    left
        Distinct keys that could not be protected.
    """

    key_sets: Sequence[KeySet]
    rows: Ints
    counts: Ints
    sets: Ints
    left: Ints

    @property
    def cost(self) -> float:
        """The cost of all emptied cells."""
        price = np.array([s.cost for s in self.key_sets] or [0.0])
        return float(price[self.sets] @ self.counts) if self.rows.size else 0.0


@dataclass(frozen=True, eq=False)
class Task:
    """The distinct keys of a file, and what each must reach.

    Attributes
    ----------
    digits, count
        The distinct keys and the records of each.
    must
        The distinct keys to protect.
    mass, each
        What the records of each distinct key count for together, and what the least of them counts for.
    need
        What every class must reach: k where each record counts one.
    fixed
        How many variables come first that are never emptied: strata.
    """

    digits: npt.NDArray[np.int32]
    count: Ints
    must: npt.NDArray[np.bool_]
    mass: Ints
    each: Ints
    need: int
    fixed: int = 0

    def of(self, must: npt.NDArray[np.bool_]) -> Task:
        """The same with other keys to protect."""
        return replace(self, must=must)

    @classmethod
    def anonymity(cls, digits: npt.NDArray[np.int32], count: Ints, k: int, fixed: int = 0) -> Task:
        """Every key is to be shared by k records."""
        return cls(digits, count, count < k, count, np.ones_like(count), k, fixed)


def cover(task: Task, sets: Sequence[KeySet], check: Callable[[float], None] = lambda done: None) -> Cover:
    """Make every distinct key that must be protected equal to others.

    Parameters
    ----------
    task
        The keys, and what a class needs.
    sets
        What may be emptied, the cheapest first.
    check
        Called with the share that is done; may raise to stop.
    """
    units = np.flatnonzero(task.must)
    if not units.size or not sets:
        nothing = np.empty(0, dtype=np.int64)
        return Cover(sets, nothing, nothing, nothing, units)
    search = _Search(task, sets, units)
    return search.cover(search.improve(search.greedy(check), check))


@dataclass(frozen=True, eq=False)
class _Slots:
    """The groups of some sets of keys: their units, and the safe keys that could lend to them, one after the other."""

    set_of: npt.NDArray[np.int32]
    first: Ints
    members: npt.NDArray[np.int32]
    first_lender: Ints
    lenders: npt.NDArray[np.int32]

    @classmethod
    def none(cls) -> _Slots:
        """No groups."""
        few, zero = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        return cls(few, zero, few, zero, few)

    def __len__(self) -> int:
        return self.set_of.size

    @staticmethod
    def joined(parts: Sequence[_Slots]) -> _Slots:
        """The groups of all parts, in their order."""
        starts, starts_of_lenders, members, lenders = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)], 0, 0
        for part in parts:
            starts.append(part.first[1:] + members)
            starts_of_lenders.append(part.first_lender[1:] + lenders)
            members, lenders = members + part.members.size, lenders + part.lenders.size
        return _Slots(
            np.concatenate([part.set_of for part in parts]),
            np.concatenate(starts),
            np.concatenate([part.members for part in parts]),
            np.concatenate(starts_of_lenders),
            np.concatenate([part.lenders for part in parts]),
        )


@dataclass(frozen=True, eq=False)
class _Classes:
    """Classes found: the set of each, the class of each unit (or -1), and the loans (class, safe key, records)."""

    set_of: Ints
    class_of: npt.NDArray[np.int32]
    loans: Ints


class _Search:
    """One search: what does not change while it runs."""

    def __init__(self, task: Task, sets: Sequence[KeySet], units: Ints) -> None:
        self.need, self.sets, self.units = task.need, sets, units
        packed, fields = bit_fields(task.digits)
        self.masks = np.stack([~np.bitwise_or.reduce(fields[list(s.keys)], axis=0) for s in sets])
        self.packed = packed[units]
        least = -(-task.need // task.each)
        safe = np.flatnonzero((task.count > least) & ~task.must)
        self.safe = safe[np.argsort(-task.count[safe], kind="stable")]
        self.packed_safe = packed[self.safe]
        self.cost = np.array([s.cost for s in sets])
        self.size, self.mass = task.count[units], task.mass[units]
        self.spare, self.lends = (task.count - least)[self.safe], task.each[self.safe]
        self.loans = int(least[safe].max(initial=0)) + 1
        """The most loans that a class may take: each is of a record at least."""

    def slots(self, s: int, waiting: Ints) -> tuple[_Slots, npt.NDArray[np.int32]]:
        """The groups that units form when a set is emptied, and the group of each unit."""
        packed = self.packed if waiting.size == self.units.size else self.packed[waiting]
        group, example = np.empty(waiting.size, dtype=np.int32), np.empty(waiting.size, dtype=np.int32)
        table = np.empty(power_of_two(2 * waiting.size), dtype=np.int32)
        found = kernel.group_units(packed, self.masks[s], table, group, example)
        first, order = np.empty(found + 1, dtype=np.int64), np.empty(waiting.size, dtype=np.int32)
        kernel.sort_by_group(group, first, order)
        of_safe = np.empty(self.safe.size, dtype=np.int32)
        kernel.find_groups(packed, self.masks[s], table, example, self.packed_safe, of_safe)
        first_lender, lenders = np.empty(found + 1, dtype=np.int64), np.empty(self.safe.size, dtype=np.int32)
        kernel.sort_by_group(of_safe, first_lender, lenders)
        lenders = lenders[: first_lender[-1]]
        members = waiting[order].astype(np.int32)
        return _Slots(np.full(found, s, dtype=np.int32), first, members, first_lender, lenders), group

    def problem(self, slots: _Slots, slot_of: npt.NDArray[np.int32], cost: Floats) -> kernel.Problem:
        """What the kernels read."""
        return kernel.Problem(
            np.int64(self.need),
            cost,
            slot_of,
            slots.set_of,
            slots.first,
            slots.members,
            slots.first_lender,
            slots.lenders,
            self.size,
            self.mass,
            self.spare,
            self.lends,
        )

    # -- greedy ------------------------------------------------------------------------------------

    def greedy(self, check: Callable[[float], None]) -> _Classes:
        """Open classes level by level of cost; a level sees only the units that still wait when it begins."""
        units = self.units.size
        state = _state(units, 0, units + 1, min(units * self.loans, int(self.spare.sum())) + 1, self.spare.size)
        slots, heap, n, level = _Slots.none(), (np.empty(0), np.empty(0, dtype=np.int64)), 0, 0
        none = np.empty((0, 0), dtype=np.int32)
        while level < len(self.sets) and (state.class_of < 0).any():
            check(0.5 * level / len(self.sets))
            end = int(np.searchsorted(self.cost, _LEVEL * self.cost[level], side="right"))
            waiting = np.flatnonzero(state.class_of < 0)
            before = len(slots)
            slots = _Slots.joined([slots, *(self.slots(s, waiting)[0] for s in range(level, end))])
            state = state._replace(class_at=_longer(state.class_at, len(slots), -1))
            heap = (_longer(heap[0], len(slots) + 1, 0), _longer(heap[1], len(slots) + 1, 0))
            problem = self.problem(slots, none, self.cost)
            sizes = np.add.reduceat(self.mass[slots.members], slots.first[before:-1])
            n = kernel.push_slots(problem, sizes, *heap, n, before, len(slots))
            limit = float(self.cost[end]) - 1e-12 if end < len(self.sets) else np.inf
            n = kernel.cover(problem, state, *heap, n, limit)
            level = end
        return _classes(state, slots)

    # -- improvement -------------------------------------------------------------------------------

    def improve(self, found: _Classes, check: Callable[[float], None]) -> _Classes:
        """Tear down and settle anew, pass after pass, until nothing is gained."""
        if not found.set_of.size:
            return found
        chosen = self._chosen(found)
        parts = [self.slots(s, np.arange(self.units.size)) for s in chosen]
        slots = _Slots.joined([part for part, _ in parts])
        starts = np.concatenate([[0], np.cumsum([len(part) for part, _ in parts])])
        slot_of = np.stack([group + start for (_, group), start in zip(parts, starts[:-1], strict=True)]).astype(
            np.int32
        )
        place = {s: i for i, s in enumerate(chosen)}
        slots = _Slots(
            np.array([place[s] for s in chosen], dtype=np.int32).repeat(np.diff(starts)), *_fields(slots)[1:]
        )
        problem = self.problem(slots, slot_of, self.cost[chosen])
        taken = np.empty((256, 2), dtype=np.int64)
        for passing in range(_PASSES):
            check(0.5 + 0.5 * passing / _PASSES)
            most = int(np.bincount(found.class_of[found.class_of >= 0]).max())
            room = most * (self.loans + 1) + self.loans + 8
            state = self._loaded(found, place, slot_of, len(slots), room)
            if (found.class_of < 0).any():
                kernel.settle_waiting(problem, state, taken, room)
            classes, first, units = _dearest_first(state, problem)
            gained = kernel.improve(problem, state, classes, first, units, taken, room)
            found = _classes(state, _Slots(np.array(chosen, dtype=np.int32)[slots.set_of], *_fields(slots)[1:]))
            if gained <= 1e-9:
                break
        return found

    def _chosen(self, found: _Classes) -> list[int]:
        """The sets that improvement may use: as many of the cheapest as fit, and those in use."""
        fit = max(1, _SLOTS // max(self.units.size, 1))
        return sorted(set(range(min(fit, len(self.sets)))) | set(found.set_of.tolist()))

    def _loaded(
        self, found: _Classes, place: dict[int, int], slot_of: npt.NDArray[np.int32], slots: int, room: int
    ) -> kernel.State:
        """Classes already found as a state of the kernels."""
        classes, loans = found.set_of.size, len(found.loans)
        state = _state(self.units.size, slots, 2 * classes + 2 * room + 64, 2 * loans + 2 * room + 64, self.spare.size)
        state.class_of[:] = found.class_of
        example = np.zeros(classes, dtype=np.int64)
        covered = found.class_of >= 0
        example[found.class_of[covered]] = np.flatnonzero(covered)
        sets = np.array([place[s] for s in found.set_of.tolist()], dtype=np.int64)
        state.slot[:classes] = slot_of[sets, example]
        state.class_at[state.slot[:classes]] = np.arange(classes)
        np.add.at(state.records, found.class_of[covered], self.size[covered])
        np.add.at(state.mass, found.class_of[covered], self.mass[covered])
        for loan, (class_, key, records) in enumerate(found.loans.tolist()):
            state.loan_key[loan], state.loan_size[loan] = key, records
            state.loan_next[loan], state.loan[class_] = state.loan[class_], loan
            state.lent[key] += records
            state.records[class_] += records
            state.mass[class_] += records * self.lends[key]
        state.at[kernel.CLASSES], state.at[kernel.LOANS] = classes, loans
        return state

    # -- the result --------------------------------------------------------------------------------

    def cover(self, found: _Classes) -> Cover:
        """Which records of which keys lose which set."""
        done = found.class_of >= 0
        loans = found.loans
        return Cover(
            self.sets,
            np.concatenate([self.units[done], self.safe[loans[:, 1]]]),
            np.concatenate([self.size[done], loans[:, 2]]),
            np.concatenate([found.set_of[found.class_of[done]], found.set_of[loans[:, 0]]]),
            self.units[~done],
        )


def _fields(slots: _Slots) -> tuple[Any, ...]:
    return slots.set_of, slots.first, slots.members, slots.first_lender, slots.lenders


def _state(units: int, slots: int, classes: int, loans: int, safe: int) -> kernel.State:
    """An empty state with room for so many classes and loans."""
    return kernel.State(
        class_of=np.full(units, -1, dtype=np.int32),
        class_at=np.full(slots, -1, dtype=np.int32),
        slot=np.zeros(classes, dtype=np.int64),
        records=np.zeros(classes, dtype=np.int64),
        mass=np.zeros(classes, dtype=np.int64),
        loan=np.full(classes, -1, dtype=np.int64),
        lent=np.zeros(safe, dtype=np.int64),
        loan_key=np.zeros(loans, dtype=np.int64),
        loan_size=np.zeros(loans, dtype=np.int64),
        loan_next=np.full(loans, -1, dtype=np.int64),
        log=np.zeros((3 * units + 4096, 3), dtype=np.int64),
        at=np.zeros(3, dtype=np.int64),
    )


def _classes(state: kernel.State, slots: _Slots) -> _Classes:
    """What a state holds, numbered anew without the classes that were closed."""
    total = int(state.at[kernel.CLASSES])
    alive = np.flatnonzero(state.records[:total] > 0)
    number = np.full(total + 1, -1, dtype=np.int32)
    number[alive] = np.arange(alive.size)
    loans = []
    for class_ in alive[state.loan[alive] >= 0].tolist():
        loan = int(state.loan[class_])
        while loan >= 0:
            loans.append((number[class_], state.loan_key[loan], state.loan_size[loan]))
            loan = int(state.loan_next[loan])
    return _Classes(
        slots.set_of[state.slot[alive]].astype(np.int64),
        np.where(state.class_of >= 0, number[state.class_of], -1).astype(np.int32),
        np.array(loans, dtype=np.int64).reshape(-1, 3),
    )


def _dearest_first(state: kernel.State, problem: kernel.Problem) -> tuple[Ints, Ints, Ints]:
    """The classes from the dearest to the cheapest, small ones first, and the units of each."""
    total = int(state.at[kernel.CLASSES])
    price = problem.cost[problem.set_of[state.slot[:total]]]
    classes = np.lexsort((state.records[:total], -price))
    rank = np.empty(total, dtype=np.int64)
    rank[classes] = np.arange(total)
    covered = np.flatnonzero(state.class_of >= 0)
    of_unit = rank[state.class_of[covered]]
    order = np.argsort(of_unit, kind="stable")
    return classes, np.searchsorted(of_unit[order], np.arange(total + 1)), covered[order]


def _longer(values: npt.NDArray[Any], size: int, fill: int) -> npt.NDArray[Any]:
    return np.concatenate([values, np.full(size - values.size, fill, dtype=values.dtype)])


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
