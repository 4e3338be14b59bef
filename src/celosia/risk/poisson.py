r"""Poisson log-linear models on the cells of a table: iterative proportional fitting, and Newton's method.

.. math:: f_c \sim \text{Poisson}(\mu_c), \qquad \log \mu_c = o_c + x_c^\top \beta,

with offset :math:`o_c`. Where all variables are categories, the fitted table is the one with the margins of the
observed table and the interactions of :math:`e^{o}`: it is reached by scaling margin after margin (Deming & Stephan
1940), with no design matrix. Where a variable enters as a number, with one slope, the likelihood is maximised by
iterated weighted least squares on a sparse design.

References
----------
Deming & Stephan (1940), Annals of Mathematical Statistics 11, 427-444. Bishop, Fienberg & Holland (1975),
*Discrete Multivariate Analysis*, ch. 3. McCullagh & Nelder (1989), *Generalized Linear Models*, ch. 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from celosia.core.errors import DataError
from celosia.core.run import Run
from celosia.risk.cells import Floats

_SWEEPS = 5_000
_PATIENCE = 200
_STEPS = 100
_CLOSE = 1e-10
"""Relative error of the margins, and relative change of the deviance, at which a fit ends."""

_FLAT = 1e-7
"""Relative gain of the likelihood in a sweep at which a fit ends that has used up the patience.

Where the likelihood has its maximum on the boundary, margins approach their targets only as one over the sweeps.
"""


def fit_margins(
    counts: Floats, shape: Sequence[int], margins: Sequence[tuple[int, ...]], start: Floats | None, run: Run
) -> Floats:
    """The table with these margins of the counts and the interactions of ``start`` (or none).

    Cells in an empty place of some margin are zero, and only the others are worked on.
    """
    from celosia.kernels.margins import scale_to

    table = counts.reshape(shape)
    others = [tuple(j for j in range(len(shape)) if j not in margin) for margin in margins]
    sums = [table.sum(axis=rest, keepdims=True) for rest in others]
    live = np.flatnonzero(reduce(np.logical_and, [held > 0 for held in sums], np.ones(shape, dtype=np.bool_)))
    digits = np.unravel_index(live, tuple(shape))
    steps = [
        (_places(digits, shape, margin), np.ascontiguousarray(target).ravel(), np.empty(target.size))
        for margin, target in zip(margins, sums, strict=True)
    ]
    inside = np.ones(live.size) if start is None else start[live]
    held = np.flatnonzero(counts[live])
    weight, before, allowed = counts[live][held], -np.inf, _CLOSE * float(counts.sum())
    for sweep in range(_SWEEPS):
        run.check()
        worst = max(scale_to(place, target, inside, room) for place, target, room in steps)
        now = float(weight @ np.log(inside[held])) if sweep >= _PATIENCE else -np.inf
        if worst <= allowed or 0 <= now - before <= _FLAT * (abs(now) + 1):
            fitted = np.zeros(counts.size)
            fitted[live] = inside
            return fitted
        before = now
    raise DataError("model-not-converged", steps=_SWEEPS)


def _places(digits: tuple[Any, ...], shape: Sequence[int], margin: tuple[int, ...]) -> Any:
    """The place of each cell in a margin."""
    place = np.ravel_multi_index(tuple(digits[j] for j in margin), tuple(shape[j] for j in margin))
    return place.astype(np.int32)


def fit_design(counts: Floats, design: Any, offset: Floats | None, run: Run) -> Floats:
    """The fitted counts of a sparse design by iterated weighted least squares."""
    known = 0.0 if offset is None else offset
    fitted = counts + 0.1
    linear = np.log(fitted)
    before = np.inf
    for _ in range(_STEPS):
        run.check()
        working = linear - known + (counts - fitted) / fitted
        squares = np.asarray((design.T @ design.multiply(fitted[:, None]).tocsr()).todense())
        slopes = np.linalg.lstsq(squares, design.T @ (fitted * working), rcond=1e-13)[0]
        linear = np.clip(design @ slopes + known, -500, 500)
        fitted = np.exp(linear)
        now = deviance(counts, fitted)
        if abs(now - before) <= _CLOSE * (abs(now) + 0.1):
            return np.asarray(fitted)
        before = now
    raise DataError("model-not-converged", steps=_STEPS)


def deviance(counts: Floats, fitted: Floats) -> float:
    """Twice the log likelihood that the model falls short of the table itself."""
    held = counts > 0
    if not (fitted[held] > 0).all():
        return float("inf")
    return float(2 * (counts[held] @ np.log(counts[held] / fitted[held]) - counts.sum() + fitted.sum()))


def design_of(
    shape: Sequence[int], values: Sequence[Floats | None], terms: Sequence[tuple[int, ...]], extra: Floats | None
) -> Any:
    """The sparse design of all cells: an intercept, each term, and a numeric predictor of the cells if there is one.

    A variable with ``values`` is one column, standardised; another one is a column a category but the first. A term of
    several variables has the products of their columns.
    """
    from scipy import sparse

    cells = int(np.prod(shape))
    places = np.unravel_index(np.arange(cells), tuple(shape))
    columns = [
        sparse.csr_array(_standard(number)[:, None] if number is not None else np.eye(length)[:, 1:])[place]
        for length, number, place in zip(shape, values, places, strict=True)
    ]
    blocks = [sparse.csr_array(np.ones((cells, 1)))]
    blocks += [reduce(_products, (columns[j] for j in term)) for term in terms]
    if extra is not None:
        blocks.append(sparse.csr_array(_standard(extra)[:, None]))
    return sparse.hstack([block for block in blocks if block.shape[1]], format="csr")


def _products(left: Any, right: Any) -> Any:
    from scipy import sparse

    return sparse.hstack([left[:, [k]].multiply(right) for k in range(left.shape[1])], format="csr")


def _standard(values: Floats) -> Floats:
    spread = values.std()
    return np.asarray((values - values.mean()) / (spread if spread > 0 else 1.0))
