"""Iterative proportional fitting: one margin of a table at a time."""

from __future__ import annotations

from celosia.kernels._jit import jit


@jit
def scale_to(place, target, fitted, ratio):
    """Scale the cells so that each place of a margin sums to its target; returns the largest gap there was.

    ``place`` is each cell's place in the margin; ``ratio`` is working room of the margin's size.
    """
    ratio[:] = 0.0
    for i in range(place.size):
        ratio[place[i]] += fitted[i]
    worst = 0.0
    for j in range(target.size):
        worst = max(worst, abs(ratio[j] - target[j]))
        ratio[j] = target[j] / ratio[j] if ratio[j] > 0 else 0.0
    for i in range(place.size):
        fitted[i] *= ratio[place[i]]
    return worst
