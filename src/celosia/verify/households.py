"""Groups of records that share an id: counted, whole, together."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from celosia.core.codes import spell_series
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
class NoMoreThanMembers:
    """No household is shown with a size of more members than the file has of it.

    Sizes that were recoded to something else than a number, or emptied, are passed over; so is a file without the
    variable of the households or of the sizes.
    """

    household: str
    name: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of records whose household has lost members."""
        if self.household not in after or self.name not in after:
            return
        home = after.column(self.household)
        known = ~after.dictionary[self.household].missing_mask(home)
        sizes = spell_series(after.column(self.name)).cast(pl.Float64, strict=False)
        shown = known & ~after.dictionary[self.name].missing_mask(after.column(self.name))
        members = pl.DataFrame([home]).select(pl.len().over(self.household)).to_series()
        wrong = int((shown & (sizes > members)).sum())
        if wrong:
            raise PromiseError("promise-members", variable=self.name, count=wrong)


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
