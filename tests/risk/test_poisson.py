"""Fits of log-linear models: margins against Newton, closed forms, and maxima on the boundary."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.core.errors import CancelledError
from celosia.core.run import Run
from celosia.risk.poisson import design_of, deviance, fit_design, fit_margins

RUN = Run(key=0)


@given(st.tuples(st.integers(2, 4), st.integers(2, 3), st.integers(2, 3)), st.integers(0, 10**6), st.booleans())
@settings(max_examples=30, deadline=None)
def test_scaling_margins_and_newton_find_the_same_table(shape, seed, offset):
    chance = np.random.Generator(np.random.PCG64(seed))
    counts = chance.integers(1, 20, int(np.prod(shape))).astype(float)
    known = chance.uniform(0.2, 2, counts.size) if offset else None
    for size in (1, 2):
        margins = list(combinations(range(3), size))
        terms = [term for order in range(1, size + 1) for term in combinations(range(3), order)]
        scaled = fit_margins(counts, shape, margins, known, RUN)
        design = design_of(shape, [None] * 3, terms, None)
        newton = fit_design(counts, design, None if known is None else np.log(known), RUN)
        np.testing.assert_allclose(scaled, newton, rtol=1e-4)


def test_main_effects_are_products_of_margins():
    counts = np.array([[3.0, 0, 5], [2, 7, 1]])
    expected = np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
    np.testing.assert_allclose(fit_margins(counts.ravel(), (2, 3), [(0,), (1,)], None, RUN), expected.ravel())


def test_an_empty_margin_is_empty_in_the_fit_and_the_rest_is_fitted_as_without_it():
    counts = np.zeros((3, 2, 2))
    counts[:2] = [[[4, 1], [2, 6]], [[3, 3], [5, 1]]]
    pairs = [(0, 1), (0, 2), (1, 2)]
    whole = fit_margins(counts.ravel(), (3, 2, 2), pairs, None, RUN).reshape(3, 2, 2)
    assert (whole[2] == 0).all()
    np.testing.assert_allclose(whole[:2].ravel(), fit_margins(counts[:2].ravel(), (2, 2, 2), pairs, None, RUN))


def test_a_maximum_on_the_boundary_ends_with_the_right_margins():
    counts = np.array([0, 4, 3, 2, 5, 1, 6, 0.0])  # two opposite corners empty: no maximum inside
    pairs = [(0, 1), (0, 2), (1, 2)]
    fitted = fit_margins(counts, (2, 2, 2), pairs, None, RUN).reshape(2, 2, 2)
    for rest in range(3):
        np.testing.assert_allclose(fitted.sum(rest), counts.reshape(2, 2, 2).sum(rest), atol=0.01)


def test_a_slope_is_the_maximum_of_the_likelihood():
    values, counts = np.array([1.0, 2, 3, 7]), np.array([9.0, 7, 4, 1])
    fitted = fit_design(counts, design_of((4,), [values], [(0,)], None), None, RUN)
    residual = counts - fitted
    assert residual.sum() == pytest.approx(0, abs=1e-8) and residual @ values == pytest.approx(0, abs=1e-7)
    assert deviance(counts, fitted) < deviance(counts, np.full(4, counts.mean()))


def test_it_can_be_stopped():
    run = Run(key=0)
    run.cancel()
    with pytest.raises(CancelledError):
        fit_margins(np.ones(4), (2, 2), [(0,), (1,)], None, run)
