"""Areas put together into groups that are large enough: as many groups as can be, so as few merges as can be.

An area has a size in each dimension (persons, dwellings), a group the sum of its areas, and both are enough where
they reach ``need`` in all of them. A grouping is one array: for each area the first area of its group. Areas that
cannot reach enough are left as one group that is not.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

EXACT = 10
"""Up to so many areas that are too small, the most groups are found by trying all."""


def enough(sizes: Ints, need: Ints) -> Flags:
    """True for each area, or group, that has what it needs."""
    return np.asarray((sizes >= need).all(axis=-1))


def lower_bound(sizes: Ints, need: Ints) -> int:
    r"""Merges that no grouping can do without.

    Groups with an area that is enough are at most as many as these. Groups of the :math:`s` others hold at least two
    and what is needed, so that with their total :math:`T` there are at most
    :math:`\min(\lfloor s/2 \rfloor, \min_d \lfloor T_d / n_d \rfloor)`, and merges are the areas less the groups.
    """
    small = sizes[~enough(sizes, need)]
    total = small.sum(axis=0)
    room = min((int(have // want) for have, want in zip(total, need, strict=True) if want), default=0)
    return max(len(small) - min(len(small) // 2, room), 0)


def anywhere(sizes: Ints, need: Ints) -> Ints:
    """Any areas may be put together: those too small with each other first, what is left over with the smallest.

    To make the most groups is bin covering; it is exact for few areas, and greedy for many.
    """
    group = np.arange(len(sizes))
    small = np.flatnonzero(~enough(sizes, need))
    bins = _most_groups(sizes[small], need) if small.size <= EXACT else _greedy_groups(sizes[small], need)
    for members in bins:
        group[small[members]] = small[members].min()
    done = {int(i) for members in bins for i in small[members]}
    for one in (int(i) for i in small if int(i) not in done):
        heads = np.unique(group)
        whole = np.stack([np.bincount(group, weights=column, minlength=len(group)) for column in sizes.T], axis=1)
        others = heads[heads != one]
        if not others.size:
            break
        good = others[enough(whole[others], need)]
        pool = good if good.size else others
        best = int(pool[np.argmin(whole[pool, 0])])
        group[(group == one) | (group == best)] = min(one, best)
    return group


def _most_groups(sizes: Ints, need: Ints) -> list[Ints]:
    """The most groups that are enough, over all ways to make them; what is left over is in none."""
    count = len(sizes)
    total = np.zeros((1 << count, sizes.shape[1]), dtype=np.int64)
    for i in range(count):
        total[1 << i : 2 << i] = total[: 1 << i] + sizes[i]
    good = enough(total, need).tolist()

    @cache
    def best(left: int) -> tuple[int, int]:
        """Most groups of these areas, and one of them; 0 where the first area is left over."""
        if not left or not good[left]:
            return 0, 0
        first = left & -left
        found = (best(left ^ first)[0], 0)
        rest = part = left ^ first
        while True:
            if good[part | first] and 1 + best(left ^ first ^ part)[0] > found[0]:
                found = (1 + best(left ^ first ^ part)[0], part | first)
            if not part:
                return found
            part = (part - 1) & rest

    bins, left = [], (1 << count) - 1
    while left and good[left]:
        _, chosen = best(left)
        if chosen:
            bins.append(np.flatnonzero(chosen >> np.arange(count) & 1))
        left ^= chosen or (left & -left)
    return bins


def _greedy_groups(sizes: Ints, need: Ints) -> list[Ints]:
    """Groups from the area farthest from enough on: it joins the smallest that makes enough, else the largest."""
    sizes, members = sizes.copy(), [[i] for i in range(len(sizes))]
    reach = _reach(sizes, need)
    alive = np.ones(len(sizes), dtype=np.bool_)
    bins = []
    while (places := np.flatnonzero(alive)).size > 1:
        first = int(places[np.lexsort((places, sizes[places, 0], reach[places]))[0]])
        others = places[places != first]
        makes = others[enough(sizes[others] + sizes[first], need)]
        if makes.size:
            last = int(makes[np.argmin(sizes[makes, 0])])
            bins.append(np.array(members[first] + members[last], dtype=np.int64))
            alive[[first, last]] = False
        else:
            together = _reach(sizes[others] + sizes[first], need)
            last = int(others[np.lexsort((others, -together))[0]])
            members[last] += members[first]
            sizes[last] += sizes[first]
            reach[last] = _reach(sizes[last], need)
            alive[first] = False
    return bins


def _reach(sizes: Ints, need: Ints) -> npt.NDArray[np.float64]:
    """How far each is towards enough, in [0, 1]."""
    share: npt.NDArray[np.float64] = sizes / np.maximum(need, 1)
    least: npt.NDArray[np.float64] = np.where(need > 0, np.minimum(share, 1), 1.0).min(axis=-1)
    return least


def in_order(sizes: Ints, need: Ints) -> Ints:
    """Only areas that follow each other: a group is closed as soon as it is enough, which makes the most groups."""
    group = np.arange(len(sizes))
    first, have = 0, np.zeros(sizes.shape[1], dtype=np.int64)
    closed: list[int] = []
    for i, size in enumerate(sizes):
        have = have + size
        group[i] = first
        if enough(have, need):
            closed.append(first)
            first, have = i + 1, np.zeros(sizes.shape[1], dtype=np.int64)
    if first < len(sizes) and closed:
        group[first:] = closed[-1]
    return group


def by_neighbours(sizes: Ints, need: Ints, near: list[set[int]]) -> Ints:
    """Only areas with a way from one to the other inside of the group; greedy, from the area farthest from enough.

    It joins the smallest neighbour that is too small as well and makes enough with it; else the largest of those too
    small; else the smallest of the others.
    """
    sizes, near = sizes.copy(), [set(others) for others in near]
    group = np.arange(len(sizes))
    waiting = set(np.flatnonzero(~enough(sizes, need)).tolist())
    while waiting:
        one = min(waiting, key=lambda i: (float(_reach(sizes[i], need)), int(sizes[i, 0]), i))
        if not near[one]:
            waiting.discard(one)
            continue
        other = min(near[one], key=lambda i: _preference(sizes, need, one, i))
        low, high = min(one, other), max(one, other)
        sizes[low] += sizes[high]
        group[group == high] = low
        near[low] = (near[low] | near[high]) - {low, high}
        for neighbour in near[high] - {low}:
            near[neighbour].discard(high)
            near[neighbour].add(low)
        waiting -= {low, high}
        if not enough(sizes[low], need):
            waiting.add(low)
    return group


def _preference(sizes: Ints, need: Ints, one: int, other: int) -> tuple[int, float, int]:
    """Whom an area joins first."""
    if enough(sizes[other], need):
        return (2, float(sizes[other, 0]), other)
    together = sizes[one] + sizes[other]
    if enough(together, need):
        return (0, float(sizes[other, 0]), other)
    return (1, -float(_reach(together, need)), other)
