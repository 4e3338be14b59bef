"""Classes of violators: how they are opened, filled up and taken back.

A *unit* is a distinct key with less than it needs. Emptying a set of keys makes the units of a *slot* equal; those of
them whose *home* it is form a class, whose mass must come to the need: k where each record counts one. A class may
*borrow* records from safe keys that keep what they need. Every change is noted, so that it can be undone.

All there is lies on a ``Board``, a row a thing, so that what is looked at together lies together.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from celosia.kernels._jit import jit, woven

UNIT = np.dtype(
    [
        ("first", np.int32),  # its slots are slots_of_unit[first:last], the cheapest first
        ("last", np.int32),
        ("mass", np.int64),  # what its records count for
        ("size", np.int32),  # its records
        ("home", np.int32),  # the slot of its class, or -1
    ],
    align=True,
)
SLOT = np.dtype(
    [
        ("first", np.int32),  # its units are units_of_slot[first:last]
        ("last", np.int32),
        ("cost", np.float64),  # of what is emptied, for one record
        ("mass", np.int64),  # what the records of its class count for
        ("records", np.int32),  # of its class, those that are lent included
        ("lender", np.int32),  # its safe keys are lenders[lender:last_lender]
        ("last_lender", np.int32),
        ("loan", np.int32),  # the last one of its class, or -1
        ("place", np.int32),  # where it stands among the slots that are weighed, or -1
    ],
    align=True,
)
SAFE = np.dtype([("spare", np.int64), ("each", np.int64)], align=True)
"""A safe key: the records that it can still lend, and what one of these counts for."""

LOAN = np.dtype([("records", np.int64), ("key", np.int32), ("before", np.int32), ("free", np.int32)], align=True)
"""Records of a safe key in a class, the loan before it; ``free`` lists the loans that are not in use."""

CHANGE = np.dtype([("kind", np.int32), ("what", np.int32), ("before", np.int32)], align=True)

Board = namedtuple(
    "Board",
    ["units", "slots", "slots_of_unit", "units_of_slot", "safe", "lenders", "loans", "log", "at"],
)
NEED, LOGGED, FREE, DRAWN = 0, 1, 2, 3
"""Places in ``at``: the need, how many changes are noted and loans are free, how many numbers were drawn."""

MOVED, BORROWED, REPAID = 0, 1, 2


@woven
def _note(board, kind, what, before):
    change = board.log[board.at[LOGGED]]
    change.kind, change.what, change.before = kind, what, before
    board.at[LOGGED] += 1


@woven
def _settle(board, unit, slot):
    one = board.units[unit]
    if one.home >= 0:
        board.slots[one.home].records -= one.size
        board.slots[one.home].mass -= one.mass
    one.home = slot
    if slot >= 0:
        board.slots[slot].records += one.size
        board.slots[slot].mass += one.mass


@woven
def move(board, unit, slot):
    """Give a unit another home, or none (-1)."""
    _note(board, MOVED, unit, board.units[unit].home)
    _settle(board, unit, slot)


@woven
def can_spare(board, unit):
    """Whether a unit has a home that does not need it."""
    home = board.units[unit].home
    return home >= 0 and board.slots[home].mass - board.units[unit].mass >= board.at[NEED]


@woven
def _lend(board, slot, key, some):
    """Some records of a safe key (fewer than none to give them back) count in a class."""
    board.safe[key].spare -= some
    board.slots[slot].records += some
    board.slots[slot].mass += some * board.safe[key].each


@woven
def borrowed(board, slot, need):
    """How many records would be lent to make up what a slot lacks, or -1 where there are not enough."""
    records = 0
    for i in range(board.slots[slot].lender, board.slots[slot].last_lender):
        if need <= 0:
            break
        one = board.safe[board.lenders[i]]
        some = min(-(-need // one.each), one.spare)
        records += some
        need -= some * one.each
    return records if need <= 0 and records <= board.at[FREE] else -1


@jit
def borrow(board, slot):
    """Fill a class up to the need; there must be enough."""
    for i in range(board.slots[slot].lender, board.slots[slot].last_lender):
        need = board.at[NEED] - board.slots[slot].mass
        if need <= 0:
            break
        key = board.lenders[i]
        some = min(-(-need // board.safe[key].each), board.safe[key].spare)
        if some > 0:
            board.at[FREE] -= 1
            loan = board.loans[board.at[FREE]].free
            board.loans[loan].key, board.loans[loan].records = key, some
            board.loans[loan].before = board.slots[slot].loan
            board.slots[slot].loan = loan
            _lend(board, slot, key, some)
            _note(board, BORROWED, slot, loan)


@woven
def repay(board, slot):
    """Give every borrowed record of a class back."""
    loan = board.slots[slot].loan
    if loan >= 0:
        _note(board, REPAID, slot, loan)
        while loan >= 0:
            _lend(board, slot, board.loans[loan].key, -board.loans[loan].records)
            loan = board.loans[loan].before
        board.slots[slot].loan = -1


@jit
def undo(board):
    """Take back all that was noted, the last first."""
    while board.at[LOGGED] > 0:
        board.at[LOGGED] -= 1
        change = board.log[board.at[LOGGED]]
        if change.kind == MOVED:
            _settle(board, change.what, change.before)
        elif change.kind == BORROWED:
            loan = board.loans[change.before]
            board.slots[change.what].loan = loan.before
            _lend(board, change.what, loan.key, -loan.records)
            board.loans[board.at[FREE]].free = change.before
            board.at[FREE] += 1
        else:
            board.slots[change.what].loan = change.before
            loan = change.before
            while loan >= 0:
                _lend(board, change.what, board.loans[loan].key, board.loans[loan].records)
                loan = board.loans[loan].before


@jit
def keep(board):
    """Let all that was noted stand."""
    for n in range(board.at[LOGGED]):
        if board.log[n].kind == REPAID:
            loan = board.log[n].before
            while loan >= 0:
                board.loans[board.at[FREE]].free = loan
                board.at[FREE] += 1
                loan = board.loans[loan].before
    board.at[LOGGED] = 0


@jit
def open_full(first, members, mass, need, offset, home):
    """Open every slot whose waiting units come to the need, for all of them; slots are numbered from ``offset``."""
    for slot in range(first.size - 1):
        waiting = 0
        for m in range(first[slot], first[slot + 1]):
            if home[members[m]] < 0:
                waiting += mass[members[m]]
        if waiting >= need:
            for m in range(first[slot], first[slot + 1]):
                if home[members[m]] < 0:
                    home[members[m]] = offset + slot
