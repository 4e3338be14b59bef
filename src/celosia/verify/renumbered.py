"""New identifiers: 1, 2, … and in an order that is not that of the old ones, nor that of the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.cells import aligned

MOST = 20
"""Neighbours, or numbers kept, that chance leaves: of 10^13 random orders of any length one has more."""


@dataclass(frozen=True)
class Renumbered:
    """Identifiers are the numbers from 1 on, and at most ``MOST`` of them are what they were or follow as they did.

    That is as much as can be promised of a random order: in one of a few groups chance may leave everything in place.
    ``within`` are the variables in whose groups the old numbers start again.
    """

    variable: str
    within: tuple[str, ...] = ()

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where numbers are not from 1 on, were kept, or follow the old order or the order of the file."""
        old, new = aligned(before, after, self.variable)
        among = [aligned(before, after, name)[0].alias(f"in {name}") for name in self.within]
        groups = pl.DataFrame([*among, old.alias("old"), new.alias("new")]).unique(maintain_order=True)
        numbers = groups["new"].cast(pl.Int64, strict=False)
        kept = int((spell_series(groups["old"]) == spell_series(groups["new"])).sum())
        sorted_by_old = groups.with_columns(new=numbers).sort(pl.exclude("new"), maintain_order=True)["new"]
        dense = numbers.sort().equals(pl.int_range(1, groups.height + 1, eager=True), check_dtypes=False)
        if not dense or max(kept, _neighbours(numbers), _neighbours(sorted_by_old)) > MOST:
            raise PromiseError("promise-renumbered", variable=self.variable)


def _neighbours(numbers: pl.Series) -> int:
    """How many numbers stand beside the one before or after them."""
    values: npt.NDArray[np.int64] = numbers.fill_null(0).to_numpy()
    return int((np.abs(np.diff(values)) == 1).sum())
