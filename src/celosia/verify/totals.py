"""Weighted totals stand."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata

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
        both = old.join(new, on=["everybody", *self.by], how="left", suffix="_after", nulls_equal=True)
        allowed = (pl.col("records_after") + 1) * _ROUNDING + pl.col("total").abs() * 1e-12
        moved = ((pl.col("total") - pl.col("total_after")).abs() > allowed).fill_null(pl.col("total") != 0)
        count = both.filter(moved).height
        if count:
            raise PromiseError("promise-totals", weight=self.weight, count=count)

    def _totals(self, data: Microdata) -> pl.DataFrame:
        groups = [spell_series(data.column(name)).alias(name) for name in self.by]
        weights = data.column(self.weight).cast(pl.Float64).alias("weight")
        table = pl.DataFrame([*groups, weights]).with_columns(everybody=pl.lit(True))
        return table.group_by("everybody", *self.by).agg(total=pl.col("weight").sum(), records=pl.len())
