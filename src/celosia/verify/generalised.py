"""Generalised files: codes climbed their hierarchy, and every record is in company or has lost its keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import and_

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.anonymity import RECORDS, published
from celosia.verify.cells import aligned


def emptied_records(data: Microdata, keys: Sequence[str]) -> pl.Series:
    """True for the records that lost every key."""
    return reduce(and_, [data.suppressed(name) for name in keys])


def groups(data: Microdata, keys: Sequence[str], *others: str) -> pl.DataFrame:
    """The published keys of the records that have not lost them all, and other variables."""
    cells = pl.DataFrame([published(data, name).alias(name) for name in (*keys, *others)])
    return cells.filter(~emptied_records(data, keys))


def sizes(data: Microdata, keys: Sequence[str]) -> pl.Series:
    """How many records share each of these keys."""
    return groups(data, keys).group_by(keys).len(RECORDS)[RECORDS]


def _pairs(before: Microdata, after: Microdata, variable: str) -> pl.DataFrame:
    """The codes before and after of the cells that were not emptied, once each; raises where an emptied one is not."""
    old, new = aligned(before, after, variable)
    emptied = after.suppressed(variable)
    if (emptied & new.is_not_null()).any():
        raise PromiseError("promise-marked", variable=variable)
    return pl.DataFrame({"old": spell_series(old), "new": spell_series(new)}).filter(~emptied).unique()


@dataclass(frozen=True)
class Ancestors:
    """Every code is as it was, an ancestor of what it was, or emptied and marked; missing ones that are no leaves stay.

    With ``one_level`` all codes of the file are at one and the same level.
    """

    variable: str
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    one_level: bool = False

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a code is no ancestor, levels differ, or a cell that is marked as emptied is not."""
        pairs = _pairs(before, after, self.variable)
        path = {row[0]: row for row in self.rows}
        possible = set(range(len(self.rows[0])))
        for was, now in pairs.iter_rows():
            row = path.get(was) if was is not None else None
            at = {level for level, code in enumerate(row) if code == now} if row else set()
            if not at and not (row is None and was == now):
                raise PromiseError("promise-ancestor", variable=self.variable)
            possible = possible & at if row else possible
        if self.one_level and not possible:
            raise PromiseError("promise-level", variable=self.variable)


@dataclass(frozen=True)
class Spans:
    """Every code is as it was, a span of codes that holds it, or emptied and marked."""

    variable: str
    codes: tuple[str, ...] = field(repr=False)

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a code does not hold what was there."""
        pairs = _pairs(before, after, self.variable)
        place = {code: i for i, code in enumerate(self.codes)}
        for was, now in pairs.filter(pl.col("old").ne_missing(pl.col("new"))).iter_rows():
            ends = [(place[a], place[b]) for a, b in _ends(now or "") if a in place and b in place]
            if was not in place or not any(first <= place[was] <= last for first, last in ends):
                raise PromiseError("promise-span", variable=self.variable)


def _ends(code: str) -> list[tuple[str, str]]:
    """All ways to read a code as the first and the last of a span."""
    if code.startswith("[") and code.endswith("]"):
        low, _, high = code[1:-1].partition(", ")
        return [(low, high)]
    return [(code[:i], code[i + 1 :]) for i, mark in enumerate(code) if mark == "-"]


@dataclass(frozen=True)
class EmptiedAtMost:
    """No more than a share of the records lost their keys."""

    keys: tuple[str, ...]
    share: float

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where more did."""
        lost = int(emptied_records(after, self.keys).sum()) - int(emptied_records(before, self.keys).sum())
        if lost > self.share * before.height + 1e-6:
            raise PromiseError("promise-emptied-share", count=lost, share=self.share)


@dataclass(frozen=True)
class SafeOrEmptied:
    """Every record shares its published key with at least k - 1 others, or has lost all of it."""

    keys: tuple[str, ...]
    k: int

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        return self.keys

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of records in smaller groups."""
        records = sizes(after, self.keys)
        short = records.filter(records < self.k).sum()
        if short:
            raise PromiseError("promise-k", k=self.k, count=int(short), counting="strict")
