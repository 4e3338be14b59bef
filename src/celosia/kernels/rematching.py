"""Emptied cells of a few records shown again and others emptied in their place, wherever that costs no more.

Where an emptied cell may be anything, one record that hides what tells it from many others covers all of them. One
round shows again what some records lost and, of those that lack matches then, lets the record that makes up most of it
for its cost lose what tells it from them. The rounds are drawn from a fixed sequence (see ``kernels.resettling``).
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit, woven
from celosia.kernels.giving_back import seen
from celosia.kernels.hashing import spread
from celosia.kernels.matching import hides

MOVES, STEPS, DRAWN = 0, 1, 2
_BLUR = 0.3


@woven
def _draw(game, beyond):
    game.at[DRAWN] += 1
    drawn = spread(np.uint64(game.at[DRAWN]) * np.uint64(0x9E3779B97F4A7C15))
    return np.int64(drawn % np.uint64(beyond))


@jit
def _price(game, bits):
    total = 0.0
    for v in range(game.prices.size):
        if bits >> v & 1:
            total += game.prices[v]
    return total


@jit
def _cells(bits):
    n = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


@jit
def _may_hide(game, i, bits):
    """Whether a player may lose so much: no more than the most, and not all of an aim's keys."""
    if _cells(bits & ~game.start[i]) > game.most:
        return False
    for a in range(game.aims.size):
        if game.aims[a] & (game.aims[a] - 1) != 0 and game.aims[a] & ~bits == 0 and game.aims[a] & ~game.start[i] != 0:
            return False
    return True


@jit
def _hide(game, i, bits):
    """A player hides these variables and no others; every reach follows."""
    players, others = game.players, game.others
    for sign in (-1, 1):
        for a in range(game.aims.size):
            for j in range(players.mass.size):
                if j != i and seen(players, j, players, i, game.aims[a], game.shown[a]):
                    game.reach[a, j] += sign * players.mass[i]
        if sign < 0:
            hides(players, i, game.variables, bits)
    for a in range(game.aims.size):
        reach = players.mass[i]
        for j in range(players.mass.size):
            if j != i and seen(players, i, players, j, game.aims[a], game.shown[a]):
                reach += players.mass[j]
        for j in range(others.mass.size):
            if seen(players, i, others, j, game.aims[a], game.shown[a]):
                reach += others.mass[j]
        game.reach[a, i] = reach
    game.at[STEPS] += game.aims.size * (3 * players.mass.size + others.mass.size)


@jit
def _move(game, i, bits):
    """The same, noted so that it can be taken back."""
    n = game.at[MOVES]
    game.moves[n, 0], game.moves[n, 1] = i, game.players.bits[i]
    game.at[MOVES] = n + 1
    _hide(game, i, bits)


@jit
def _take_back(game):
    while game.at[MOVES] > 0:
        game.at[MOVES] -= 1
        n = game.at[MOVES]
        _hide(game, game.moves[n, 0], game.moves[n, 1])


@woven
def _lack(game, a, i):
    """What a player lacks for an aim; one more where it must lose something and has not."""
    lack = max(game.needs[a] - game.reach[a, i], 0)
    if game.treated[a, i] and game.players.bits[i] & ~game.start[i] & game.aims[a] == 0:
        lack += 1
    return lack


@jit
def _lacking(game, lackers):
    """List pairs (aim, player) that lack something, as many as fit; returns how many, and what all lack."""
    n, total = 0, 0
    for a in range(game.aims.size):
        for i in range(game.start.size):
            lack = _lack(game, a, i)
            if lack > 0:
                total += lack
                if n < lackers.shape[0]:
                    lackers[n, 0], lackers[n, 1] = a, i
                    n += 1
    game.at[STEPS] += game.aims.size * game.start.size
    return n, total


@jit
def _apart(game, a, i, j):
    """The variables of an aim that tell two players apart and neither hides; -1 where strata tell them apart."""
    players, bits, rest = game.players, np.int64(0), np.uint64(0)
    for w in range(game.variables.shape[1]):
        rest |= (
            (players.packed[i, w] ^ players.packed[j, w])
            & game.shown[a, w]
            & ~(players.fields[i, w] | players.fields[j, w])
        )
    if rest == 0:
        return bits
    for v in range(game.variables.shape[0]):
        for w in range(game.variables.shape[1]):
            apart = (players.packed[i, w] ^ players.packed[j, w]) & game.shown[a, w] & game.variables[v, w]
            if apart & ~(players.fields[i, w] | players.fields[j, w]):
                bits |= np.int64(1) << v
    return bits if bits & ~game.aims[a] == 0 else np.int64(-1)


