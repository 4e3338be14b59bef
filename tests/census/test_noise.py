from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from noise import agreement, gaussian_pmf, laplace_pmf

from celosia.census import noise
from celosia.census.bits import SeededBits, SystemBits
from celosia.census.distribution import DiscreteGaussian, DiscreteLaplace, boundaries

LAWS = [DiscreteGaussian(Fraction(v)) for v in ("1/2", "375/16", "40000")] + [DiscreteLaplace(Fraction(3, 2))]
HUNDRED_MILLION = 10**8


class Script:
    """A source that gives the words it was told, in order."""

    releasable = False

    def __init__(self, *words: int) -> None:
        self.left = list(words)

    def words(self, count, kind):
        given, self.left = self.left[:count], self.left[count:]
        return np.array(given, dtype=kind)


def decided(law, leading, bits):
    """The value at U = leading / 2^bits, from enclosures so fine that a tie is out of the question."""
    known = boundaries(law, 512)
    first = leading << (512 - bits)
    place = next(i for i, low in enumerate(known.low) if low > first)
    assert place == 0 or known.high[place - 1] <= first
    return place - known.reach


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_all_sixteen_bit_words_that_decide_a_draw_decide_it_rightly(law):
    direct = noise.sampler(law).direct
    known = boundaries(law, 64)
    low, high = (np.array(side, dtype=object) for side in (known.low, known.high))
    for head in range(0, 1 << 16, 1 if low.size < 500 else 37):
        first, last = head << 48, (head + 1) << 48
        inside = np.flatnonzero((low < last) & (high > first))
        if direct[head] == noise._OPEN:
            assert inside.size
        else:
            assert not inside.size
            assert direct[head] == np.searchsorted(low, first) - known.reach


@given(st.sampled_from(LAWS), st.integers(0, 2**16 - 1), st.integers(0, 2**64 - 1))
def test_a_draw_is_the_inverse_of_the_cumulative_distribution(law, head, more):
    sampler = noise.sampler(law)
    (value,) = sampler.draw(1, Script(head, more, *[2**63] * 4))
    if sampler.direct[head] == noise._OPEN:
        leading = (head << 48) | (more >> 16)
        if leading not in sampler.edge.tolist():
            assert value == decided(law, leading, 64)
    else:
        assert value == decided(law, head << 48, 64)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_on_a_boundary_more_bits_are_taken_until_they_decide(law):
    sampler, known, finer = noise.sampler(law), boundaries(law, 64), boundaries(law, 128)
    shift = finer.reach - known.reach
    for place in range(0, len(known.low), max(1, len(known.low) // 40)):
        leading, exact = known.low[place], finer.low[place + shift]
        assert exact >> 64 == leading, "the enclosure of this boundary straddles a whole number: choose another law"
        rest = exact - (leading << 64)
        head, more = leading >> 48, (leading << 16) % 2**64
        if rest > 0:
            below = sampler.draw(1, Script(head, more, rest - 1))
            assert below == decided(law, exact - 1, 128) <= place - known.reach
        if rest < 2**64 - 1:
            above = sampler.draw(1, Script(head, more, rest + 1))
            assert above == decided(law, exact + 1, 128) > place - known.reach
        tied = Script(head, more, rest, 2**63)
        sampler.draw(1, tied)
        assert tied.left == [], "equal on 128 bits: a third word is needed"


def test_far_tails_are_reached_by_the_rarest_words():
    law = DiscreteGaussian(Fraction(375, 16))
    sampler = noise.sampler(law)
    assert sampler.draw(1, Script(0xFFFF, 2**64 - 1, 2**64 - 1, 0)) > boundaries(law, 64).reach
    assert sampler.draw(1, Script(0, 0, 0, 2**63)) < -boundaries(law, 64).reach


@pytest.mark.parametrize("variance", ["1/2", "1", "125/32", "125/16", "375/16", "2500"])
def test_a_million_gaussian_draws(variance):
    k, pmf = gaussian_pmf(float(Fraction(variance)))
    drawn = noise.gaussian(Fraction(variance), 10**6, SeededBits(5))
    check(drawn, k, pmf, least=1e-4)


@pytest.mark.parametrize("scale", ["1/3", "1", "12"])
def test_a_million_laplace_draws(scale):
    k, pmf = laplace_pmf(float(Fraction(scale)))
    check(noise.laplace(Fraction(scale), 10**6, SeededBits(6)), k, pmf, least=1e-4)


@pytest.mark.long
@pytest.mark.parametrize("variance", ["1", "125/32", "375/16", "10000"])
def test_a_hundred_million_draws_of_the_system(variance):
    k, pmf = gaussian_pmf(float(Fraction(variance)))
    counts = np.zeros(k.size, dtype=np.int64)
    for _ in range(HUNDRED_MILLION // 10**7):
        counts += np.bincount(noise.gaussian(Fraction(variance), 10**7, SystemBits()) - k[0], minlength=k.size)
    found = agreement(counts, k, pmf)
    assert min(found.values()) > 1e-6, found


def test_the_check_of_draws_can_fail():
    k, pmf = gaussian_pmf(1.0)
    drawn = noise.gaussian(Fraction(1), 10**6, SeededBits(5))
    near = noise.gaussian(Fraction(101, 100), 10**6, SeededBits(5))
    rounded = np.rint(np.random.default_rng(1).normal(0, 1, 10**6)).astype(np.int64)
    shifted = drawn + (np.arange(10**6) % 200 == 0)
    short = np.clip(drawn, -3, 3)
    for wrong in (near, rounded, shifted, short):
        with pytest.raises(AssertionError):
            check(wrong, k, pmf, least=1e-4)


@pytest.mark.parametrize("law", [DiscreteGaussian(Fraction(375, 16)), DiscreteLaplace(Fraction(7, 2))], ids=str)
def test_as_opendp_draws(law):
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    from scipy import stats

    size, domain = 100_000, dp.vector_domain(dp.atom_domain(T=int))
    if isinstance(law, DiscreteGaussian):
        mechanism = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale=float(law.parameter) ** 0.5)
    else:
        mechanism = dp.m.make_laplace(domain, dp.l1_distance(T=int), scale=float(law.parameter))
    theirs = np.array(mechanism([0] * size))
    ours = noise.sampler(law).draw(size, SystemBits())
    low = min(theirs.min(), ours.min())
    table = np.array([np.bincount(drawn - low, minlength=120)[:120] for drawn in (theirs, ours)])
    table = table[:, table.sum(axis=0) >= 20]
    assert stats.chi2_contingency(table).pvalue > 1e-6


def test_a_seed_gives_its_draws_again_and_says_so():
    one, other = (noise.gaussian(Fraction(2), 100, SeededBits(seed)) for seed in (1, 2))
    assert np.array_equal(one, noise.gaussian(Fraction(2), 100, SeededBits(1)))
    assert not np.array_equal(one, other)
    assert not SeededBits(1).releasable and SystemBits().releasable
    draws = [noise.gaussian(Fraction(2), 100, SystemBits()) for _ in range(2)]
    assert not np.array_equal(*draws)


def test_blocks_do_not_matter_to_how_many_are_drawn(monkeypatch):
    monkeypatch.setattr(noise, "_BLOCK", 7)
    for size in (0, 1, 7, 20):
        assert noise.gaussian(Fraction(9), size, SystemBits()).shape == (size,)


def check(drawn, k, pmf, least):
    counts = np.bincount(drawn - k[0], minlength=k.size)
    found = agreement(counts, k, pmf)
    assert min(found.values()) > least, found
