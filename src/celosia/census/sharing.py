"""One number shared out among places: nearest to what was measured, within limits, in whole persons."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def share_out(total: int, near: Floats, variance: Floats, low: Ints, high: Ints) -> Floats:
    r"""Minimise :math:`\sum_i (x_i - z_i)^2/v_i` with :math:`\sum_i x_i = N` and :math:`l_i \le x_i \le h_i`.

    :math:`x_i(\lambda) = \min(\max(z_i + v_i\lambda,\, l_i),\, h_i)` never falls in λ and has two breaks a place:
    the pieces are searched for the one that holds N.

    Examples
    --------
    >>> share_out(10, np.array([2.0, 5.0]), np.ones(2), np.zeros(2, int), np.array([9, 6])).tolist()
    [4.0, 6.0]
    """
    known = np.isfinite(variance)  # of what was never measured nothing is known: it gives way to all the rest
    variance = np.where(known, variance, 1e9 * variance[known].max(initial=1.0))
    breaks = np.unique(np.concatenate([(low - near) / variance, (high - near) / variance]))
    first, last = 0, breaks.size - 1
    while last - first > 1:
        middle = (first + last) // 2
        reached = np.clip(near + variance * breaks[middle], low, high).sum()
        first, last = (middle, last) if reached <= total else (first, middle)
    inside = np.clip(near + variance * breaks[first], low, high)
    beyond = np.clip(near + variance * breaks[last], low, high)
    gap = beyond.sum() - inside.sum()
    part = (total - inside.sum()) / gap if gap > 0 else 0.0
    x: Floats = np.clip(inside + min(max(part, 0.0), 1.0) * (beyond - inside), low, high)
    return x


def whole(total: int, x: Floats, high: Ints) -> Ints:
    """Round so that the sum is kept: the largest fractions get one more, the first among equals."""
    base = np.minimum(np.floor(x + 1e-7).astype(np.int64), high)
    room = np.where(base < high, x - base, -np.inf)
    base[np.argsort(-room, kind="stable")[: total - int(base.sum())]] += 1
    return base
