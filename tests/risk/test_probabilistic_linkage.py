"""Probabilistic linkage through splink, where the extra is installed."""

import sys

import numpy as np
import polars as pl
import pytest

from celosia import Run
from celosia.core.errors import CelosiaError
from celosia.risk.probabilistic_linkage import probabilistic_linkage


def frames(noise, rows=150):
    chance = np.random.default_rng(0)
    x = chance.normal(size=(rows, 2))
    before = pl.DataFrame(x, schema=["a", "b"]).with_columns(s=pl.Series(np.arange(rows) % 3).cast(pl.String))
    after = before.with_columns(pl.col("a", "b") + noise * pl.Series(chance.normal(size=rows)))
    return before, after


def test_without_splink_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(CelosiaError) as refused:
        probabilistic_linkage(*frames(0.1))
    assert refused.value.code == "extra-missing" and "attack" in str(refused.value)


class TestWithSplink:
    @pytest.fixture(autouse=True)
    def _splink(self):
        pytest.importorskip("splink", reason="the extra 'attack' (splink) is not installed")

    def test_noise_hides(self):
        near, far = (probabilistic_linkage(*frames(noise), variables=["a", "b"]) for noise in (0.02, 2.0))
        assert near.share > 0.5 > 0.1 > far.share
        assert near.records == 150 and (near.candidates >= 1).all()

    def test_it_is_the_same_each_time_and_in_any_order(self):
        before, after = frames(0.1)
        names, order = ["a", "b", "s"], np.random.default_rng(1).permutation(150).tolist()
        first = probabilistic_linkage(before, after, names, run=Run(key=0, threads=1))
        again = probabilistic_linkage(before[order], after[order], names, run=Run(key=0, threads=1))
        np.testing.assert_allclose(again.correct, first.correct[order])

    def test_blocks_leave_pairs_that_agree(self):
        before, after = frames(0.1)
        moved = after.with_columns(pl.when(pl.int_range(150) == 0).then(pl.lit("1")).otherwise("s").alias("s"))
        found = probabilistic_linkage(before, moved, ["a", "b"], blocks=["s"])
        assert found.correct[0] == 0 and found.share > 0.3
        emptied = after.with_columns(pl.when(pl.int_range(150) > 0).then("s").alias("s"))
        nobody = before.with_columns(pl.when(pl.int_range(150) == 5).then(pl.lit("9")).otherwise("s").alias("s"))
        found = probabilistic_linkage(nobody, emptied, ["a", "b"], blocks=["s"])
        assert found.candidates[5] == 0 and found.correct[5] == 0 and np.isnan(found.distances[5])

    def test_wrong_input_is_refused(self):
        before, after = frames(0.1)
        apart = after.with_columns(s=pl.lit("9"))
        for other, options, code in (
            (after, {"variables": ["s"], "blocks": ["s"]}, "blocks-leave-nothing"),
            (apart, {"variables": ["a"], "blocks": ["s"]}, "blocks-agree-nowhere"),
            (after, {"variables": ["a"], "categorical": ["b"]}, "option-variable"),
            (after, {"variables": ["a"], "blocks": ["nobody"]}, "variable-unknown"),
        ):
            with pytest.raises(CelosiaError) as refused:
                probabilistic_linkage(before, other, **options)
            assert refused.value.code == code

    def test_too_many_pairs_are_refused(self):
        frame = pl.DataFrame({"a": np.arange(4000)})
        with pytest.raises(CelosiaError) as refused:
            probabilistic_linkage(frame, frame)
        assert refused.value.code == "linkage-too-many-pairs"
