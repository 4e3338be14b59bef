"""Two-way tables rounded to integers with their margins kept: a transport of single units, solved exactly.

Every cell is its whole part or one more. Which cells get one more is a transport problem: its matrix is totally
unimodular, so that an integer solution always exists. First every column takes its largest fractions; then rows that
hold too much give single units to rows that hold too little along the cheapest paths (successive shortest paths),
which keeps each intermediate table the best one for its row sums.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit

NEVER = 1e18
"""The cost of a move that no column allows."""


@jit
def cheapest(part, up, giver, taker, cost, by):
    """The column in which ``giver`` hands its unit to ``taker`` at the least cost."""
    best, column = NEVER, -1
    for j in range(part.shape[1]):
        if up[giver, j] and not up[taker, j]:
            price = part[giver, j] - part[taker, j]
            if price < best:
                best, column = price, j
    cost[giver, taker] = best
    by[giver, taker] = column


@jit
def take_largest(part, units, j, up):
    """Give the units of a column to its largest fractions, the first among equals."""
    order = np.argsort(-part[:, j], kind="mergesort")
    for k in range(units):
        up[order[k], j] = True


@jit
def cheapest_path(cost, surplus, reach, previous):
    """The lacking row that is reached most cheaply from any row with too much."""
    n = surplus.size
    for i in range(n):
        reach[i] = 0.0 if surplus[i] > 0 else NEVER
        previous[i] = -1
    for _ in range(n):
        changed = False
        for i in range(n):
            if reach[i] >= NEVER:
                continue
            for k in range(n):
                price = reach[i] + cost[i, k]
                if price < reach[k] - 1e-12:
                    reach[k] = price
                    previous[k] = i
                    changed = True
        if not changed:
            break
    best = -1
    for i in range(n):
        if surplus[i] < 0 and reach[i] < NEVER and (best < 0 or reach[i] < reach[best]):
            best = i
    return best


@jit
def settle(part, rows, columns, up):
    """Choose which cells get one more, so that rows and columns have the units they are given.

    Returns the units that found no way; there are none where the margins are those of some table between 0 and 1.
    """
    n, m = part.shape
    surplus = np.empty(n, dtype=np.int64)
    up[:, :] = False
    for j in range(m):
        if not 0 <= columns[j] <= n:
            return 1
        if columns[j] > 0:
            take_largest(part, columns[j], j, up)
    for i in range(n):
        surplus[i] = -rows[i]
        for j in range(m):
            if up[i, j]:
                surplus[i] += 1
    if not np.any(surplus > 0):
        return 0
    cost, by = np.full((n, n), NEVER), np.full((n, n), -1, dtype=np.int64)
    for i in range(n):
        for k in range(n):
            if i != k:
                cheapest(part, up, i, k, cost, by)
    reach, previous = np.empty(n), np.empty(n, dtype=np.int64)
    giver, taker, column = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    while np.any(surplus > 0):
        last = cheapest_path(cost, surplus, reach, previous)
        if last < 0:
            break
        surplus[last] += 1
        moves = 0
        while previous[last] >= 0:
            source = previous[last]
            giver[moves], taker[moves], column[moves] = source, last, by[source, last]
            last = source
            moves += 1
        surplus[last] -= 1
        for s in range(moves):
            up[giver[s], column[s]] = False
            up[taker[s], column[s]] = True
        for s in range(moves):
            renew(part, up, giver[s], taker[s], column[s], cost, by)
    left = 0
    for i in range(n):
        left += abs(surplus[i])
    return left


@jit
def renew(part, up, giver, taker, j, cost, by):
    """The moves that a unit handed over in column j makes dearer, cheaper or possible."""
    for k in range(part.shape[0]):
        if k != giver:
            if by[giver, k] == j:
                cheapest(part, up, giver, k, cost, by)
            if up[k, j] and part[k, j] - part[giver, j] < cost[k, giver]:
                cost[k, giver] = part[k, j] - part[giver, j]
                by[k, giver] = j
        if k != taker:
            if by[k, taker] == j:
                cheapest(part, up, k, taker, cost, by)
            if not up[k, j] and part[taker, j] - part[k, j] < cost[taker, k]:
                cost[taker, k] = part[taker, j] - part[k, j]
                by[taker, k] = j


@jit
def mend(table, rows, columns):
    """Bring an integer table to its margins, whatever it is: what is too much is taken, what lacks is filled in."""
    lack_row, lack_column = rows.copy(), columns.copy()
    for i in range(rows.size):
        for j in range(columns.size):
            table[i, j] = min(max(table[i, j], 0), lack_row[i], lack_column[j])
            lack_row[i] -= table[i, j]
            lack_column[j] -= table[i, j]
    for i in range(rows.size):
        for j in range(columns.size):
            units = min(lack_row[i], lack_column[j])
            table[i, j] += units
            lack_row[i] -= units
            lack_column[j] -= units


@jit
def round_tables(x, rows, columns, first, answer, owed, price, out):
    """Round each table of a run of tables (see ``fit_tables``); returns how many had to be mended: none.

    What rounding takes from the answers of crossing queries (see ``fit_crossing``) is kept in ``owed``, one row a
    child, and ``price`` times of it is added to the fractions of the next tables.
    """
    height = x.shape[0]
    mended = 0
    for t in range(first.size - 1):
        start, stop = first[t], first[t + 1]
        width = stop - start
        upright = height <= width
        a, b = (height, width) if upright else (width, height)
        part, up = np.empty((a, b)), np.empty((a, b), dtype=np.bool_)
        one, other = np.empty(height, dtype=np.int64), np.empty(width, dtype=np.int64)
        for i in range(height):
            one[i] = rows[i, t]
        for j in range(width):
            other[j] = columns[start + j]
        for i in range(height):
            for j in range(width):
                whole = np.int64(np.floor(x[i, start + j] + 1e-7))
                rest = max(0.0, x[i, start + j] - whole)
                out[i, start + j] = whole
                one[i] -= whole
                other[j] -= whole
                for q in range(answer.shape[0]):
                    if answer[q, start + j] >= 0:
                        rest += price * owed[i, answer[q, start + j]]
                if upright:
                    part[i, j] = rest
                else:
                    part[j, i] = rest
        lost = settle(part, one, other, up) if upright else settle(part, other, one, up)
        for i in range(height):
            for j in range(width):
                if up[i, j] if upright else up[j, i]:
                    out[i, start + j] += 1
        if lost > 0:  # the table was off its margins: estimation gave it up
            mended += 1
            mend(out[:, start:stop], rows[:, t], columns[start:stop])
        for i in range(height):
            for j in range(width):
                for q in range(answer.shape[0]):
                    if answer[q, start + j] >= 0:
                        owed[i, answer[q, start + j]] += x[i, start + j] - out[i, start + j]
    return mended


@jit
def round_groups(x, totals, first, answer, owed, price, out):
    """Round groups of cells to integers that add up to ``totals``: the largest fractions get one more.

    Crossing answers are looked after as in ``round_tables``.
    """
    for t in range(first.size - 1):
        start, stop = first[t], first[t + 1]
        part, up = np.empty((stop - start, 1)), np.zeros((stop - start, 1), dtype=np.bool_)
        units = totals[t]
        for j in range(start, stop):
            out[j] = np.int64(np.floor(x[j] + 1e-7))
            part[j - start, 0] = x[j] - out[j]
            units -= out[j]
            for q in range(answer.shape[0]):
                if answer[q, j] >= 0:
                    part[j - start, 0] += price * owed[answer[q, j]]
        take_largest(part, units, 0, up)
        for j in range(start, stop):
            if up[j - start, 0]:
                out[j] += 1
            for q in range(answer.shape[0]):
                if answer[q, j] >= 0:
                    owed[answer[q, j]] += x[j] - out[j]
