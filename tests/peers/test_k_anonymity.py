"""The smallest class against pycanon, on complete keys (it drops records with missing ones)."""

import numpy as np
import polars as pl
import pytest

from celosia import risk
from peers import needs_peers, pycanon


@needs_peers
@pytest.mark.parametrize("categories", [2, 4])
def test_the_smallest_class_agrees(categories):
    chance = np.random.Generator(np.random.PCG64(categories))
    frame = pl.DataFrame(chance.integers(0, categories, (400, 3)), schema=["a", "b", "c"])
    k = pycanon(frame, "k_anonymity", ["a", "b", "c"])
    assert risk.k_anonymity(frame, ["a", "b", "c"], k=k).violations == 0
    assert risk.k_anonymity(frame, ["a", "b", "c"], k=k + 1).violations > 0
