r"""Estimation and rounding of the children of one place, down the chain of queries.

At each stage the answers of the stage before are split. The children's answers in one of them are a two-way table,
children by parts, whose margins are known integers: each child's answer to the stage before, and the parent's
answer to this one. The table nearest to the evidence is found,

.. math::
    \min_x \sum_{c,j} \frac{(x_{cj} - z_{cj})^2}{v_{cj}} \quad\text{with}\quad
    \sum_j x_{cj} = r_c, \quad \sum_c x_{cj} = q_j, \quad x \ge 0,

and rounded with its margins kept, which is always possible. Where more than totals is limited the first two stages
are found together (``limits``). Every count released is thus a whole number, none is
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
from celosia.census.limits import Limits, Tables, Term
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
    totals
        The limits of the totals of the level's places.
    limits
        The limits of all that more than totals is limited of.
    """

    chain: Chain
    evidence: Mapping[str, Evidence]
    totals: Bounds | None = None
    limits: Limits | None = None

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


class _Family:
    """A parent and its children, over the cells that the parent holds; the root is a child without a parent."""

    def __init__(self, level: Level, nodes: slice, support: Support, held: Ints | None) -> None:
        self.level, self.nodes, self.support, self.held = level, nodes, support, held
        self.chain = level.chain
        self.branches = [branch for branch in self.chain.branches if branch.query.name in level.evidence]
        self.columns = {branch.query.name: support.columns(branch) for branch in self.branches}
        self.evidence = {name: (one.rows(nodes), one.variance[nodes]) for name, one in level.evidence.items()}
        self.known = self._combined()

    def estimated(self) -> tuple[Cells, Ints]:
        """The cells in ascending order, and one row a child."""
        answers = [self._totals()] if self.level.limits is None else self._limited(self.level.limits)
        for stage in range(len(answers), len(self.chain.stages)):
            crossing = [self._branch(branch, answers) for branch in self.branches if branch.below == stage]
            answers.append(self._split(stage, answers[-1], crossing))
        order = np.argsort(self.support.cells, kind="stable")
        return self.support.cells[order], answers[-1][:, order]

    @property
    def height(self) -> int:
        """Number of children."""
        return int(self.nodes.stop - self.nodes.start)

    def _held(self, stage: int) -> Ints | None:
        """What the parent has of each part of a stage."""
        return None if self.held is None else np.add.reduceat(self.held, self.support.starts[stage])

    # -- what is known -----------------------------------------------------------------------------

    def _combined(self) -> list[Combined]:
        """The evidence on the parts of each stage, that of finer queries included."""
        found: list[Combined] = []
        for stage in reversed(range(len(self.chain.stages))):
            query = self.chain.stages[stage].query
            here = self._of(query, self.support.parts[stage])
            if found:
                groups = self.support.first[stage][:-1]
                here = here.joined(found[-1].summed(lambda values: np.add.reduceat(values, groups, axis=1)))  # noqa: B023
            for branch in self.branches:
                if branch.above == stage:
                    first = self.columns[branch.query.name].first[:-1]
                    here = here.joined(self._own(branch).summed(lambda values: np.add.reduceat(values, first, axis=1)))  # noqa: B023
            found.append(here)
        return found[::-1]

    def _of(self, query: Query | None, parts: Ints) -> Combined:
        """What was measured of some parts of a query."""
        if query is None or query.name not in self.evidence:
            return Combined.nothing(self.height, parts.size)
        return Combined.of(*self.evidence[query.name], parts)

    def _own(self, branch: Branch) -> Combined:
        """The evidence on a crossing query alone."""
        return self._of(branch.query, self.columns[branch.query.name].number)

    # -- stages ------------------------------------------------------------------------------------

    def _totals(self) -> Ints:
        """The children's totals, as a column."""
        low, high = np.zeros(self.height, dtype=np.int64), np.full(self.height, NO_LIMIT)
        if self.level.totals is not None:
            low, high = (limit[self.nodes, 0] for limit in (self.level.totals.low, self.level.totals.high))
        near = self.known[0].near[:, 0]
        if (low == high).all():
            return low[:, None]
        if self.held is None:
            return np.clip(np.rint(near).astype(np.int64), low, high)[:, None]
        total = int(self.held.sum())
        high = np.minimum(high, total)
        with np.errstate(divide="ignore"):
            variance = 1 / self.known[0].precision[:, 0]
        return whole(total, share_out(total, near, variance, low, high), high)[:, None]

    def _limited(self, limits: Limits) -> list[Ints]:
        """The children's totals, and their answers in the parts that are limited, all at once."""
        tables = Tables(limits, self.nodes, self.support.parts[1], self._held(1)).found(self._terms())
        return [tables.sum(axis=1, keepdims=True), tables]

    def _terms(self) -> list[Term]:
        """What is known of the limited parts, of the total, and of the queries between both."""
        whole, parts = self.support.parts[:2]
        near, variance = self.known[1].filled(np.zeros((self.height, parts.size)))
        terms: list[Term] = [(np.eye(parts.size), near, variance)]
        sums = [(np.zeros(parts.size, dtype=np.int64), self._of(self.chain.stages[0].query, whole))]
        sums += [(self.columns[b.query.name].of_part, self._own(b)) for b in self.branches if b.below == 1]
        for of_part, known in sums:
            told = (known.precision > 0).all(axis=0)
            matrix = (np.flatnonzero(told)[:, None] == of_part).astype(np.float64)
            if told.any():
                terms.append((matrix, known.near[:, told], 1 / known.precision[:, told]))
        return terms

    def _branch(self, branch: Branch, answers: list[Ints]) -> Estimated:
        """The answers of a crossing query, estimated by themselves."""
        columns = self.columns[branch.query.name]
        known = self._own(branch).joined(self.known[branch.below].summed(columns.sums))
        below = self._held(branch.below)
        held = None if below is None else columns.sums(below)
        rows = answers[branch.above]
        near, variance = known.filled(_in_proportion(rows, held, columns.first))
        alone = Crossing.of([], len(rows), columns.number.size)
        x = _fit(alone, near, variance, rows, held, columns.first)
        return Estimated(columns, columns.number < branch.query.size, x, variance)

    def _split(self, stage: int, rows: Ints, crossing: list[Estimated]) -> Ints:
        """The children's answers at a stage from those at the stage before."""
        first = self.support.first[stage - 1]
        held = self._held(stage)
        near, variance = self.known[stage].filled(_in_proportion(rows, held, first))
        pulls = Crossing.of(crossing, len(rows), first[-1])
        x = _fit(pulls, near, variance, rows, held, first)
        return rounded(x, rows, held, first, pulls.answer)


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
