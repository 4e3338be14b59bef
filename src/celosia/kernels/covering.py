"""Covering violators by classes: which keys to empty so that every record shares its key with k - 1 others.

A *unit* is a distinct key with less than it needs. Emptying a set of keys S makes units equal that agree on the other
keys; they form a *class*, whose mass must reach the need: k where each record counts one. A class may *borrow* records
from safe keys that keep what they need.
``cover`` builds classes greedily, from the cheapest for each unit it protects; ``improve`` tears classes down and
places their units anew wherever that is cheaper, and keeps what is gained.

``Problem`` does not change; ``State`` does. A *slot* is a pair (set of keys, what the units show on the others).
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.hashing import masked_equal, masked_place

Problem = namedtuple(
    "Problem",
    [
        "need",
        "cost",  # of each set of keys, for one record; ascending
        "slot_of",  # [set, unit] -> slot
        "set_of",  # slot -> set
        "first",  # slot -> its units are members[first[slot]:first[slot + 1]]
        "members",
        "first_lender",  # slot -> its safe keys are lenders[first_lender[slot]:first_lender[slot + 1]]
        "lenders",
        "size",  # records of each unit
        "mass",  # what these count for
        "spare",  # records that each safe key can lend
        "lends",  # what one of these counts for
    ],
)
State = namedtuple(
    "State",
    [
        "class_of",  # unit -> class, or -1
        "class_at",  # slot -> class, or -1
        "slot",  # class -> slot
        "records",  # class -> records, borrowed ones included
        "mass",  # class -> what these count for
        "loan",  # class -> its last loan, or -1
        "lent",  # safe key -> records lent
        "loan_key",  # loan -> safe key
        "loan_size",
        "loan_next",  # loan -> the one before it in the same class, or -1
        "log",  # what to undo: (kind, what, before)
        "at",  # how many classes, loans, log entries there are
    ],
)
CLASSES, LOANS, LOGGED = 0, 1, 2
_MOVED, _OPENED, _CLOSED, _BORROWED, _REPAID = 0, 1, 2, 3, 4


@jit
def group_units(packed, mask, table, group, example):
    """Number the units by what they show under a mask; returns how many groups there are."""
    size = table.size
    table[:] = -1
    found = 0
    for i in range(packed.shape[0]):
        place = masked_place(packed, i, mask, size)
        while table[place] >= 0 and not masked_equal(packed, example[table[place]], packed, i, mask):
            place = (place + 1) & (size - 1)
        if table[place] < 0:
            table[place] = found
            example[found] = i
            found += 1
        group[i] = table[place]
    return found


@jit
def find_groups(packed, mask, table, example, asked, group):
    """The group of units that each other key would join under the mask, or -1; after ``group_units``."""
    size = table.size
    for j in range(asked.shape[0]):
        place = masked_place(asked, j, mask, size)
        group[j] = -1
        while table[place] >= 0:
            if masked_equal(packed, example[table[place]], asked, j, mask):
                group[j] = table[place]
                break
            place = (place + 1) & (size - 1)


@jit
def sort_by_group(group, first, order):
    """Positions in the order of their group (those below zero left out); ``first`` has one place more than groups."""
    first[:] = 0
    for i in range(group.size):
        if group[i] >= 0:
            first[group[i] + 1] += 1
    for g in range(first.size - 1):
        first[g + 1] += first[g]
    at = first[:-1].copy()
    for i in range(group.size):
        if group[i] >= 0:
            order[at[group[i]]] = i
            at[group[i]] += 1


# -- changes of the state, each of which can be undone ---------------------------------------------


@jit
def _note(state, kind, what, before):
    n = state.at[LOGGED]
    state.log[n, 0], state.log[n, 1], state.log[n, 2] = kind, what, before
    state.at[LOGGED] = n + 1


@jit
def _join(problem, state, unit, target, sign):
    if target >= 0:
        state.records[target] += sign * problem.size[unit]
        state.mass[target] += sign * problem.mass[unit]


@jit
def _lend(problem, state, target, key, some):
    """Some records of a safe key (fewer than none to give them back) count in a class."""
    state.lent[key] += some
    state.records[target] += some
    state.mass[target] += some * problem.lends[key]


@jit
def _move(problem, state, unit, target):
    before = state.class_of[unit]
    _note(state, _MOVED, unit, before)
    _join(problem, state, unit, before, -1)
    state.class_of[unit] = target
    _join(problem, state, unit, target, 1)


@jit
def _open(state, slot):
    new = state.at[CLASSES]
    state.at[CLASSES] = new + 1
    state.slot[new], state.records[new], state.mass[new], state.loan[new] = slot, 0, 0, -1
    state.class_at[slot] = new
    _note(state, _OPENED, new, -1)
    return new


@jit
def _loan(problem, state, key, need):
    """The records that a safe key lends to one that needs so much."""
    return min(-(-need // problem.lends[key]), problem.spare[key] - state.lent[key])


@jit
def _borrow(problem, state, target):
    """Fill a class up to the need from its lenders; there must be enough of them."""
    slot = state.slot[target]
    i = problem.first_lender[slot]
    while state.mass[target] < problem.need:
        key = problem.lenders[i]
        i += 1
        some = _loan(problem, state, key, problem.need - state.mass[target])
        if some > 0:
            loan = state.at[LOANS]
            state.at[LOANS] = loan + 1
            state.loan_key[loan], state.loan_size[loan] = key, some
            state.loan_next[loan] = state.loan[target]
            state.loan[target] = loan
            _lend(problem, state, target, key, some)
            _note(state, _BORROWED, loan, target)


@jit
def _repay(problem, state, target):
    """Give every borrowed record of a class back."""
    _note(state, _REPAID, target, state.loan[target])
    loan = state.loan[target]
    while loan >= 0:
        _lend(problem, state, target, state.loan_key[loan], -state.loan_size[loan])
        loan = state.loan_next[loan]
    state.loan[target] = -1


@jit
def _undo(problem, state):
    while state.at[LOGGED] > 0:
        n = state.at[LOGGED] - 1
        state.at[LOGGED] = n
        kind, what, before = state.log[n, 0], state.log[n, 1], state.log[n, 2]
        if kind == _MOVED:
            _join(problem, state, what, state.class_of[what], -1)
            state.class_of[what] = before
            _join(problem, state, what, before, 1)
        elif kind == _OPENED:
            state.class_at[state.slot[what]] = -1
            state.at[CLASSES] = what
        elif kind == _CLOSED:
            state.class_at[state.slot[what]] = what
        elif kind == _BORROWED:
            state.loan[before] = state.loan_next[what]
            _lend(problem, state, before, state.loan_key[what], -state.loan_size[what])
            state.at[LOANS] = what
        else:
            state.loan[what] = before
            loan = before
            while loan >= 0:
                _lend(problem, state, what, state.loan_key[loan], state.loan_size[loan])
                loan = state.loan_next[loan]


# -- greedy covering -------------------------------------------------------------------------------


@jit
def _borrowed(problem, state, slot, need):
    """How many records a slot's lenders would lend to make up what is needed, or -1 where they cannot."""
    records = 0
    for i in range(problem.first_lender[slot], problem.first_lender[slot + 1]):
        if need <= 0:
            break
        key = problem.lenders[i]
        some = _loan(problem, state, key, need)
        records += some
        need -= some * problem.lends[key]
    return records if need <= 0 else -1


