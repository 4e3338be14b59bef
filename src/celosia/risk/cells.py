"""The cells of a model: the full cross product of the key variables' categories, with their records and people."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod

import numpy as np
import numpy.typing as npt

from celosia.core.errors import DataError, warn
from celosia.engines import Engine, Keys
from celosia.engines.contract import WEIGHT_SCALE
from celosia.risk.options import whole_number

Floats = npt.NDArray[np.float64]

MOST_CELLS = 1 << 24
"""Cells that a model may have by default: some two gigabytes of work."""

_BYTES = 120
"""Memory that fitting and judging a model takes for each cell."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Every combination of categories, observed or not, in the order of C arrays.

    Attributes
    ----------
    names, shape
        The variables, and how many categories each has.
    records, people
        Of each cell, in the sample and (by weights) in the population.
    of_key
        The cell of each distinct key of the file.
    """

    names: tuple[str, ...]
    shape: tuple[int, ...]
    records: Floats = field(repr=False)
    people: Floats = field(repr=False)
    of_key: npt.NDArray[np.int64] = field(repr=False)

    @classmethod
    def of(cls, keys: Keys, people: Floats, most: int = MOST_CELLS) -> Cells:
        """The cells of these keys, which have so many people each; not more of them than allowed."""
        shape = tuple(len(categories) for categories in keys.categories)
        refuse_beyond(most, prod(shape))
        of_key = np.ravel_multi_index(tuple(keys.digits.T.astype(np.int64) - 1), shape)
        held, weighed = np.zeros(prod(shape)), np.zeros(prod(shape))
        held[of_key] = keys.count
        weighed[of_key] = people
        return cls(keys.names, shape, held, weighed, of_key)

    @property
    def share(self) -> float:
        """The sampling fraction of the whole file."""
        return float(self.records.sum() / self.people.sum())

    def axes(self, term: tuple[str, ...]) -> tuple[int, ...]:
        """The places of a term's variables."""
        return tuple(sorted(self.names.index(name) for name in term))


def refuse_beyond(most: int, cells: int) -> None:
    """Refuse a model with more cells than allowed."""
    whole_number("max_cells", most)
    if cells > most:
        raise DataError("model-cells", cells=cells, limit=most, gigabytes=round(cells * _BYTES / 2**30, 1))


def weighed(held: Engine, keys: Keys, weight: str) -> Floats:
    """The people of each key, by weights that are all positive; at least its records."""
    scaled = held.weights(weight)
    if not scaled.all():
        raise DataError("weight-zero", variable=weight, count=int((scaled == 0).sum()))
    people = held.sum_by_key(keys, scaled) / WEIGHT_SCALE
    short = people < keys.count
    if short.any():
        warn("population-below-sample", count=int(keys.count[short].sum()))
    return np.asarray(np.maximum(people, keys.count), dtype=np.float64)


def raised(keys: Keys, population: float) -> Floats:
    """The people of each key where all records stand for as many."""
    if population < keys.records:
        raise DataError("population-too-small", population=round(population), records=keys.records)
    return np.asarray(keys.count * (population / keys.records))
