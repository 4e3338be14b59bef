"""Samples: the share that was asked for of each stratum, and weights that grew by what was drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import as_shown
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.anonymity import published

_ROUNDING = 1e-6
"""The most that rounding may take from or add to the weight of one record."""


@dataclass(frozen=True)
class ShareDrawn:
    """Of the n units (records or households) of each stratum there are share · n, rounded, and one at the least."""

    share: float
    household: str | None = None
    strata: tuple[str, ...] = ()

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of strata that have more or fewer."""
        sizes = _sizes(before, after, self.household, self.strata)
        due = np.maximum(np.floor(self.share * sizes["units"].to_numpy() + 0.5), 1)
        if wrong := int((sizes["drawn"].to_numpy() != due).sum()):
            raise PromiseError("promise-drawn", share=self.share, count=wrong)


@dataclass(frozen=True)
class Expanded:
    """The weight of each record is what it was (or 1, if it is new) over the share drawn of its stratum."""

    weight: str
    household: str | None = None
    strata: tuple[str, ...] = ()

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of records whose weight is another."""
        sizes = _sizes(before, after, self.household, self.strata)
        stratum = _strata(before.in_order_of(after.ids), self.strata)
        factor = stratum.join(sizes, on=stratum.columns, how="left", maintain_order="left")
        due = self._were(before.in_order_of(after.ids)) * (factor["units"] / factor["drawn"]).to_numpy()
        now = as_shown(after.column(self.weight)).cast(pl.Float64).to_numpy()
        if wrong := int((~(np.abs(now - due) <= _ROUNDING + 1e-9 * due)).sum()):
            raise PromiseError("promise-weights", weight=self.weight, count=wrong)

    def _were(self, data: Microdata) -> npt.NDArray[np.float64]:
        """The weights before, to the decimals that count."""
        if self.weight not in data:
            return np.ones(data.height)
        values = as_shown(data.column(self.weight)).cast(pl.Float64).to_numpy()
        decimals = data.dictionary[self.weight].decimals
        return values if decimals is None else values.round(decimals)


def _strata(data: Microdata, names: tuple[str, ...]) -> pl.DataFrame:
    """The stratum of each record."""
    columns = [published(data, name).alias(f"in {name}") for name in names]
    return pl.DataFrame([*columns, pl.repeat(0, data.height, eager=True).alias("everybody")])


def _sizes(before: Microdata, after: Microdata, household: str | None, strata: tuple[str, ...]) -> pl.DataFrame:
    """The units of each stratum, and how many of them were drawn."""

    def units(data: Microdata, name: str) -> pl.DataFrame:
        unit = pl.Series("unit", data.ids) if household is None else data.column(household).alias("unit")
        rows = _strata(data, strata).with_columns(unit)
        return rows.group_by(pl.exclude("unit")).agg(pl.col("unit").n_unique().cast(pl.Int64).alias(name))

    old, new = units(before, "units"), units(after, "drawn")
    both = old.join(new, on=[name for name in old.columns if name != "units"], how="left")
    return both.with_columns(pl.col("drawn").fill_null(0))
