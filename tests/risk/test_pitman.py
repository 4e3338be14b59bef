"""Pitman's formula: against a general maximiser, on samples of the process itself, and where it has no maximum."""

import numpy as np
import pytest
from model_risk import pitman_likelihood, pitman_uniques

from celosia.core.errors import DataError
from celosia.risk.class_sizes import ClassSizes
from celosia.risk.pitman import pitman


def seated(theta: float, alpha: float, records: int, seed: int) -> list[int]:
    """Class sizes of the two-parameter Chinese restaurant process."""
    chance = np.random.Generator(np.random.PCG64(seed))
    counts: list[int] = []
    for i in range(records):
        u = chance.random() * (theta + i) - (theta + alpha * len(counts))
        if u < 0:
            counts.append(1)
            continue
        for j, size in enumerate(counts):
            u -= size - alpha
            if u < 0:
                counts[j] += 1
                break
    return counts


@pytest.mark.parametrize(("theta", "alpha"), [(5.0, 0.5), (20.0, 0.3), (0.5, 0.8)])
def test_it_is_the_maximum_of_the_likelihood(theta, alpha):
    counts = seated(theta, alpha, 250, seed=3)
    found = pitman(ClassSizes.of(np.array(counts)), 60_000)
    assert found.uniques == pytest.approx(pitman_uniques(counts, 60_000), rel=1e-4)
    best = pitman_likelihood(found.facts["theta"], found.facts["alpha"], counts)
    for step in (0.999, 1.001):
        assert best > pitman_likelihood(found.facts["theta"] * step, found.facts["alpha"], counts)
        assert best > pitman_likelihood(found.facts["theta"], found.facts["alpha"] * step, counts)


def test_it_finds_the_uniques_of_populations_of_its_own_kind():
    truth = estimate = exact = 0.0
    for seed in range(8):
        population = seated(20.0, 0.6, 3_000, seed)
        members = np.repeat(np.arange(len(population)), population)
        np.random.Generator(np.random.PCG64(seed)).shuffle(members)
        found = pitman(ClassSizes.of(np.unique(members[:900], return_counts=True)[1]), 3_000)
        truth, estimate, exact = truth + population.count(1), estimate + found.uniques, exact + found.facts["exact"]
    assert exact == pytest.approx(truth, rel=0.06)
    assert exact < estimate == pytest.approx(exact, rel=0.03)


@pytest.mark.parametrize(
    ("counts", "code"),
    [([1] * 8, "estimator-all-unique"), ([5] * 8, "estimator-no-maximum"), ([7], "estimator-no-maximum")],
)
def test_no_maximum_is_an_error(counts, code):
    with pytest.raises(DataError) as error:
        pitman(ClassSizes.of(np.array(counts)), 1000)
    assert error.value.code == code
