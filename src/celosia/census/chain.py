"""The chain of queries that estimation and rounding walk down: each splits the answers of the one before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census.query import Query

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Stage:
    """One step of the chain: a partition of all cells.

    Attributes
    ----------
    group
        The part that each cell is in. The parts of a query are its answers; the cells that it leaves out make
        parts of their own behind them.
    size
        Number of parts.
    query
        The query; ``None`` for single cells that no query asks for.
    """

    group: npt.NDArray[np.int32]
    size: int
    query: Query | None

    def holds(self, query: Query) -> bool:
        """Whether every answer of a query lies within one part."""
        return _within(query.group, query.size, self.group)

    def splits(self, query: Query) -> bool:
        """Whether every part lies within one answer of a query, or in none."""
        return _within(self.group, self.size, query.group)

    def refined(self, query: Query) -> Stage:
        """The parts of this stage split by a query whose answers lie within them."""
        left_out = query.group < 0
        group = query.group.copy()
        parts, position = np.unique(self.group[left_out], return_inverse=True)
        group[left_out] = query.size + position
        return Stage(group, query.size + parts.size, query)


def _within(inner: npt.NDArray[np.int32], size: int, outer: npt.NDArray[np.int32]) -> bool:
    counted = inner >= 0
    target = np.full(size, -1, dtype=np.int64)
    target[inner[counted]] = outer[counted]
    return bool((target[inner[counted]] == outer[counted]).all())


@dataclass(frozen=True, eq=False)
class Branch:
    """A query beside the chain.

    Attributes
    ----------
    query
        The query.
    above
        The last stage whose parts hold its answers: it is known before them.
    below
        The first stage whose parts make its answers up: it is estimated with them.
    stage
        The parts of ``above`` split by the query alone.
    """

    query: Query
    above: int
    below: int
    stage: Stage


@dataclass(frozen=True, eq=False)
class Chain:
    """From everybody to single cells.

    Attributes
    ----------
    stages
        The first has one part, the last one a cell.
    crossing
        The queries that are no stage.
    """

    stages: tuple[Stage, ...]
    crossing: tuple[Query, ...] = ()

    @classmethod
    def of(
        cls, queries: Sequence[Query], paid: Mapping[str, Fraction], cells: int, limited: Stage | None = None
    ) -> Chain:
        """The chain through the queries that most is paid for; what is left crosses it.

        Where more than totals is limited, its parts are the second stage.
        """
        whole = Stage(np.zeros(cells, dtype=np.int32), 1, None)
        ordered = sorted(queries, key=lambda query: (query.size, bool((query.group < 0).any())))
        begun: tuple[Stage, ...] = (whole,)
        if limited is not None:
            total = next((query for query in ordered if query.size == 1 and query.group.min() >= 0), None)
            begun = (Stage(whole.group, 1, total), limited)
            ordered = [query for query in ordered if query is not total and query is not limited.query]
        best: list[tuple[Fraction, tuple[Stage, ...]]] = [(Fraction(0), begun)]
        for query in ordered:
            before = [option for option in best if option[1][-1].holds(query)]
            if before:
                pay, stages = max(before, key=lambda option: option[0])
                best.append((pay + paid[query.name], (*stages, stages[-1].refined(query))))
        stages = max(best, key=lambda option: option[0])[1]
        if len(stages) > 1 and stages[1].size == 1:
            stages = stages[1:]
        if stages[-1].size < cells:
            detailed = next((query for query in queries if query.size == cells and query.group.min() >= 0), None)
            group = np.arange(cells, dtype=np.int32) if detailed is None else detailed.group
            stages = (*stages, Stage(group, cells, detailed))
        taken = {stage.query.name for stage in stages if stage.query is not None}
        return cls(stages, tuple(query for query in queries if query.name not in taken))

    @cached_property
    def order(self) -> Ints:
        """The cells, those of one part together at every stage."""
        return np.lexsort([stage.group for stage in reversed(self.stages)])

    @cached_property
    def position(self) -> Ints:
        """Where each cell is in ``order``."""
        position = np.empty_like(self.order)
        position[self.order] = np.arange(self.order.size)
        return position

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """The crossing queries with their places on the chain."""
        return tuple(self._branch(query) for query in self.crossing)

    def _branch(self, query: Query) -> Branch:
        below = next(i for i, stage in enumerate(self.stages) if stage.splits(query))
        above = max(i for i, stage in enumerate(self.stages[: below + 1]) if stage.holds(query))
        return Branch(query, above, below, self.stages[above].refined(query))

    def on(self, cells: npt.NDArray[np.int32]) -> Support:
        """The chain for a place whose parent has only these cells."""
        return Support(self, self.order[np.sort(self.position[cells])].astype(np.int32))


class Support:
    """The stages of a chain over some cells, their parts numbered anew without the empty ones.

    Attributes
    ----------
    cells
        The cells in the order of the chain.
    parts
        For each stage, the numbers that its parts have in the chain.
    starts
        For each stage, where its parts begin among the cells.
    first
        For each stage but the first, where the parts of each part of the stage before begin; one more at the end.
    """

    def __init__(self, chain: Chain, cells: npt.NDArray[np.int32]) -> None:
        self.cells = cells
        self.parts: list[Ints] = []
        self.starts: list[Ints] = []
        for stage in chain.stages:
            group = stage.group[cells]
            starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
            self.starts.append(starts)
            self.parts.append(group[starts].astype(np.int64))
        self.first = [
            np.append(np.searchsorted(fine, coarse), fine.size)
            for coarse, fine in zip(self.starts, self.starts[1:], strict=False)
        ]

    def columns(self, branch: Branch) -> Columns:
        """The parts of a branch over these cells."""
        starts = self.starts[branch.below]
        number = branch.stage.group[self.cells[starts]].astype(np.int64)
        whole = np.searchsorted(self.starts[branch.above], starts, side="right") - 1
        order = np.lexsort((number, whole))
        new = np.concatenate([[True], (number[order][1:] != number[order][:-1])])
        of_part = np.empty(starts.size, dtype=np.int64)
        of_part[order] = np.cumsum(new) - 1
        first = np.searchsorted(whole[order][new], np.arange(self.starts[branch.above].size + 1))
        return Columns(number[order][new], of_part, first)


@dataclass(frozen=True, eq=False)
class Columns:
    """The parts of a branch over some cells, those of one part of its upper stage together.

    Attributes
    ----------
    number
        The number that each has in the branch.
    of_part
        The column that each part of the lower stage adds to.
    first
        Where the columns of each part of the upper stage begin; one more at the end.
    """

    number: Ints
    of_part: Ints
    first: Ints

    def sums(self, values: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Values of the parts of the lower stage (last axis) added up."""
        order = np.argsort(self.of_part, kind="stable")
        starts = np.searchsorted(self.of_part[order], np.arange(self.number.size))
        summed: npt.NDArray[Any] = np.add.reduceat(values[..., order], starts, axis=-1)
        return summed
