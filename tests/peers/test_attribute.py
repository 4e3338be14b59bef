"""Attribute disclosure against pycanon, where its definitions are the same; where they are not, why.

It drops records with missing keys, so files here are complete but for the test that says so.
"""

import math

import numpy as np
import polars as pl
import pytest

from celosia.risk.alpha_k import alpha_k
from celosia.risk.beta_likeness import beta_likeness
from celosia.risk.delta_disclosure import delta_disclosure
from celosia.risk.l_diversity import l_diversity
from celosia.risk.t_closeness import t_closeness
from peers import needs_peers, pycanon

pytestmark = needs_peers
KEYS = ["a", "b"]


@pytest.fixture(scope="module")
def frame():
    chance = np.random.Generator(np.random.PCG64(0))
    table = pl.DataFrame(chance.integers(0, 3, (600, 2)), schema=KEYS)
    return table.with_columns(s=pl.Series(np.minimum(chance.geometric(0.3, 600), 8)))


def test_alpha_and_k(frame):
    alpha, k = pycanon(frame, "alpha_k_anonymity", KEYS, ["s"])
    found = alpha_k(frame, KEYS, "s", alpha=alpha, k=k)
    assert (found.largest, found.smallest) == (pytest.approx(alpha), k)
    assert found.violations == 0
    assert alpha_k(frame, KEYS, "s", alpha=alpha - 1e-6, k=k).frequent > 0
    assert alpha_k(frame, KEYS, "s", alpha=alpha, k=k + 1).small > 0


def test_distinct_and_entropy(frame):
    found = l_diversity(frame, KEYS, "s").to_dict()["sensitive"]["s"]
    assert found["distinct"] == pycanon(frame, "l_diversity", KEYS, ["s"])
    assert int(found["entropy"]) == pycanon(frame, "entropy_l_diversity", KEYS, ["s"])


def test_closeness_ordered_for_numbers_and_equal_for_text(frame):
    for table, distance in ((frame, "ordered"), (frame.with_columns(pl.format("v{}", "s").alias("s")), "equal")):
        t = pycanon(table, "t_closeness", KEYS, ["s"])
        assert t_closeness(table, KEYS, "s", distance=distance).largest == pytest.approx(t, abs=1e-12)


def test_delta_in_bits_where_it_counts_in_nats(frame):
    delta = pycanon(frame, "delta_disclosure", KEYS, ["s"])
    assert delta_disclosure(frame, KEYS, "s").largest * math.log(2) == pytest.approx(delta)


def test_basic_beta(frame):
    beta = pycanon(frame, "basic_beta_likeness", KEYS, ["s"])
    assert beta_likeness(frame, KEYS, "s").largest == pytest.approx(beta)


def test_recursive_diversity_sorts_the_wrong_way_there():
    """It takes the smallest count for the largest: a class of nine to one passes at c = 1, where 9 < 1 · 1 fails."""
    lopsided = pl.DataFrame({"a": [1] * 10, "s": ["x"] * 9 + ["y"]})
    c, l = pycanon(lopsided, "recursive_c_l_diversity", ["a"], ["s"])  # noqa: E741
    assert (c, l) == (1, 2)
    assert l_diversity(lopsided, ["a"], "s", c=1).violations(2, kind="recursive") == 10
    assert l_diversity(lopsided, ["a"], "s", c=9).violations(2, kind="recursive") == 10
    assert l_diversity(lopsided, ["a"], "s", c=9.01).violations(2, kind="recursive") == 0


def test_enhanced_beta_mixes_the_gain_of_one_value_with_the_share_of_another_there():
    """It bounds the largest gain by the share of the rarest value, whoever gained: here it says that 0.98 suffices."""
    mixed = pl.DataFrame({"a": [1] * 4 + [2] * 4, "s": ["x"] * 4 + ["x", "y", "y", "y"]})
    assert pycanon(mixed, "enhanced_beta_likeness", ["a"], ["s"]) == pytest.approx(-math.log(3 / 8))
    found = beta_likeness(mixed, ["a"], "s", kind="enhanced")
    assert found.largest == math.inf, "x gains 0.6 > -ln(5/8) = 0.47 in the first class, whatever beta is"


def test_records_with_a_missing_key_are_dropped_there_and_counted_here():
    frame = pl.DataFrame({"a": ["1", "1", None], "s": ["x", "y", "x"]})
    assert pycanon(frame, "l_diversity", ["a"], ["s"]) == 2
    assert l_diversity(frame, ["a"], "s").violations(2) == 1
