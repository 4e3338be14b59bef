"""Files under hierarchies, for the tests of the methods that climb them."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import strategies as st

NAMES = ("a", "b", "c")


@st.composite
def trees(draw, leaves):
    """A hierarchy of one to three levels above some leaves, with or without a root, leaves beyond the data."""
    rows = [[code] for code in leaves]
    for depth in range(draw(st.integers(1, 2))):
        parent = {}
        for row in rows:
            parent.setdefault(row[-1], f"{depth}{draw(st.integers(0, 1))}")
        for row in rows:
            row.append(parent[row[-1]])
    if draw(st.booleans()):
        rows = [[*row, "*"] for row in rows]
    return [tuple(row) for row in rows]


@st.composite
def files(draw):
    """A small file of keys and a sensitive variable, missing values in both, and the hierarchies of the keys."""
    many = draw(st.integers(1, 3))
    rows = draw(st.integers(2, 24))
    domains = [[f"{name}{i}" for i in range(draw(st.integers(1, 4)))] for name in NAMES[:many]]
    gaps = draw(st.sampled_from([False, False, True]))

    def column(codes, missing):
        cell = st.one_of(st.none(), st.sampled_from(codes)) if missing else st.sampled_from(codes)
        return draw(st.lists(cell, min_size=rows, max_size=rows))

    keys = list(zip(*(column(codes, gaps) for codes in domains), strict=True))
    sensitive = column(["u", "v", "w"], draw(st.booleans()))
    if all(value is None for value in sensitive):
        sensitive[0] = "u"
    return keys, sensitive, [draw(trees(codes)) for codes in domains]


SENSITIVE_TREE = [("u", "uv", "*"), ("v", "uv", "*"), ("w", "w", "*")]

AGE = [(str(age), f"{age // 10 * 10}s", "*") for age in range(20, 60)]
SEX = [("M", "*"), ("H", "*")]
TREES = {"edad": AGE, "sexo": SEX}


def people(rows=200, seed=1):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "edad": rng.integers(20, 60, rows),
            "sexo": rng.choice(["M", "H"], rows),
            "ingreso": rng.integers(1, 9, rows),
        }
    )
