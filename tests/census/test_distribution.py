from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from noise import gaussian_pmf, laplace_pmf
from refusal import refused

from celosia.census.distribution import DiscreteGaussian, DiscreteLaplace, boundaries

LAWS = [
    *(DiscreteGaussian(Fraction(v)) for v in ("1/100", "1/2", "1", "375/16", "1000", "99999/7")),
    *(DiscreteLaplace(Fraction(t)) for t in ("1/100", "1/3", "1", "20")),
]


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_the_enclosures_hold_the_sums_of_the_formula(law):
    k, pmf = (gaussian_pmf if isinstance(law, DiscreteGaussian) else laplace_pmf)(float(law.parameter))
    known = boundaries(law, 64)
    for place in range(len(known.low)):
        value = pmf[k <= place - known.reach].sum()
        assert known.low[place] / 2**64 - 1e-13 <= value <= known.high[place] / 2**64 + 1e-13


@given(st.fractions(Fraction(1, 50), 500), st.sampled_from([DiscreteGaussian, DiscreteLaplace]))
def test_more_bits_only_narrow_the_enclosure(parameter, kind):
    law = kind(parameter)
    coarse, fine = boundaries(law, 64), boundaries(law, 192)
    shift = fine.reach - coarse.reach
    for place, (low, high) in enumerate(zip(coarse.low, coarse.high, strict=True)):
        inner = fine.low[place + shift] >> 128, -(-fine.high[place + shift] >> 128)
        assert low <= inner[0] and inner[1] <= high
        assert high - low <= 2
    assert all(high - low <= 2 for low, high in zip(fine.low, fine.high, strict=True))


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_symmetric_increasing_and_almost_all_within_reach(law):
    known = boundaries(law, 64)
    assert list(known.low) == sorted(known.low)
    for low, high, other in zip(known.low, known.high, reversed(known.low), strict=True):
        assert low <= 2**64 - other <= high + 1
    assert known.low[0] == 0 and known.low[-1] == 2**64 - 1


def test_the_variances():
    assert DiscreteGaussian(Fraction(375, 16)).variance == Fraction(375, 16)
    for law in LAWS:
        gaussian = isinstance(law, DiscreteGaussian)
        k, pmf = (gaussian_pmf if gaussian else laplace_pmf)(float(law.parameter))
        true = (pmf * k.astype(float) ** 2).sum()
        if gaussian and law.parameter < 1:
            assert true <= law.variance
        else:
            assert true == pytest.approx(float(law.variance), rel=1e-6, abs=1e-9)


def test_only_exact_parameters_of_a_sensible_size():
    with refused("noise-exact", option="variance"):
        DiscreteGaussian(23.4375)
    with refused("noise-exact", option="scale"):
        DiscreteLaplace(2)
    for wrong in (Fraction(0), Fraction(-1), Fraction(10**12)):
        with refused("option-range", option="variance"):
            DiscreteGaussian(wrong)
        with refused("option-range", option="scale"):
            DiscreteLaplace(wrong)


def test_ratios_that_shrink_to_nothing():
    known = boundaries(DiscreteGaussian(Fraction(1, 10**4)), 64)
    assert np.isclose(known.low[known.reach - 1] / 2**64, 0) and known.low[known.reach] == 2**64 - 1