@jit
def _sift_up(keys, slots, n):
    while n > 0:
        up = (n - 1) // 2
        if keys[up] <= keys[n]:
            break
        keys[up], keys[n] = keys[n], keys[up]
        slots[up], slots[n] = slots[n], slots[up]
        n = up


@jit
def _sift_down(keys, slots, n):
    i = 0
    while True:
        least = i
        for child in (2 * i + 1, 2 * i + 2):
            if child < n and keys[child] < keys[least]:
                least = child
        if least == i:
            return
        keys[least], keys[i] = keys[i], keys[least]
        slots[least], slots[i] = slots[i], slots[least]
        i = least


@jit
def _price(cost, waiting, need):
    """What protecting one waiting record costs, borrowed ones included; of equal prices the larger group first."""
    return cost * max(waiting, need) / waiting - waiting * 1e-10


@jit
def push_slots(problem, waiting, heap_keys, heap_slots, n, low, high):
    """Put the slots low..high that hold waiting units on the heap; returns its size."""
    for slot in range(low, high):
        if waiting[slot - low] > 0:
            heap_keys[n] = _price(problem.cost[problem.set_of[slot]], waiting[slot - low], problem.need)
            heap_slots[n] = slot
            _sift_up(heap_keys, heap_slots, n)
            n += 1
    return n


