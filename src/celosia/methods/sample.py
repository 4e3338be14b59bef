"""A sample of records or of whole households, its weights grown to match."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import model_validator

from celosia.core.dictionary import Level, Role
from celosia.core.errors import DataError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import Share
from celosia.core.run import Run
from celosia.engines import engine
from celosia.engines.contract import WEIGHT_DECIMALS
from celosia.methods.kinds import exactly_one, new_name, reweighted
from celosia.verify import Expanded, ShareDrawn, SomeRecords, Untouched, WholeGroups

Ids = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Sampled(Protected):
    """The sample, and how many units (records, or households) of how many it has."""

    units: int = field(default=0, kw_only=True)
    units_before: int = field(default=0, kw_only=True)

    @property
    def fraction(self) -> float:
        """The share of the units that was drawn."""
        return self.units / self.units_before if self.units_before else 0.0


class Sample(Method):
    """Keep a random part of the file.

    Of each stratum ``round(share * n)`` units are drawn, one at the least, without replacement, by secret ranks of
    the record ids, so that the order of the records does not matter. Weights are divided by the fraction drawn in
    the stratum: totals stand on average, and so do population frequencies. Records keep their order.

    Parameters
    ----------
    share
        The share to keep.
    weight, new_weight
        The weight to adjust; or, for a file without one, the name of the weight to add. Weights get 6 decimals.
    household
        Draw whole groups of records that share this variable.
    strata
        Variables within whose groups the share is kept; with ``household`` they must be the same for its members.

    Examples
    --------
    >>> import polars as pl
    >>> sample = Sample(share=0.25, new_weight="factor").apply(pl.DataFrame({"edad": range(100)}))
    >>> sample.data.height, sample.data["factor"].sum()
    (25, 100.0)
    """

    do: ClassVar[str] = "sample"
    samples: ClassVar[bool] = True

    share: Share
    weight: str | None = None
    new_weight: str | None = None
    household: str | None = None
    strata: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _one_weight(self) -> Sample:
        exactly_one(weight=self.weight, new_weight=self.new_weight)
        return self

    def _transform(self, data: Microdata, run: Run) -> Sampled:
        if data.height == 0:
            raise DataError("no-records")
        unit, size = self._units(data)
        stratum = self._strata(data, unit, size)
        drawn, fraction = self._draw(_first_id(data.ids, unit, size), stratum, run)
        kept = drawn[unit]
        left = self._weighted(engine(data).filter(kept), 1 / fraction[stratum[unit[kept]]])
        return Sampled(left, method=self, run=run, units=int(drawn.sum()), units_before=size)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Some of the records, in order, as many as asked for, unchanged but for the grown weight; households whole."""
        weight = self.weight or self.new_weight or ""
        whole = () if self.household is None else (WholeGroups(self.household),)
        return (
            SomeRecords(),
            Untouched(frozenset({weight})),
            *whole,
            ShareDrawn(self.share, self.household, self.strata),
            Expanded(weight, self.household, self.strata),
        )

    def _units(self, data: Microdata) -> tuple[npt.NDArray[np.int64], int]:
        """The unit of each record, and how many units there are."""
        if self.household is None:
            return np.arange(data.height), data.height
        groups = engine(data).group(self.household)
        return groups.index.astype(np.int64), groups.size

    def _strata(self, data: Microdata, unit: npt.NDArray[np.int64], size: int) -> npt.NDArray[np.int64]:
        """The stratum of each unit."""
        if not self.strata:
            return np.zeros(size, dtype=np.int64)
        of_record = engine(data).encode(self.strata, "strict").index.astype(np.int64)
        of_unit = np.zeros(size, dtype=np.int64)
        of_unit[unit] = of_record
        mixed = np.unique(unit[of_unit[unit] != of_record]).size
        if mixed:
            raise DataError("strata-within-household", household=self.household, count=int(mixed))
        return of_unit

    def _draw(
        self, ids: Ids, stratum: npt.NDArray[np.int64], run: Run
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        """Which units are drawn, and the fraction drawn of each stratum."""
        order = np.lexsort((ids, run.order(ids), stratum))
        sizes = np.bincount(stratum)
        rank = np.arange(ids.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        wanted = np.maximum(np.floor(self.share * sizes + 0.5), 1)
        drawn = np.zeros(ids.size, dtype=bool)
        drawn[order] = rank < wanted[stratum[order]]
        return drawn, wanted / np.maximum(sizes, 1)

    def _weighted(self, left: Microdata, factor: npt.NDArray[np.float64]) -> Microdata:
        if self.weight is not None:
            return reweighted(left, self.weight, factor)
        assert self.new_weight is not None
        new = new_name(left, self.new_weight)
        role = Role.WEIGHT if left.role(Role.WEIGHT) is None else None
        dictionary = left.dictionary.replace(new, level=Level.CONTINUOUS, role=role, decimals=WEIGHT_DECIMALS)
        return left.with_columns({new: pl.Series(new, factor.round(WEIGHT_DECIMALS))}, dictionary)


def _first_id(ids: Ids, unit: npt.NDArray[np.int64], size: int) -> Ids:
    """The smallest record id of each unit: it does not depend on the order of the file."""
    first = np.full(size, np.iinfo(np.uint64).max, dtype=np.uint64)
    np.minimum.at(first, unit, ids)
    return first
