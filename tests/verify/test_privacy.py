import math

import numpy as np
import pytest
from scipy import stats

from celosia.verify.privacy import exact_delta, exact_epsilon, shown_epsilon


def continuous_delta(epsilon, variance, answers):
    """Balle and Wang 2018, theorem 8, for the continuous Gaussian."""
    mu = math.sqrt(answers / variance)
    return stats.norm.cdf(mu / 2 - epsilon / mu) - math.exp(epsilon) * stats.norm.cdf(-mu / 2 - epsilon / mu)


@pytest.mark.parametrize(("variance", "answers"), [(25.0, 1), (100.0, 4), (400.0, 2)])
def test_wide_discrete_noise_is_like_the_continuous(variance, answers):
    for epsilon in (0.1, 0.5, 1.0):
        wanted = continuous_delta(epsilon, variance, answers)
        assert exact_delta(epsilon, [variance] * answers) == pytest.approx(wanted, rel=0.1, abs=1e-4)


def test_delta_by_hand():
    """Two outputs in essence: with so little noise the answer shows which file it was."""
    assert exact_delta(1.0, [0.01]) == pytest.approx(1, abs=1e-9)
    k = np.arange(-60, 61)
    pmf = np.exp(-(k**2) / 8) / np.exp(-(k**2) / 8).sum()
    moved = np.exp(-((k - 1) ** 2) / 8) / np.exp(-(k**2) / 8).sum()
    wanted = np.maximum(0, moved - math.exp(0.3) * pmf).sum()
    assert exact_delta(0.3, [4.0]) == pytest.approx(wanted, rel=1e-9)
    both, other = np.multiply.outer(moved, moved), np.multiply.outer(pmf, pmf)
    wanted = np.maximum(0, both - math.exp(0.3) * other).sum()
    assert exact_delta(0.3, [4.0, 4.0]) == pytest.approx(wanted, rel=1e-9)


def test_unequal_variances_and_the_inverse():
    assert exact_delta(0.5, [4.0, 9.0]) == pytest.approx(exact_delta(0.5, [9.0, 4.0]), rel=1e-12)
    assert exact_delta(0.5, [4.0, 4.0]) > exact_delta(0.5, [4.0, 9.0]) > exact_delta(0.5, [9.0, 9.0])
    for delta in (0.1, 1e-3, 1e-8):
        assert exact_delta(exact_epsilon(delta, [4.0, 9.0]), [4.0, 9.0]) == pytest.approx(delta, rel=1e-6)


def test_the_bound_is_right_as_often_as_it_says():
    rng = np.random.default_rng(3)
    true = exact_epsilon(0.01, [100.0] * 25)
    found = np.array([shown_epsilon(rng.normal(0.5, 1, 4000), rng.normal(0, 1, 4000), 0.01) for _ in range(100)])
    assert (found > true).mean() <= 0.1
    assert np.median(found) > true / 2


def test_what_shows_nothing_and_what_shows_all():
    rng = np.random.default_rng(4)
    same = rng.normal(0, 1, (2, 4000))
    assert shown_epsilon(*same, 0.01) < 0.2
    assert shown_epsilon(same[0] + 50, same[1], 0.01) > 5
    assert shown_epsilon(same[0] - 50, same[1], 0.01) > 5
