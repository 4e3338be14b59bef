"""The cells of the table that some of the key variables make, counted from the distinct keys of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from celosia.engines import Keys
from celosia.engines.contract import Categories
from celosia.kernels.counting import collapse_direct, sum_by

_PLACES = 1 << 22
"""Up to so many possible cells (or four a key) are counted in a table with a place for each."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Projection:
    """The observed cells of one table.

    Attributes
    ----------
    keys, subset
        The distinct keys, and the positions of the variables of the table.
    index
        The cell of each distinct key.
    count
        Records of each cell.
    """

    keys: Keys
    subset: tuple[int, ...]
    index: npt.NDArray[np.int32]
    count: Ints

    @cached_property
    def example(self) -> Ints:
        """A distinct key of each cell."""
        rows = np.empty(self.count.size, dtype=np.int64)
        rows[self.index] = np.arange(self.index.size)
        return rows

    @property
    def digits(self) -> npt.NDArray[np.int32]:
        """One row a cell, one column a variable."""
        return self.keys.digits[self.example[:, None], list(self.subset)]


def project(keys: Keys, subset: tuple[int, ...]) -> Projection:
    """Count the records in each observed cell of the table of these variables."""
    codes, space = np.zeros(keys.count.size, dtype=np.int64), 1
    for j in subset:
        size = len(keys.categories[j]) + 1
        if space * size >= 2**62:
            index, space = _number(codes, space)
            codes = index.astype(np.int64)
        codes, space = codes * size + keys.digits[:, j], space * size
    index, cells = _number(codes, space)
    count = np.zeros(cells, dtype=np.int64)
    sum_by(index, keys.count, count)
    return Projection(keys, subset, index, count)


def _number(codes: Ints, space: int) -> tuple[npt.NDArray[np.int32], int]:
    """Codes numbered in ascending order, and how many differ."""
    if space > max(_PLACES, 4 * codes.size):
        distinct, index = np.unique(codes, return_inverse=True)
        return index.reshape(-1).astype(np.int32), distinct.size
    room = min(space, codes.size)
    count, distinct = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
    numbered = np.empty(codes.size, dtype=np.int32)
    found = collapse_direct(codes, np.zeros(space, dtype=np.int32), numbered, count, distinct)
    return numbered, int(found)


def spelled(categories: Categories) -> list[str]:
    """The code of each category, or the kind of missing that it stands for."""
    return [str(kind) if code is None else code for code, kind in zip(categories.codes, categories.kinds, strict=True)]
