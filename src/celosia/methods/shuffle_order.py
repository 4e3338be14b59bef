"""A new random order of the records, so that their place in the file tells nothing."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from celosia.core.errors import OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import engine
from celosia.verify import SameRecords, Together, Untouched

Positions = npt.NDArray[np.int64]


class ShuffleOrder(Method):
    """Put the records in a random order.

    The order comes from secret ranks of the record ids, so that the order of the file that came in leaves no trace.

    Parameters
    ----------
    household
        Shuffle households and keep the members of each one together.
    within
        Whether the members of a household are shuffled too; if not they keep their order.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"hogar": ["a", "b", "a", "b"]})
    >>> ShuffleOrder(household="hogar").apply(frame).data["hogar"].to_list() in (list("aabb"), list("bbaa"))
    True
    """

    do: ClassVar[str] = "shuffle_order"

    household: str | None = None
    within: bool = True

    @model_validator(mode="after")
    def _needs(self) -> ShuffleOrder:
        if not self.within and self.household is None:
            raise OptionError("option-needs", option="within", needs="household")
        return self

    def _transform(self, data: Microdata, run: Run) -> Protected:
        order = self._order(data, run)
        return Protected(data.take(order), method=self, run=run)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """The same records, unchanged, in any order; households together."""
        together = () if self.household is None else (Together(self.household),)
        return (SameRecords(ordered=False), Untouched(), *together)

    def _order(self, data: Microdata, run: Run) -> Positions:
        ids = data.ids
        if self.household is None:
            return np.lexsort((ids, run.order(ids)))
        members = engine(data).group(self.household)
        first = np.full(members.size, np.iinfo(np.uint64).max, dtype=np.uint64)
        np.minimum.at(first, members.index, ids)
        inside = (ids, run.order(ids, 1)) if self.within else (np.arange(data.height),)
        return np.lexsort((*inside, first[members.index], run.order(first)[members.index]))
