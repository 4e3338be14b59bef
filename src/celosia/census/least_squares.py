r"""Least squares under any linear constraints: an augmented Lagrangian, each step of which is a Newton method.

.. math:: \min_x \tfrac12\sum_i w_i\big((Bx)_i - m_i\big)^2 \quad\text{with}\quad l \le Gx \le u.

It serves the small problems that transport does not cover: tables whose answers to several queries are limited at
once. With multipliers λ and a firmness s, the constraints are replaced by
:math:`\tfrac s2\sum_j \mathrm{dist}^2\big((Gx)_j + \lambda_j/s,\,[l_j, u_j]\big)`: a smooth convex function,
quadratic on pieces, whose minimum a few Newton steps find. Then
:math:`\lambda_j \leftarrow s\,((Gx)_j + \lambda_j/s - z_j)` with z the nearest point of the interval, and s grows.
Constraints may repeat each other or leave no room inside.

References
----------
Hermans, B., Themelis, A. and Patrinos, P. (2022), QPALM: a proximal augmented Lagrangian method for nonconvex
quadratic programs, *Mathematical Programming Computation* 14, 497-541.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_ROUNDS, _STEPS = 60, 100
_ENOUGH = 1e-9
_FIRMER = 10.0
_FIRMEST = 1e9
"""Firmness beside the weights: more of it is lost in rounding."""


@dataclass(frozen=True, eq=False)
class LeastSquares:
    """A problem of least squares, in which the terms determine every variable.

    Attributes
    ----------
    terms, wanted, weight
        B, m and w, one row a term.
    constraints, low, high
        G, l and u, one row a constraint; infinite where there is no limit.
    """

    terms: Any
    wanted: Floats
    weight: Floats
    constraints: Any
    low: Floats
    high: Floats

    def objective(self, x: Floats) -> float:
        """What is minimised."""
        return float(0.5 * (self.weight * (self.terms @ x - self.wanted) ** 2).sum())

    def broken(self, x: Floats) -> float:
        """The most that a constraint is off by."""
        reached = self.constraints @ x
        return float(np.maximum(self.low - reached, reached - self.high).max(initial=0.0))

    def solve(self) -> Floats:
        """The solution; its constraints hold to about nine digits."""
        from scipy import sparse

        scaled = self.terms.T @ sparse.diags(self.weight)
        quadratic, linear = (scaled @ self.terms).tocsc(), np.asarray(scaled @ self.wanted)
        x: Floats = sparse.linalg.spsolve(quadratic, linear)
        multiplier = np.zeros(self.low.size)
        typical = float(np.median(quadratic.diagonal()))
        firmness, before = typical, np.inf
        for _ in range(_ROUNDS):
            x = self._newton(quadratic, linear, x, multiplier, firmness)
            beyond = self._beyond(x, multiplier / firmness)
            multiplier = firmness * beyond
            broken = self.broken(x)
            if broken <= _ENOUGH + 1e-14 * np.abs(x).max(initial=0.0):
                break
            if broken > before / 4:
                firmness = min(_FIRMER * firmness, _FIRMEST * typical)
            before = broken
        return x

    def _beyond(self, x: Floats, shift: Floats) -> Floats:
        """How far each shifted constraint is outside of its interval, with its sign."""
        reached = np.asarray(self.constraints @ x) + shift
        found: Floats = reached - np.clip(reached, self.low, self.high)
        return found

    def _newton(self, quadratic: Any, linear: Floats, x: Floats, multiplier: Floats, firmness: float) -> Floats:
        """The minimum of the augmented Lagrangian."""
        from scipy import sparse

        shift, g = multiplier / firmness, self.constraints

        def slope(at: Floats) -> Floats:
            found: Floats = quadratic @ at - linear + firmness * (g.T @ self._beyond(at, shift))
            return found

        found = slope(x)
        enough = 1e-11 * (1 + np.abs(linear).max(initial=0.0))
        for _ in range(_STEPS):
            if np.abs(found).max(initial=0.0) <= enough:
                break
            active = g[self._beyond(x, shift) != 0]
            step = -sparse.linalg.splu((quadratic + firmness * (active.T @ active)).tocsc()).solve(found)
            x, found = _along(slope, x, step, found)
        return x


def _along(slope: Any, x: Floats, step: Floats, found: Floats) -> tuple[Floats, Floats]:
    """The lowest point on the way, about: the slope along it never falls."""
    start = float(found @ step)
    low, high, length = 0.0, 0.0, 1.0
    for _ in range(50):
        after = slope(x + length * step)
        there = float(after @ step)
        if there > 0.3 * abs(start):
            high = length
        elif there < 0.5 * start:
            low = length
        else:
            break
        length = (low + high) / 2 if high > 0 else 2 * length
    return x + length * step, after
