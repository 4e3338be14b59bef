"""What every release of census counts promises: nothing negative, children that add up, limits that hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.core.errors import PromiseError

Array = npt.NDArray[Any]


def counts_hold(level: str, count: Array) -> None:
    """Raise where a count is not a whole number, or is negative."""
    wrong = 0 if np.issubdtype(count.dtype, np.integer) else int((count != np.floor(count)).sum())
    wrong += int((count < 0).sum())
    if wrong:
        raise PromiseError("promise-counts", level=level, count=wrong)


def children_add_up(
    level: str, parents: Array, above: tuple[Array, Array, Array], below: tuple[Array, Array, Array]
) -> None:
    """Raise where the children of a place do not add up to it, cell by cell.

    Parameters
    ----------
    level
        Name of the children's level.
    parents
        The parent of each place of it.
    above, below
        Place, cell and count of everything that is not zero.
    """
    place, cell, count = above
    width = 1 + max(int(cell.max(initial=0)), int(below[1].max(initial=0)))
    keys, sums = _summed(place, cell, count, width)
    child_keys, child_sums = _summed(parents[below[0]], below[1], below[2], width)
    if np.array_equal(keys, child_keys) and np.array_equal(sums, child_sums):
        return
    both = np.concatenate([keys, child_keys]), np.concatenate([sums, -child_sums])
    different, which = np.unique(both[0], return_inverse=True)
    wrong = np.bincount(which, weights=both[1], minlength=different.size) != 0
    raise PromiseError("promise-children", level=level, count=int(wrong.sum()))


def limits_hold(level: str, query: str, answers: Array, low: Array, high: Array) -> None:
    """Raise where an answer is outside its limits."""
    broken = (answers < low) | (answers > high)
    if broken.any():
        raise PromiseError("promise-limits", level=level, query=query, count=int(broken.sum()))


def _summed(place: Array, cell: Array, count: Array, width: int) -> tuple[Array, Array]:
    key = place.astype(np.int64) * width + cell
    order = np.argsort(key, kind="stable")
    key, count = key[order], count[order].astype(np.int64)
    starts = np.flatnonzero(np.concatenate([[True], key[1:] != key[:-1]])) if key.size else np.empty(0, np.int64)
    sums = np.add.reduceat(count, starts) if key.size else count
    held = sums != 0
    return key[starts][held], sums[held]
