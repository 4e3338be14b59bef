"""β-likeness: the definitions, basic and enhanced."""

import json
import math

import numpy as np
import polars as pl
import pytest
from attribute import by_record, observed, sensitive_files
from hypothesis import given
from hypothesis import strategies as st

from celosia.core.errors import OptionError
from celosia.risk.beta_likeness import beta_likeness


def gains(held, whole):
    return {v: (held[v] / held.total()) / (whole[v] / whole.total()) - 1 for v in held}


@given(sensitive_files())
def test_basic_is_the_largest_gain(data):
    whole = observed(data)
    want = by_record(data, lambda held: max(0, *gains(held, whole).values(), 0))
    np.testing.assert_allclose(beta_likeness(data, ["a", "b"], "s").of_record, want, rtol=1e-9, atol=1e-12)


@given(sensitive_files(), st.sampled_from([0.3, 1.1, 2.7]))
def test_enhanced_bounds_every_gain_by_beta_and_by_its_share(data, beta):
    whole = observed(data)

    def fails(held):
        return any(
            gain > min(beta, -math.log(whole[v] / whole.total())) + 1e-9 for v, gain in gains(held, whole).items()
        )

    found = beta_likeness(data, ["a", "b"], "s", kind="enhanced")
    assert found.violations(beta) == sum(map(bool, by_record(data, fails)))
    assert found.violations(beta) >= beta_likeness(data, ["a", "b"], "s").violations(beta)


def test_no_beta_mends_a_common_value_that_gains_too_much():
    frame = pl.DataFrame({"a": [1] * 4 + [2] * 4, "s": ["x"] * 4 + ["x", "y", "y", "y"]})
    found = beta_likeness(frame, ["a"], "s", kind="enhanced")
    # x has 5/8 of the file and all of class 1: a gain of 0.6, more than -ln(5/8) = 0.47.
    assert found.of_class.tolist()[0] == math.inf and found.violations(100) >= 4
    assert json.dumps(found.to_dict(), allow_nan=False) and found.to_dict()["largest"] is None
    assert beta_likeness(frame, ["a"], "s").of_class == pytest.approx([0.6, 1])


def test_classes_at_the_limit_comply():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "s": ["x", "x", "y", "z"]})
    assert beta_likeness(frame, ["a"], "s").violations(1) == 0
    assert beta_likeness(frame, ["a"], "s").violations(0.99) == 4


def test_one_value_in_the_whole_file_gains_nothing():
    frame = pl.DataFrame({"a": [1, 2, 2], "s": [7, 7, 7]})
    for kind in ("basic", "enhanced"):
        assert beta_likeness(frame, ["a"], "s", kind=kind).largest == 0


def test_wrong_input_is_refused():
    with pytest.raises(OptionError):
        beta_likeness(pl.DataFrame({"a": [1], "s": [1]}), ["a"], "s", kind="best")


def test_it_draws_and_tells():
    found = beta_likeness(pl.DataFrame({"a": [1, 2], "s": [1, 2]}), ["a"], "s")
    assert "β" in found.picture().alternative and found.picture().svg().startswith("<svg")
