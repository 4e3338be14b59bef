"""Covering violators where an emptied cell may be anything: which records lose which keys.

Two records *match* where they agree on every variable that both show. Each violating record ``i`` shows all but a set
of variables, its *pattern*; emptying more of them makes it match more records, and more records match it. ``mass[i]``
is what it counts for in the others, and every violator must reach ``need``.

``Problem`` does not change; ``State`` does. A *row* is a set of variables U as a bit mask, and a *slot* is a pair (row,
what a violator shows on the other variables): its violators are ``members[first[slot]:first[slot + 1]]``, and
``within[slot]`` is the mass of all records that match it as they came.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from celosia.kernels._jit import jit

Problem = namedtuple(
    "Problem",
    [
        "need",
        "digits",  # [violator, variable]; 0 where missing from the start
        "mass",  # of each violator
        "start",  # of each violator: the bits it never showed
        "bits",  # of each set that may be emptied, by ascending cost
        "cost",
        "rows",  # the bits of each row, ascending
        "slot_of",  # [row, violator] -> slot
        "first",
        "members",
        "within",
        "full",  # the bits of a record that shows nothing, which nobody may come to; -1 where that does no harm
    ],
)
State = namedtuple(
    "State",
    [
        "set_of",  # violator -> set it loses, or -1
        "shown",  # violator -> bits that it does not show
        "reach",  # violator -> mass that matches it
        "pattern",  # violator -> number of its bits among the patterns
        "patterns",  # the bits of each pattern
        "many",  # violators of each pattern
        "head",  # pattern -> one of its violators, or -1
        "after",  # violator -> the next of its pattern, or -1
        "before",
        "active",  # the patterns that have violators
        "at",  # how many active patterns there are
        "found",  # room for a list of violators
    ],
)


@jit
def row_of(problem, bits):
    """The row of a set of variables, or -1."""
    low, high = 0, problem.rows.size
    while low < high:
        middle = (low + high) // 2
        if problem.rows[middle] < bits:
            low = middle + 1
        else:
            high = middle
    if low < problem.rows.size and problem.rows[low] == bits:
        return low
    return -1


@jit
def _differ(problem, i, j):
    """The variables on which two violators are not the same."""
    bits = np.int64(0)
    for v in range(problem.digits.shape[1]):
        if problem.digits[i, v] != problem.digits[j, v]:
            bits |= np.int64(1) << v
    return bits


@jit
def _place(state, bits):
    """The number of a pattern."""
    low, high = 0, state.patterns.size
    while low < high:
        middle = (low + high) // 2
        if state.patterns[middle] < bits:
            low = middle + 1
        else:
            high = middle
    return low


@jit
def enlist_all(state):
    """Put every violator in the list of its pattern."""
    for i in range(state.shown.size):
        _enlist(state, i)


@jit
def _enlist(state, i):
    """Put a violator in the list of its pattern."""
    p = _place(state, state.shown[i])
    state.pattern[i] = p
    if state.many[p] == 0:
        state.active[state.at[0]] = p
        state.at[0] += 1
    state.many[p] += 1
    state.before[i], state.after[i] = -1, state.head[p]
    if state.head[p] >= 0:
        state.before[state.head[p]] = i
    state.head[p] = i


@jit
def _delist(state, i):
    p = state.pattern[i]
    if state.before[i] >= 0:
        state.after[state.before[i]] = state.after[i]
    else:
        state.head[p] = state.after[i]
    if state.after[i] >= 0:
        state.before[state.after[i]] = state.before[i]
    state.many[p] -= 1
    if state.many[p] == 0:
        for a in range(state.at[0]):
            if state.active[a] == p:
                state.at[0] -= 1
                state.active[a] = state.active[state.at[0]]
                break


@jit
def _matches(problem, state, i, bits):
    """List the other violators that match one if it does not show ``bits``; returns how many there are."""
    n = 0
    row = row_of(problem, bits)
    if row >= 0:
        slot = problem.slot_of[row, i]
        for at in range(problem.first[slot], problem.first[slot + 1]):
            j = problem.members[at]
            if j != i and state.shown[j] & ~bits == 0:
                state.found[n] = j
                n += 1
    for a in range(state.at[0]):
        p = state.active[a]
        theirs = state.patterns[p]
        if row >= 0 and theirs & ~bits == 0:
            continue
        union = row_of(problem, bits | theirs)
        if union >= 0:
            slot = problem.slot_of[union, i]
            if problem.first[slot + 1] - problem.first[slot] <= 4 * state.many[p]:
                for at in range(problem.first[slot], problem.first[slot + 1]):
                    j = problem.members[at]
                    if j != i and state.pattern[j] == p:
                        state.found[n] = j
                        n += 1
                continue
        j = state.head[p]
        while j >= 0:
            if j != i and _differ(problem, i, j) & ~(bits | theirs) == 0:
                state.found[n] = j
                n += 1
            j = state.after[j]
    return n


@jit
def _static(problem, i, bits):
    """The mass that would match a violator if nobody else lost anything; -1 where that was not counted."""
    row = row_of(problem, bits)
    return problem.within[problem.slot_of[row, i]] if row >= 0 else np.int64(-1)


@jit
def _reach(problem, state, i, bits, n):
    """The mass that matches a violator that does not show ``bits``; its ``n`` matches are listed."""
    total = _static(problem, i, bits)
    for a in range(n):
        j = state.found[a]
        if state.shown[j] != problem.start[j] and _differ(problem, i, j) & ~(bits | problem.start[j]) != 0:
            total += problem.mass[j]
    return total


@jit
def _bits(problem, i, s):
    """What a violator does not show if it loses a set."""
    return problem.start[i] | problem.bits[s] if s >= 0 else problem.start[i]


@jit
def may_lose(problem, i, s):
    """Whether a set holds something that the violator shows, and leaves something of it."""
    if problem.bits[s] & ~problem.start[i] == 0 or _bits(problem, i, s) == problem.full:
        return False
    return row_of(problem, _bits(problem, i, s)) >= 0


@jit
def _change(problem, state, i, s):
    """A violator loses another set (-1: none); nobody's reach is brought up to date."""
    _delist(state, i)
    state.set_of[i] = s
    state.shown[i] = _bits(problem, i, s)
    _enlist(state, i)


