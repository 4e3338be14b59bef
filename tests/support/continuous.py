"""Files of numbers before and after, and the intruder's search done the slow way."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import strategies as st

NAMES = ("x", "y", "z")


@st.composite
def before_and_after(draw, min_rows: int = 2, max_rows: int = 30, missing: bool = True, variables: int | None = None):
    """Two frames of the same records on a coarse grid, so that values repeat and distances tie."""
    rows = draw(st.integers(min_rows, max_rows))
    names = NAMES[: variables or draw(st.integers(1, 3))]
    cells = st.integers(-4, 4).map(lambda v: v / 2)
    if missing:
        cells = st.one_of(st.none(), cells)
    frames = []
    for _ in range(2):
        columns = {n: draw(st.lists(cells, min_size=rows, max_size=rows)) for n in names}
        frames.append(pl.DataFrame({n: pl.Series(v, dtype=pl.Float64) for n, v in columns.items()}))
    return frames


def varied(frame: pl.DataFrame) -> bool:
    """Whether every variable has two different values."""
    return all(frame[name].drop_nulls().n_unique() > 1 for name in frame.columns)


def full_matrix(x: np.ndarray, y: np.ndarray, power: int) -> np.ndarray:
    """Distances from every record of x to every one of y, scaled up for missing values, one pair at a time."""
    found = np.full((len(x), len(y)), np.inf)
    for i, a in enumerate(x):
        for j, b in enumerate(y):
            gaps = np.abs(a - b)[~np.isnan(a - b)]
            if gaps.size:
                found[i, j] = (a.size / gaps.size * (gaps**power).sum()) ** (1 / power)
    return found


def chance_of_own(distances: np.ndarray) -> np.ndarray:
    """For each record the chance of its own among its nearest; everybody where nothing can be compared."""
    found = []
    for i, row in enumerate(distances):
        nearest = np.flatnonzero((row <= row.min() + 1e-9) | np.isinf(row.min()))
        found.append((i in nearest) / nearest.size)
    return np.array(found)
