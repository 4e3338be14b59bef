"""Groups of records that share an id: counted, whole, together."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.anonymity import RECORDS


@dataclass(frozen=True)
class CountsMembers:
    """A variable holds the number of records of each household, at most ``top``."""

    household: str
    name: str
    top: int | None = None

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a size is wrong."""
        sizes = after.frame.select(pl.len().over(self.household)).to_series()
        if self.top is not None:
            sizes = sizes.clip(upper_bound=self.top)
        wrong = (after.column(self.name) != sizes).sum()
        if wrong:
            raise PromiseError("promise-size", variable=self.name, count=int(wrong))


@dataclass(frozen=True)
class WholeGroups:
    """A group of records is there with every one of them, or not at all."""

    name: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a group lost some of its records."""
        old, new = (data.frame.group_by(self.name).len(RECORDS) for data in (before, after))
        both = new.join(old, on=self.name, suffix="_before")
        torn = both.filter(pl.col(RECORDS) != pl.col(f"{RECORDS}_before")).height
        if torn:
            raise PromiseError("promise-groups", variable=self.name, count=torn)


@dataclass(frozen=True)
class Together:
    """Records of a group follow each other."""

    name: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a group is in two places."""
        runs = after.column(self.name).rle().len()
        groups = after.column(self.name).n_unique()
        if runs > groups:
            raise PromiseError("promise-groups", variable=self.name, count=runs - groups)
