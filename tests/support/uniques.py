"""Unique and rare combinations straight from their definitions, over all subsets; ``None`` is not observed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from math import factorial


def minimal(rows: Sequence[tuple]) -> list[set[tuple[int, ...]]]:
    """The minimal sample uniques of every record."""
    variables = len(rows[0])
    found: list[set[tuple[int, ...]]] = [set() for _ in rows]
    for size in range(1, variables + 1):
        for subset in combinations(range(variables), size):
            cells = [tuple(row[j] for j in subset) for row in rows]
            count = Counter(cells)
            for i, cell in enumerate(cells):
                part = any(set(smaller) < set(subset) for smaller in found[i])
                if None not in cell and count[cell] == 1 and not part:
                    found[i].add(subset)
    return found


def weight(variables: int, size: int, scores: str) -> float:
    """What a minimal unique adds to the score."""
    rest = variables - size
    if scores == "original":
        return factorial(rest)
    return (2**rest - 1) * factorial(size) * factorial(rest) / factorial(variables)


def dis(rows: Sequence[tuple], score: Sequence[float], fraction: float) -> list[float]:
    """DIS of every record from the scores."""
    power = 1 + (8 - len(rows[0])) / 20
    pairs = sum(n for n in Counter(rows).values() if n == 2)
    whole = sum(s**-power for s in score if s > 0)
    return [1 / (1 + pairs * (1 - fraction) / fraction / (s**power * whole)) if s > 0 else 0.0 for s in score]


def cells_up_to(rows: Sequence[tuple], subset: tuple[int, ...], threshold: int) -> tuple[int, int]:
    """Cells of a table that hold at most so many records, and the records in them; missing is a category."""
    count = Counter(tuple(row[j] for j in subset) for row in rows)
    small = [n for n in count.values() if n <= threshold]
    return len(small), sum(small)


def rare(rows: Sequence[tuple], at_most: int, max_size: int) -> dict[tuple[tuple[int, ...], tuple], tuple[int, float]]:
    """Minimal rare combinations: (variables, values) → records and records expected under independence."""
    found: dict = {}
    variables = range(len(rows[0]))
    margins = [Counter(row[j] for row in rows if row[j] is not None) for j in variables]
    for size in range(1, max_size + 1):
        for subset in combinations(variables, size):
            count = Counter(tuple(row[j] for j in subset) for row in rows)
            observed = sum(n for cell, n in count.items() if None not in cell)
            for cell, n in count.items():
                if None in cell or n > at_most:
                    continue
                whole = dict(zip(subset, cell, strict=True))
                parts = ((s, tuple(whole[j] for j in s)) for d in range(1, size) for s in combinations(subset, d))
                if any(part in found for part in parts):
                    continue
                expected = float(observed)
                for j in subset:
                    margin = margins[j]
                    expected *= 1 / len(margin) if size == 1 else margin[whole[j]] / sum(margin.values())
                found[subset, cell] = (n, expected)
    return found
