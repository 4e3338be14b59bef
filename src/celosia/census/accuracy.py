r"""How far published counts are from the true ones: one row of figures for any set of answers.

With :math:`x_i` the true and :math:`y_i` the published count of answer :math:`i`, and :math:`e_i = y_i - x_i`,

.. math::
    \text{MAE} = \frac1n\sum_i |e_i|, \qquad
    \text{RMSE} = \sqrt{\frac1n\sum_i e_i^2}, \qquad
    \text{bias} = \frac1n\sum_i e_i, \qquad
    \text{relative} = \frac{\sum_i |e_i|}{\sum_i x_i},

the last one telling how far off those are who are few; the quantiles of :math:`|e|` in whole persons, and what became
of the zeros: how many of the true zeros are published as zero, and how many published zeros were not zero. Answers that
a protection does not give are counted and left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census.published import Counted, Published
from celosia.census.query import Query

Floats = npt.NDArray[np.float64]

_BLOCK = 1 << 22
"""Answers that are compared at a time."""

SIZES = (0, 100, 1_000, 10_000, 100_000)
"""Persons from which a place is of the next size."""


@dataclass(frozen=True)
class Accuracy:
    """The figures of one set of answers.

    Attributes
    ----------
    answers, untold
        Answers compared, and answers that were not given.
    mae, rmse, mean_error, relative
        Mean absolute error, root of the mean squared error, the bias (mean error), and the sum of the absolute errors
        as a share of all that is counted.
    median, q90, q99, largest
        Quantiles of the absolute error, and the largest.
    zeros, zeros_kept, zeros_false
        True zeros; the share of them published as zero; the share of the published zeros that were not.
    """

    answers: int
    untold: int
    mae: float | None
    rmse: float | None
    mean_error: float | None
    relative: float | None
    median: int | None
    q90: int | None
    q99: int | None
    largest: int | None
    zeros: int
    zeros_kept: float | None
    zeros_false: float | None

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers."""
        return asdict(self)


class Tally:
    """Adds up errors, block by block."""

    def __init__(self) -> None:
        self._answers = self._untold = 0
        self._absolute = self._squared = self._signed = self._counted = 0.0
        self._magnitudes = np.zeros(1, dtype=np.int64)
        self._zeros = np.zeros(3, dtype=np.int64)

    def add(self, truth: Floats, published: Floats) -> None:
        """Count the errors of some answers; NaN where none was given."""
        told = ~np.isnan(published)
        self._untold += int(told.size - told.sum())
        x, y = (truth, published) if told.all() else (truth[told], published[told])
        error = (y - x).ravel()
        if not error.size:
            return
        magnitude = np.abs(error)
        self._answers += error.size
        self._signed += float(error.sum())
        self._absolute += float(magnitude.sum())
        self._counted += float(x.sum())
        self._squared += float(error @ error)
        counts = np.bincount(np.rint(magnitude).astype(np.int64), minlength=self._magnitudes.size)
        counts[: self._magnitudes.size] += self._magnitudes
        self._magnitudes = counts
        self._zeros += ((x == 0).sum(), (y == 0).sum(), ((x == 0) & (y == 0)).sum())

    def result(self) -> Accuracy:
        """The figures; ``None`` for those of nothing."""
        n = self._answers
        true, published, both = (int(count) for count in self._zeros)
        reached = np.cumsum(self._magnitudes)
        # The smallest error that so large a share of the answers does not pass.
        found = [int(np.searchsorted(reached, np.ceil(q * n))) if n else None for q in (0.5, 0.9, 0.99, 1.0)]
        return Accuracy(
            answers=n,
            untold=self._untold,
            mae=self._absolute / n if n else None,
            rmse=float(np.sqrt(self._squared / n)) if n else None,
            mean_error=self._signed / n if n else None,
            relative=self._absolute / self._counted if self._counted else None,
            median=found[0],
            q90=found[1],
            q99=found[2],
            largest=found[3],
            zeros=true,
            zeros_kept=both / true if true else None,
            zeros_false=1 - both / published if published else None,
        )


Where = npt.NDArray[np.bool_]
"""Which places of a level are looked at."""


@dataclass(frozen=True, eq=False)
class Compared:
    """One set of answers that are compared: those of two sources, at all places or at some."""

    base: Published
    other: Published
    where: Where | None = None


def accuracies(level: int, query: Query, nodes: int, wanted: Sequence[Compared]) -> list[Accuracy]:
    """The figures of a query at the places of a level for each set of answers; every source is asked once."""
    tallies = [Tally() for _ in wanted]
    sources = {id(source): source for one in wanted for source in (one.base, one.other)}
    for block in blocks(nodes, query.size):
        said = {name: source.answers(level, query, block) for name, source in sources.items()}
        for one, tally in zip(wanted, tallies, strict=True):
            base, other = said[id(one.base)], said[id(one.other)]
            if one.where is None:
                tally.add(base, other)
            elif (here := one.where[block]).any():
                tally.add(base[here], other[here])
    return [tally.result() for tally in tallies]


def accuracy(
    truth: Published, published: Published, level: int, query: Query, nodes: int, where: Where | None = None
) -> Accuracy:
    """The figures of a query at the places of a level, or at those of them where ``where`` is true."""
    return accuracies(level, query, nodes, [Compared(truth, published, where)])[0]


def sizes(truth: Counted, level: int, breaks: tuple[int, ...] = SIZES) -> Iterator[tuple[str, Where]]:
    """The places of each size that occurs, by the true number of their records."""
    totals = truth.totals[level]
    for low, high in pairwise((*breaks, np.inf)):
        where = (totals >= low) & (totals < high)
        if where.any():
            yield _named(low, high), where


def _named(low: float, high: float) -> str:
    return f"{int(low)}+" if high == np.inf else f"{int(low)}–{int(high) - 1}"


def blocks(nodes: int, answers: int) -> Iterator[slice]:
    """Runs of places whose answers fit in memory together."""
    step = max(1, _BLOCK // max(answers, 1))
    for first in range(0, nodes, step):
        yield slice(first, min(first + step, nodes))
