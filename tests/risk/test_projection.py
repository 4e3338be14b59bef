"""Tables of some keys, counted from the distinct keys of all."""

from collections import Counter
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from strategies import key_frames

from celosia.core.frames import enter
from celosia.engines import engine
from celosia.risk.projection import project

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


def counted(table):
    return {tuple(int(d) for d in digits): int(n) for digits, n in zip(table.digits, table.count, strict=True)}


@given(key_frames())
def test_cells_hold_their_records(frame):
    frame = frame.drop("w")
    keys = engine(enter(frame)).encode(frame.columns, "wildcard")
    digits = keys.digits[keys.index]
    for size in range(1, frame.width + 1):
        for subset in combinations(range(frame.width), size):
            assert counted(project(keys, subset)) == Counter(tuple(int(d) for d in row[list(subset)]) for row in digits)


def test_codes_too_wide_for_an_integer():
    drawn = np.random.Generator(np.random.PCG64(2)).integers(0, 250, (300, 10))
    frame = pl.DataFrame(np.vstack([drawn, drawn[:100]]), schema=list("abcdefghij"))
    keys = engine(enter(frame)).encode(frame.columns, "strict")
    table = project(keys, tuple(range(10)))
    assert sorted(table.count.tolist()) == sorted(keys.count.tolist()) == [1] * 200 + [2] * 100
    assert (table.digits == keys.digits).all()
