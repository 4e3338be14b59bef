"""(α, k)-anonymity: the definition, chosen values, wrong input."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from attribute import by_record, classes, sensitive_files
from hypothesis import given
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import DataError, OptionError
from celosia.core.language import speaking
from celosia.risk.alpha_k import alpha_k

FRAME = pl.DataFrame({"a": [1, 1, 1, 2, 2, 3], "s": ["vih", "vih", "gripe", "gripe", "gripe", "tos"]})


@given(sensitive_files(), st.sampled_from([0.25, 1 / 3, 0.5, 2 / 3, 1.0]), st.integers(1, 5))
def test_violations_are_those_of_the_definition(data, alpha, k):
    k = min(k, data.height)
    share = by_record(data, lambda held: max(held.values()) / held.total())
    size = Counter(classes(data))
    small = [size[key] < k for key in classes(data)]
    frequent = [s > alpha + 1e-12 for s in share]
    found = alpha_k(data, ["a", "b"], "s", alpha, k)
    np.testing.assert_allclose(found.of_record, share)
    assert found.size.tolist() == [size[key] for key in classes(data)]
    assert (found.small, found.frequent) == (sum(small), sum(frequent))
    assert found.violations == sum(x or y for x, y in zip(small, frequent, strict=True))
    assert found.largest == pytest.approx(max(share)) and found.smallest == min(size.values())


def test_only_the_values_that_would_harm():
    assert alpha_k(FRAME, ["a"], "s", alpha=0.5, k=2).violations == 6
    only = alpha_k(FRAME, ["a"], "s", alpha=0.5, k=2, value="vih")
    assert (only.small, only.frequent, only.violations) == (1, 3, 4)
    assert alpha_k(FRAME, ["a"], "s", alpha=0.5, k=1, value=["vih", "tos"]).violations == 4
    numbered = pl.DataFrame({"a": [1, 1, 2, 2], "s": [1.0, 2.0, 1.0, 1.0]})
    assert alpha_k(numbered, ["a"], "s", alpha=0.5, k=2, value=1).violations == 2


def test_missing_values_dilute_nothing():
    book = Dictionary.of(Variable(name="s", missing={"?": "non_response"}))
    frame = pl.DataFrame({"a": [1, 1, 1, 2, 2], "s": ["x", "?", "?", "?", "?"]})
    found = alpha_k(Microdata(frame, book), ["a"], "s", alpha=0.5, k=2)
    assert found.of_class.tolist() == [1, 0] and found.violations == 3


def test_a_declared_code_that_nobody_has_is_known():
    book = Dictionary.of(Variable(name="s", values={"vih": "VIH", "ébola": "Ébola"}))
    assert alpha_k(Microdata(FRAME, book), ["a"], "s", alpha=0.5, k=1, value="ébola").violations == 0


@pytest.mark.parametrize(
    ("error", "code", "options"),
    [
        (OptionError, "option-range", {"alpha": 0}),
        (OptionError, "option-range", {"alpha": 1.1}),
        (OptionError, "option-whole", {"k": 0}),
        (DataError, "fewer-than-k", {"k": 7}),
        (OptionError, "value-unknown", {"value": "sida"}),
        (OptionError, "value-unknown", {"value": ["vih", "sida"]}),
        (OptionError, "value-unknown", {"value": []}),
    ],
)
def test_wrong_input_is_said_in_both_languages(error, code, options):
    with pytest.raises(error) as caught:
        alpha_k(**({"frame": FRAME, "keys": ["a"], "sensitive": "s", "alpha": 0.5, "k": 2} | options))
    assert caught.value.code == code
    for language in ("es", "en"):
        with speaking(language):
            assert "sida" not in str(caught.value) and "error." not in str(caught.value)


def test_it_draws_and_tells():
    found = alpha_k(FRAME, ["a"], "s", alpha=0.5, k=2)
    assert "%" in found.picture().alternative and found.picture().svg().startswith("<svg")
    assert found.table()["violations"].to_list() == [1, 6, 6]
    assert found.to_dict()["share"] == 1
