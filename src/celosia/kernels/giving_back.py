"""Whether cells can be shown again without harm, one after the other, where an emptied cell may be anything.

The *players* are records that violate something or lost something; ``others`` are the distinct keys of all other
records, with what they amount to. An *aim* is a set of variables, as bits and as bit fields, on which every player must
be matched by what it needs; its fields hold those of the strata too. A player that must be ``treated`` for an aim keeps
one of its cells empty. All this is a ``Game``.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np

from celosia.kernels._jit import jit, woven
from celosia.kernels.matching import agree, hides

Game = namedtuple(
    "Game",
    [
        "players",
        "others",
        "variables",  # the bit fields of each variable
        "aims",  # each as bits
        "shown",  # and as bit fields, with those of strata
        "needs",
        "treated",  # [aim, player]: whether it must lose one of the aim's keys
        "start",  # what each player hides from the start
        "prices",  # of a cell of each variable; infinity where it is not emptied by itself
        "most",  # how many cells a record may lose
        "reach",  # [aim, player]: what it is matched by
        "moves",  # what to take back: (player, bits)
        "at",  # how many moves, steps and draws there were
    ],
)


@woven
def seen(players, i, others, j, aim, shown):
    """Whether a player is matched by another one.

    Who hides every key is matched by those that hide some; by all where there is one key only.
    """
    unseen = aim & players.bits[i] == 0 and aim & (aim - 1) != 0 and aim & ~others.bits[j] == 0
    return not unseen and agree(players, i, others, j, shown)


@jit
def _mass_seen(players, i, others, aim, shown, apart):
    """What those amount to by which a player is matched; ``apart`` is room for the bits on which each differs."""
    apart[:] = 0
    for w in range(shown.size):
        key, open_ = players.packed[i, w], shown[w] & ~players.fields[i, w]
        for j in range(apart.size):
            apart[j] |= (key ^ others.packed[j, w]) & open_ & ~others.fields[j, w]
    mass = np.int64(0)
    for j in range(apart.size):
        if apart[j] == 0 and seen(players, i, others, j, aim, shown):
            mass += others.mass[j]
    return mass


@jit
def show_again(game, rows, bits, back):
    """Show each cell (of ``rows``, ``bits``) again where every aim still holds; mark those that are back."""
    players, others, aims, shown = game.players, game.others, game.aims, game.shown
    size = players.mass.size
    apart, apart_others = np.empty(size, dtype=np.uint64), np.empty(others.mass.size, dtype=np.uint64)
    after = np.empty(aims.size, dtype=np.int64)
    leaving, many = np.empty((aims.size, size), dtype=np.int32), np.zeros(aims.size, dtype=np.int64)
    for c in range(rows.size):
        i, old = rows[c], players.bits[rows[c]]
        new = old & ~bits[c]
        good = True
        for a in range(aims.size):
            if game.treated[a, i] and aims[a] & bits[c] != 0 and new & aims[a] & ~game.start[i] == 0:
                good = False
        if not good:
            continue
        hides(players, i, game.variables, new)
        for a in range(aims.size):
            if good and aims[a] & bits[c] != 0:
                after[a] = _mass_seen(players, i, players, aims[a], shown[a], apart)
                after[a] += _mass_seen(players, i, others, aims[a], shown[a], apart_others)
                good = after[a] >= game.needs[a]
        for a in range(aims.size):
            many[a] = 0
            if not good or aims[a] & bits[c] == 0:
                continue
            hides(players, i, game.variables, old)
            for j in range(size):
                if i != j and seen(players, j, players, i, aims[a], shown[a]):
                    leaving[a, many[a]] = j
                    many[a] += 1
            hides(players, i, game.variables, new)
            left = 0
            for n in range(many[a]):
                j = leaving[a, n]
                if not seen(players, j, players, i, aims[a], shown[a]):
                    good &= game.reach[a, j] - players.mass[i] >= game.needs[a]
                    leaving[a, left] = j
                    left += 1
            many[a] = left
        if not good:
            hides(players, i, game.variables, old)
            continue
        back[c] = True
        for a in range(aims.size):
            if aims[a] & bits[c] != 0:
                game.reach[a, i] = after[a]
                for n in range(many[a]):
                    game.reach[a, leaving[a, n]] -= players.mass[i]
