"""The classes of a sample by their size: all that the estimators of population uniqueness look at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """How many classes (distinct keys) a sample has of each size that occurs.

    Attributes
    ----------
    size
        The sizes that occur, ascending.
    classes
        Classes of each of them.
    """

    size: Floats
    classes: Floats

    @classmethod
    def of(cls, count: npt.NDArray[np.int64]) -> ClassSizes:
        """From the records of each distinct key; keys without records do not count."""
        size, classes = np.unique(count[count > 0], return_counts=True)
        return cls(size.astype(np.float64), classes.astype(np.float64))

    @property
    def records(self) -> float:
        """Records of the sample."""
        return float(self.size @ self.classes)

    @property
    def number(self) -> float:
        """Classes of the sample."""
        return float(self.classes.sum())

    def having(self, size: int) -> float:
        """Classes of this size."""
        return float(self.classes[self.size == size].sum())


@dataclass(frozen=True)
class Estimate:
    """Population uniques by one estimator, and what its fit came to."""

    uniques: float
    facts: Mapping[str, float] = field(default_factory=dict)
