"""Small random files for property tests."""

from __future__ import annotations

import polars as pl
from hypothesis import strategies as st

KEYS = ("a", "b", "c", "d")


@st.composite
def key_frames(draw, max_keys: int = 4, min_rows: int = 1, max_rows: int = 40, missing: bool = True):
    """A frame of key columns with few categories, and a weight; missing cells are null."""
    keys = KEYS[: draw(st.integers(1, max_keys))]
    rows = draw(st.integers(min_rows, max_rows))
    columns = {}
    for key in keys:
        codes = st.integers(1, draw(st.integers(1, 4)))
        cells = st.one_of(st.none(), codes) if missing else codes
        values = draw(st.lists(cells, min_size=rows, max_size=rows))
        columns[key] = pl.Series(values, dtype=pl.Int64)
    weights = draw(st.lists(st.integers(1, 500), min_size=rows, max_size=rows))
    return pl.DataFrame(columns).with_columns(w=pl.Series(weights) / 4)
