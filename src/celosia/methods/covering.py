r"""Which cells to empty so that every key is shared by k records, at the least cost: the search behind suppression.

Distinct keys with fewer than k records are the units to protect. For a set :math:`S` of keys, the units that agree
on the other keys become equal once the keys in :math:`S` are emptied; a class of them is safe with k records, some
of them perhaps borrowed from keys that have more than k. From the cheapest sets on, every class that is safe by itself
is opened; then, round by round, a few classes are torn down and their units placed anew, at the least

.. math:: c(S)\,\frac{V + \max(0, k - V)}{V}

for the :math:`V` records that a class would protect (``kernels.resettling``), wherever that costs no more.

References
----------
Chvátal (1979), *A greedy heuristic for the set-covering problem*, Mathematics of Operations Research 4(3), 233-235.
Schrimpf, Schneider, Stamm-Wilbrandt & Dueck (2000), *Record breaking optimization results using the ruin and recreate
principle*, Journal of Computational Physics 159(2), 139-171.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import Ints
from celosia.kernels import covering as kernel
from celosia.kernels import resettling
from celosia.kernels import slots as grouping
from celosia.methods.bits import bit_fields, power_of_two
from celosia.methods.slots import SlotFinder, Slots, Small

_ENTRIES = 150_000_000
"""Slots hold their units: at most so many in all; beyond it sets are tried on the units that still wait."""

_STEPS, _PATIENCE, _STEPS_OF_UNIT = 200_000, 120_000, 120
"""How long classes are resettled: so many steps, or so many without a gain, and as many more for each unit."""

_PRICED = 20
"""How many times as long where not every cell costs the same: what is dear is far from where rounds begin."""

_SMALL, _ATTEMPTS = 1_000, 4
"""Up to so many records to protect it is always tried in a second way; where some are left, several times."""

_TORN = (24, 512)
"""A round tears down at least, and at most, so many units."""

_CHUNK = 20_000_000
"""Progress is told after so many steps."""


LEFT = -1
"""In the place of a set: nothing was found."""


@dataclass(frozen=True)
class KeySet:
    """A set of keys to empty, by position, what emptying them costs for one record, and how many cells that are."""

    keys: tuple[int, ...]
    cost: float
    cells: int


@dataclass(frozen=True, eq=False)
class Cover:
    """Which records of which keys lose which set.

    Attributes
    ----------
    rows, counts, sets
        ``counts[i]`` records of the distinct key ``rows[i]`` lose the keys in ``key_sets[sets[i]]``; where that is
        ``LEFT`` they could not be protected.
    """

    key_sets: Sequence[KeySet]
    rows: Ints
    counts: Ints
    sets: Ints

    @classmethod
    def none(cls, task: Task, key_sets: Sequence[KeySet]) -> Cover:
        """Nobody loses anything; those that must be protected are left."""
        rows = np.flatnonzero(task.must)
        return cls(key_sets, rows, task.count[rows], np.full(rows.size, LEFT))

    @property
    def cost(self) -> float:
        """What all emptied cells cost."""
        price = np.array([*(s.cost for s in self.key_sets), 0.0])
        return float(price[self.sets] @ self.counts)

    @property
    def left(self) -> int:
        """Records that could not be protected."""
        return int(self.counts[self.sets == LEFT].sum())

    @property
    def rows_left(self) -> Ints:
        """Their distinct keys."""
        return np.unique(self.rows[self.sets == LEFT])


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
    budget
        How many cells each record of a distinct key may still lose; any number where not given.
    """

    digits: npt.NDArray[np.int32]
    count: Ints
    must: npt.NDArray[np.bool_]
    mass: Ints
    each: Ints
    need: int
    fixed: int = 0
    budget: Ints | None = None

    def may_lose(self, rows: Ints, key_set: KeySet) -> npt.NDArray[np.bool_]:
        """Which of some distinct keys may lose a set."""
        if self.budget is None:
            return np.ones(rows.size, dtype=np.bool_)
        return self.budget[rows] >= key_set.cells

    def of(self, must: npt.NDArray[np.bool_]) -> Task:
        """The same with other keys to protect."""
        return replace(self, must=must)

    @classmethod
    def anonymity(cls, digits: npt.NDArray[np.int32], count: Ints, k: int, fixed: int = 0) -> Task:
        """Every key is to be shared by k records."""
        return cls(digits, count, count < k, count, np.ones_like(count), k, fixed)


