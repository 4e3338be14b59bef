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
from celosia.census.chain import Chain, Support
from celosia.census.evidence import Evidence
from celosia.census.query import Query
from celosia.census.sharing import share_out, whole

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_UNINFORMED = 1e4
"""Variance of a part that nothing was measured of, in units of the largest one in its table."""


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
        from celosia.kernels.rounding import round_groups
        from celosia.kernels.transport import project_groups

        support = self.chain.on(np.arange(self.chain.order.size, dtype=np.int32))
        combined = self._combined(slice(0, 1), support)
        low, high = self._limits(0, slice(0, 1), support)
        answers = np.clip(np.rint(combined[0].near[0]).astype(np.int64), low[0], high[0])
        for stage, first in enumerate(support.first, start=1):
            near, variance = combined[stage].filled(np.repeat(answers / np.diff(first), np.diff(first))[None, :])
            low, _ = self._limits(stage, slice(0, 1), support)
            least = np.add.reduceat(low[0], first[:-1])
            x, out = np.empty(near.shape[1]), np.empty(near.shape[1], dtype=np.int64)
            project_groups(near[0] - low[0], variance[0], answers - least, first, x)
            round_groups(x, answers - least, first, out)
            answers = out + low[0]
        _, table = _in_order(support, answers[None, :])
        root: Ints = table[0]
        return root

    def children(
        self, nodes: slice, cells: npt.NDArray[np.int32], counts: npt.NDArray[np.int32]
    ) -> tuple[npt.NDArray[np.int32], Ints]:
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
        combined = self._combined(nodes, support)
        rows = self._totals(int(held.sum()), nodes, support, combined[0])
        for stage, first in enumerate(support.first, start=1):
            columns = np.add.reduceat(held, support.starts[stage])
            low, _ = self._limits(stage, nodes, support)
            rows = _table(combined[stage], rows, columns, first, low)
        return _in_order(support, rows)

    # -- parts -------------------------------------------------------------------------------------

    def _totals(self, total: int, nodes: slice, support: Support, known: Combined) -> Ints:
        """The children's totals, as a column."""
        low, high = (limit[:, 0] for limit in self._limits(0, nodes, support))
        if (low == high).all():
            return low[:, None]
        x = share_out(total, known.near[:, 0], 1 / known.precision[:, 0], low, np.minimum(high, total))
        return whole(total, x, np.minimum(high, total))[:, None]

    def _limits(self, stage: int, nodes: slice, support: Support) -> tuple[Ints, Ints]:
        """The limits of the children's answers at a stage."""
        query, parts = self.chain.stages[stage].query, support.parts[stage]
        low = np.zeros((nodes.stop - nodes.start, parts.size), dtype=np.int64)
        high = np.full_like(low, NO_LIMIT)
        if query is not None and query.name in self.bounds:
            bounds = self.bounds[query.name]
            asked = parts < query.size
            low[:, asked] = bounds.low[nodes][:, parts[asked]]
            high[:, asked] = bounds.high[nodes][:, parts[asked]]
        return low, high

    def _combined(self, nodes: slice, support: Support) -> list[Combined]:
        """The evidence on the parts of each stage, that of the finer stages included."""
        found: list[Combined] = []
        for stage in reversed(range(len(self.chain.stages))):
            here = self._own(stage, nodes, support)
            if found:
                here = here.joined(found[-1].summed(support.first[stage]))
            found.append(here)
        return found[::-1]

    def _own(self, stage: int, nodes: slice, support: Support) -> Combined:
        query, parts = self.chain.stages[stage].query, support.parts[stage]
        height = nodes.stop - nodes.start
        if query is None or query.name not in self.evidence:
            return Combined(np.zeros((height, parts.size)), np.zeros((height, parts.size)))
        return Combined.of(self.evidence[query.name], query, nodes, parts)


@dataclass(frozen=True, eq=False)
class Combined:
    """Estimates of the parts of a stage, one row a child, and their precision 1/v: 0 where nothing is known."""

    near: Floats
    precision: Floats

    @classmethod
    def of(cls, evidence: Evidence, query: Query, nodes: slice, parts: Ints) -> Combined:
        """What is known of the parts of a query; of those behind its answers nothing is."""
        asked = parts < query.size
        near = evidence.values[nodes][:, np.where(asked, parts, 0)] * asked
        return cls(near.astype(np.float64), asked / evidence.variance[nodes][:, None])

    def summed(self, first: Ints) -> Combined:
        """The sums of runs of parts."""
        with np.errstate(divide="ignore"):
            variance = np.add.reduceat(1 / self.precision, first[:-1], axis=1)
        return Combined(np.add.reduceat(self.near, first[:-1], axis=1), 1 / variance)

    def joined(self, other: Combined) -> Combined:
        """Two independent estimates as one."""
        precision = self.precision + other.precision
        weighed = self.precision * self.near + other.precision * other.near
        return Combined(np.divide(weighed, precision, out=np.zeros_like(weighed), where=precision > 0), precision)

    def filled(self, otherwise: Floats) -> tuple[Floats, Floats]:
        """Estimates and variances, with other values where nothing is known."""
        known = self.precision > 0
        if known.all():
            return self.near, 1 / self.precision
        variance = np.divide(1.0, self.precision, out=np.zeros_like(self.precision), where=known)
        largest = variance.max() or 1.0
        return np.where(known, self.near, otherwise), np.where(known, variance, _UNINFORMED * largest)


def _table(known: Combined, rows: Ints, columns: Ints, first: Ints, low: Ints) -> Ints:
    """The children's answers at a stage from those at the stage before."""
    from celosia.kernels.rounding import round_tables
    from celosia.kernels.transport import fit_tables

    groups, sizes = first[:-1], np.diff(first)
    in_proportion = np.repeat(rows / np.add.reduceat(columns, groups), sizes, axis=1) * columns
    near, variance = known.filled(in_proportion)
    rows, columns = rows - np.add.reduceat(low, groups, axis=1), columns - low.sum(axis=0)
    x, out = np.empty(near.shape), np.empty(near.shape, dtype=np.int64)
    fit_tables(np.ascontiguousarray(near - low), np.ascontiguousarray(variance), rows, columns, first, x)
    round_tables(x, rows, columns, first, out)
    return out + low


def _in_order(support: Support, table: Ints) -> tuple[npt.NDArray[np.int32], Ints]:
    """Cells in ascending order with their counts."""
    order = np.argsort(support.cells, kind="stable")
    return support.cells[order], table[:, order]
