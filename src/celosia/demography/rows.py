"""The cells of published counts as the kernels take them: cells of one group, calendar and size are one row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import RoleError
from celosia.core.frames import variable_names
from celosia.demography.births import Births, Detail, Floats, Ints, Periods
from celosia.demography.counts import Counts

_GROUP = "__group"
RESERVED = frozenset(
    {"periods", "k", "to", "class", "people", "share", "at_least", "share_at_least", "population", "total"}
    | {"low", "high", "at_least_low", "at_least_high"}
)
"""Columns of the results."""


@dataclass(frozen=True, eq=False)
class Groups:
    """What people are reported by: every combination of some columns, or all of them together.

    Attributes
    ----------
    frame
        A row a group; without columns where all are together.
    of_cell
        The group of each cell.
    people
        The people of each group.
    """

    names: tuple[str, ...]
    frame: pl.DataFrame
    of_cell: Ints
    people: Ints

    @classmethod
    def of(cls, counts: Counts, by: Sequence[str]) -> Groups:
        """The groups of some columns, in order of their codes."""
        names = variable_names(by)
        counts.require(names)
        if taken := [name for name in names if name in RESERVED]:
            raise RoleError("by-reserved", variable=taken[0])
        if not names:
            whole = np.zeros(counts.people.size, dtype=np.int64)
            return cls((), pl.DataFrame(), whole, np.array([counts.total], dtype=np.int64))
        cells = counts.cells.select(names)
        frame = cells.unique().sort(names)
        numbered = frame.with_row_index(_GROUP)
        of_cell = cells.join(numbered, on=names, how="left", maintain_order="left")[_GROUP].to_numpy().astype(np.int64)
        people = np.zeros(frame.height, dtype=np.int64)
        np.add.at(people, of_cell, counts.people)
        return cls(names, frame, of_cell, people)

    @property
    def size(self) -> int:
        """Number of groups."""
        return self.people.size

    def beside(self, group: npt.NDArray[np.int64], table: pl.DataFrame) -> pl.DataFrame:
        """A table with the columns of the group of each of its rows before it."""
        return pl.concat([self.frame[pl.Series(group)], table], how="horizontal") if self.names else table

    def shares(self, people: Mapping[str, Floats]) -> pl.DataFrame:
        """A row a detail and group: some of its people, and the share that they are."""
        group, population = np.arange(self.size), pl.Series(self.people)
        parts = [
            pl.DataFrame({"periods": [detail] * self.size, "population": population, "people": some})
            for detail, some in people.items()
        ]
        share = pl.col("people") / pl.col("population").clip(1)
        return pl.concat([self.beside(group, part.with_columns(share=share)) for part in parts])


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of equal cells, sorted by group; ``starts`` bounds the periods of each structure."""

    group: Ints
    structure: Ints
    size: Ints
    cells: Ints
    starts: Ints
    number: Ints
    chance: Floats

    @classmethod
    def of(cls, counts: Counts, groups: Groups, detail: Detail | int, births: Births) -> Rows:
        """The rows of counts whose birth dates are known to this detail; empty cells have nobody to find."""
        made, of_cell = counts.periods(detail, births)
        distinct, alike = _distinct(made)
        cells = pl.DataFrame({"group": groups.of_cell, "structure": alike[of_cell], "size": counts.people})
        columns = ["group", "structure", "size"]
        rows = cells.filter(pl.col("size") > 0).group_by(columns).len("cells").sort(columns)
        group, structure, size, cells_of = (rows[name].to_numpy().astype(np.int64) for name in rows.columns)
        return cls(
            group,
            structure,
            size,
            cells_of,
            np.cumsum([0, *(periods.number.size for periods in distinct)]),
            np.concatenate([periods.number for periods in distinct]),
            np.concatenate([periods.chance for periods in distinct]),
        )


def _distinct(made: Sequence[Periods]) -> tuple[list[Periods], Ints]:
    """Periods that differ, and which of them each one is."""
    known: dict[tuple[bytes, bytes], int] = {}
    kept: list[Periods] = []
    alike = []
    for periods in made:
        key = periods.number.tobytes(), periods.chance.tobytes()
        if key not in known:
            known[key] = len(kept)
            kept.append(periods)
        alike.append(known[key])
    return kept, np.array(alike, dtype=np.int64)