def cover(
    task: Task, sets: Sequence[KeySet], effort: float = 1.0, check: Callable[[float], None] = lambda done: None
) -> Cover:
    """Make every distinct key that must be protected equal to others.

    In small files, and where some are left, single records are looked at as well, and safe keys that may give up all
    of theirs.

    Parameters
    ----------
    task
        The keys, and what a class needs.
    sets
        What may be emptied, the cheapest first.
    effort
        How long to look: 2 takes about twice as long as 1.
    check
        Called with the share that is done; may raise to stop.
    """
    if not task.must.any() or not sets:
        return Cover.none(task, sets)
    found = _Search(task, sets).run(effort, check)
    small = task.count[task.must].sum() <= _SMALL
    near = np.flatnonzero(task.must) if small else found.rows_left
    for attempt in range(_ATTEMPTS):
        if not found.left and (attempt > 0 or not small):
            break
        wider = task.of(task.must | _helpers(task, sets, near))
        other = _Search(wider, [KeySet((), 0.0, 0), *sets], attempt).run(effort, check)
        if (other.left, other.cost) < (found.left, found.cost):
            found = other
    return found


def _helpers(task: Task, sets: Sequence[KeySet], left: Ints) -> npt.NDArray[np.bool_]:
    """Safe keys that would make some of those left safe by losing the same, and cannot just lend."""
    packed, fields = bit_fields(task.digits)
    safe = np.flatnonzero(~task.must & (task.mass < 2 * task.need))
    found = np.zeros(task.count.size, dtype=np.bool_)
    group, example = np.empty(left.size, dtype=np.int32), np.empty(left.size, dtype=np.int32)
    table, of_safe = np.empty(power_of_two(2 * left.size), dtype=np.int32), np.empty(safe.size, dtype=np.int32)
    for s in sets:
        mask = ~np.bitwise_or.reduce(fields[list(s.keys)], axis=0)
        grouping.group_units(packed[left], mask, table, group, example)
        grouping.find_groups(packed[left], mask, table, example, packed[safe], of_safe)
        found[safe[(of_safe >= 0) & task.may_lose(safe, s)]] = True
    return found


