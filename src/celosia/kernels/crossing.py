"""Least squares over two-way tables that share the answers of crossing queries: Newton on their multipliers.

A multiplier λ of each child and crossing answer shifts the cells that the answer adds up, z - v Σ λ; the tables nearest
to what is shifted have the right λ where σ² λ is what the answers exceed their measurements by. That is the gradient of
a strictly concave function, and its curvature needs no more than solving each table once for a small change.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit
from celosia.kernels.transport import curvature, factor, fit_tables, solve

STEPS = 60
"""Newton steps after which a place is given up; they are three to six in practice."""


@jit
def add_answers(x, answer, sums):
    """Add the cells of every child to the crossing answers that hold them."""
    sums[:, :] = 0.0
    for q in range(answer.shape[0]):
        for j in range(x.shape[1]):
            a = answer[q, j]
            if a >= 0:
                for i in range(x.shape[0]):
                    sums[i, a] += x[i, j]


@jit
def spread_answers(multiplier, answer, cells):
    """Every cell gets the sum of the multipliers of the crossing answers that hold it."""
    cells[:, :] = 0.0
    for q in range(answer.shape[0]):
        for j in range(cells.shape[1]):
            a = answer[q, j]
            if a >= 0:
                for i in range(cells.shape[0]):
                    cells[i, j] += multiplier[i, a]


@jit
def answer_to(v, x, cholesky, u, right, left, out):
    """How a table gives way where its cells are pushed by -v u, its margins and its zeros kept: the change, negated."""
    n, m = x.shape
    for i in range(n):
        right[i] = 0.0
    for j in range(m):
        weight = 0.0
        mean = 0.0
        for i in range(n):
            if x[i, j] > 0:
                weight += v[i, j]
                mean += v[i, j] * u[i, j]
        for i in range(n):
            if x[i, j] > 0:
                right[i] += v[i, j] * (u[i, j] - mean / weight)
    solve(cholesky, right, left)
    for j in range(m):
        weight = 0.0
        mean = 0.0
        for i in range(n):
            if x[i, j] > 0:
                weight += v[i, j]
                mean += v[i, j] * (u[i, j] - left[i])
        for i in range(n):
            out[i, j] = v[i, j] * (u[i, j] - left[i] - mean / weight) if x[i, j] > 0 else 0.0


@jit
def factor_tables(v, x, first, choleskys):
    """The factor of each table's curvature, along its shorter side."""
    for t in range(first.size - 1):
        weights, table = v[:, first[t] : first[t + 1]], x[:, first[t] : first[t + 1]]
        if table.shape[0] > table.shape[1]:
            weights, table = weights.T, table.T
        n = table.shape[0]
        curvature(weights, table, choleskys[t, :n, :n])
        factor(choleskys[t, :n, :n], 1e-11)


@jit
def curve(v, x, first, choleskys, variance, answer, direction, work, change, out):
    """The curvature times a direction: (σ² + A P Aᵀ) d."""
    n = choleskys.shape[1]
    right, left = np.empty(n), np.empty(n)
    spread_answers(direction, answer, work)
    for t in range(first.size - 1):
        start, stop = first[t], first[t + 1]
        weights, table, pushed, moved = v[:, start:stop], x[:, start:stop], work[:, start:stop], change[:, start:stop]
        if table.shape[0] > table.shape[1]:
            weights, table, pushed, moved = weights.T, table.T, pushed.T, moved.T
        k = table.shape[0]
        answer_to(weights, table, choleskys[t, :k, :k], pushed, right, left, moved)
    add_answers(change, answer, out)
    for i in range(out.shape[0]):
        for a in range(out.shape[1]):
            out[i, a] += variance[i, a] * direction[i, a]


@jit
def fit_crossing(z, v, rows, columns, first, answer, wanted, variance, x):
    """Fit a run of tables (see ``fit_tables``) together with crossing answers; returns what these are off by.

    ``answer[q, j]`` is the column of ``wanted`` and ``variance`` that column j of the tables adds to for crossing
    query q, or -1; both have one row a child.
    """
    height = z.shape[0]
    multiplier, trial = np.zeros(wanted.shape), np.zeros(wanted.shape)
    gap, residual, sums = np.empty(wanted.shape), np.empty(wanted.shape), np.empty(wanted.shape)
    step, direction, curved = np.empty(wanted.shape), np.empty(wanted.shape), np.empty(wanted.shape)
    work, change, shifted = np.empty(z.shape), np.empty(z.shape), z.copy()
    widest = 0
    for t in range(first.size - 1):
        widest = max(widest, min(height, first[t + 1] - first[t]))
    choleskys = np.zeros((first.size - 1, widest, widest))
    fit_tables(shifted, v, rows, columns, first, x)
    add_answers(x, answer, sums)
    gap[:, :] = sums - wanted
    enough = 1e-7 * (1.0 + np.sqrt(variance.max()))
    worst = np.abs(gap).max()
    for _ in range(STEPS):
        if worst <= enough:
            break
        factor_tables(v, x, first, choleskys)
        # Conjugate gradients for (σ² + A P Aᵀ) step = gap
        step[:, :] = 0.0
        residual[:, :] = gap
        direction[:, :] = residual / variance
        rest = (residual * direction).sum()
        stop = 1e-6 * min(1.0, worst) ** 2 * rest
        for _ in range(200):
            if rest <= stop:
                break
            curve(v, x, first, choleskys, variance, answer, direction, work, change, curved)
            length = rest / (direction * curved).sum()
            step += length * direction
            residual -= length * curved
            following = (residual * residual / variance).sum()
            direction[:, :] = residual / variance + (following / rest) * direction
            rest = following
        slope = (gap * step).sum()
        length, low, high = 1.0, 0.0, 0.0
        for _ in range(40):
            trial[:, :] = multiplier + length * step
            spread_answers(trial, answer, work)
            shifted[:, :] = z - v * work
            fit_tables(shifted, v, rows, columns, first, x)
            add_answers(x, answer, sums)
            residual[:, :] = sums - wanted - variance * trial
            there = (residual * step).sum()
            if there < -0.1 * slope:
                high = length
            elif there > 0.5 * slope:
                low = length
            else:
                break
            length = (low + high) / 2 if high > 0.0 else 4 * length
        multiplier[:, :] = trial
        gap[:, :] = residual
        worst = np.abs(gap).max()
    return worst
