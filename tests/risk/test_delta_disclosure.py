"""δ-disclosure: the definition, its strict limit, missing values."""

import math

import numpy as np
import polars as pl
import pytest
from attribute import by_record, observed, sensitive_files
from hypothesis import given

from celosia.core.errors import DataError, OptionError
from celosia.risk.delta_disclosure import delta_disclosure


@given(sensitive_files())
def test_every_record_has_what_the_definition_says(data):
    whole = observed(data)

    def delta(held):
        return max(abs(math.log2(f / held.total() * whole.total() / whole[v])) for v, f in held.items())

    np.testing.assert_allclose(
        delta_disclosure(data, ["a", "b"], "s").of_record, by_record(data, delta), rtol=1e-9, atol=1e-12
    )


def test_a_class_at_the_limit_violates():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "s": ["x", "x", "y", "z"]})
    found = delta_disclosure(frame, ["a"], "s")
    assert found.largest == 1
    assert found.violations(1) == 4 and found.violations(1.01) == 0


def test_rare_values_that_are_left_out_of_a_class_count_as_little_as_in_arx():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "s": ["x", "x", "x", "y"]})
    assert delta_disclosure(frame, ["a"], "s").of_class == pytest.approx([math.log2(4 / 3), 1])


def test_a_class_like_the_file_moves_nothing():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "s": [1, 2, 1, 2]})
    assert delta_disclosure(frame, ["a"], "s").violations(0.001) == 0


def test_wrong_input_is_refused():
    frame = pl.DataFrame({"a": [1, 2], "s": [None, None]}, schema={"a": pl.Int64, "s": pl.Int64})
    with pytest.raises(DataError), pytest.warns():
        delta_disclosure(frame, ["a"], "s")
    with pytest.raises(OptionError):
        delta_disclosure(frame.with_columns(s=pl.Series([1, 2])), ["a"], "s").violations(0)


def test_it_draws_and_tells():
    found = delta_disclosure(pl.DataFrame({"a": [1, 2], "s": [1, 2]}), ["a"], "s")
    assert "δ" in found.picture().alternative and found.picture().svg().startswith("<svg")
    assert found.to_dict()["largest"] == 1 and found.to_dict()["classes"] == 2
