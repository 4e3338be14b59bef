"""k-anonymity and risk counted again where a missing cell may be anything, plainly: patterns joined pair by pair.

Records with the same missing cells form a pattern. Two patterns are joined on the variables that both show. Records
that have enough matches already take no part in further joins, so that the usual case is quick.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.anonymity import Ints, groups, numbered
from celosia.verify.losses import lost

Mask = npt.NDArray[np.bool_]
Enough = Callable[[npt.NDArray[np.float64], npt.NDArray[np.float64]], Mask]
"""Whether so many matches, with so much weight, are enough."""

_ROOM = 8
"""A table with so many places a record costs less than sorting the records."""


def short(
    data: Microdata, keys: Sequence[str], strata: Sequence[str], enough: Enough, weight: str | None = None
) -> Mask:
    """The records whose matches within their stratum are not enough."""
    columns = [_codes(data, name, name in keys) for name in (*strata, *keys)]
    example, number = _distinct(groups(columns, data.height))
    matrix = np.stack([column[example] for column in columns], axis=1)
    amount = data.column(weight).cast(pl.Float64).to_numpy() if weight else np.ones(data.height)
    records = np.bincount(number, minlength=example.size).astype(np.float64)
    weights = np.bincount(number, amount, example.size).astype(np.float64)
    fails = _fails(matrix, len(strata), records, weights, enough)
    return fails[number]


def _codes(data: Microdata, name: str, open_: bool) -> Ints:
    """A number for each published category; 0 where a key may be anything."""
    numbers = numbered(data, name).to_numpy().astype(np.int64)
    return np.maximum(numbers, 0) if open_ else numbers + 2


def _fails(
    matrix: Ints,
    strata: int,
    records: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    enough: Enough,
) -> Mask:
    """The distinct keys whose matches are not enough."""
    f, total = records.copy(), weights.copy()
    columns = np.ascontiguousarray(matrix.T)
    hides = matrix == 0
    example, number = _distinct(groups(hides.T, len(hides)))
    patterns = hides[example]
    members = [np.flatnonzero(number == p) for p in range(len(patterns))]
    order = sorted(range(len(patterns)), key=lambda p: -members[p].size)
    keys = matrix.shape[1] - strata
    for p in order:
        waiting = members[p][~enough(f[members[p]], total[members[p]])]
        for q in order:
            nothing_shown = keys > 1 and patterns[q].sum() == keys
            if p == q or (nothing_shown and not patterns[p].any()):
                continue
            if not waiting.size:
                break
            shown = np.flatnonzero(~(patterns[p] | patterns[q]))
            both = np.concatenate([waiting, members[q]])
            group = _few(groups(columns[np.ix_(shown, both)], both.size))
            for sums, values in ((f, records), (total, weights)):
                of_group = np.bincount(group[waiting.size :], weights=values[members[q]], minlength=group.max() + 1)
                sums[waiting] += of_group[group[: waiting.size]]
            waiting = waiting[~enough(f[waiting], total[waiting])]
    return ~enough(f, total)


def _distinct(group: Ints) -> tuple[Ints, Ints]:
    """One member of each group, and the group of every member, numbered without gaps."""
    group = _few(group)
    number = (np.cumsum(np.bincount(group) > 0) - 1)[group]
    example = np.empty(number.max(initial=-1) + 1, dtype=np.int64)
    example[number] = np.arange(group.size)
    return example, number


def _few(group: Ints) -> Ints:
    """Numbers of groups as they are where a table has room for all of them, otherwise without gaps."""
    if group.max(initial=0) <= _ROOM * group.size:
        return group
    return np.unique(group, return_inverse=True)[1].reshape(-1)


@dataclass(frozen=True)
class KAnonymousWildcard:
    """Every record matches at least k - 1 others within its stratum, where a missing key may be anything.

    Two records match where they agree on every key that both show; one that shows no key at all is not counted for
    complete ones, unless there is one key only.
    """

    keys: tuple[str, ...]
    k: int
    strata: tuple[str, ...] = ()

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        return (*self.strata, *self.keys)

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of records that match fewer."""
        count = int(short(after, self.keys, self.strata, lambda f, _: f >= self.k).sum())
        if count:
            raise PromiseError("promise-k", k=self.k, count=count, counting="wildcard")


@dataclass(frozen=True)
class Treated:
    """Every record that matched fewer than k lost one of the keys itself, or left."""

    keys: tuple[str, ...]
    k: int
    strata: tuple[str, ...] = ()

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of violators that lost nothing."""
        violators = short(before, self.keys, self.strata, lambda f, _: f >= self.k)
        anything = np.zeros(after.height, dtype=np.bool_)
        for name in self.keys:
            anything |= lost(before, after, name).to_numpy()
        ids = pl.Series(after.ids)
        untouched = int((ids.is_in(before.ids[violators].tolist()).to_numpy() & ~anything).sum())
        if untouched:
            raise PromiseError("promise-treated", count=untouched)
