"""Estimates of the parts of a stage with their precision, put together by inverse variance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census.evidence import Evidence
from celosia.census.query import Query

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_UNINFORMED = 1e4
"""Variance of a part that nothing was measured of, in units of the largest one beside it."""


@dataclass(frozen=True, eq=False)
class Combined:
    """One row a child, one column a part: estimates, and their precision 1/v (0 where nothing is known)."""

    near: Floats
    precision: Floats

    @classmethod
    def of(cls, evidence: Evidence | None, query: Query | None, nodes: slice, parts: Ints) -> Combined:
        """What is known of the parts of a query; of those behind its answers nothing is."""
        if evidence is None or query is None:
            nothing = np.zeros((nodes.stop - nodes.start, parts.size))
            return cls(nothing, nothing)
        asked = parts < query.size
        near = evidence.values[nodes][:, np.where(asked, parts, 0)] * asked
        return cls(near.astype(np.float64), asked / evidence.variance[nodes][:, None])

    def summed(self, sums: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]) -> Combined:
        """The estimates of sums of parts."""
        with np.errstate(divide="ignore"):
            return Combined(sums(self.near), 1 / sums(1 / self.precision))

    def joined(self, other: Combined) -> Combined:
        """Two independent estimates as one."""
        precision = self.precision + other.precision
        weighed = self.precision * self.near + other.precision * other.near
        return Combined(np.divide(weighed, precision, out=np.zeros_like(weighed), where=precision > 0), precision)

    def filled(self, otherwise: Floats) -> tuple[Floats, Floats]:
        """Estimates and variances, with other values where nothing is known."""
        known = self.precision > 0
        if known.all():
            return self.near, 1 / self.precision
        variance = np.divide(1.0, self.precision, out=np.zeros_like(self.precision), where=known)
        largest = variance.max() or 1.0
        return np.where(known, self.near, otherwise), np.where(known, variance, _UNINFORMED * largest)
