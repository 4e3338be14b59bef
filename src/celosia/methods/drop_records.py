"""Drop records where a condition holds, and tell what the totals lose."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from celosia.core.condition import Condition, holds
from celosia.core.dictionary import Role
from celosia.core.errors import CelosiaError, DataError, OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import engine
from celosia.engines.contract import WEIGHT_SCALE, Ints
from celosia.methods.kinds import reweighted
from celosia.verify import KeptUnless, SameTotals, Untouched

Mask = npt.NDArray[np.bool_]
Factors = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Dropped(Protected):
    """The data left, and what left: records and, where there is a weight, what they stood for.

    Attributes
    ----------
    records, weight_total
        The file before: its records and the sum of its weights.
    lost_records, lost_weight
        What of it left.
    """

    records: int = field(default=0, kw_only=True)
    lost_records: int = field(default=0, kw_only=True)
    weight_total: float | None = field(default=None, kw_only=True)
    lost_weight: float | None = field(default=None, kw_only=True)

    @classmethod
    def of(
        cls, left: Microdata, data: Microdata, leaves: Mask, weight: str | None, method: Method, run: Run
    ) -> Dropped:
        """What is left of the data, and what left it; by the weight named, else by the one that the file declares."""
        gone = int(leaves.sum())
        known: dict[str, Any] = {"method": method, "run": run, "records": data.height, "lost_records": gone}
        scaled = _weights(data, weight)
        if scaled is None:
            return cls(left, **known)
        lost = int(np.sum(scaled[leaves])) / WEIGHT_SCALE
        return cls(left, **known, weight_total=int(scaled.sum()) / WEIGHT_SCALE, lost_weight=lost)

    @property
    def lost_share(self) -> float:
        """Share of the records that left."""
        return self.lost_records / self.records if self.records else 0.0

    @property
    def lost_weight_share(self) -> float | None:
        """Share of the weighted total that left, before any recalibration."""
        if self.lost_weight is None or not self.weight_total:
            return None
        return self.lost_weight / self.weight_total


def _weights(data: Microdata, named: str | None) -> Ints | None:
    """The weights to report by. Those that nobody asked for are passed over where they are not in order."""
    if named is not None:
        return engine(data).weights(named)
    declared = data.role(Role.WEIGHT)
    try:
        return None if declared is None else engine(data).weights(declared)
    except CelosiaError:
        return None


class DropRecords(Method):
    """Take out the records where a condition holds.

    Parameters
    ----------
    where
        The condition, as ``edad > 100 or missing(sexo)``.
    weight
        The weight by which the loss of the total is reported; by default the one that the file declares.
    recalibrate
        Whether the remaining weights are multiplied so that the total stands; they get 6 decimals.
    by
        Variables within whose groups totals stand; a group that would lose everybody is an error.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"edad": [4, 30, 104, 50], "factor": [10, 10, 5, 25]})
    >>> result = DropRecords(where="edad > 100", weight="factor").apply(frame)
    >>> result.lost_records, result.lost_weight
    (1, 5.0)
    """

    do: ClassVar[str] = "drop_records"

    where: Condition
    weight: str | None = None
    recalibrate: bool = False
    by: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _needs(self) -> DropRecords:
        if self.recalibrate and self.weight is None:
            raise OptionError("option-needs", option="recalibrate", needs="weight")
        if self.by and not self.recalibrate:
            raise OptionError("option-needs", option="by", needs="recalibrate")
        return self

    @property
    def record_wise(self) -> bool:
        """Without weights a record goes by its own values."""
        return self.weight is None

    def _transform(self, data: Microdata, run: Run) -> Dropped:
        leaves = holds(self.where, data)
        if leaves.all() and leaves.size:
            raise DataError("drop-all-records")
        left = engine(data).filter(~leaves)
        if self.recalibrate and self.weight is not None:
            factors = self._factors(data, engine(data).weights(self.weight), ~leaves)
            left = reweighted(left, self.weight, factors[~leaves])
        return Dropped.of(left, data, leaves, self.weight, self, run)

    def _factors(self, data: Microdata, weights: Ints, stays: Mask) -> Factors:
        """What each record's weight is multiplied by."""
        group = engine(data).encode(self.by, "strict").index if self.by else np.zeros(data.height, dtype=np.int32)
        total = np.bincount(group, weights=weights).astype(np.float64)
        rest = np.bincount(group, weights=weights * stays, minlength=total.size)
        gone = int(((total > 0) & (rest == 0)).sum())
        if gone:
            raise DataError("recalibration-empty", count=gone, by=self.by)
        return np.divide(total, rest, out=np.ones_like(total), where=rest > 0)[group]

    def in_parts(self, before: Microdata, after: Microdata, run: Run) -> Dropped:
        """What left the whole file."""
        return Dropped.of(after, before, ~np.isin(before.ids, after.ids), self.weight, self, run)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Exactly the records where the condition does not hold; totals as they were if recalibrated."""
        if not self.recalibrate or self.weight is None:
            return (KeptUnless(self.where), Untouched())
        return (KeptUnless(self.where), Untouched(frozenset([self.weight])), SameTotals(self.weight, self.by))