@jit
def _covers(game, lackers, n, i, bits):
    """What those that lack something would lack less if a player hid more."""
    gain = 0
    for m in range(n):
        a, j = lackers[m]
        if i == j:
            if game.treated[a, j] and game.players.bits[j] & ~game.start[j] & game.aims[a] == 0:
                gain += bits & game.aims[a] != 0
            continue
        apart = _apart(game, a, j, i)
        if apart > 0 and apart & ~bits == 0:
            gain += min(max(game.needs[a] - game.reach[a, j], 0), game.players.mass[i])
    return gain


@jit
def _note_part(parts, n, bits, mass):
    """Add what matches once some variables are hidden; returns how many different sets of them there are."""
    for p in range(n):
        if parts[p, 0] == bits:
            parts[p, 1] += mass
            return n
    if n < parts.shape[0]:
        parts[n, 0], parts[n, 1] = bits, mass
        return n + 1
    return n


@jit
def _best_move(game, lackers, n, parts):
    """Who should hide what: what costs least for what it covers, blurred a little; -1 where nobody can.

    One of those that lack something is looked at: what others could hide to match it, and what it could hide.
    """
    best, who, what = np.inf, -1, np.int64(0)
    players, different = game.players, 0
    a, lacker = lackers[_draw(game, n)]
    for i in range(game.start.size):
        apart = _apart(game, a, lacker, i) if i != lacker else np.int64(-1)
        if apart <= 0:
            continue
        different = _note_part(parts, different, apart, players.mass[i])
        price = _price(game, apart)
        if price >= best * n * game.needs[a] or not _may_hide(game, i, players.bits[i] | apart):
            continue
        price *= (1 + _BLUR * _draw(game, 1024) / 1024) / max(_covers(game, lackers, n, i, apart), 1)
        if price < best:
            best, who, what = price, i, apart
    game.at[STEPS] += 4 * game.start.size
    if game.treated[a, lacker]:
        for v in range(game.prices.size):
            if game.aims[a] >> v & 1:
                different = _note_part(parts, different, np.int64(1) << v, 0)
    lack = _lack(game, a, lacker)
    for p in range(different):
        bits = parts[p, 0]
        if _price(game, bits) == np.inf or not _may_hide(game, lacker, players.bits[lacker] | bits):
            continue
        own = 0
        for q in range(different):
            if parts[q, 0] & ~bits == 0:
                own += parts[q, 1]
        gain = max(min(own, lack) + _covers(game, lackers, n, lacker, bits), 1)
        price = _price(game, bits) * (1 + _BLUR * _draw(game, 1024) / 1024) / gain
        if price < best:
            best, who, what = price, lacker, bits
    return who, what


@jit
def _repair(game, lackers, parts, cost, limit):
    """Let records lose cells until nobody lacks anything, or it costs too much; the cost and what is lacking then."""
    n, total = _lacking(game, lackers)
    while n > 0 and cost <= limit and game.at[MOVES] < game.moves.shape[0]:
        who, what = _best_move(game, lackers, n, parts)
        if who < 0:
            break
        cost += _price(game, what)
        _move(game, who, game.players.bits[who] | what)
        n, total = _lacking(game, lackers)
    return cost, total


@jit
def rematch(game, lackers, parts, steps, longest, patience):
    """Rounds for so many steps, the ``longest`` while somebody lacks something, or ``patience`` ones without a gain.

    Returns what is lacking in the end.
    """
    lacking = _lacking(game, lackers)[1]
    losers = np.empty(game.start.size, dtype=np.int64)
    quiet = 0
    while game.at[STEPS] < (longest if lacking > 0 else steps) and quiet < patience:
        quiet += 1
        game.at[MOVES], many, spent = 0, 0, 0.0
        for i in range(game.start.size):
            if game.players.bits[i] != game.start[i]:
                losers[many] = i
                many += 1
        if many == 0 and lacking == 0:
            break
        for _ in range(1 + _draw(game, 3)):
            if many == 0:
                break
            i = losers[_draw(game, many)]
            lost = game.players.bits[i] & ~game.start[i]
            if lost != 0 and _price(game, lost) < np.inf:
                spent += _price(game, lost)
                _move(game, i, game.start[i])
        limit = np.inf if lacking > 0 else spent
        cost, now = _repair(game, lackers, parts, 0.0, limit)
        if now < lacking or (now == lacking and cost <= spent * (1 + 1e-12)):
            if now < lacking or cost < spent * (1 - 1e-12):
                quiet = 0
            lacking = now
        else:
            _take_back(game)
    return lacking
