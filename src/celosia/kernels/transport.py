"""Least squares over two-way tables with given margins and no negative cell: a Newton method on the dual.

The table nearest to z in the weights 1/v has the cells max(0, z + v (α_row + β_column)). For given α the β of a column
is where a convex piecewise linear function crosses its margin, found exactly in a few steps; what is left
is a concave function of as many α as the shorter side has lines.
"""

from __future__ import annotations

import numpy as np

from celosia.kernels._jit import jit

STEPS = 200
"""Newton steps after which a table is given up; they are two to eight in practice."""


@jit
def fill_column(z, v, alpha, j, total, x):
    """The cells of one column for given α: their β is found so that they add up to ``total``."""
    n = alpha.size
    base = 0.0
    weight = 0.0
    for i in range(n):
        base += z[i, j] + v[i, j] * alpha[i]
        weight += v[i, j]
    beta = (total - base) / weight  # all cells positive: from the right, so that the steps only go down
    active = n + 1
    while True:
        excess = -total
        weight = 0.0
        count = 0
        for i in range(n):
            value = z[i, j] + v[i, j] * (alpha[i] + beta)
            if value > 0:
                excess += value
                weight += v[i, j]
                count += 1
        if count >= active or count == 0:  # rounding may bring a cell at 0 back
            break
        active = count
        beta -= excess / weight
    for i in range(n):
        value = z[i, j] + v[i, j] * (alpha[i] + beta)
        x[i, j] = value if value > 0 else 0.0


@jit
def fill(z, v, alpha, rows, columns, x, lack):
    """All columns for given α, and what each row lacks; returns the most that any row is off by."""
    for i in range(rows.size):
        lack[i] = rows[i]
    for j in range(columns.size):
        fill_column(z, v, alpha, j, columns[j], x)
        for i in range(rows.size):
            lack[i] -= x[i, j]
    worst = 0.0
    for i in range(rows.size):
        worst = max(worst, abs(lack[i]))
    return worst


@jit
def curvature(v, x, hessian):
    """The lower half of the curvature of the dual at a table."""
    n = v.shape[0]
    for i in range(n):
        for k in range(i + 1):
            hessian[i, k] = 0.0
    for j in range(x.shape[1]):
        weight = 0.0
        for i in range(n):
            if x[i, j] > 0:
                weight += v[i, j]
        for i in range(n):
            if x[i, j] > 0:
                hessian[i, i] += v[i, j]
                share = v[i, j] / weight
                for k in range(i + 1):
                    if x[k, j] > 0:
                        hessian[i, k] -= share * v[k, j]


@jit
def factor(hessian, ridge):
    """Cholesky in place; a share of the largest curvature is added, for rows that nothing ties together."""
    n = hessian.shape[0]
    largest = 0.0
    for i in range(n):
        largest = max(largest, hessian[i, i])
    if largest == 0.0:
        largest = 1.0
    for i in range(n):
        hessian[i, i] += ridge * largest
        for k in range(i + 1):
            value = hessian[i, k]
            for l in range(k):  # noqa: E741
                value -= hessian[i, l] * hessian[k, l]
            if k == i:
                hessian[i, i] = np.sqrt(max(value, 1e-14 * largest))
            else:
                hessian[i, k] = value / hessian[k, k]


@jit
def solve(cholesky, right, left):
    """Solve for ``left`` from the factor."""
    n = cholesky.shape[0]
    for i in range(n):
        value = right[i]
        for k in range(i):
            value -= cholesky[i, k] * left[k]
        left[i] = value / cholesky[i, i]
    for back in range(n):
        i = n - 1 - back
        value = left[i]
        for k in range(i + 1, n):
            value -= cholesky[k, i] * left[k]
        left[i] = value / cholesky[i, i]


