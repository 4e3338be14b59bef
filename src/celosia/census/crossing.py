r"""Queries that cross the chain: their answers pull at the tables of a stage.

Each crossing query is first estimated by itself, as if it were the next stage of the chain: its answers :math:`w` agree
with the parent and with the stage above, and the many cells that cannot fall below zero do not push them up.
With :math:`A` the sums that make them out of the parts of the stage below, that stage then minimises

.. math:: \sum_{c,j} \frac{(x_{cj} - z_{cj})^2}{v_{cj}} + \sum_{c,a} \frac{((Ax_c)_a - w_{ca})^2}{\kappa\,u_{ca}}

under its margins, with :math:`u` the variance of :math:`w` and :math:`\kappa = 0.1`. Each answer has a multiplier
:math:`\lambda_{ca} = ((Ax_c)_a - w_{ca})/(\kappa u_{ca})`; given all of them the tables are those without crossing
queries, nearest to :math:`z - v A^\top\lambda`. What is left is a small smooth concave problem in λ, solved by Newton
steps. Every iterate keeps all margins and has no negative cell, so that nothing needs to be mended at the end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.census.chain import Columns

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_FIRMNESS = 0.1
"""κ: the smaller, the less of the answers' own estimates is given up for the cells."""
_STEPS = 60
_ENOUGH = 1e-7
"""Standard deviations that a crossing answer may be off its optimum by."""


@dataclass(frozen=True, eq=False)
class Estimated:
    """The answers of one crossing query, estimated by themselves.

    Attributes
    ----------
    columns
        Where they are.
    asked
        Which of the columns are answers of the query.
    answers, variance
        One row a child, one column an answer.
    """

    columns: Columns
    asked: npt.NDArray[np.bool_]
    answers: Floats
    variance: Floats


@dataclass(frozen=True, eq=False)
class Crossing:
    """All crossing answers of a stage over the cells of one parent.

    Attributes
    ----------
    answer
        One row a query, one column a part: the answer that the part adds to, -1 for none.
    wanted, variance
        One row a child, one column an answer.
    """

    answer: Ints
    wanted: Floats
    variance: Floats

    @classmethod
    def of(cls, queries: Sequence[Estimated], children: int, parts: int) -> Crossing:
        """Those of some queries."""
        answer = np.full((len(queries), parts), -1, dtype=np.int64)
        wanted, variance, before = [np.empty((children, 0))], [np.empty((children, 0))], 0
        for row, one in enumerate(queries):
            number = np.where(one.asked, before + np.cumsum(one.asked) - 1, -1)
            answer[row] = number[one.columns.of_part]
            before += int(one.asked.sum())
            wanted.append(one.answers[:, one.asked])
            variance.append(_FIRMNESS * one.variance[:, one.asked])
        return cls(answer, np.concatenate(wanted, axis=1), np.concatenate(variance, axis=1))

    def fit(self, near: Floats, variance: Floats, rows: Ints, columns: Ints, first: Ints) -> Floats:
        """The children's tables, nearest to the estimates of their cells and of the crossing answers."""
        from celosia.kernels.crossing import fit_crossing
        from celosia.kernels.transport import fit_tables

        x = np.empty(near.shape)
        near, variance = np.ascontiguousarray(near), np.ascontiguousarray(variance)
        if self.wanted.size:
            fit_crossing(near, variance, rows, columns, first, self.answer, self.wanted, self.variance, x)
        else:
            fit_tables(near, variance, rows, columns, first, x)
        return x

    def fit_root(self, near: Floats, variance: Floats, totals: Ints, first: Ints) -> Floats:
        """The same for the root, which has no parent: groups of cells that add up to ``totals``."""
        sums, weight = self._sums(near.size), self.variance.sum(axis=0)
        x, multiplier = np.empty(near.size), np.zeros(weight.size)

        def gap(at: Floats) -> Floats:
            from celosia.kernels.transport import project_groups

            project_groups(near - variance * (at @ sums), variance, totals, first, x)
            left: Floats = sums @ x - self.wanted.sum(axis=0) - weight * at
            return left

        found = gap(multiplier)
        for _ in range(_STEPS):
            if np.abs(found).max(initial=0.0) <= _ENOUGH * (1 + np.sqrt(weight.max(initial=0.0))):
                break
            free = np.where(x > 0, variance, 0.0)
            centre = np.add.reduceat(sums * free, first[:-1], axis=1)
            whole = np.maximum(np.add.reduceat(free, first[:-1]), np.finfo(float).tiny)
            curved = np.diag(weight) + (sums * free) @ sums.T - (centre / whole) @ centre.T
            step = np.linalg.solve(curved, found)
            slope, length, low, high = found @ step, 1.0, 0.0, 0.0
            for _ in range(40):
                there = (after := gap(multiplier + length * step)) @ step
                if there < -0.1 * slope:
                    high = length
                elif there > 0.5 * slope:
                    low = length
                else:
                    break
                length = (low + high) / 2 if high > 0 else 4 * length
            multiplier, found = multiplier + length * step, after
        return x

    def _sums(self, parts: int) -> Floats:
        """The matrix A."""
        matrix = np.zeros((self.wanted.shape[1], parts))
        for of_part in self.answer:
            told = np.flatnonzero(of_part >= 0)
            matrix[of_part[told], told] = 1.0
        return matrix
