r"""The individual risk counted again: f records and F persons share a key, and E[1/F] is held against a limit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.dictionary import Role
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.anonymity import RECORDS, numbered
from celosia.verify.matching import short

Numbers = npt.NDArray[np.float64]


def risk(f: Numbers, persons: Numbers) -> Numbers:
    r"""Individual risk: :math:`\frac{p}{1-p}\ln\frac1p` of one record, :math:`p/(f-(1-p))` from three, 1/f if p = 1."""
    p = np.minimum(f / persons, 1.0)
    rest = np.maximum(1.0 - p, 1e-12)
    odds, log = p / rest, np.log(1.0 / p)
    found = np.where(f < 2, odds * log, np.where(f < 3, odds - odds * odds * log, p / (f - (1.0 - p))))
    return np.where(p >= 1.0 - 1e-9, 1.0 / f, found)


@dataclass(frozen=True)
class RiskAtMost:
    """No record's individual risk is above a limit."""

    keys: tuple[str, ...]
    limit: float
    weight: str | None = None
    strata: tuple[str, ...] = ()
    counting: Literal["strict", "wildcard"] = "strict"

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        return (*self.strata, *self.keys)

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of records above the limit."""
        weight = self.weight or after.role(Role.WEIGHT)

        def enough(f: Numbers, persons: Numbers) -> npt.NDArray[np.bool_]:
            return risk(f, np.maximum(persons, f) if weight else f) <= self.limit * (1 + 1e-9)

        if self.counting == "wildcard":
            count = int((short(after, self.keys, self.strata, enough, weight)).sum())
        else:
            cells = pl.DataFrame([numbered(after, name) for name in self.variables])
            amount = after.column(weight).cast(pl.Float64) if weight else pl.repeat(1.0, after.height, eager=True)
            rows = cells.with_columns(amount.alias("\x00weight")).group_by(self.variables)
            sums = rows.agg(pl.len().alias(RECORDS), pl.col("\x00weight").sum())
            f = sums[RECORDS].cast(pl.Float64).to_numpy()
            count = int(f[~enough(f, sums["\x00weight"].to_numpy())].sum())
        if count:
            raise PromiseError("promise-risk", limit=self.limit, count=count, counting=self.counting)
