"""Measuring: what was charged is measured once, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census import noise, stored
from celosia.census.bits import Bits
from celosia.census.counts import Counts, answers
from celosia.census.ledger import Spending
from celosia.census.measurement import Measurement
from celosia.census.query import Query
from celosia.census.stored import Stored, Values
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

    def measure(
        self, level: str, query: Query, counts: Counts | npt.NDArray[Any], path: Path | None = None
    ) -> Measurement:
        """The answers at all nodes of a level (their histograms in either form) with their noise.

        Many answers go to ``path``, or a file of their own, a run of places at a time.
        """
        charge = self._due.pop((level, query.name), None)
        if charge is None:
            raise PolicyError("measurement-unpaid", level=level, query=query.name)
        sampler = noise.sampler(charge.law)
        places = counts.places if isinstance(counts, Counts) else len(counts)
        if places * query.size < stored.LARGE or not isinstance(counts, Counts):
            values: Values = self._noisy(sampler, answers(query, counts))
        else:
            blocks = (self._noisy(sampler, counts.part(run).answers(query)) for run in stored.runs(places, query.size))
            values = Stored.write((places, query.size), _kind(counts.total), blocks, path)
        return Measurement(level, query, charge.variance, values, self._releasable)

    def _noisy(self, sampler: noise.Sampler, values: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The values with their noise added in place."""
        sampler.add(values, self._source)
        return values


def _kind(total: int) -> type[np.integer[Any]]:
    """The whole numbers that hold any answer with its noise, which never passes a hundred million."""
    return np.int32 if total < 1 << 30 else np.int64
