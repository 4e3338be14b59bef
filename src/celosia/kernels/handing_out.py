"""Which records of a distinct key lose which set: the first in a given order take their parts in turn."""

from __future__ import annotations

from celosia.kernels._jit import jit


@jit
def hand_out(index, order, first, remaining, sets, masks, emptied):
    """What each record loses; the parts of a key are ``first[key]:first[key + 1]``, of ``remaining`` records each."""
    at = first[:-1].copy()
    for n in range(order.size):
        record = order[n]
        key = index[record]
        part = at[key]
        if part < first[key + 1]:
            for j in range(masks.shape[1]):
                emptied[record, j] = masks[sets[part], j]
            remaining[part] -= 1
            if remaining[part] == 0:
                at[key] = part + 1
