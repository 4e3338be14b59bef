"""A query: the cells of a domain summed into answers, each cell into one at most."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from celosia.core.errors import OptionError

N = TypeVar("N", np.int64, np.float64)


@dataclass(frozen=True, eq=False)
class Query:
    """Disjoint sums of the cells of a domain.

    One record lies in one cell, so it adds 1 to one answer at most: that is what its charge rests on.

    Attributes
    ----------
    name
        What it is called in budgets, ledgers and measurement files.
    group
        The answer that each cell is summed into; -1 for a cell that no answer holds.
    size
        Number of answers.
    variables
        The variables of the domain that the answers tell apart; none for the total.
    labels
        What each answer counts, as codes joined by ``|`` in the order of ``variables``; numbers where empty.
    """

    name: str
    group: npt.NDArray[np.int32]
    size: int
    variables: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        group = np.ascontiguousarray(self.group, dtype=np.int32)
        group.flags.writeable = False
        object.__setattr__(self, "group", group)
        if group.ndim != 1 or self.size < 1 or (group.size and not -1 <= group.min() <= group.max() < self.size):
            raise OptionError("query-groups", query=self.name, answers=self.size)
        if self.labels and len(set(self.labels)) != self.size:
            raise OptionError("query-labels", query=self.name, answers=self.size)

    @classmethod
    def total(cls, cells: int, name: str = "total") -> Query:
        """All records as one number."""
        return cls(name=name, group=np.zeros(cells, dtype=np.int32), size=1, labels=("total",))

    @classmethod
    def detailed(cls, cells: int, name: str = "detailed") -> Query:
        """Every cell by itself."""
        return cls(name=name, group=np.arange(cells, dtype=np.int32), size=cells)

    @property
    def cells(self) -> int:
        """Number of cells of the domain."""
        return self.group.size

    @property
    def answer_labels(self) -> tuple[str, ...]:
        """A label for each answer."""
        return self.labels or tuple(map(str, range(self.size)))

    def answers(self, histogram: npt.NDArray[N]) -> npt.NDArray[N]:
        """The answers for histograms whose last axis is the cells."""
        if histogram.shape[-1] != self.cells:
            raise OptionError("query-cells", query=self.name, expected=self.cells, found=histogram.shape[-1])
        if self.size == self.cells and np.array_equal(self.group, np.arange(self.cells)):
            return histogram.copy()
        from celosia.kernels.census import sum_groups

        rows = np.ascontiguousarray(histogram).reshape(-1, self.cells)
        out = np.zeros((rows.shape[0], self.size), dtype=histogram.dtype)
        sum_groups(rows, self.group, out)
        return out.reshape(*histogram.shape[:-1], self.size)

    def into(self, coarser: Query) -> npt.NDArray[np.int32] | None:
        """The answer of ``coarser`` that each answer of this one is part of; ``None`` where some belongs to two.

        An answer without cells, or whose cells ``coarser`` leaves out, belongs to -1.
        """
        if coarser.cells != self.cells:
            return None
        target = np.full(self.size, -1, dtype=np.int32)
        here = self.group >= 0
        if bool((coarser.group[~here] >= 0).any()):
            return None
        target[self.group[here]] = coarser.group[here]
        return target if bool((target[self.group[here]] == coarser.group[here]).all()) else None

    def refines(self, coarser: Query) -> bool:
        """Whether every answer of ``coarser`` is a sum of answers of this one."""
        return self.into(coarser) is not None

    def to_dict(self) -> dict[str, Any]:
        """What a ledger or a file says of it."""
        return {"name": self.name, "answers": self.size, "variables": list(self.variables)}
