"""Measures straight from their definitions, slowly: what the fast ones are held against."""

from __future__ import annotations

from collections.abc import Sequence


def wildcard_frequencies(rows: Sequence[tuple], weights: Sequence[float], alpha: float) -> list[tuple[float, float]]:
    """f and F of every record by the definition of ``risk.frequencies`` (None is missing)."""
    variables = len(rows[0])

    def matches(x, y):
        return all(p == q or p is None or q is None for p, q in zip(x, y, strict=True))

    found = []
    for x in rows:
        empty, complete = all(v is None for v in x), all(v is not None for v in x)
        f = big_f = 0.0
        for y, w in zip(rows, weights, strict=True):
            factor = 0.0
            if empty or x == y:
                factor = 1.0
            elif matches(x, y):
                if all(v is not None for v in y):
                    factor = 1.0
                elif all(v is None for v in y):
                    factor = alpha if not complete or variables == 1 else 0.0
                else:
                    factor = alpha
            f, big_f = f + factor, big_f + factor * w
        found.append((f, big_f))
    return found


def intruder_counts(true: Sequence[tuple], published: Sequence[tuple]) -> list[int]:
    """For every true key, the published records that agree with it on what they show (None is hidden)."""
    return [sum(all(q is None or p == q for p, q in zip(x, y, strict=True)) for y in published) for x in true]
