"""The fewest cells that a suppression can do with, by integer programs solved with HiGHS: for small files only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array

Rows = Sequence[tuple]


class _Program:
    """Minimise a cost over integers from 0 to their upper bounds."""

    def __init__(self) -> None:
        self.cost: list[float] = []
        self.upper: list[float] = []
        self.entries: list[tuple[int, int, float]] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def variable(self, cost: float, upper: float) -> int:
        self.cost.append(cost)
        self.upper.append(upper)
        return len(self.cost) - 1

    def require(self, terms: Sequence[tuple[int, float]], low: float, high: float = np.inf) -> None:
        self.entries += [(len(self.low), variable, factor) for variable, factor in terms]
        self.low.append(low)
        self.high.append(high)

    def least(self) -> float | None:
        """The least cost, or None where nothing fulfils all."""
        row, column, factor = zip(*self.entries, strict=True)
        matrix = coo_array((factor, (row, column)), shape=(len(self.low), len(self.cost)))
        solved = milp(
            self.cost,
            integrality=np.ones(len(self.cost)),
            bounds=Bounds(0, self.upper),
            constraints=LinearConstraint(matrix.tocsr(), self.low, self.high),
            options={"mip_rel_gap": 0.0},
        )
        assert solved.status in (0, 2), solved.message
        return None if solved.status == 2 else float(solved.fun)


def least_strict(rows: Rows, k: int, most: int, prices: Sequence[float]) -> float | None:
    """Each record goes to a class (the keys it loses, what it shows of the others); a class in use has k records."""
    program = _Program()
    members: dict[tuple, list[int]] = {}
    for key, count in Counter(rows).items():
        choices = []
        for size in range(most + 1):
            for lost in combinations(range(len(key)), size):
                place = (lost, tuple(code for j, code in enumerate(key) if j not in lost))
                choices.append(program.variable(sum(prices[j] for j in lost), count))
                members.setdefault(place, []).append(choices[-1])
        program.require([(choice, 1.0) for choice in choices], count, count)
    for choices in members.values():
        used = program.variable(0.0, 1.0)
        program.require([*((choice, 1.0) for choice in choices), (used, -float(k))], 0.0)
        for choice in choices:
            program.require([(used, program.upper[choice]), (choice, -1.0)], 0.0)
    return program.least()


def least_wildcard(rows: Rows, k: int, most: int, prices: Sequence[float], each: bool) -> float | None:
    """Each record loses keys; two match where all that tells them apart is lost by one of them. No cell is missing.

    With ``each``, every record that matches fewer than k as the file came loses something.
    """
    program = _Program()
    lost = [[program.variable(price, 1.0) for price in prices] for _ in rows]
    matched: list[list[tuple[int, float]]] = [[] for _ in rows]
    same = Counter(rows)
    for i, j in combinations(range(len(rows)), 2):
        apart = [v for v in range(len(prices)) if rows[i][v] != rows[j][v]]
        if not apart or len(apart) > 2 * most:
            continue
        match = program.variable(0.0, 1.0)
        matched[i].append((match, 1.0))
        matched[j].append((match, 1.0))
        for v in apart:
            program.require([(lost[i][v], 1.0), (lost[j][v], 1.0), (match, -1.0)], 0.0)
    for row, own, matches in zip(rows, lost, matched, strict=True):
        program.require([(cell, 1.0) for cell in own], float(each and same[row] < k), most)
        if same[row] < k:
            if not matches:
                return None
            program.require(matches, k - same[row])
    return program.least()
