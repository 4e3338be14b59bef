"""Measuring: what was charged is measured once, and nothing else is."""

from __future__ import annotations

from typing import Any

import numpy.typing as npt

from celosia.census import noise
from celosia.census.bits import Bits
from celosia.census.counts import Counts, answers
from celosia.census.ledger import Spending
from celosia.census.measurement import Measurement
from celosia.census.query import Query
from celosia.core.errors import PolicyError


class Measurer:
    """Takes the noisy measurements that a spending paid for, each of them once.

    Parameters
    ----------
    spending
        As the ledger has entered it.
    source
        Where the bits come from. A test source is taken only where the spending says *not releasable*.
    """

    def __init__(self, spending: Spending, source: Bits) -> None:
        if spending.releasable and not source.releasable:
            raise PolicyError("measurement-source")
        self._source = source
        self._due = {(charge.level, charge.query): charge for charge in spending.charges}
        self._releasable = spending.releasable

    @property
    def due(self) -> tuple[tuple[str, str], ...]:
        """Level and query of what was paid for and not measured yet."""
        return tuple(self._due)

    def skip(self, level: str, query: str) -> None:
        """Leave out what was measured before."""
        if self._due.pop((level, query), None) is None:
            raise PolicyError("measurement-unpaid", level=level, query=query)

    def measure(self, level: str, query: Query, counts: Counts | npt.NDArray[Any]) -> Measurement:
        """The answers at all nodes of a level (their histograms in either form) with their noise."""
        charge = self._due.pop((level, query.name), None)
        if charge is None:
            raise PolicyError("measurement-unpaid", level=level, query=query.name)
        values = answers(query, counts)
        noise.sampler(charge.law).add(values, self._source)
        return Measurement(level, query, charge.variance, values, self._releasable)
