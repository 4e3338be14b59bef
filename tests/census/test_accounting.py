import json
import math
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import FOLDER, needs_reference
from refusal import refused

from celosia.census import accounting

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "census" / "united_states_2020.json").read_text("utf-8"))
RHO = Fraction(293764, 114921)
DELTA = 1e-10


def test_the_figures_of_the_united_states():
    assert accounting.epsilon(RHO, DELTA) == pytest.approx(17.14355, abs=5e-6)
    assert accounting.simple_epsilon(RHO, DELTA) == pytest.approx(17.900, abs=5e-4)


@pytest.mark.parametrize("rho", [1e-6, 0.01, 0.25, float(RHO), 20.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-10, 1e-5, 0.01])
def test_equal_to_opendp(rho, delta):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib", "idealized-numerics")
    noise = dp.m.make_gaussian(
        dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=(1 / (2 * rho)) ** 0.5
    )
    theirs = dp.c.make_zCDP_to_approxDP(noise).map(1.0).epsilon(delta)
    assert accounting.epsilon(rho, delta) == pytest.approx(theirs, rel=1e-6, abs=1e-9)


@given(st.floats(1e-9, 1e4), st.floats(1e-30, 0.5))
def test_no_order_gives_a_smaller_figure(rho, delta):
    orders = 1 + np.geomspace(1e-9, 1e9, 4001)
    bound = orders * rho - (np.log(orders) + math.log(delta)) / (orders - 1) + np.log1p(-1 / orders)
    assert accounting.epsilon(rho, delta) <= max(0.0, bound.min()) * (1 + 1e-12) + 1e-12
    assert accounting.epsilon(rho, delta) <= accounting.simple_epsilon(rho, delta)


@given(st.floats(1e-6, 1e3), st.floats(1e-20, 0.1))
def test_epsilon_delta_and_rho_undo_each_other(rho, delta):
    epsilon = accounting.epsilon(rho, delta)
    if epsilon < 1e-6:
        return
    assert accounting.delta(rho, epsilon) == pytest.approx(delta, rel=1e-5)
    back = accounting.rho(epsilon, delta)
    assert back == pytest.approx(rho, rel=1e-6)
    assert accounting.epsilon(back, delta) <= epsilon


@given(st.floats(1e-4, 20), st.floats(0.001, 0.5))
def test_nobody_detects_more_than_the_bound(rho, alarm):
    """The most powerful test against Gaussian noise of this ρ: Neyman and Pearson."""
    from scipy.stats import norm

    best = norm.cdf(math.sqrt(2 * rho) - norm.isf(alarm))
    bound = accounting.detection(rho, alarm)
    assert best <= bound + 1e-12 and alarm <= bound <= 1
    assert bound <= math.exp(accounting.epsilon(rho, 1e-3)) * alarm + 1e-3 + 1e-9 or bound < 1


def test_a_pure_epsilon_bounds_what_is_detected():
    assert accounting.detection(0.5, 0.05, pure=1) == pytest.approx(0.05 * math.e)
    assert accounting.detection(0, 0.05) == 0.05


def test_extremes():
    assert accounting.epsilon(0, DELTA) == 0 and accounting.delta(0, 1.0) == 0
    assert accounting.epsilon(1e-30, 0.5) == 0
    assert accounting.epsilon(1.0, 1e-300) > accounting.epsilon(1.0, 1e-10)
    assert accounting.delta(50.0, 0.0) <= 1
    assert accounting.rho(0.0, DELTA) < 1e-9


def test_what_is_no_loss_or_no_chance_is_refused():
    for rho, delta in ((-1, DELTA), (math.inf, DELTA), (math.nan, DELTA), (1, 0), (1, 1), (1, -0.1)):
        with refused("option-range"):
            accounting.epsilon(rho, delta)
    for wrong in (-1.0, math.inf):
        with refused("option-range"):
            accounting.delta(1.0, wrong)
        with refused("option-range"):
            accounting.rho(wrong, DELTA)


@pytest.mark.parametrize("table", ["persons", "units"])
def test_the_published_epsilon(table):
    published = GOLDEN[table]
    found = accounting.epsilon(Fraction(published["rho"]), Fraction(published["delta"]))
    assert found == pytest.approx(float(Fraction(published["epsilon"])), abs=1e-6)


@needs_reference
@pytest.mark.parametrize("table", ["persons", "units"])
def test_the_figures_of_the_reference_to_all_their_digits(table):
    published = json.loads((FOLDER / "census" / "published_accounting.json").read_text("utf-8"))[table]
    rho, delta = Fraction(published["rho"]), published["delta"]
    shares = {level: Fraction(share) for level, share in published["geolevel"].items()}
    assert shares == {level: Fraction(share) for level, share in GOLDEN[table]["levels"].items()}
    for name, computed in published["eps_geography_computed"].items():
        above = list(shares).index(name.removeprefix("Block-within-"))
        epsilon = accounting.epsilon(rho * sum(list(shares.values())[above + 1 :]), delta)
        assert epsilon == pytest.approx(computed, rel=1e-12)
