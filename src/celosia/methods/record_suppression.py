"""Record suppression: whole records leave until every key is shared by k, and whether that is cheaper than cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from celosia.core.errors import DataError, OptionError
from celosia.core.method import Method, Promise
from celosia.core.microdata import Microdata
from celosia.core.model import Names
from celosia.core.run import Run
from celosia.engines import engine
from celosia.methods.drop_records import Dropped
from celosia.methods.local_suppression import LocalSuppression, Some
from celosia.methods.suppressed import Suppressed
from celosia.verify import KAnonymous, SomeRecords, Untouched


class RecordSuppression(Method):
    """Reach k-anonymity by taking out the records that share their key with fewer than k - 1 others.

    Counting is strict, so that a record counts in one class only. A class smaller than k leaves whole and takes
    nothing from the others: what is left after one pass has no new violators, and is the largest part of the
    file that is safe.

    Parameters
    ----------
    keys, k
        The key variables, and how many records must share each key at the least.
    counting
        How records are counted.
    strata
        Variables within whose values k must hold.
    weight
        The weight, to report what the totals lose; by default the variable with that role.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": ["M", "H", "H", "M"], "zona": ["r", "r", "r", "u"]})
    >>> result = RecordSuppression(keys=("sexo", "zona"), k=2).apply(frame)
    >>> result.data["sexo"].to_list(), result.lost_share
    (['H', 'H'], 0.5)
    """

    do: ClassVar[str] = "record_suppression"

    keys: Names
    k: Annotated[int, Field(ge=2)]
    counting: Literal["strict"] = "strict"
    strata: Some = ()
    weight: str | None = None

    def _transform(self, data: Microdata, run: Run) -> Dropped:
        coded = engine(data).encode((*self.strata, *self.keys), self.counting)
        leaves = coded.of_records(coded.count < self.k)
        if leaves.all():
            raise DataError("record-suppression-all", k=self.k)
        return Dropped.of(engine(data).filter(~leaves), data, leaves, self.weight, self, run)

    def in_parts(self, before: Microdata, after: Microdata, run: Run) -> Dropped:
        """What left the whole file."""
        return Dropped.of(after, before, ~np.isin(before.ids, after.ids), self.weight, self, run)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Some of the records, with every cell as it was."""
        return (SomeRecords(), Untouched())

    def lasting(self) -> tuple[Promise, ...]:
        """k within strata, counted strictly."""
        return (KAnonymous(self.keys, self.k, self.strata),)


def cheaper(
    local: Suppressed, record: Dropped, record_cost: float, cell_costs: Mapping[str, float] | None = None
) -> Suppressed | Dropped:
    r"""The one of two ways to the same k that costs less; the one that keeps all records if they cost the same.

    .. math:: C_{local} = \sum_v c_v\, n_v + c\, d, \qquad C_{record} = c\, m

    for :math:`n_v` cells emptied in variable :math:`v` and :math:`d` records dropped by the one, and :math:`m` records
    dropped by the other.

    Parameters
    ----------
    local, record
        What ``LocalSuppression`` and ``RecordSuppression`` gave for the same data, keys, strata and k.
    record_cost
        What a record is worth, in cells: the number of keys says that nothing but the keys matters.
    cell_costs
        What a cell of each key is worth; 1 for those not named.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": ["M", "H", "H", "M"], "zona": ["r", "r", "r", "u"]})
    >>> cells = LocalSuppression(keys=("sexo", "zona"), k=2).apply(frame)
    >>> records = RecordSuppression(keys=("sexo", "zona"), k=2).apply(frame)
    >>> cheaper(cells, records, record_cost=2).method.do
    'local_suppression'
    """
    one, other = local.method, record.method
    if not isinstance(one, LocalSuppression) or not isinstance(other, RecordSuppression):
        raise OptionError("choice-unlike")
    if one.subsets or (set(one.keys), one.k, set(one.strata)) != (set(other.keys), other.k, set(other.strata)):
        raise OptionError("choice-unlike")
    if unknown := set(cell_costs or {}) - set(one.keys):
        raise OptionError("keys-only", option="cell_costs", variables=tuple(sorted(unknown)))
    if record_cost < 0 or any(cost < 0 for cost in (cell_costs or {}).values()):
        raise OptionError("cost-negative")
    cells = sum((cell_costs or {}).get(name, 1.0) * count for name, count in local.suppressed.items())
    spent = cells + record_cost * local.dropped
    return record if record_cost * record.lost_records < spent else local