@jit
def cover(problem, state, heap_keys, heap_slots, n, limit):
    """Open classes from the cheapest slot on while its price is below the limit; returns the size of the heap."""
    need = problem.need
    while n > 0 and heap_keys[0] < limit:
        slot, old = heap_slots[0], heap_keys[0]
        n -= 1
        heap_keys[0], heap_slots[0] = heap_keys[n], heap_slots[n]
        _sift_down(heap_keys, heap_slots, n)
        waiting = 0
        for i in range(problem.first[slot], problem.first[slot + 1]):
            if state.class_of[problem.members[i]] < 0:
                waiting += problem.mass[problem.members[i]]
        if waiting == 0 or _borrowed(problem, state, slot, need - waiting) < 0:
            continue
        price = _price(problem.cost[problem.set_of[slot]], waiting, need)
        if price > old + 1e-13:
            heap_keys[n], heap_slots[n] = price, slot
            _sift_up(heap_keys, heap_slots, n)
            n += 1
            continue
        new = _open(state, slot)
        for i in range(problem.first[slot], problem.first[slot + 1]):
            if state.class_of[problem.members[i]] < 0:
                _move(problem, state, problem.members[i], new)
        _borrow(problem, state, new)
        state.at[LOGGED] = 0
    return n


# -- improvement -----------------------------------------------------------------------------------


@jit
def _cost_of(problem, state, class_):
    return problem.cost[problem.set_of[state.slot[class_]]]


@jit
def _recruit(problem, state, unit, slot, new, taken):
    """Bring a slot's class to the need for a unit: waiting units first, then what other classes can spare.

    With ``new`` < 0 nothing changes. Returns the cost of it, or infinity where there is not enough.
    """
    need, cost = problem.need, problem.cost[problem.set_of[slot]]
    have, delta, chosen = problem.mass[unit], cost * problem.size[unit], 0
    for i in range(problem.first[slot], problem.first[slot + 1]):
        other = problem.members[i]
        if other != unit and state.class_of[other] < 0:
            have += problem.mass[other]
            if new >= 0:
                delta += cost * problem.size[other]
                _move(problem, state, other, new)
    for sweep in range(2):
        if have >= need:
            break
        for i in range(problem.first[slot], problem.first[slot + 1]):
            if have >= need or chosen == taken.shape[0]:
                break
            other = problem.members[i]
            home = state.class_of[other]
            if other == unit or home < 0 or home == new:
                continue
            saved = _cost_of(problem, state, home) - cost
            if (saved >= 0) != (sweep == 0):
                continue
            left = state.mass[home] - problem.mass[other]
            if new < 0:
                for t in range(chosen):
                    if taken[t, 1] == home:
                        left -= problem.mass[taken[t, 0]]
            if left >= need:
                have += problem.mass[other]
                delta -= saved * problem.size[other]
                if new >= 0:
                    _move(problem, state, other, new)
                else:
                    taken[chosen, 0], taken[chosen, 1] = other, home
                    chosen += 1
    if have < need:
        records = _borrowed(problem, state, slot, need - have)
        if records < 0:
            return np.inf
        delta += cost * records
        if new >= 0:
            _borrow(problem, state, new)
    return delta