@jit
def fit(z, v, rows, columns, x):
    """The table nearest to z with these margins, all of them positive; returns what its rows are off by."""
    n = rows.size
    alpha, trial, step = np.zeros(n), np.zeros(n), np.zeros(n)
    lack, after = np.zeros(n), np.zeros(n)
    hessian = np.zeros((n, n))
    total = 0.0
    for i in range(n):
        total += rows[i]
    enough = 1e-9 + 1e-12 * total
    worst = fill(z, v, alpha, rows, columns, x, lack)
    for _ in range(STEPS):
        if worst <= enough:
            break
        curvature(v, x, hessian)
        factor(hessian, 1e-11 + 1e-3 * min(1.0, worst) / (1.0 + worst))
        solve(hessian, lack, step)
        slope = 0.0
        for i in range(n):
            slope += lack[i] * step[i]
        # The dual is concave: along the step its slope only falls. Go on until the top is near.
        length, low, high = 1.0, 0.0, 0.0
        for _ in range(60):
            for i in range(n):
                trial[i] = alpha[i] + length * step[i]
            worst = fill(z, v, trial, rows, columns, x, after)
            there = 0.0
            for i in range(n):
                there += after[i] * step[i]
            if there < -0.1 * slope:
                high = length
            elif there > 0.5 * slope:
                low = length
            else:
                break
            length = (low + high) / 2 if high > 0.0 else 4 * length
        middle = 0.0
        for i in range(n):
            middle += trial[i] / n
        for i in range(n):
            alpha[i] = trial[i] - middle
            lack[i] = after[i]
    return worst


@jit
def fit_tables(z, v, rows, columns, first, x):
    """Fit each table of a run of tables; returns the most that any margin is off by.

    Table t has the columns ``first[t]`` up to ``first[t + 1]`` of z, v and x and the row margins ``rows[:, t]``;
    ``columns`` are the column margins. Lines whose margin is 0 are 0.
    """
    worst = 0.0
    height = rows.shape[0]
    for t in range(first.size - 1):
        start, stop = first[t], first[t + 1]
        live = np.flatnonzero(rows[:, t] > 0)
        held = start + np.flatnonzero(columns[start:stop] > 0)
        x[:, start:stop] = 0.0
        n, m = live.size, held.size
        if n == 0 or m == 0:
            continue
        if n == 1:
            for j in held:
                x[live[0], j] = columns[j]
            continue
        if m == 1:
            for i in range(height):
                x[i, held[0]] = rows[i, t]
            continue
        upright = n <= m
        a, b = (n, m) if upright else (m, n)
        near, weight, out = np.empty((a, b)), np.empty((a, b)), np.empty((a, b))
        for i in range(n):
            for j in range(m):
                if upright:
                    near[i, j] = z[live[i], held[j]]
                    weight[i, j] = v[live[i], held[j]]
                else:
                    near[j, i] = z[live[i], held[j]]
                    weight[j, i] = v[live[i], held[j]]
        one, other = np.empty(n), np.empty(m)
        for i in range(n):
            one[i] = rows[live[i], t]
        for j in range(m):
            other[j] = columns[held[j]]
        off = fit(near, weight, one, other, out) if upright else fit(near, weight, other, one, out)
        worst = max(worst, off)
        for i in range(n):
            for j in range(m):
                x[live[i], held[j]] = out[i, j] if upright else out[j, i]
    return worst


@jit
def project_groups(z, v, totals, first, x):
    """The nearest cells without negative ones whose groups add up to ``totals``: one row, no columns to keep."""
    for t in range(first.size - 1):
        start, stop = first[t], first[t + 1]
        near, weight = np.empty((stop - start, 1)), np.empty((stop - start, 1))
        out = np.zeros((stop - start, 1))
        for j in range(stop - start):
            near[j, 0] = z[start + j]
            weight[j, 0] = v[start + j]
        if totals[t] > 0:
            fill_column(near, weight, np.zeros(stop - start), 0, float(totals[t]), out)
        for j in range(stop - start):
            x[start + j] = out[j, 0]
