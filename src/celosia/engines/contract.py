"""The contract between the engines and everything above them.

Risk and methods see keys, not frames: a matrix of the *distinct* keys as small integers (0 = not observed,
1…L = categories in sorted order), how many records have each, and which key each record has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.dictionary import MissingKind
from celosia.core.microdata import Microdata

Ints = npt.NDArray[np.int64]
Counting = Literal["wildcard", "strict"]
"""Whether a missing value may be anything, or is a category of its own."""

WEIGHT_DECIMALS = 6
WEIGHT_SCALE = 10**WEIGHT_DECIMALS
"""Weights are summed as integers of this many parts, so that engines agree to the bit."""


@dataclass(frozen=True, eq=False)
class Categories:
    """The categories of one variable: digit ``i`` is ``codes[i - 1]``, or the missing kind that stands there."""

    codes: tuple[str | None, ...]
    kinds: tuple[MissingKind | None, ...]

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, eq=False)
class Keys:
    """The distinct keys of a file.

    Attributes
    ----------
    names
        The key variables.
    categories
        What each digit means, for each variable.
    digits
        One row a distinct key, in lexicographic order; 0 is a cell that is not observed.
    index
        The row of ``digits`` that each record has.
    count
        Records of each distinct key.
    """

    names: tuple[str, ...]
    categories: tuple[Categories, ...]
    digits: npt.NDArray[np.int32]
    index: npt.NDArray[np.int32]
    count: Ints

    @property
    def records(self) -> int:
        """Number of records."""
        return self.index.size

    def of_records(self, of_key: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Give every record the value of its key."""
        from celosia.kernels.counting import spread_to

        out = np.empty(self.index.size, dtype=of_key.dtype)
        spread_to(self.index, of_key, out)
        return out


@dataclass(frozen=True, eq=False)
class Classes:
    """Groups of records that share an id: the group of each record, and how many groups there are."""

    index: npt.NDArray[np.int32]
    size: int


class Engine(Protocol):
    """What every engine answers. Nothing above this line of the house may ask for more."""

    data: Microdata

    def encode(self, names: Sequence[str], missing: Counting) -> Keys:
        """The distinct keys of these variables."""
        ...

    def encode_with(self, names: Sequence[str], other: Microdata) -> tuple[Keys, Keys]:
        """The keys of these records and of the other ones in one coding, 0 for what may be anything.

        Both hold all distinct keys of the two files; ``count`` and ``index`` are each file's own.
        """
        ...

    def weights(self, name: str) -> Ints:
        """The weights of the records, checked, times ``WEIGHT_SCALE``."""
        ...

    def sum_by_key(self, keys: Keys, scaled: Ints) -> Ints:
        """The sum of the records' integers for each distinct key."""
        ...

    def group(self, name: str) -> Classes:
        """The groups of records that share the value of this variable."""
        ...

    def with_columns(self, columns: Mapping[str, nw.Expr]) -> Microdata:
        """Columns replaced or added by expressions on the visible columns."""
        ...

    def map_codes(self, name: str, target: Mapping[str, str | None], otherwise: str | None = None) -> pl.Series:
        """A column with its codes replaced through a small table, in its own type where that can hold them."""
        ...

    def filter(self, condition: npt.NDArray[np.bool_]) -> Microdata:
        """The records where the mask is true."""
        ...

    def map_groups(self, groups: Classes, function: Callable[[Microdata], Microdata]) -> Microdata:
        """The function applied to each group of records, put back in the order of the file."""
        ...

    def attach(self, rows: Microdata, on: str, names: Sequence[str]) -> Microdata:
        """Columns taken from ``rows`` (one a group) joined back to every record of the group."""
        ...

    def to_polars(self) -> pl.DataFrame:
        """The visible columns as a polars frame."""
        ...
