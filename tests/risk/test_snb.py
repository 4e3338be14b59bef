"""The shifted negative binomial: its moments by summation, and a population of its own kind recovered."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model_risk import snb_expected

from celosia.core.errors import DataError
from celosia.risk.class_sizes import ClassSizes
from celosia.risk.snb import ShiftedNegativeBinomial, shlosser, snb, snb_shlosser, solve

KINDS = [(0.5, 0.3, 0.1), (0.5, 0.3, 0.3), (2.0, 0.4, 0.1), (0.2, 0.05, 0.05), (0.5, 0.02, 0.1), (5.0, 0.8, 0.5)]


def drawn(a: float, b: float, fraction: float, classes: int = 400_000) -> tuple[int, ClassSizes]:
    """The uniques of a simulated population, and the classes of a sample of it."""
    chance = np.random.Generator(np.random.PCG64(9))
    people = 1 + chance.negative_binomial(a, b, classes)
    return int((people == 1).sum()), ClassSizes.of(chance.binomial(people, fraction))


@given(st.floats(0.05, 5), st.floats(0.05, 0.95), st.floats(0.01, 0.9))
@settings(max_examples=60)
def test_expectations_are_the_sums_over_the_population(a, b, fraction):
    found = ShiftedNegativeBinomial(1000, a, b).expected(fraction)
    assert found == pytest.approx(snb_expected(1000, a, b, fraction), rel=1e-8)


@pytest.mark.parametrize(("a", "b", "fraction"), KINDS)
def test_a_simulated_population_is_recovered(a, b, fraction):
    """The pairs settle which form of the second moment is right: ARX's multiplication is off by orders of magnitude."""
    uniques, sample = drawn(a, b, fraction)
    classes, ones, twos = ShiftedNegativeBinomial(400_000, a, b).expected(fraction)
    for seen, expected in ((sample.number, classes), (sample.having(1), ones), (sample.having(2), twos)):
        assert abs(seen - expected) < 4 * np.sqrt(expected)
    found = snb(sample, sample.records / fraction)
    assert found.uniques == pytest.approx(uniques, rel=0.15)
    assert found.facts["classes"] == pytest.approx(400_000, rel=0.04)
    known = solve(sample, fraction, classes=400_000)
    assert known.uniques == pytest.approx(uniques, rel=0.02)


@pytest.mark.parametrize("classes", [None, 30_000])
def test_the_solution_expects_what_was_seen(classes):
    _, sample = drawn(0.6, 0.2, 0.2, classes=30_000)
    number, ones, twos = solve(sample, 0.2, classes).expected(0.2)
    assert (ones, twos) == pytest.approx((sample.having(1), sample.having(2)), rel=1e-8)
    if classes is None:
        assert number == pytest.approx(sample.number, rel=1e-8)


def test_shlosser_s_classes_by_the_published_sums_and_why_they_are_not_the_default():
    f, c = 0.3, {1: 40, 2: 20, 3: 5, 9: 2}
    once = sum(i * f**2 * (1 - f**2) ** (i - 1) * n for i, n in c.items())
    lost = sum((1 - f) ** i * ((1 + f) ** i - 1) * n for i, n in c.items())
    ratio = sum((1 - f) ** i * n for i, n in c.items()) / sum(i * f * (1 - f) ** (i - 1) * n for i, n in c.items())
    sizes = ClassSizes.of(np.repeat(list(c), list(c.values())))
    assert shlosser(sizes, f) == pytest.approx(67 + 40 * once / lost * ratio**2)
    uniques, sample = drawn(0.5, 0.3, 0.1)
    assert snb_shlosser(sample, sample.records / 0.1).uniques > 1.8 * uniques


@pytest.mark.parametrize(
    ("counts", "code"),
    [([1] * 9, "estimator-all-unique"), ([1, 1, 3], "estimator-no-pairs"), ([2, 2, 3], "estimator-no-pairs")],
)
def test_a_sample_without_a_solution_is_an_error(counts, code):
    with pytest.raises(DataError) as error:
        snb(ClassSizes.of(np.array(counts)), 100)
    assert error.value.code == code
