"""Classes of anonymity: the sizes of group that tables put together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral

import polars as pl

from celosia.core.errors import OptionError

NATIONAL = (1, 2, 3, 4, 5, 10, 20, 50)
"""Largest k of each class of Gil Bellosta's Cuadro 1; one more class holds what is above."""
PLACES = (*NATIONAL, 100)
"""Those of his Cuadros 2, 3 and 4."""


def checked(tops: Sequence[int]) -> tuple[int, ...]:
    """Largest k of every class but the last, in order."""
    whole = all(isinstance(top, Integral) and not isinstance(top, bool) for top in tops)
    if not tops or not whole or tops[0] < 1 or any(a >= b for a, b in pairwise(tops)):
        raise OptionError("classes-form")
    return tuple(int(top) for top in tops)


def lowest(tops: Sequence[int]) -> tuple[int, ...]:
    """Smallest k of every class."""
    return (1, *(top + 1 for top in tops))


def names(tops: Sequence[int]) -> list[str]:
    """Names of the classes: ``1`` … ``6-10`` … ``>50``."""
    closed = [str(top) if low == top else f"{low}-{top}" for low, top in zip(lowest(tops), tops, strict=False)]
    return [*closed, f">{tops[-1]}"]


def described(tops: Sequence[int]) -> pl.DataFrame:
    """A row a class: its smallest and largest k (none in the last one), and its name."""
    return pl.DataFrame(
        {"k": lowest(tops), "to": [*tops, None], "class": names(tops)},
        schema={"k": pl.Int64, "to": pl.Int64, "class": pl.String},
    )
