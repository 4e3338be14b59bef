"""Least squares under linear constraints by Clarabel, and roundings by HiGHS: solvers that share nothing with ours."""

from __future__ import annotations

import clarabel
import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp


def nearest(z, v, equal, right, pulls=None, wanted=None, variance=None, low=None, high=None):
    """argmin Σ (x - z)²/v + Σ (P x - w)²/u with A x = b and l <= x <= h, for flat x."""
    n = z.size
    low = np.zeros(n) if low is None else low
    quadratic, linear = sparse.diags(1 / v), -z / v
    if pulls is not None:
        quadratic = quadratic + pulls.T @ sparse.diags(1 / variance) @ pulls
        linear = linear - pulls.T @ (wanted / variance)
    rows, sides = [equal, -sparse.eye(n)], [right, -low]
    if high is not None:
        rows, sides = [*rows, sparse.eye(n)], [*sides, high]
    matrix, side = sparse.vstack(rows).tocsc(), np.concatenate(sides).astype(float)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.ZeroConeT(equal.shape[0]), clarabel.NonnegativeConeT(matrix.shape[0] - equal.shape[0])]
    solver = clarabel.DefaultSolver(sparse.triu(quadratic).tocsc(), linear, matrix, side, cones, settings)
    return np.array(solver.solve().x)


def objective(x, z, v, pulls=None, wanted=None, variance=None):
    """What ``nearest`` minimises."""
    value = float(((x - z) ** 2 / v).sum())
    return value if pulls is None else value + float(((pulls @ x - wanted) ** 2 / variance).sum())


def margins(height, first):
    """The matrix of the margins of a run of tables over their cells, row by row: a child's groups, then the columns."""
    width = int(first[-1])
    group = np.repeat(np.arange(first.size - 1), np.diff(first))
    membership = sparse.csr_matrix((np.ones(width), (group, np.arange(width))), shape=(first.size - 1, width))
    rows = sparse.kron(sparse.eye(height), membership)
    columns = sparse.kron(np.ones((1, height)), sparse.eye(width))
    return sparse.vstack([rows, columns]).tocsr()


def sums(height, answer, answers):
    """The matrix of the crossing answers of every child over the cells of a run of tables."""
    matrix = np.zeros((answers, answer.shape[1]))
    for of_part in answer:
        told = np.flatnonzero(of_part >= 0)
        matrix[of_part[told], told] = 1
    return sparse.kron(sparse.eye(height), sparse.csr_matrix(matrix)).tocsr()


def best_rounding(x, equal, right):
    """The least Σ |x - y| over integer y >= 0 with A y = b and y the whole part of x or one more."""
    base = np.floor(x + 1e-7)
    cost = 1 - 2 * (x - base)
    found = milp(
        cost,
        constraints=LinearConstraint(equal, right - equal @ base, right - equal @ base),
        bounds=Bounds(0, 1),
        integrality=np.ones(x.size),
    )
    assert found.success
    return float(np.abs(x - base - np.round(found.x)).sum())
