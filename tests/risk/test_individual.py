"""Individual risk: against quadrature, at its limits, for households and for the whole file."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

from celosia import risk
from celosia.core.errors import CelosiaError, CelosiaWarning
from celosia.kernels.reidentification import expected_inverse, usual_risks


def by_quadrature(f: float, p: float) -> float:
    """The same expectation as an integral: (p/f) ∫ exp(-s) / (p + (1-p) exp(-s/f)) ds over the positive numbers."""
    inside = lambda s: np.exp(-s) / (p + (1 - p) * np.exp(-s / f))  # noqa: E731
    parts = [quad(inside, a, b, epsabs=0, epsrel=1e-12, limit=500)[0] for a, b in pairwise([0, 1, 5, 15, 30, 60, 120])]
    return p / f * sum(parts)


@given(st.floats(-0.3, 5), st.floats(-8, 0))
def test_the_exact_form_is_the_integral(magnitude, chance):
    f, p = 10**magnitude, 10**chance
    assert expected_inverse(f, p) == pytest.approx(by_quadrature(f, p), rel=1e-9)


@pytest.mark.parametrize("f", [1, 2, 3, 39, 40, 41, 176, 1000, 10**4, 10**5])
@pytest.mark.parametrize("p", [1e-6, 1e-3, 0.1, 0.5, 0.999999, 1.0])
def test_the_exact_form_is_stable_for_any_f(f, p):
    assert expected_inverse(float(f), p) == pytest.approx(by_quadrature(f, p), rel=1e-9)


def test_the_exact_estimator_differs_from_the_usual_one_above_two_only():
    frame = pl.DataFrame({"k": [1, 2, 2, 3, 3, 3], "w": [10.0] * 6})
    usual = risk.individual(frame, ["k"], weight="w")
    exact = risk.individual(frame, ["k"], weight="w", estimator="exact")
    np.testing.assert_allclose(exact.risk[:3], usual.risk[:3], rtol=1e-12)
    assert exact.risk[3] != usual.risk[3] and exact.risk[3] == pytest.approx(usual.risk[3], rel=0.05)
    with pytest.raises(CelosiaError):
        risk.individual(frame, ["k"], estimator="series")


@given(st.integers(1, 50), st.floats(1.0, 1e6))
def test_risk_lies_between_one_over_population_and_one_over_sample(f, ratio):
    out = np.empty(1)
    usual_risks(np.array([float(f)]), np.array([f * ratio]), out)
    assert 1 / (f * ratio) * (1 - 1e-12) <= out[0] <= 1 / f + 1e-15


def test_the_closed_forms_meet_the_exact_one_where_they_change():
    for f in (1.0, 2.0):
        out = np.empty(2)
        usual_risks(np.array([f, f]), np.array([f / 0.8999999, f / 0.9000001]), out)
        assert out[0] == pytest.approx(out[1], rel=1e-6)


def test_a_census_has_risk_one_over_f():
    found = risk.individual(pl.DataFrame({"k": [1, 1, 1, 2]}), ["k"])
    assert found.risk.tolist() == [1 / 3, 1 / 3, 1 / 3, 1.0]
    assert found.global_risk == pytest.approx(0.5)
    assert found.certain() == 1


def test_a_household_of_one_has_its_member_s_risk_exactly():
    frame = pl.DataFrame({"k": [1] * 20, "h": ["a", "a", *"bcdefghijklmnopqrs"]})
    found = risk.individual(frame, ["k"], household="h")
    assert found.household_risk[2] == found.risk[2] == 0.05
    assert found.above(0.05, household=True) == 2
    assert found.household_risk[0] == pytest.approx(1 - 0.95**2)


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 6), st.integers(1, 400)), min_size=1, max_size=40))
def test_household_risk_is_one_for_all_members_and_never_below_any(rows):
    frame = pl.DataFrame(rows, schema=["k", "h", "w"], orient="row")
    found = risk.individual(frame, ["k"], weight="w", household="h")
    for household in frame["h"].unique():
        members = (frame["h"] == household).to_numpy()
        expected = 1 - np.prod(1 - found.risk[members])
        np.testing.assert_allclose(found.household_risk[members], expected, atol=1e-12)
        assert (found.household_risk[members] >= found.risk[members]).all()
    assert found.household_expected == pytest.approx(found.household_risk.sum())
    assert found.expected == pytest.approx(found.risk.sum())


def test_a_population_smaller_than_the_sample_is_raised_to_it_with_a_warning():
    frame = pl.DataFrame({"k": [1, 1, 2], "w": [0.5, 0.25, 3]})
    with pytest.warns(CelosiaWarning, match="menor"):
        found = risk.individual(frame, ["k"], weight="w")
    assert found.risk[0] == 0.5


def test_fractional_frequencies_have_a_risk():
    frame = pl.DataFrame({"a": [1, 1, None], "b": [1, 2, 1], "w": [10, 20, 30]})
    with pytest.warns(CelosiaWarning):
        found = risk.individual(frame, ["a", "b"], weight="w", alpha=0.5)
    assert (found.frequencies.sample % 1 != 0).any()
    assert (found.risk > 0).all()


def test_the_threshold_brings_the_mean_below_the_limit():
    chance = np.random.Generator(np.random.PCG64(2))
    frame = pl.DataFrame({"k": chance.geometric(0.05, 400), "w": chance.integers(1, 60, 400)})
    found = risk.individual(frame, ["k"], weight="w")
    limit = found.global_risk / 2
    threshold = found.threshold(limit)
    assert threshold is not None and np.minimum(found.risk, threshold).mean() < limit
    assert found.threshold(1.0) is None


def test_a_missing_household_and_an_unknown_level_are_refused():
    frame = pl.DataFrame({"k": [1, 2], "h": [1, None]})
    with pytest.raises(CelosiaError) as error:
        risk.individual(frame, ["k"], household="h")
    assert error.value.code == "group-missing"
    with pytest.raises(CelosiaError) as error:
        risk.individual(frame, ["k"]).above(0.1, household=True)
    assert error.value.code == "household-unknown"


def test_table_names_levels_and_shares():
    found = risk.individual(pl.DataFrame({"k": [1, 1, 2], "h": [1, 1, 2]}), ["k"], household="h")
    table = found.table()
    assert table["level"].unique().sort().to_list() == ["household", "individual"]
    assert table.filter(pl.col("measure") == "global_risk")["value"].to_list() == [
        found.global_risk,
        found.household_global_risk,
    ]