class _Search:
    """One search: what does not change while it runs. In further attempts each record is a unit."""

    def __init__(self, task: Task, sets: Sequence[KeySet], attempt: int | None = None) -> None:
        self.task, self.sets, self.attempt = task, sets, attempt
        self.units = np.flatnonzero(task.must)
        if attempt is not None:
            self.units = np.repeat(self.units, task.count[self.units])
            self.size, self.mass = np.ones(self.units.size, dtype=np.int64), task.each[self.units]
        else:
            self.size, self.mass = task.count[self.units], task.mass[self.units]
        least = -(-task.need // task.each)
        safe = np.flatnonzero((task.count > least) & ~task.must)
        self.safe = safe[np.argsort(-task.count[safe], kind="stable")]
        self.spare, self.lends = (task.count - least)[self.safe], task.each[self.safe]
        packed, fields = bit_fields(task.digits)
        self.masks = [~np.bitwise_or.reduce(fields[list(s.keys)], axis=0) for s in sets]
        self.finder = SlotFinder(packed[self.units], self.mass, packed[self.safe], self.spare * self.lends, task.need)

    def run(self, effort: float, check: Callable[[float], None]) -> Cover:
        """Open classes set by set, then resettle their units."""
        slots, home = self._opened(check)
        if not len(slots):
            return self._cover(slots, home, np.empty((0, 3), dtype=np.int64))
        board, room = self._board(slots, home), self._room()
        longer = _PRICED if len({s.cost / s.cells for s in self.sets if s.cells}) > 1 else 1
        steps = int(effort * (longer * _STEPS + _STEPS_OF_UNIT * self.units.size))
        patience = int(effort * (longer * _PATIENCE + _STEPS_OF_UNIT * self.units.size))
        for done in range(0, steps, _CHUNK):
            check(0.5 + 0.5 * done / steps)
            if resettling.resettle(board, room, min(_CHUNK, steps - done), patience):
                break
        return self._cover(slots, board.units["home"], self._loans(board))

    def _opened(self, check: Callable[[float], None]) -> tuple[Slots, Small]:
        """The slots of all sets, and the home of each unit: the first slot whose waiting units are enough."""
        parts, entries, offset = [], 0, 0
        everybody = np.arange(self.units.size)
        home = np.full(self.units.size, -1, dtype=np.int32)
        for s, mask in enumerate(self.masks):
            check(0.5 * s / len(self.masks))
            waiting = everybody if entries + everybody.size <= _ENTRIES else np.flatnonzero(home < 0)
            waiting = waiting[self.task.may_lose(self.units[waiting], self.sets[s])]
            if waiting.size:
                part = self.finder.slots(s, mask, waiting, self.task.may_lose(self.safe, self.sets[s]))
                kernel.open_full(part.first, part.members, self.mass, self.task.need, offset, home)
                parts.append(part)
                offset, entries = offset + len(part), entries + part.members.size
        return Slots.joined(parts), home

    # -- what the kernels read -------------------------------------------------------------------------

    def _board(self, slots: Slots, home: Small) -> kernel.Board:
        """Units and slots as they are when the first classes are open, and nothing was lent."""
        units, places = np.zeros(self.units.size, kernel.UNIT), np.zeros(len(slots), kernel.SLOT)
        first, slots_of_unit = slots.of_units(self.units.size)
        units["first"], units["last"] = first[:-1], first[1:]
        units["size"], units["mass"], units["home"] = self.size, self.mass, home
        places["first"], places["last"] = slots.first[:-1], slots.first[1:]
        places["lender"], places["last_lender"] = slots.first_lender[:-1], slots.first_lender[1:]
        places["cost"] = np.array([s.cost for s in self.sets])[slots.set_of]
        places["loan"] = places["place"] = -1
        lived = np.flatnonzero(home >= 0)
        for name, amount in (("records", self.size), ("mass", self.mass)):
            places[name] = np.bincount(home[lived], weights=amount[lived], minlength=len(slots))
        safe = np.zeros(self.safe.size, kernel.SAFE)
        safe["spare"], safe["each"] = self.spare, self.lends
        loans = np.zeros(int(min(self.spare.sum(), 2 * self.size.sum() + self._cap**2)), kernel.LOAN)
        loans["free"] = np.arange(loans.size)
        log = np.zeros(64 * self._cap + 4096, kernel.CHANGE)
        at = np.array([self.task.need, 0, loans.size, (self.attempt or 0) << 40])
        return kernel.Board(units, places, slots_of_unit, slots.members, safe, slots.lenders, loans, log, at)

    @property
    def _cap(self) -> int:
        """How many units may be torn at once: those of some classes of the least size."""
        units = self.task.need * self.units.size / max(int(self.mass.sum()), 1)
        return int(np.clip(8 * units, _TORN[0], _TORN[1]))

    def _room(self) -> resettling.Room:
        weighed = np.zeros(self._cap * len(self.sets), resettling.WEIGHED)
        return resettling.Room(np.zeros(self._cap, dtype=np.int64), np.zeros(self._cap, dtype=np.int64), weighed)

    # -- the result ------------------------------------------------------------------------------------

    def _loans(self, board: kernel.Board) -> Ints:
        """What was lent, a row a loan: the slot, the safe key, the records."""
        found = []
        for slot in np.flatnonzero(board.slots["loan"] >= 0).tolist():
            loan = int(board.slots[slot]["loan"])
            while loan >= 0:
                found.append((slot, board.loans[loan]["key"], board.loans[loan]["records"]))
                loan = int(board.loans[loan]["before"])
        return np.array(found, dtype=np.int64).reshape(-1, 3)

    def _cover(self, slots: Slots, home: Small, loans: Ints) -> Cover:
        """Which records of which keys lose which set."""
        lost = np.append([bool(s.keys) for s in self.sets], True)  # the last one: those that are left
        set_of = np.append(slots.set_of, LEFT)
        units = np.flatnonzero(lost[set_of[home]])
        return Cover(
            self.sets,
            np.concatenate([self.units[units], self.safe[loans[:, 1]]]),
            np.concatenate([self.size[units], loans[:, 2]]),
            np.concatenate([set_of[home[units]], set_of[loans[:, 0]]]).astype(np.int64),
        )
