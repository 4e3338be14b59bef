"""What suppression took away, counted cell by cell against the input: how much, and with what."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.cells import aligned


def lost(before: Microdata, after: Microdata, name: str) -> pl.Series:
    """Where a variable held something and holds nothing now, among the records that stayed."""
    old, new = aligned(before, after, name)
    return old.is_not_null() & new.is_null()


@dataclass(frozen=True)
class LosesAtMost:
    """No record loses more of these variables than a number."""

    variables: tuple[str, ...]
    most: int

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with how many records lose more."""
        cells = np.zeros(after.height, dtype=np.int64)
        for name in self.variables:
            cells += lost(before, after, name).to_numpy()
        over = int((cells > self.most).sum())
        if over:
            raise PromiseError("promise-most", count=over, most=self.most)


@dataclass(frozen=True)
class VariablesLoseAtMost:
    """A variable is emptied in no more than a share of the records that stayed."""

    shares: tuple[tuple[str, float], ...]

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where one loses more."""
        for name, share in self.shares:
            cells = int(lost(before, after, name).sum())
            if cells > share * after.height:
                raise PromiseError("promise-share", variable=name, count=cells, share=share)


@dataclass(frozen=True)
class EmptiedTogether:
    """Where one of these variables was emptied, none of them shows anything."""

    variables: tuple[str, ...]

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where one still shows what another hides."""
        anywhere = np.zeros(after.height, dtype=np.bool_)
        for name in self.variables:
            anywhere |= lost(before, after, name).to_numpy()
        for name in self.variables:
            shows = int((after.column(name).is_not_null().to_numpy() & anywhere).sum())
            if shows:
                raise PromiseError("promise-together", variable=name, count=shows)


@dataclass(frozen=True)
class LostTogether:
    """What one record of a group lost of these variables, no record of the group shows."""

    group: str
    variables: tuple[str, ...]

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a member shows what another lost."""
        for name in self.variables:
            cells = pl.DataFrame(
                {
                    "group": after.column(self.group),
                    "lost": lost(before, after, name),
                    "shown": after.column(name).is_not_null(),
                }
            )
            torn = cells.group_by("group").agg(pl.col("lost").any() & pl.col("shown").any())["lost"].sum()
            if torn:
                raise PromiseError("promise-household", variable=name, count=int(torn))
