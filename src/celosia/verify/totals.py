"""Weighted totals stand."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.anonymity import RECORDS

_ROUNDING = 1e-6
"""The most that rounding may take from or add to the weight of one record."""


@dataclass(frozen=True)
class SameTotals:
    """The weight sums to what it did, overall or in each group, but for the rounding of each record."""

    weight: str
    by: tuple[str, ...] = ()

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of groups whose total moved."""
        old, new = self._totals(before), self._totals(after)
        both = old.join(new, on=["\x00everybody", *self.by], how="left", suffix="_after", nulls_equal=True)
        total, now = pl.col("\x00total"), pl.col("\x00total_after")
        allowed = (pl.col(f"{RECORDS}_after") + 1) * _ROUNDING + total.abs() * 1e-12
        moved = ((total - now).abs() > allowed).fill_null(total != 0)
        count = both.filter(moved).height
        if count:
            raise PromiseError("promise-totals", weight=self.weight, count=count)

    def _totals(self, data: Microdata) -> pl.DataFrame:
        groups = [spell_series(data.column(name)).alias(name) for name in self.by]
        weights = data.column(self.weight).cast(pl.Float64).alias("\x00total")
        table = pl.DataFrame([*groups, weights]).with_columns(pl.lit(True).alias("\x00everybody"))
        return table.group_by("\x00everybody", *self.by).agg(pl.col("\x00total").sum(), pl.len().alias(RECORDS))
