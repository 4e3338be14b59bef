"""Attribute disclosure straight from its definitions, and small random files to try it on."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np
import polars as pl
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Variable

NOT_APPLICABLE, NO_ANSWER = 88, 99
BOOK = Dictionary.of(
    Variable(name="s", missing={NOT_APPLICABLE: "not_applicable", NO_ANSWER: "non_response"}, null="non_response")
)


@st.composite
def sensitive_files(draw, missing: bool = True, outside: bool = True, max_rows: int = 40):
    """Two keys and a sensitive variable ``s`` with at least one observed value."""
    rows = draw(st.integers(1, max_rows))
    values = list(range(1, draw(st.integers(1, 6)) + 1)) + [NOT_APPLICABLE] * outside
    cells = st.sampled_from(values + [NO_ANSWER, None] * missing)
    columns = {name: draw(st.lists(st.sampled_from([None, 1, 2]), min_size=rows, max_size=rows)) for name in "ab"}
    columns["s"] = [draw(st.sampled_from(values)), *draw(st.lists(cells, min_size=rows - 1, max_size=rows - 1))]
    return Microdata(pl.DataFrame(columns, schema=dict.fromkeys("abs", pl.Int64)), BOOK)


def classes(data: Microdata) -> list[tuple]:
    """The key of each record."""
    return list(data.frame.select("a", "b").iter_rows())


def observed(data: Microdata, key: tuple | None = None) -> Counter:
    """How often each observed value of ``s`` occurs, in a class or in the file."""
    rows = zip(classes(data), data.frame["s"], strict=True)
    return Counter(s for k, s in rows if s not in (None, NO_ANSWER) and key in (None, k))


def by_record(data: Microdata, measure: Callable[[Counter], float]) -> list[float]:
    """A measure of the observed values of each record's class; 0 for a class without any."""
    of_class = {key: measure(observed(data, key)) if observed(data, key) else 0 for key in set(classes(data))}
    return [of_class[key] for key in classes(data)]


def entropy(held: Counter) -> float:
    n = held.total()
    return math.exp(-sum(f / n * math.log(f / n) for f in held.values()))


def recursive(held: Counter, c: float) -> int:
    f = sorted(held.values(), reverse=True)
    return max((l for l in range(1, len(f) + 1) if f[0] < c * sum(f[l - 1 :])), default=1)  # noqa: E741


def earth_mover(held: Counter, whole: Counter, ground: Callable[[int, int], float]) -> float:
    """The least work over all transport plans, by linear programming."""
    from scipy.optimize import linprog

    values = sorted(whole)
    q = np.array([held[v] / held.total() for v in values])
    p = np.array([whole[v] / whole.total() for v in values])
    m = len(values)
    cost = [ground(x, y) for x in values for y in values]
    leaves = np.kron(np.eye(m), np.ones(m))
    arrives = np.kron(np.ones(m), np.eye(m))
    plan = linprog(cost, A_eq=np.vstack([leaves, arrives]), b_eq=np.concatenate([q, p]))
    return float(plan.fun)


def common_level(x: Sequence[str], y: Sequence[str]) -> int:
    """The level of the lowest common ancestor of two paths; their length where there is none."""
    return next((level for level, (a, b) in enumerate(zip(x, y, strict=True)) if a == b), len(x))
