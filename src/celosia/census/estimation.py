r"""Estimation and rounding of the children of one place, down the chain of queries.

At each stage the answers of the stage before are split. The children's answers in one of them are a two-way table,
children by parts, whose margins are known integers: each child's answer to the stage before, and the parent's
answer to this one. The table nearest to the evidence is found,

.. math::
    \min_x \sum_{c,j} \frac{(x_{cj} - z_{cj})^2}{v_{cj}} \quad\text{with}\quad
    \sum_j x_{cj} = r_c, \quad \sum_c x_{cj} = q_j, \quad x \ge 0,

and rounded with its margins kept, which is always possible. Every count released is thus a whole number, none is
negative, children add up to their parent and parts to their whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.census.bounds import NO_LIMIT, Bounds
from celosia.census.chain import Branch, Chain, Support
from celosia.census.combined import Combined
from celosia.census.crossing import Crossing, Estimated
from celosia.census.evidence import Evidence
from celosia.census.query import Query
from celosia.census.rounding import rounded
from celosia.census.sharing import share_out, whole

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Cells = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Level:
    """Everything that the places of one level are estimated from.

    Attributes
    ----------
    chain
        The chain of queries.
    evidence
        By query.
    bounds
        The limits of answers at this level, by query.
    """

    chain: Chain
    evidence: Mapping[str, Evidence]
    bounds: Mapping[str, Bounds]

    def root(self) -> Ints:
        """The root's count of each cell: there is no parent to agree with."""
        family = _Family(self, slice(0, 1), self.chain.on(np.arange(self.chain.order.size, dtype=np.int32)), None)
        _, table = family.estimated()
        root: Ints = table[0]
        return root

    def children(self, nodes: slice, cells: Cells, counts: npt.NDArray[np.int32]) -> tuple[Cells, Ints]:
        """The children's counts of the cells of their parent.

        Parameters
        ----------
        nodes
            The children, among the places of the level.
        cells, counts
            What the parent holds.

        Returns
        -------
        The cells in ascending order, and one row a child.
        """
        height = nodes.stop - nodes.start
        if not cells.size:
            return cells, np.zeros((height, 0), dtype=np.int64)
        if height == 1:
            return cells, counts[None, :].astype(np.int64)
        support = self.chain.on(cells)
        held = counts[np.searchsorted(cells, support.cells)].astype(np.int64)
        return _Family(self, nodes, support, held).estimated()

    def of(self, query: Query | None) -> Evidence | None:
        """What is known of a query."""
        return None if query is None else self.evidence.get(query.name)