@jit
def _settle(problem, state, unit, closed, below, taken):
    """Put a waiting unit where it is cheapest: into a class that is there, or into a new one.

    Only sets cheaper than ``below`` are tried, and not the class ``closed``. Returns the cost, or infinity.
    """
    best, best_slot, size = np.inf, -1, problem.size[unit]
    for s in range(problem.cost.size):
        cost = problem.cost[s]
        if cost >= below or cost * size >= best:
            break
        slot = problem.slot_of[s, unit]
        there = state.class_at[slot]
        if there >= 0:
            price = cost * size if there != closed else np.inf
        else:
            price = _recruit(problem, state, unit, slot, -1, taken)
        if price < best:
            best, best_slot = price, slot
    if best_slot < 0:
        return np.inf
    there = state.class_at[best_slot]
    if there >= 0:
        _move(problem, state, unit, there)
        return best
    new = _open(state, best_slot)
    _move(problem, state, unit, new)
    return _recruit(problem, state, unit, best_slot, new, taken)


@jit
def _relocate(problem, state, unit, taken):
    """Move one unit out of a class that can spare it, if that is cheaper; returns what is gained."""
    home = state.class_of[unit]
    size, cost = problem.size[unit], _cost_of(problem, state, home)
    if state.mass[home] - problem.mass[unit] < problem.need:
        return 0.0
    _move(problem, state, unit, -1)
    price = _settle(problem, state, unit, home, cost, taken)
    if price < size * cost - 1e-9:
        return size * cost - price
    _undo(problem, state)
    return 0.0


@jit
def _dissolve(problem, state, old, units, taken, room):
    """Tear a class down and place its units anew, if that is cheaper; returns what is gained."""
    spent = state.records[old] * _cost_of(problem, state, old)
    _repay(problem, state, old)
    _note(state, _CLOSED, old, -1)
    state.class_at[state.slot[old]] = -1
    for i in range(units.size):
        if state.class_of[units[i]] == old:
            _move(problem, state, units[i], -1)
    price = 0.0 if state.records[old] == 0 else np.inf  # somebody joined since the pass began: next pass
    if price >= spent:
        _undo(problem, state)
        return 0.0
    for i in range(units.size):
        if state.class_of[units[i]] < 0:
            if state.log.shape[0] - state.at[LOGGED] < units.size + room:
                price = np.inf  # no place to note more: leave the class as it was
            else:
                price += _settle(problem, state, units[i], -1, np.inf, taken)
            if price >= spent - 1e-9:
                _undo(problem, state)
                return 0.0
    return spent - price


@jit
def settle_waiting(problem, state, taken, room):
    """Put the units that still wait where it is cheapest, with units that other classes can spare."""
    for unit in range(state.class_of.size):
        if state.class_of[unit] >= 0:
            continue
        if state.at[CLASSES] > state.slot.size - room or state.at[LOANS] > state.loan_key.size - room:
            break
        _settle(problem, state, unit, -1, np.inf, taken)
        state.at[LOGGED] = 0


@jit
def improve(problem, state, classes, first, units, taken, room):
    """One pass over the classes, the dearest first; returns what was gained.

    ``units[first[c]:first[c + 1]]`` were the units of ``classes[c]`` when the pass began. The pass ends early where
    the state's arrays have no ``room`` left for one more change.
    """
    gained, cheapest = 0.0, problem.cost[0]
    for c in range(classes.size):
        own = units[first[c] : first[c + 1]]
        for i in range(own.size):
            if state.class_of[own[i]] == classes[c]:
                gained += _relocate(problem, state, own[i], taken)
                state.at[LOGGED] = 0
        dear = _cost_of(problem, state, classes[c]) > cheapest or state.loan[classes[c]] >= 0
        if state.records[classes[c]] > 0 and dear:
            gained += _dissolve(problem, state, classes[c], own, taken, room)
            state.at[LOGGED] = 0
        if state.at[CLASSES] > state.slot.size - room or state.at[LOANS] > state.loan_key.size - room:
            break
    return gained
