"""Small areas: every area has enough persons and dwellings, merged ones lie together, small ones are blank."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import polars as pl

from celosia.core.codes import sort_key, spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.cells import aligned


def _areas(data: Microdata, area: str) -> pl.Series:
    """The area of each record as a code; null where the record has none."""
    values = data.column(area)
    return spell_series(values).set(data.dictionary[area].missing_mask(values), None).alias("area")


def _both(before: Microdata, after: Microdata, area: str) -> pl.DataFrame:
    """The area of each record before and after."""
    old, _ = aligned(before, after, area)
    return pl.DataFrame({"old": spell_series(old), "area": _areas(after, area)}).drop_nulls("area")


@dataclass(frozen=True)
class EnoughInAreas:
    """Every area has at least so many records, and so many dwellings, as whoever reads the file counts them.

    Where the variable of the areas or of the dwellings is not in the file, nobody counts them.
    """

    area: str
    persons: int = 0
    dwellings: int = 0
    dwelling: str | None = None

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of areas that have fewer."""
        if self.area not in after:
            return
        homes = self.dwelling is not None and self.dwelling in after
        home = spell_series(after.column(self.dwelling)) if homes and self.dwelling else pl.lit(1)
        records = pl.DataFrame([_areas(after, self.area)]).with_columns(home=home).drop_nulls("area")
        sizes = records.group_by("area").agg(persons=pl.len(), dwellings=pl.col("home").n_unique())
        few = pl.col("persons") < self.persons
        if homes:
            few = few | (pl.col("dwellings") < self.dwellings)
        if count := sizes.filter(few).height:
            raise PromiseError("promise-area-small", variable=self.area, count=count)


@dataclass(frozen=True)
class WithinParent:
    """Every area lies in one parent."""

    area: str
    parent: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of areas that lie in several."""
        pairs = pl.DataFrame([_areas(after, self.area), spell_series(after.column(self.parent)).alias("parent")])
        parents = pairs.drop_nulls("area").group_by("area").agg(pl.col("parent").n_unique())
        if count := parents.filter(pl.col("parent") > 1).height:
            raise PromiseError("promise-area-apart", variable=self.area, count=count)


@dataclass(frozen=True)
class InRuns:
    """Areas that were merged follow each other in the order of their codes, within their parent."""

    area: str
    parent: str | None = None

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of areas that were put together over others."""
        records = _both(before, after, self.area)
        parents = pl.lit("") if self.parent is None else _parents(before, after, self.area, self.parent)
        pairs = records.with_columns(parent=parents).unique().rows()
        pairs.sort(key=lambda row: (row[2] or "", sort_key(row[0])))
        runs = pl.Series([row[1] for row in pairs], dtype=pl.String).rle().len()
        if count := runs - len({row[1] for row in pairs}):
            raise PromiseError("promise-area-apart", variable=self.area, count=count)


def _parents(before: Microdata, after: Microdata, area: str, parent: str) -> pl.Series:
    codes = spell_series(aligned(before, after, parent)[0])
    return codes.filter(_areas(after, area).is_not_null())


@dataclass(frozen=True, eq=False)
class Contiguous:
    """From any of the areas that were merged one gets to each other one over neighbours in the same group."""

    area: str
    neighbours: Mapping[str, tuple[str, ...]] = field(repr=False)

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of areas that fall into pieces."""
        near: dict[str, set[str]] = {}
        for one, others in self.neighbours.items():
            for other in others:
                near.setdefault(one, set()).add(other)
                near.setdefault(other, set()).add(one)
        groups: dict[str, set[str]] = {}
        for old, new in _both(before, after, self.area).unique().rows():
            groups.setdefault(new, set()).add(old)
        if count := sum(not _connected(group, near) for group in groups.values()):
            raise PromiseError("promise-area-apart", variable=self.area, count=count)


def _connected(group: set[str], near: Mapping[str, set[str]]) -> bool:
    reached: set[str] = set()
    waiting = [next(iter(group))]
    while waiting:
        one = waiting.pop()
        if one not in reached:
            reached.add(one)
            waiting += near.get(one, set()) & group
    return reached == group


@dataclass(frozen=True)
class BlankWhereFew:
    """In areas of at most so many records every cell of the variables is emptied and marked."""

    area: str
    variables: tuple[str, ...]
    at_most: int

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of cells that are not."""
        few = _few(after, self.area, self.at_most)
        for name in self.variables:
            count = int((few & ~(after.column(name).is_null() & after.suppressed(name))).sum())
            if count:
                raise PromiseError("promise-area-blank", variable=name, count=count)


@dataclass(frozen=True)
class BlankWhereWereFew:
    """In what were areas of at most so many records every cell of the variables is emptied and marked."""

    area: str
    variables: tuple[str, ...]
    at_most: int

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of cells that are not; the records are the same, in the same order."""
        few = _few(before, self.area, self.at_most)
        for name in self.variables:
            count = int((few & ~(after.column(name).is_null() & after.suppressed(name))).sum())
            if count:
                raise PromiseError("promise-area-blank", variable=name, count=count)


@dataclass(frozen=True)
class SparedWhereMany:
    """Records of larger areas, and those of no area, lost no cell of the variables."""

    area: str
    variables: tuple[str, ...]
    at_most: int

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a cell outside of the small areas is not as it was."""
        many = ~_few(before, self.area, self.at_most)
        for name in self.variables:
            old, new = aligned(before, after, name)
            marks = before.suppressed(name).eq(after.suppressed(name))
            if not ((old.eq_missing(new) & marks) | ~many).all():
                raise PromiseError("promise-untouched", variable=name)


def _few(data: Microdata, area: str, at_most: int) -> pl.Series:
    """True for the records of small areas."""
    codes = pl.DataFrame([_areas(data, area)])
    small = (pl.len().over("area") <= at_most) & pl.col("area").is_not_null()
    return codes.select(small.alias("few"))["few"]
