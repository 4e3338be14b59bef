"""What a run gives back: counts of every place, persons made of them, the measurements and the ledger."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.census.attribute import EMPTY
from celosia.census.counts import Counts
from celosia.census.domain import Domain
from celosia.census.geography import Geography
from celosia.census.ledger import Ledger
from celosia.census.measurement import Measurement
from celosia.census.query import Query
from celosia.core.codes import spell_series
from celosia.core.microdata import Microdata
from celosia.core.results import Tabular

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Release(Tabular):
    """The protected census.

    Attributes
    ----------
    name
        What it is called in tables.
    domain, geography
        As declared.
    counts
        The histograms of each level, root first: whole numbers, none negative, children adding up to their parent.
    measurements
        The noisy measurements that everything here was made of.
    ledger
        What was spent on these data so far, this run included.
    """

    name: str
    domain: Domain = field(repr=False)
    geography: Geography = field(repr=False)
    counts: tuple[Counts, ...] = field(repr=False)
    measurements: tuple[Measurement, ...] = field(repr=False)
    ledger: Ledger = field(repr=False)

    @property
    def releasable(self) -> bool:
        """False where any of the noise came from a test source."""
        return all(one.releasable for one in self.measurements)

    @cached_property
    def leaves(self) -> npt.NDArray[np.int32]:
        """The histograms of the leaves with their zeros: one row a leaf, one column a cell."""
        return self.counts[-1].dense()

    def answers(self, level: int, query: Query, nodes: slice) -> npt.NDArray[np.float64]:
        """The answers of a query at a run of places of a level, as the evaluation asks for them."""
        return self.counts[level].part(nodes).answers(query).astype(np.float64)

    @cached_property
    def microdata(self) -> Microdata:
        """One record a person, or dwelling, counted: places and the variables of the domain, nothing else.

        Records are made from the counts and stand in the order of places and cells, which tells nothing more.
        Their variables are in the categories of the domain.
        """
        leaves = self.counts[-1]
        return Microdata(pl.DataFrame({**self._places(leaves), **self._variables(leaves)}))

    @property
    def data(self) -> Microdata:
        """The records, as the evaluation asks for them."""
        return self.microdata

    def table(self) -> pl.DataFrame:
        """Places and records of each level."""
        return pl.DataFrame(
            {
                "level": self.geography.levels,
                "places": self.geography.nodes,
                "records": [counts.total for counts in self.counts],
                "cells": [counts.cell.size for counts in self.counts],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Totals by level, and what was spent."""
        return {
            "name": self.name,
            "releasable": self.releasable,
            "levels": self.table().to_dicts(),
            "ledger": self.ledger.to_dict(),
        }

    def _places(self, leaves: Counts) -> dict[str, pl.Series]:
        """The codes of the places of every record, at the levels that records tell."""
        leaf = np.repeat(np.arange(leaves.places), leaves.answers(Query.total(leaves.cells))[:, 0])
        tree = self.geography
        return {
            name: _column(tree.codes[tree.level(name)]).gather(tree.ancestors(tree.level(name))[leaf])
            for name in tree.told
        }

    def _variables(self, leaves: Counts) -> dict[str, pl.Series]:
        cell = np.repeat(leaves.cell, leaves.count)
        return {
            attribute.name: _column(attribute.categories).gather(self.domain.cells[:, place][cell])
            for place, attribute in enumerate(self.domain.attributes)
        }


def _column(codes: tuple[str, ...]) -> pl.Series:
    """Codes as a column: numbers where all are spelled as numbers, text otherwise; the empty cell is null."""
    text = pl.Series([None if code == EMPTY else code for code in codes], dtype=pl.String)
    numbers = text.cast(pl.Int32, strict=False)
    if numbers.null_count() == text.null_count() and spell_series(numbers).equals(text):
        return numbers
    return text.cast(pl.Enum(text.drop_nulls().unique(maintain_order=True)))
