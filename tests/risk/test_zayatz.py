"""Zayatz's estimator: by integer binomials, at its limits, and for a very large population."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from model_risk import once_drawn as by_binomials

from celosia.risk.class_sizes import ClassSizes
from celosia.risk.zayatz import once_drawn, zayatz


@given(st.lists(st.integers(1, 30), min_size=1, max_size=20), st.integers(0, 5000))
def test_it_is_the_definition(counts, others):
    sizes = ClassSizes.of(np.array(counts))
    n, population = sum(counts), sum(counts) + others
    shown = sum(by_binomials(size, n, population) for size in counts)
    uniques = counts.count(1)
    expected = uniques * (uniques * n / population / shown) / (n / population) if uniques else 0
    assert zayatz(sizes, population).uniques == pytest.approx(expected, rel=1e-9)


def test_a_census_has_its_own_uniques_and_a_sample_of_uniques_the_whole_population():
    assert zayatz(ClassSizes.of(np.array([1, 1, 3])), 5).uniques == pytest.approx(2)
    assert zayatz(ClassSizes.of(np.ones(10, dtype=np.int64)), 1000).uniques == pytest.approx(1000)


def test_no_digit_is_lost_in_a_population_beyond_two_to_the_31():
    exact = by_binomials(3, 1000, 10**11)
    assert once_drawn(np.array([3.0]), 1000, 1e11)[0] == pytest.approx(exact, rel=1e-12)
