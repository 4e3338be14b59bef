"""Covering violators where an emptied cell may be anything: which records lose which keys.

Two records *match* where they agree on every variable that both show. Each violating record shows all but a set of
variables, its bits; emptying more of them makes it match more records, and more records match it. ``mass[i]`` is what
it counts for in the others, and every violator must reach ``need``. Keys are packed in bit fields, so that two of them
differ on what both show where their difference has a bit outside of the fields that one of them hides.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from celosia.kernels._jit import jit, woven
from celosia.kernels.hashing import masked_equal, masked_place

Players = namedtuple(
    "Players",
    [
        "packed",  # the keys
        "fields",  # of each, the bit fields that it hides
        "bits",  # and the variables
        "mass",  # what it counts for in others
    ],
)


@woven
def hides(players, i, variables, bits):
    """A player hides some variables, given as bits, and nothing else."""
    players.bits[i] = bits
    for w in range(players.fields.shape[1]):
        players.fields[i, w] = 0
    for v in range(variables.shape[0]):
        if bits >> v & 1:
            for w in range(players.fields.shape[1]):
                players.fields[i, w] |= variables[v, w]


@woven
def agree(players, i, others, j, shown):
    """Whether two players agree on those fields among ``shown`` that neither hides."""
    same = True
    for w in range(shown.size):
        apart = (players.packed[i, w] ^ others.packed[j, w]) & shown[w]
        if apart & ~(players.fields[i, w] | others.fields[j, w]):
            same = False
    return same


# -- every violator loses something ------------------------------------------------------------------


@jit
def count_lost(packed, waiting, lost, first, mass, masks, asked, group, counts):
    """For each mask, number the waiting by what they show, and count in each group those that lost, by pattern.

    Those of pattern p are ``lost[first[p]:first[p + 1]]``, counted where ``asked[mask, p]``. A group is called by the
    first of its waiting, in ``group[mask, waiting]``; ``counts`` has a row for each mask and group.
    """
    size = 64
    while size < 4 * waiting.size:
        size *= 2
    table = np.empty(size, dtype=np.int32)
    for r in range(masks.shape[0]):
        mask = masks[r]
        table[:] = -1
        for w in range(waiting.size):
            place = masked_place(packed, waiting[w], mask, size)
            while table[place] >= 0 and not masked_equal(packed, waiting[table[place]], packed, waiting[w], mask):
                place = (place + 1) & (size - 1)
            if table[place] < 0:
                table[place] = w
            group[r, w] = table[place]
        for p in range(asked.shape[1]):
            if not asked[r, p]:
                continue
            for n in lost[first[p] : first[p + 1]]:
                place = masked_place(packed, n, mask, size)
                while table[place] >= 0:
                    if masked_equal(packed, waiting[table[place]], packed, n, mask):
                        counts[r * waiting.size + table[place], p] += mass[n]
                        break
                    place = (place + 1) & (size - 1)


@jit
def treat_each(waiting, mass, need, alone, levels, start, row_with, row_without, pattern_of, group, counts, set_of):
    """Everybody who waits and reaches the need with some set loses the first such set, by level; how many did.

    ``alone[set, waiting]`` is what they reach if nobody else loses anything, -1 where they may not lose the set;
    ``start[waiting]`` numbers what they hide from the start. For each of these, set and pattern, ``row_with`` and
    ``row_without`` are the masks under which those of the pattern match with what they lost, and without.
    ``levels`` has the first set of each level, and the number of sets. Of a level, the set that matches most is taken;
    after a loss of a higher level all try the lower ones again.
    """
    done, again = 0, True
    while again:
        again = False
        for level in range(levels.size - 1):
            for w in range(waiting.size):
                if set_of[waiting[w]] >= 0:
                    continue
                best, best_set = need - 1, -1
                for s in range(levels[level], levels[level + 1]):
                    reach = alone[s, w]
                    if reach < 0:
                        continue
                    for p in range(counts.shape[1]):
                        with_, without = row_with[start[w], s, p], row_without[start[w], s, p]
                        if with_ != without:
                            reach += counts[with_ * waiting.size + group[with_, w], p]
                            reach -= counts[without * waiting.size + group[without, w], p]
                    if reach > best:
                        best, best_set = reach, s
                if best_set < 0:
                    continue
                set_of[waiting[w]] = best_set
                done, again = done + 1, True
                p = pattern_of[start[w], best_set]
                if p >= 0:
                    for r in range(group.shape[0]):
                        counts[r * waiting.size + group[r, w], p] += mass[waiting[w]]
                if level > 0 and waiting.size <= 256:
                    break
            if again:
                break
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
def _who(players, start, full, reach, need, set_of, members, bits):
    """Who of a slot should lose a set, and a bound of what all lack less then; -1 where nobody can lose it.

    Whoever loses it matches all of the slot: who lacks most does.
    """
    chosen, most, gain = -1, -1, 0
    for m in range(members.size):
        j = members[m]
        lack = max(need - reach[j], 0)
        gain += min(lack, players.mass[j])
        if set_of[j] < 0 and bits & ~start[j] != 0 and start[j] | bits != full and lack > most:
            chosen, most = j, lack
    if chosen >= 0:
        gain += most - min(most, players.mass[chosen])
    return chosen, gain


@jit
def _would_reach(players, others, everything, i):
    """What matches a player as it is."""
    reach = 0
    for j in range(players.mass.size):
        if agree(players, i, players, j, everything):
            reach += players.mass[j]
    for j in range(others.mass.size):
        if agree(players, i, others, j, everything):
            reach += others.mass[j]
    return reach


@jit
def _lose(players, others, variables, everything, i, bits, need, reach, found):
    """A player hides more, for a try: what all lack less then, what it reaches, and how many it matches anew.

    These are listed in ``found``.
    """
    old = players.fields[i].copy()
    hides(players, i, variables, bits)
    n, gain = 0, 0
    for j in range(players.mass.size):
        if i != j and agree(players, i, players, j, everything):
            before = True
            for w in range(everything.size):
                apart = players.packed[i, w] ^ players.packed[j, w]
                if apart & ~(old[w] | players.fields[j, w]):
                    before = False
            if not before:
                found[n] = j
                n += 1
                gain += min(max(need - reach[j], 0), players.mass[i])
    own = _would_reach(players, others, everything, i)
    return gain + min(max(need - reach[i], 0), max(own - reach[i], 0)), own, n


@jit
def cover_some(
    players, others, variables, start, full, need, set_bits, cost, set_of_slot, first, members, set_of, reach
):
    """Let those lose a set whose loss covers most of what is lacking for its cost, until nothing covers more.

    A slot is a set of variables to hide and what some players show on the others; whoever of them loses the set matches
    all of them.
    """
    everything = ~np.zeros(variables.shape[1], dtype=np.uint64)
    found = np.empty(reach.size, dtype=np.int32)
    keys, items, n = np.empty(first.size), np.empty(first.size, dtype=np.int64), 0
    for slot in range(first.size - 1):
        s = set_of_slot[slot]
        here = members[first[slot] : first[slot + 1]]
        who, gain = _who(players, start, full, reach, need, set_of, here, set_bits[s])
        if who >= 0 and gain > 0:
            keys[n], items[n] = cost[s] / gain, slot
            _sift_up(keys, items, n)
            n += 1
    while n > 0:
        slot = items[0]
        s = set_of_slot[slot]
        n -= 1
        keys[0], items[0] = keys[n], items[n]
        _sift_down(keys, items, n)
        here = members[first[slot] : first[slot + 1]]
        who, gain = _who(players, start, full, reach, need, set_of, here, set_bits[s])
        if who < 0 or gain <= 0:
            continue
        if n == 0 or cost[s] / gain <= keys[0] * (1 + 1e-12):
            bits = start[who] | set_bits[s]
            gain, own, many = _lose(players, others, variables, everything, who, bits, need, reach, found)
            if gain > 0 and (n == 0 or cost[s] / gain <= keys[0] * (1 + 1e-12)):
                set_of[who], reach[who] = s, own
                for a in range(many):
                    reach[found[a]] += players.mass[who]
            else:
                hides(players, who, variables, start[who])
        if gain > 0:
            keys[n], items[n] = cost[s] / gain, slot
            _sift_up(keys, items, n)
            n += 1
