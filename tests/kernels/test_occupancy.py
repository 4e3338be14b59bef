"""Expected people by brute force, by formula (1) in fractions, and for millions of people; draws against all of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from occupancy import formula, formula_unequal, precise, spread, variance
from scipy.stats import chisquare

from celosia.kernels import occupancy_draws as draws
from celosia.kernels.occupancy import expected_people, reach, spread_lengths
from celosia.kernels.stream import start_stream

ZERO = np.zeros(1, dtype=np.int64)
REPLICATES = 20_000


def people(size, number, chance, cells=1):
    """Expected people of every k in so many cells."""
    number, chance = np.array(number, dtype=np.int64), np.array(chance, dtype=float)
    one, starts = np.array([size]), np.array([0, number.size])
    lengths = np.ones(1, dtype=np.int64)
    spread_lengths(ZERO, ZERO, one, starts, chance, lengths)
    out = np.zeros(lengths[0])
    expected_people(ZERO, ZERO, one, np.array([cells]), starts, number, chance, np.array([0, out.size]), out)
    return out


def equal(size, periods):
    return people(size, [periods], [1 / periods])


@given(st.integers(1, 10**7), st.sampled_from([1, 2, 5, 12, 60, 365, 1826, 10**5]))
def test_everybody_is_k_anonymous_for_one_k(size, periods):
    assert equal(size, periods).sum() == pytest.approx(size, rel=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 161, 5000, 10**5, 10**6, 10**7])
@pytest.mark.parametrize("periods", [5, 60, 1826])
def test_the_identity_of_the_paper(size, periods):
    """Σ k f_k(n) = n, f_k taken from the formula itself (scipy's binomial) and not from what divides by the sum."""
    from scipy.stats import binom

    found = equal(size, periods)
    k = np.arange(1, found.size + 1)
    by_formula = k * periods * binom.pmf(k, size, 1 / periods)
    assert by_formula.sum() == pytest.approx(size, rel=1e-9)
    assert np.allclose(found, by_formula, rtol=1e-6, atol=1e-9)
    assert found.sum() == pytest.approx(size, rel=1e-13)


@pytest.mark.parametrize("periods", [1, 2, 5, 60])
def test_formula_one_in_fractions(periods):
    for size in range(1, 40):
        found = equal(size, periods)
        for k in range(1, size + 1):
            exact = float(k * formula(size, k, periods))
            assert (found[k - 1] if k <= found.size else 0.0) == pytest.approx(exact, rel=1e-12, abs=1e-17)


@pytest.mark.parametrize(("size", "periods"), [(10**7, 1826), (10**6, 60), (50_000, 5), (135_864, 1826)])
def test_millions_of_people_to_twelve_digits(size, periods):
    found = equal(size, periods)
    for k in (size // periods - 50, size // periods, size // periods + 77):
        assert found[k - 1] == pytest.approx(float(precise(size, k, periods)), rel=1e-11)


def test_unequal_chances_by_formula_and_by_brute_force():
    chances = (0.5, 0.25, 0.125, 0.125)
    found = people(6, [1, 1, 2], [0.5, 0.25, 0.125])
    exact = [float(k * formula_unequal(6, k, chances)) for k in range(1, 7)]
    counted = sum(np.arange(1, 7) * np.array(levels) * p for levels, p in spread(6, chances).items())
    assert found == pytest.approx(exact, rel=1e-12) and exact == pytest.approx(counted, rel=1e-12)


@given(st.floats(0, 1e6))
def test_what_lies_beyond_the_reach_is_negligible(mean):
    from scipy.stats import poisson

    far = reach(mean)
    assert poisson.sf(mean + far, mean) <= np.exp(-44) * (1 + 1e-6)
    assert poisson.cdf(mean - far, mean) <= np.exp(-44) * (1 + 1e-6)


# -- draws ----------------------------------------------------------------------------------------------


def begun(number=1):
    state = np.empty(4, dtype=np.uint64)
    start_stream(np.uint64(5), np.uint64(6), number, state)
    return state


def by_levels(size, periods, replicates=REPLICATES, cells=1):
    level, means = np.empty(draws.LEVELS, dtype=np.int64), np.empty(draws.LEVELS)
    common, rare = draws.split_levels(size, periods, level, means)
    out = np.zeros((replicates, size + 1), dtype=np.int64)
    draws.draw_by_levels(begun(), size, cells, periods, level, means, common, rare, size, out)
    return out[:, 1:]


def by_periods(size, number, chance, replicates=REPLICATES, cells=1):
    number, chance = np.array(number, dtype=np.int64), np.array(chance, dtype=float)
    out = np.zeros((replicates, size + 1), dtype=np.int64)
    draws.draw_by_periods(begun(2), size, cells, number, chance, size, out)
    return out[:, 1:]


def fits(drawn, expected):
    """Whether vectors are drawn as often as their probabilities say (chi-square; rare ones together)."""
    kinds, counts = np.unique(drawn, axis=0, return_counts=True)
    seen = {tuple(kind): count for kind, count in zip(kinds.tolist(), counts.tolist(), strict=True)}
    assert seen.keys() <= expected.keys(), "something was drawn that cannot be"
    common = [kind for kind, p in expected.items() if p * len(drawn) >= 5]
    rest = len(drawn) - sum(seen.get(kind, 0) for kind in common)
    observed = [*(seen.get(kind, 0) for kind in common), rest]
    wanted = [expected[kind] * len(drawn) for kind in common]
    wanted.append(len(drawn) - sum(wanted))
    if wanted[-1] < 1e-6:
        assert observed[-1] == 0
        observed, wanted = observed[:-1], wanted[:-1]
    return len(wanted) == 1 or chisquare(observed, wanted, sum_check=False).pvalue > 1e-4


@pytest.mark.parametrize(("size", "periods"), [(2, 3), (3, 4), (4, 6), (5, 3), (6, 4), (7, 2), (8, 3)])
def test_both_samplers_draw_what_brute_force_counts(size, periods):
    expected = spread(size, [1 / periods] * periods)
    assert fits(by_levels(size, periods), expected)
    assert fits(by_periods(size, [periods], [1 / periods]), expected)


@pytest.mark.parametrize("size", [2, 3, 5, 7])
def test_unequal_chances_are_drawn_as_they_are(size):
    expected = spread(size, (0.5, 0.3, 0.1, 0.1))
    assert fits(by_periods(size, [1, 1, 2], [0.5, 0.3, 0.1]), expected)


@pytest.mark.parametrize(("size", "periods"), [(161, 1826), (900, 1826), (4000, 1826), (40, 60), (90, 60)])
def test_large_cells_have_the_exact_means_and_variances(size, periods):
    for drawn in (by_levels(size, periods, 4000), by_periods(size, [periods], [1 / periods], 4000)):
        everybody = (drawn * np.arange(1, size + 1)).sum(axis=1)
        assert (everybody == size).all()
        for k in (1, 2, 3):
            mean, spreads = float(formula(size, k, periods)), variance(size, k, periods)
            if mean < 0.5:
                continue
            assert abs(drawn[:, k - 1].mean() - mean) < 5 * (spreads / 4000) ** 0.5
            assert drawn[:, k - 1].var() == pytest.approx(spreads, rel=0.15)


def test_the_chooser_takes_either_way_and_skips_what_is_sure():
    """Rows of many sizes at once: their means are those of the expectation, people above the top are left out."""
    sizes = np.array([0, 1, 2, 7, 30, 80, 300, 2000, 60_000])
    rows = np.arange(sizes.size)
    structure, cells, place = np.zeros(9, dtype=np.int64), np.full(9, 3), np.zeros(9, dtype=np.int64)
    for periods in (5, 60, 1826):
        starts, number, chance = np.array([0, 1]), np.array([periods]), np.array([1 / periods])
        out = np.zeros((1, 2000, 21), dtype=np.int64)
        key = np.uint64(1), np.uint64(2)
        draws.draw_people(rows, structure, sizes, cells, place, starts, number, chance, *key, 20, out)
        wanted = np.zeros(21)
        for size in sizes[1:]:
            found = people(size, [periods], [1 / periods], cells=3)[:20]
            wanted[1 : found.size + 1] += found
        drawn = out[0] * np.arange(21)
        assert np.allclose(drawn.mean(axis=0), wanted, atol=6 * drawn.std(axis=0).max() / 2000**0.5)
        alone = np.zeros((9, 2000, 21), dtype=np.int64)
        for row in rows[::-1]:
            draws.draw_people(
                rows[row : row + 1], structure, sizes, cells, rows, starts, number, chance, *key, 20, alone
            )
        assert (alone.sum(axis=0) == out[0]).all(), "the order and grouping of the rows change nothing"


def test_one_period_holds_everybody():
    out = np.zeros((1, 4, 11), dtype=np.int64)
    args = (np.arange(2), np.zeros(2, dtype=np.int64), np.array([3, 40]), np.array([2, 2]), np.zeros(2, dtype=np.int64))
    one = np.array([0, 1]), np.array([1]), np.array([1.0])
    draws.draw_people(*args, *one, np.uint64(1), np.uint64(2), 10, out)
    assert out[0, :, 3].tolist() == [2] * 4 and out.sum() == 8
    assert people(5, [1], [1.0]).tolist() == [0, 0, 0, 0, 5]