@jit
def _move(problem, state, i, s):
    """A violator loses another set, and every reach follows."""
    old, new = state.shown[i], _bits(problem, i, s)
    n = _matches(problem, state, i, old)
    for a in range(n):
        j = state.found[a]
        if _differ(problem, i, j) & ~(new | state.shown[j]) != 0:
            state.reach[j] -= problem.mass[i]
    n = _matches(problem, state, i, new)
    state.reach[i] = _reach(problem, state, i, new, n)
    for a in range(n):
        j = state.found[a]
        if _differ(problem, i, j) & ~(old | state.shown[j]) != 0:
            state.reach[j] += problem.mass[i]
    _change(problem, state, i, s)


@jit
def count_reach(problem, state):
    """The reach of every violator, from the beginning."""
    for i in range(state.reach.size):
        n = _matches(problem, state, i, state.shown[i])
        state.reach[i] = _reach(problem, state, i, state.shown[i], n)


# -- every violator loses something ------------------------------------------------------------------


@jit
def treat_each(problem, state, low, high):
    """Every violator that lost nothing yet loses a set among low..high with which it reaches the need.

    All these cost the same: the one that matches most is taken. Returns how many found one.
    """
    done = 0
    for i in range(state.set_of.size):
        if state.set_of[i] >= 0:
            continue
        best, best_set = problem.need - 1, -1
        for s in range(low, high):
            if not may_lose(problem, i, s):
                continue
            bits = _bits(problem, i, s)
            reach = _static(problem, i, bits)
            if reach < problem.need:
                reach = _reach(problem, state, i, bits, _matches(problem, state, i, bits))
            if reach > best:
                best, best_set = reach, s
        if best_set >= 0:
            _change(problem, state, i, best_set)
            done += 1
    return done


