r"""Intervals of numbers: their limits, which of them a number lies in, how they are written.

Made limits: with :math:`g` groups, ``equidistant`` takes :math:`g + 1` equally spaced points from
:math:`\min - 1` to :math:`\max + 1`; ``log`` the same between :math:`\ln\min - 1` and :math:`\ln\max + 1`, then
their exponentials; both rounded to whole numbers unless two become equal; ``quantiles`` takes the quantiles
:math:`0, 1/g, \dots, 1` (type 7 of Hyndman & Fan 1996, *The American Statistician* 50, 361-365).
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from math import ceil, floor, inf

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell
from celosia.core.errors import DataError

MOST = 1000
"""More intervals than this are a slip in the width."""

Floats = tuple[float, ...]


@dataclass(frozen=True)
class Intervals:
    """Consecutive intervals.

    Attributes
    ----------
    limits
        The limits in order; an open end has none.
    left
        Whether an interval holds its lower limit (else its upper one).
    open_low, open_high
        Whether there is one more interval below the first limit, above the last.
    edge
        Whether the outermost limit that would belong to no interval belongs to the one it ends.
    """

    limits: Floats
    left: bool
    open_low: bool
    open_high: bool
    edge: bool

    @property
    def size(self) -> int:
        """How many there are."""
        return len(self.limits) - 1 + self.open_low + self.open_high

    @property
    def lows(self) -> Floats:
        """The low end of each."""
        return (*((-inf,) if self.open_low else ()), *self.limits[: None if self.open_high else -1])

    @property
    def highs(self) -> Floats:
        """The high end of each."""
        return (*self.limits[0 if self.open_low else 1 :], *((inf,) if self.open_high else ()))

    @property
    def closed(self) -> frozenset[int]:
        """The places of those that hold both their ends."""
        outermost, opened = (self.size - 1, self.open_high) if self.left else (0, self.open_low)
        return frozenset({outermost}) if self.edge and not opened else frozenset()

    def passed(self, name: str) -> nw.Expr:
        """How many limits each number of a column has passed."""
        x = nw.col(name)
        steps = (x >= limit if self._begins(i) else x > limit for i, limit in enumerate(self.limits))
        return nw.sum_horizontal(step.cast(nw.Int32) for step in steps)

    def _begins(self, i: int) -> bool:
        """Whether a limit belongs to the interval that it begins."""
        if self.left:
            return not (self.edge and not self.open_high and i == len(self.limits) - 1)
        return self.edge and not self.open_low and i == 0

    @property
    def texts(self) -> tuple[str, ...]:
        """How they are written: ``[0, 15)``, ``[15, 65)``, ``65+``."""
        limits = limit_texts(self.limits)
        closed = [self._begins(i) for i in range(len(limits))]
        texts = [
            f"{'[' if closed[i] else '('}{a}, {b}{')' if closed[i + 1] else ']'}"
            for i, (a, b) in enumerate(pairwise(limits))
        ]
        first = [f"<{limits[0]}" if self.left else f"≤{limits[0]}"] if self.open_low else []
        last = [f"{limits[-1]}+" if self.left else f">{limits[-1]}"] if self.open_high else []
        return (*first, *texts, *last)


def limit_texts(limits: Floats) -> list[str]:
    """Limits as a label shows them: whole, or to eight significant digits where that tells them apart."""
    short = [str(spell(x if x.is_integer() else float(f"{x:.8g}"))) for x in limits]
    return short if len(set(short)) == len(short) else [str(spell(x)) for x in limits]


def grid(numbers: pl.Series, width: float, origin: float, left: bool) -> Floats:
    """Limits ``width`` apart, one of them ``origin``, around all numbers; decimals come out as written."""
    step, start = Decimal(repr(width)), Decimal(repr(origin))
    low, high = ((Decimal(repr(x)) - start) / step for x in (numbers.min(), numbers.max()))
    first, last = (floor(low), floor(high) + 1) if left else (ceil(low) - 1, ceil(high))
    if last - first > MOST:
        raise DataError("intervals-many", variable=numbers.name, most=MOST)
    return tuple(float(start + step * k) for k in range(first, last + 1))


def grouped(numbers: pl.Series, groups: int, method: str) -> Floats:
    """The limits of so many groups, made as ``method`` says."""
    values, points = numbers.to_numpy(), groups + 1
    if method == "quantiles":
        made = np.quantile(values, np.linspace(0, 1, points))
    elif method == "log":
        if values.min() <= 0:
            raise DataError("log-not-positive", variable=numbers.name, count=int((values <= 0).sum()))
        made = _whole(np.exp(np.linspace(np.log(values.min()) - 1, np.log(values.max()) + 1, points)))
    else:
        made = _whole(np.linspace(values.min() - 1, values.max() + 1, points))
    if (np.diff(made) <= 0).any():
        raise DataError("groups-tied", variable=numbers.name, groups=groups)
    return tuple(made.tolist())


def _whole(made: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Rounded to whole numbers, unless that makes two of them equal."""
    rounded = np.round(made)
    return rounded if np.unique(rounded).size == made.size else made
