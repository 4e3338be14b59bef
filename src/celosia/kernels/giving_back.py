"""Whether cells can be shown again without harm, one after the other, where an emptied cell may be anything.

Every record in play is a row of ``digits`` with the bits that it does not show; ``others`` are the distinct keys of
the records that lost nothing and violate nothing, with what they amount to. An *aim* is a set of variables, as bits, on
which every record in play must be matched by ``need``; strata (``always``) are never hidden. A record that must be
``treated`` for an aim keeps one of its cells empty.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit


@jit
def _differ(digits, i, others, j):
    bits = np.int64(0)
    for v in range(digits.shape[1]):
        if digits[i, v] != others[j, v]:
            bits |= np.int64(1) << v
    return bits


@jit
def _seen(aim, always, differ, hidden, theirs):
    """Whether a record that hides ``hidden`` is matched by one that hides ``theirs``.

    Who hides every key is matched by those that hide some; by all where there is one key only.
    """
    if aim & (aim - 1) != 0 and aim & ~theirs == 0 and aim & hidden == 0:
        return False
    return differ & (aim | always) & ~(hidden | theirs) == 0


@jit
def count_matches(digits, hidden, mass, others, others_hidden, others_mass, always, aim, reach):
    """What matches every record in play on one aim."""
    for i in range(digits.shape[0]):
        reach[i] = 0
        for j in range(digits.shape[0]):
            if _seen(aim, always, _differ(digits, i, digits, j), hidden[i], hidden[j]):
                reach[i] += mass[j]
        for j in range(others.shape[0]):
            if _seen(aim, always, _differ(digits, i, others, j), hidden[i], others_hidden[j]):
                reach[i] += others_mass[j]


@jit
def show_again(
    digits,
    hidden,
    mass,
    others,
    others_hidden,
    others_mass,
    always,
    aims,
    needs,
    treated,
    start,
    reach,
    rows,
    bits,
    back,
):
    """Show each cell (of ``rows``, ``bits``) again where every aim still holds; mark those that are back."""
    after = np.empty(aims.size, dtype=np.int64)
    for c in range(rows.size):
        i, old = rows[c], hidden[rows[c]]
        new = old & ~bits[c]
        good = True
        for a in range(aims.size):
            if not good or aims[a] & bits[c] == 0:
                continue
            if treated[a, i] and new & aims[a] & ~start[i] == 0:
                good = False
                break
            after[a] = 0
            for j in range(digits.shape[0]):
                differ = _differ(digits, i, digits, j)
                if _seen(aims[a], always, differ, new, hidden[j]) or i == j:
                    after[a] += mass[j]
                if (
                    i != j
                    and reach[a, j] - mass[i] < needs[a]
                    and _seen(aims[a], always, differ, hidden[j], old)
                    and not _seen(aims[a], always, differ, hidden[j], new)
                ):
                    good = False
                    break
            if good:
                for j in range(others.shape[0]):
                    if _seen(aims[a], always, _differ(digits, i, others, j), new, others_hidden[j]):
                        after[a] += others_mass[j]
                good = after[a] >= needs[a]
        if not good:
            continue
        back[c] = True
        hidden[i] = new
        for a in range(aims.size):
            if aims[a] & bits[c] == 0:
                continue
            reach[a, i] = after[a]
            for j in range(digits.shape[0]):
                if i != j:
                    differ = _differ(digits, i, digits, j)
                    was = _seen(aims[a], always, differ, hidden[j], old)
                    now = _seen(aims[a], always, differ, hidden[j], new)
                    reach[a, j] += (np.int64(now) - np.int64(was)) * mass[i]