class _Family:
    """A parent and its children, over the cells that the parent holds; the root is a child without a parent."""

    def __init__(self, level: Level, nodes: slice, support: Support, held: Ints | None) -> None:
        self.level, self.nodes, self.support, self.held = level, nodes, support, held
        self.chain = level.chain
        self.branches = [branch for branch in self.chain.branches if level.of(branch.query) is not None]
        self.columns = {branch.query.name: support.columns(branch) for branch in self.branches}
        self.known = self._combined()

    def estimated(self) -> tuple[Cells, Ints]:
        """The cells in ascending order, and one row a child."""
        answers = [self._totals()]
        for stage in range(1, len(self.chain.stages)):
            crossing = [self._branch(branch, answers) for branch in self.branches if branch.below == stage]
            answers.append(self._split(stage, answers[-1], crossing))
        order = np.argsort(self.support.cells, kind="stable")
        return self.support.cells[order], answers[-1][:, order]

    # -- what is known -----------------------------------------------------------------------------

    def _combined(self) -> list[Combined]:
        """The evidence on the parts of each stage, that of finer queries included."""
        found: list[Combined] = []
        for stage in reversed(range(len(self.chain.stages))):
            query = self.chain.stages[stage].query
            here = Combined.of(self.level.of(query), query, self.nodes, self.support.parts[stage])
            if found:
                groups = self.support.first[stage][:-1]
                here = here.joined(found[-1].summed(lambda values: np.add.reduceat(values, groups, axis=1)))  # noqa: B023
            for branch in self.branches:
                if branch.above == stage:
                    first = self.columns[branch.query.name].first[:-1]
                    here = here.joined(self._own(branch).summed(lambda values: np.add.reduceat(values, first, axis=1)))  # noqa: B023
            found.append(here)
        return found[::-1]

    def _own(self, branch: Branch) -> Combined:
        """The evidence on a crossing query alone."""
        number = self.columns[branch.query.name].number
        return Combined.of(self.level.of(branch.query), branch.query, self.nodes, number)

    def _limits(self, stage: int) -> tuple[Ints, Ints]:
        """The limits of the children's answers at a stage."""
        query, parts = self.chain.stages[stage].query, self.support.parts[stage]
        low = np.zeros((self.nodes.stop - self.nodes.start, parts.size), dtype=np.int64)
        high = np.full_like(low, NO_LIMIT)
        if query is not None and query.name in self.level.bounds:
            bounds = self.level.bounds[query.name]
            asked = parts < query.size
            low[:, asked] = bounds.low[self.nodes][:, parts[asked]]
            high[:, asked] = bounds.high[self.nodes][:, parts[asked]]
        return low, high

    # -- stages ------------------------------------------------------------------------------------

    def _totals(self) -> Ints:
        """The children's totals, as a column."""
        low, high = (limit[:, 0] for limit in self._limits(0))
        near = self.known[0].near[:, 0]
        if (low == high).all():
            return low[:, None]
        if self.held is None:
            return np.clip(np.rint(near).astype(np.int64), low, high)[:, None]
        total = int(self.held.sum())
        high = np.minimum(high, total)
        return whole(total, share_out(total, near, 1 / self.known[0].precision[:, 0], low, high), high)[:, None]

    def _branch(self, branch: Branch, answers: list[Ints]) -> Estimated:
        """The answers of a crossing query, estimated by themselves."""
        columns = self.columns[branch.query.name]
        known = self._own(branch).joined(self.known[branch.below].summed(columns.sums))
        held = None
        if self.held is not None:
            held = columns.sums(np.add.reduceat(self.held, self.support.starts[branch.below]))
        rows = answers[branch.above]
        near, variance = known.filled(_in_proportion(rows, held, columns.first))
        alone = Crossing.of([], len(rows), columns.number.size)
        x = _fit(alone, near, variance, rows, held, columns.first)
        return Estimated(columns, columns.number < branch.query.size, x, variance)

    def _split(self, stage: int, rows: Ints, crossing: list[Estimated]) -> Ints:
        """The children's answers at a stage from those at the stage before."""
        first = self.support.first[stage - 1]
        held = None if self.held is None else np.add.reduceat(self.held, self.support.starts[stage])
        near, variance = self.known[stage].filled(_in_proportion(rows, held, first))
        low, _ = self._limits(stage)
        pulls = Crossing.of(crossing, len(rows), first[-1]).less(low)
        rows = rows - np.add.reduceat(low, first[:-1], axis=1)
        held = None if held is None else held - low.sum(axis=0)
        x = _fit(pulls, near - low, variance, rows, held, first)
        return low + rounded(x, rows, held, first, pulls.answer)


def _in_proportion(rows: Ints, held: Ints | None, first: Ints) -> Floats:
    """The children's answers if each split its own as the parent does; the root splits them evenly."""
    sizes = np.diff(first)
    if held is None:
        return np.repeat(rows / sizes, sizes, axis=1)
    return np.repeat(rows / np.add.reduceat(held, first[:-1]), sizes, axis=1) * held


def _fit(pulls: Crossing, near: Floats, variance: Floats, rows: Ints, held: Ints | None, first: Ints) -> Floats:
    if held is None:
        return pulls.fit_root(near[0], variance[0], rows[0], first)[None, :]
    return pulls.fit(near, variance, rows, held, first)
