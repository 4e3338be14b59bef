"""Classes torn down and their units settled anew, a few at a time, wherever that costs no more.

One round takes a unit, tears down its class and those of some units that would share a slot with it, and settles all of
them greedily: the slot that costs least for each record first, prices blurred a little. The rounds are drawn
from a fixed sequence, so that the same problem ends the same way.

References
----------
Schrimpf, Schneider, Stamm-Wilbrandt & Dueck (2000), *Record breaking optimization results using the ruin and recreate
principle*, Journal of Computational Physics 159(2), 139-171.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from celosia.kernels._jit import jit, woven
from celosia.kernels.covering import (
    DRAWN,
    LOGGED,
    MOVED,
    NEED,
    borrow,
    borrowed,
    can_spare,
    keep,
    move,
    repay,
    undo,
)
from celosia.kernels.hashing import spread

WEIGHED = np.dtype([("slot", np.int64), ("mass", np.int64), ("size", np.int64)], align=True)
"""A slot that is weighed, what its torn units count for, and their records."""

Room = namedtuple("Room", ["torn", "next", "weighed"])
"""Room for the units that wait to be settled, the next slot of each to be weighed, and the slots that are."""

_BLUR = 0.2
_LOOKS = 12
_FORCED = 8
_TRIES = 20


@woven
def _draw(board, beyond):
    """A number from 0 up to, and without, another."""
    board.at[DRAWN] += 1
    drawn = spread(np.uint64(board.at[DRAWN]) * np.uint64(0x9E3779B97F4A7C15))
    return np.int64(drawn % np.uint64(beyond))


# -- tearing down ----------------------------------------------------------------------------------


@woven
def _tear(board, room, unit, n):
    """A unit leaves its class; returns how many are torn then, or -1 where there is no room."""
    if n == room.torn.size:
        return -1
    move(board, unit, -1)
    room.torn[n] = unit
    return n + 1


@jit
def _tear_down(board, room, slot, n):
    """All units of a class leave it."""
    repay(board, slot)
    for m in range(board.slots[slot].first, board.slots[slot].last):
        unit = board.units_of_slot[m]
        if board.units[unit].home == slot and n >= 0:
            n = _tear(board, room, unit, n)
    return n


@jit
def _tear_around(board, room, slot, n):
    """Tear down what keeps some units of a slot from it; a class that can spare its unit stays."""
    low, many = board.slots[slot].first, board.slots[slot].last - board.slots[slot].first
    at, mass = _draw(board, many), 0
    for _ in range(many):
        unit = board.units_of_slot[low + at]
        at = at + 1 if at + 1 < many else 0
        home = board.units[unit].home
        mass += board.units[unit].mass
        if home >= 0 and not can_spare(board, unit):
            n = _tear_down(board, room, home, n)
        elif home >= 0 or not (room.torn[:n] == unit).any():
            n = _tear(board, room, unit, n)
        if n < 0 or mass >= 2 * board.at[NEED]:
            break
    return n


@jit
def _tear_some(board, room, unit):
    """Tear down the class of a unit and what is around it.

    Returns how many units are torn, or -1, and the slot around which the last ones were.
    """
    one, slot = board.units[unit], -1
    if one.first == one.last:
        return -1, slot
    below = board.slots[one.home].cost if one.home >= 0 else np.inf
    n = _tear_down(board, room, one.home, 0) if one.home >= 0 else _tear(board, room, unit, 0)
    for _ in range(1 + _draw(board, 2)):
        if n < 0:
            break
        other = board.units[room.torn[_draw(board, n)]]
        some = 0
        while other.first + some < other.last and board.slots[board.slots_of_unit[other.first + some]].cost <= below:
            some += 1
        if some > 0:
            slot = board.slots_of_unit[other.first + _draw(board, some)]
            n = _tear_around(board, room, slot, n)
    return n, slot


@jit
def _spent(board, dear):
    """What the classes torn down cost, from the log."""
    total = 0.0
    for e in range(board.at[LOGGED]):
        change = board.log[e]
        if change.kind == MOVED:
            cost = board.slots[change.before].cost if change.before >= 0 else dear
            total += board.units[change.what].size * cost
        else:
            loan = change.before
            while loan >= 0:
                total += board.loans[loan].records * board.slots[change.what].cost
                loan = board.loans[loan].before
    return total


# -- settling --------------------------------------------------------------------------------------


@woven
def _next_cost(board, room, n):
    """The least cost of a slot of the torn units that is not weighed yet; infinity where all are."""
    cost = np.inf
    for i in range(n):
        if room.next[i] < board.units[room.torn[i]].last:
            cost = min(cost, board.slots[board.slots_of_unit[room.next[i]]].cost)
    return cost


@jit
def _weigh_slots(board, room, n, weighed, cost):
    """Weigh the slots of the torn units that cost so much; returns how many are weighed then."""
    for i in range(n):
        one = board.units[room.torn[i]]
        while room.next[i] < one.last and board.slots[board.slots_of_unit[room.next[i]]].cost <= cost:
            slot = board.slots_of_unit[room.next[i]]
            at = board.slots[slot].place
            if at < 0:
                at = weighed
                weighed += 1
                board.slots[slot].place = at
                room.weighed[at].slot, room.weighed[at].mass, room.weighed[at].size = slot, 0, 0
            room.weighed[at].mass += one.mass
            room.weighed[at].size += one.size
            room.next[i] += 1
    return weighed


@woven
def _extra(board, slot, mass):
    """What filling a slot up to the need costs beside its waiting units, or infinity where there is not enough.

    Of the units that other classes could spare only some are looked at.
    """
    cost, extra = board.slots[slot].cost, 0.0
    low, many = board.slots[slot].first, board.slots[slot].last - board.slots[slot].first
    at = _draw(board, many)
    for _ in range(min(many, _LOOKS)):
        unit = board.units_of_slot[low + at]
        at = at + 1 if at + 1 < many else 0
        if can_spare(board, unit):
            mass += board.units[unit].mass
            extra += board.units[unit].size * (cost - board.slots[board.units[unit].home].cost)
            if mass >= board.at[NEED]:
                break
    if mass < board.at[NEED]:
        records = borrowed(board, slot, board.at[NEED] - mass)
        extra = extra + records * cost if records >= 0 else np.inf
    return extra


@jit
def _cheapest(board, room, n, weighed):
    """Where the slot stands that costs least for each waiting record, the larger first; -1 where none will do.

    Dearer slots are weighed when it comes to them; returns how many are weighed then.
    """
    best, chosen, seen = np.inf, -1, 0
    while True:
        for filling in range(2):
            for at in range(seen, weighed):
                one = room.weighed[at]
                price = board.slots[one.slot].cost
                if price >= best:
                    break
                short = one.mass < board.at[NEED] and board.slots[one.slot].mass == 0
                if one.mass <= 0 or short != (filling == 1):
                    continue
                if short:
                    if price * board.at[NEED] >= best * one.mass:
                        continue
                    price += _extra(board, one.slot, one.mass) / one.size
                    if price >= best:
                        continue
                price = price * (1.0 + _BLUR * _draw(board, 1024) / 1024) - 1e-9 * one.mass
                if price < best:
                    best, chosen = price, at
        cost = _next_cost(board, room, n)
        if cost >= best or cost == np.inf:
            return chosen, weighed
        seen = weighed
        weighed = _weigh_slots(board, room, n, weighed, cost)


@jit
def _fill(board, slot):
    """Bring a class to the need: units that others can spare, then records that are lent. Returns what that costs."""
    cost, extra = board.slots[slot].cost, 0.0
    for m in range(board.slots[slot].first, board.slots[slot].last):
        if board.slots[slot].mass >= board.at[NEED]:
            break
        unit = board.units_of_slot[m]
        home = board.units[unit].home
        if home != slot and can_spare(board, unit) and board.at[LOGGED] + 8 < board.log.size:
            extra += board.units[unit].size * (cost - board.slots[home].cost)
            move(board, unit, slot)
    if board.slots[slot].mass < board.at[NEED]:
        before = board.slots[slot].records
        if borrowed(board, slot, board.at[NEED] - board.slots[slot].mass) < 0:
            return np.inf
        borrow(board, slot)
        extra += cost * (board.slots[slot].records - before)
    return extra


@jit
def _settle_in(board, room, n, at):
    """The torn units of a weighed slot get it for a home; the others move up. Returns how many are left, and cost."""
    slot, left, cost = room.weighed[at].slot, 0, 0.0
    for i in range(n):
        unit = room.torn[i]
        one = board.units[unit]
        mine = False
        for a in range(one.first, room.next[i]):
            mine |= board.slots_of_unit[a] == slot
        if not mine:
            room.torn[left], room.next[left] = unit, room.next[i]
            left += 1
            continue
        move(board, unit, slot)
        cost += one.size * board.slots[slot].cost
        for a in range(one.first, room.next[i]):
            there = board.slots[board.slots_of_unit[a]].place
            room.weighed[there].mass -= one.mass
            room.weighed[there].size -= one.size
    return left, cost


@jit
def _settle(board, room, n, first, spent, dear):
    """Settle the torn units, those of one slot first if one is given (not -1).

    Returns what that costs, at least until it costs more than was spent, and the steps.
    """
    cost, weighed, steps = 0.0, 0, 0
    for i in range(n):
        room.next[i] = board.units[room.torn[i]].first
    while n > 0 and cost <= spent:
        if first >= 0:
            weighed = _weigh_slots(board, room, n, weighed, board.slots[first].cost)
            at, first = board.slots[first].place, -1
        else:
            at, weighed = _cheapest(board, room, n, weighed)
        steps += weighed + 20
        if at < 0:
            break
        slot = room.weighed[at].slot
        n, more = _settle_in(board, room, n, at)
        cost += more
        if board.slots[slot].mass < board.at[NEED]:
            cost += _fill(board, slot)
    for i in range(n):
        cost += dear * board.units[room.torn[i]].size
    for at in range(weighed):
        board.slots[room.weighed[at].slot].place = -1
    return cost, steps


@jit
def _round(board, room, unit, dear):
    """Tear down the class of a unit, and more, and settle them anew; returns what is gained, and the steps it took."""
    first = board.units[unit].home < 0 or _draw(board, _FORCED) == 0
    n, slot = _tear_some(board, room, unit)
    spent = _spent(board, dear)
    cost, steps = _settle(board, room, n, slot if first else -1, spent, dear) if n > 0 else (np.inf, 0)
    if cost > spent * (1 + 1e-12):
        undo(board)
        return 0.0, steps
    keep(board)
    return spent - cost, steps


@jit
def resettle(board, room, steps, patience):
    """Rounds for so many steps, those that wait first; true where nothing was gained for the last ``patience`` steps.

    A unit that waits costs far more than any with a home.
    """
    least, dear, quiet = np.inf, 0.0, 0
    for slot in range(board.slots.size):
        least, dear = min(least, board.slots[slot].cost), max(dear, board.slots[slot].cost)
    dear *= 1000.0
    for unit in range(board.units.size):
        for _ in range(_TRIES):
            if board.units[unit].home < 0 and steps > 0:
                steps -= 100 + _round(board, room, unit, dear)[1]
    while steps > 0 and quiet < patience:
        unit = _draw(board, board.units.size)
        for _ in range(8):
            home = board.units[unit].home
            if home < 0 or board.slots[home].cost > least or board.slots[home].loan >= 0:
                break
            unit = _draw(board, board.units.size)
        gained, done = _round(board, room, unit, dear)
        steps -= done + 100
        quiet = 0 if gained > 0 else quiet + done + 100
    return quiet >= patience
