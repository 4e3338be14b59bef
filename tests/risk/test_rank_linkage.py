"""Linkage by ranks."""

import continuous
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given

from celosia.core.errors import CelosiaError
from celosia.risk.linkage import linkage
from celosia.risk.rank_linkage import rank_linkage, ranks


def test_ranks_are_mean_ranks_over_the_observed():
    assert ranks(np.array([3.0, np.nan, 1.0, 3.0, 2.0])).tolist()[::2] == [0.875, 0.25, 0.5]
    assert np.isnan(ranks(np.array([3.0, np.nan]))[1])


@given(continuous.before_and_after())
def test_ranks_agree_with_the_full_matrix(frames):
    assume(all(continuous.varied(frame) for frame in frames))
    from scipy.stats import rankdata

    def ranked(values):
        known = ~np.isnan(values)
        found = np.full(values.size, np.nan)
        found[known] = rankdata(values[known]) / known.sum()
        return found

    x, y = (np.column_stack([ranked(column) for column in frame.to_numpy().T]) for frame in frames)
    want = continuous.chance_of_own(continuous.full_matrix(x, y, 2))
    np.testing.assert_allclose(rank_linkage(*frames).correct, want, atol=1e-12)


def test_an_increasing_change_hides_nobody():
    chance = np.random.default_rng(0)
    before = pl.DataFrame(chance.normal(size=(400, 2)), schema=["a", "b"])
    after = before.select(pl.col("a").exp(), pl.col("b") ** 3)
    assert rank_linkage(before, after).share == 1
    assert rank_linkage(before, after, distance="manhattan").share == 1
    assert linkage(before, after).share < 0.9


def test_wrong_input_is_refused():
    frame = pl.DataFrame({"a": [1.0, 1.0], "b": [1.0, 2.0]})
    for options, code in (({"variables": ["a"]}, "variable-constant"), ({"distance": "gower"}, "option-unknown")):
        with pytest.raises(CelosiaError) as refused:
            rank_linkage(frame, frame, **options)
        assert refused.value.code == code
