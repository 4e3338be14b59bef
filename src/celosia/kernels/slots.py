"""Which keys become equal when some of their variables are emptied, and which of these groups can be safe.

A *slot* is a set of variables to empty and what some units show on the others. Keys are packed in bit fields; a mask
leaves the bits of the variables that are still shown.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.hashing import masked_equal, masked_place


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


@jit
def keep_possible(group, mass, lender_group, lendable, need, found):
    """Number anew the groups that can come to the need with all that could be lent to them; the others become -1.

    Returns how many are left.
    """
    amount = np.zeros(found, dtype=np.int64)
    for i in range(group.size):
        amount[group[i]] += mass[i]
    for j in range(lender_group.size):
        if lender_group[j] >= 0:
            amount[lender_group[j]] += lendable[j]
    number = np.empty(found, dtype=np.int32)
    left = 0
    for g in range(found):
        number[g] = left if amount[g] >= need else -1
        left += amount[g] >= need
    for i in range(group.size):
        group[i] = number[group[i]]
    for j in range(lender_group.size):
        if lender_group[j] >= 0:
            lender_group[j] = number[lender_group[j]]
    return left


@jit
def find_slots(packed, mass, mask, asked, lendable, need):
    """The groups of units that can come to the need under a mask: where their units and their lenders begin, and these.

    ``asked`` are the safe keys, and ``lendable`` what each can lend.
    """
    units, size = packed.shape[0], 4
    while size < 2 * units:
        size *= 2
    table = np.empty(size, dtype=np.int32)
    group, example = np.empty(units, dtype=np.int32), np.empty(units, dtype=np.int32)
    lender_group = np.empty(asked.shape[0], dtype=np.int32)
    found = group_units(packed, mask, table, group, example)
    find_groups(packed, mask, table, example, asked, lender_group)
    found = keep_possible(group, mass, lender_group, lendable, need, found)
    first, first_lender = np.empty(found + 1, dtype=np.int64), np.empty(found + 1, dtype=np.int64)
    members, lenders = np.empty(units, dtype=np.int32), np.empty(lender_group.size, dtype=np.int32)
    sort_by_group(group, first, members)
    sort_by_group(lender_group, first_lender, lenders)
    return first, members[: first[found]], first_lender, lenders[: first_lender[found]]


@jit
def slots_of_units(first, members, first_slot, slots):
    """The slots of every unit in ascending order; ``first_slot`` has one place more than units."""
    first_slot[:] = 0
    for m in range(members.size):
        first_slot[members[m] + 1] += 1
    for u in range(first_slot.size - 1):
        first_slot[u + 1] += first_slot[u]
    at = first_slot[:-1].copy()
    for slot in range(first.size - 1):
        for m in range(first[slot], first[slot + 1]):
            slots[at[members[m]]] = slot
            at[members[m]] += 1