# -- some lose, and cover the others -----------------------------------------------------------------


@jit
def _sift_up(keys, items, n):
    while n > 0:
        up = (n - 1) // 2
        if keys[up] <= keys[n]:
            break
        keys[up], keys[n] = keys[n], keys[up]
        items[up], items[n] = items[n], items[up]
        n = up


@jit
def _sift_down(keys, items, n):
    i = 0
    while True:
        least = i
        for child in (2 * i + 1, 2 * i + 2):
            if child < n and keys[child] < keys[least]:
                least = child
        if least == i:
            return
        keys[least], keys[i] = keys[i], keys[least]
        items[least], items[i] = items[i], items[least]
        i = least


@jit
def _lacking(problem, state, i):
    return max(problem.need - state.reach[i], 0)


@jit
def _gain(problem, state, i, s):
    """What the violators lack less if one of them loses a set instead of what it loses now."""
    old, new = state.shown[i], _bits(problem, i, s)
    n = _matches(problem, state, i, new)
    own = min(_lacking(problem, state, i), max(_reach(problem, state, i, new, n) - state.reach[i], 0))
    for a in range(n):
        j = state.found[a]
        lacking = _lacking(problem, state, j)
        if lacking > 0 and _differ(problem, i, j) & ~(old | state.shown[j]) != 0:
            own += min(lacking, problem.mass[i])
    return own


@jit
def cover_some(problem, state, low, high, lacking_of, keys, items):
    """Let those lose a set whose loss covers most of what is lacking for its cost, until nobody lacks anything.

    ``lacking_of[slot]`` bounds what emptying can gain. Only sets low..high are tried.
    """
    n, sets = 0, np.int64(problem.bits.size)
    for i in range(state.set_of.size):
        if state.set_of[i] >= 0:
            continue
        for s in range(low, high):
            if may_lose(problem, i, s):
                slot = problem.slot_of[row_of(problem, _bits(problem, i, s)), i]
                if lacking_of[slot] > 0:
                    keys[n] = problem.cost[s] / lacking_of[slot]
                    items[n] = i * sets + s
                    _sift_up(keys, items, n)
                    n += 1
    while n > 0:
        item, old = items[0], keys[0]
        n -= 1
        keys[0], items[0] = keys[n], items[n]
        _sift_down(keys, items, n)
        i, s = item // sets, item % sets
        if state.set_of[i] >= 0:
            continue
        gain = _gain(problem, state, i, s)
        if gain <= 0:
            continue
        price = problem.cost[s] / gain
        if price > old * (1 + 1e-12) and n > 0 and price > keys[0]:
            keys[n], items[n] = price, item
            _sift_up(keys, items, n)
            n += 1
            continue
        _move(problem, state, i, s)
    return n


# -- improvement -------------------------------------------------------------------------------------


@jit
def _may_change(problem, state, i, s):
    """Whether nobody falls below the need if a violator loses another set than now."""
    new = _bits(problem, i, s)
    if _reach(problem, state, i, new, _matches(problem, state, i, new)) < problem.need:
        return False
    n = _matches(problem, state, i, state.shown[i])
    for a in range(n):
        j = state.found[a]
        if state.reach[j] - problem.mass[i] < problem.need and _differ(problem, i, j) & ~(new | state.shown[j]) != 0:
            return False
    return True


@jit
def give_back(problem, state, order, spare):
    """Every violator in turn loses the cheapest set that will do, or nothing where ``spare``; returns the gain."""
    gained = 0.0
    for a in range(order.size):
        i = order[a]
        s = state.set_of[i]
        if s < 0:
            continue
        if spare and _may_change(problem, state, i, -1):
            gained += problem.cost[s]
            _move(problem, state, i, -1)
            continue
        for cheaper in range(s):
            if problem.cost[cheaper] >= problem.cost[s] - 1e-12:
                break
            if may_lose(problem, i, cheaper) and _may_change(problem, state, i, cheaper):
                gained += problem.cost[s] - problem.cost[cheaper]
                _move(problem, state, i, cheaper)
                break
    return gained
