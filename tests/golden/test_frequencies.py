"""Frequencies and k-anonymity against sdcMicro 5.8.1 (freqCalc, kAnon_violations)."""

import numpy as np
import pytest
import reference

from celosia import risk

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


@pytest.mark.parametrize("case", reference.cases("freq_calc"))
def test_frequencies_agree_record_by_record(case):
    params, expect = case["params"], case["expect"]
    keys = params["key_vars"]
    found = risk.frequencies(
        reference.data(case["dataset"]),
        keys=[keys] if isinstance(keys, str) else keys,
        weight=params["weight"],
        alpha=params["alpha"],
    )
    want = reference.records(expect["per_record"])
    np.testing.assert_allclose(found.sample, want["fk"], rtol=0, atol=case["tolerance"])
    np.testing.assert_allclose(found.population, want["Fk"], rtol=0, atol=1e-6)
    assert found.below(2) - found.below(1) - ((found.sample > 1) & (found.sample < 2)).sum() == expect["n1"]
    for k, violations in expect["n_below"].items():
        assert found.below(int(k)) == violations


@pytest.mark.parametrize("case", reference.cases("kanon_violations"))
def test_violations_agree(case):
    params, expect = case["params"], case["expect"]
    frame = reference.data(case["dataset"])
    for k, plain, weighted in zip(params["k"], expect["unweighted"], expect["weighted"], strict=True):
        found = risk.k_anonymity(frame, keys=params["key_vars"], k=k, weight=params["weight"], alpha=params["alpha"])
        assert (found.violations, found.population_violations) == (plain, weighted)
