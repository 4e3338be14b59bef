"""Estimates of the parts of a stage with their precision, put together by inverse variance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

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
    def nothing(cls, children: int, parts: int) -> Combined:
        """Parts that nothing is known of."""
        zeros = np.zeros((children, parts))
        return cls(zeros, zeros)

    @classmethod
    def of(cls, values: npt.NDArray[Any], variance: Floats, parts: Ints) -> Combined:
        """What is known of some parts of a query, one row a child; of those behind its answers nothing is."""
        asked = parts < values.shape[1]
        near = values[:, np.where(asked, parts, 0)] * asked
        return cls(near.astype(np.float64), asked / variance[:, None])

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
