"""Frequencies: against the definition, over kinds of keys, with every kind of missing value."""

import brute
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Dictionary, Microdata, Run, Variable, risk
from celosia.core.errors import CelosiaError, CelosiaWarning

quiet = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


@quiet
@given(key_frames(), st.sampled_from([0.0, 0.3, 1.0]), st.integers(1, 3))
def test_wildcard_is_its_definition(frame, alpha, threads):
    keys = [name for name in frame.columns if name != "w"]
    found = risk.frequencies(frame, keys, weight="w", alpha=alpha, run=Run(key=1, threads=threads))
    expected = brute.wildcard_frequencies(frame.select(keys).rows(), frame["w"].to_list(), alpha)
    np.testing.assert_allclose(found.sample, [f for f, _ in expected], atol=1e-9)
    np.testing.assert_allclose(found.population, [f for _, f in expected], atol=1e-6)


@given(key_frames())
def test_strict_is_the_size_of_the_class(frame):
    keys = [name for name in frame.columns if name != "w"]
    found = risk.frequencies(frame, keys, weight="w", missing="strict")
    assert found.sample.tolist() == frame.select(pl.len().over(keys))["len"].to_list()
    np.testing.assert_allclose(found.population, frame.select(pl.col("w").sum().over(keys))["w"])


def many_keys(rows: int, variables: int, categories: int) -> pl.DataFrame:
    chance = np.random.Generator(np.random.PCG64(5))
    drawn = chance.integers(0, categories, (rows // 3, variables))
    return pl.DataFrame(drawn[chance.integers(0, len(drawn), rows)], schema=[f"k{j}" for j in range(variables)])


@pytest.mark.parametrize(("variables", "categories"), [(3, 5), (12, 90), (40, 3)])
def test_keys_too_wide_for_one_word_count_the_same(variables, categories):
    frame = many_keys(300, variables, categories)
    expected = frame.select(pl.len().over(frame.columns))["len"].to_list()
    assert risk.frequencies(frame, frame.columns, missing="strict").sample.tolist() == expected


@quiet
def test_wildcards_over_several_words():
    frame = many_keys(120, 14, 60)
    hidden = [pl.int_range(pl.len()) % 7 == j % 7 for j in range(14)]
    holes = frame.with_columns(pl.when(hidden[j]).then(None).otherwise(f"k{j}").alias(f"k{j}") for j in range(14))
    found = risk.frequencies(holes, holes.columns)
    assert found.sample.tolist() == [f for f, _ in brute.wildcard_frequencies(holes.rows(), [1.0] * 120, 1.0)]


def test_sparse_integers_and_other_types_count_as_their_values():
    frame = pl.DataFrame(
        {
            "far": [10**15, -(10**15), 10**15, 7],
            "float": [0.5, 0.25, 0.5, 0.5],
            "bool": [True, False, True, True],
            "date": pl.Series(["2020-01-01", "2020-01-02", "2020-01-01", "2020-01-01"]).str.to_date(),
            "categorical": pl.Series(["z", "a", "z", "z"], dtype=pl.Categorical),
        }
    )
    for name in frame.columns:
        expected = frame.select(pl.len().over(name))["len"].to_list()
        assert risk.frequencies(frame, [name]).sample.tolist() == expected, name


@quiet
@given(key_frames(min_rows=2))
def test_kinds_of_keys_and_of_frames_give_the_same_numbers(frame):
    keys = [name for name in frame.columns if name != "w"]
    as_text = frame.with_columns(pl.col(keys).cast(pl.String))
    as_category = as_text.with_columns(pl.col(keys).cast(pl.Categorical))
    as_float = frame.with_columns(pl.col(keys).cast(pl.Float64))
    as_pandas = pd.DataFrame({name: frame[name].to_list() for name in frame.columns})
    base = risk.individual(frame, keys, weight="w")
    for other in (as_text, as_category, as_float, as_pandas, as_text.to_arrow(), frame.lazy()):
        found = risk.individual(other, keys, weight="w")
        np.testing.assert_array_equal(found.risk, base.risk)
        np.testing.assert_array_equal(found.frequencies.population, base.frequencies.population)


@given(key_frames(missing=False), st.randoms(use_true_random=False))
def test_row_order_does_not_matter(frame, random):
    keys = [name for name in frame.columns if name != "w"]
    order = list(range(frame.height))
    random.shuffle(order)
    before = risk.frequencies(frame, keys, weight="w")
    after = risk.frequencies(frame[order], keys, weight="w")
    assert after.sample.tolist() == before.sample[order].tolist()
    assert after.population.tolist() == before.population[order].tolist()


class TestMissingKinds:
    """97 does not apply; 98 and 99 are non-response; a null is declared."""

    def data(self, null="non_response"):
        frame = pl.DataFrame({"sexo": [1, 1, 1, 1, 1, 1, 1], "ocup": [5, 6, 97, 97, 98, 99, None]})
        missing = {97: "not_applicable", 98: "non_response", 99: "non_response"}
        return Microdata(frame, Dictionary.of(Variable(name="ocup", missing=missing, null=null)))

    def test_not_applicable_is_never_a_wildcard(self):
        sample = risk.frequencies(self.data(), ["sexo", "ocup"]).sample.tolist()
        # 5 and 6 match themselves and the three unanswered; "does not apply" its own two and them
        assert sample == [4, 4, 5, 5, 7, 7, 7]

    def test_no_sabe_and_no_responde_are_one_category(self):
        sample = risk.frequencies(self.data(), ["sexo", "ocup"], missing="strict").sample.tolist()
        assert sample == [1, 1, 2, 2, 3, 3, 3]

    def test_a_null_that_does_not_apply_is_a_category(self):
        data = self.data(null="not_applicable")
        assert risk.frequencies(data, ["sexo", "ocup"]).sample.tolist() == [3, 3, 4, 4, 7, 7, 3]

    def test_suppressed_is_a_wildcard_and_a_category_of_its_own(self):
        data = self.data().suppress({"ocup": np.array([1, 1, 0, 0, 0, 0, 0], dtype=bool)})
        assert risk.frequencies(data, ["sexo", "ocup"]).sample.tolist() == [7, 7, 7, 7, 7, 7, 7]
        assert risk.frequencies(data, ["sexo", "ocup"], missing="strict").sample.tolist() == [2, 2, 2, 2, 3, 3, 3]

    def test_ranges_of_codes_are_missing_too(self):
        frame = pl.DataFrame({"x": [1, 1, 95, 97, 2]})
        span = {"low": 90, "high": 99}
        data = Microdata(frame, Dictionary.of(Variable(name="x", missing_ranges=(span,))))
        assert risk.frequencies(data, ["x"], missing="strict").sample.tolist() == [2, 2, 2, 2, 1]


def test_untyped_nulls_are_announced_by_variable():
    frame = pl.DataFrame({"a": [1, None, None], "b": [1, 2, None]})
    with pytest.warns(CelosiaWarning) as caught:
        risk.frequencies(frame, ["a", "b"])
    counts = {w.message.code: w.message.facts for w in caught}
    assert counts["null-untyped"] == {"counts": "a: 2, b: 1"}
    assert counts["all-missing"] == {"count": 1}


@pytest.mark.parametrize(
    ("weights", "code"),
    [
        (["1", "2"], "weight-text"),
        ([1.0, None], "weight-missing"),
        ([1.0, float("nan")], "weight-missing"),
        ([1, -2], "weight-negative"),
        ([1.1234567, 1.0], "weight-decimals"),
        ([1e13, 1.0], "weight-overflow"),
    ],
)
def test_a_doubtful_weight_is_refused(weights, code):
    with pytest.raises(CelosiaError) as error:
        risk.frequencies(pl.DataFrame({"k": [1, 2], "w": weights}), ["k"], weight="w")
    assert error.value.code == code
    assert "w" in str(error.value)


def test_declared_decimals_round_the_weight():
    frame = pl.DataFrame({"k": [1, 1], "w": [1.123456789, 2.0]})
    data = Microdata(frame, Dictionary.of(Variable(name="w", decimals=6)))
    assert risk.frequencies(data, ["k"], weight="w").population.tolist() == [3.123457, 3.123457]


def test_wrong_options_are_refused():
    frame = pl.DataFrame({"k": [1, 2]})
    for call, code in (
        (lambda: risk.frequencies(frame, ["k"], alpha=2), "option-range"),
        (lambda: risk.frequencies(frame, ["k"], missing="intruso"), "option-unknown"),
        (lambda: risk.frequencies(frame, ["k", "k"]), "keys-repeated"),
        (lambda: risk.frequencies(frame, []), "keys-none"),
        (lambda: risk.frequencies(frame, None), "names-form"),
        (lambda: risk.frequencies(frame, ["k"], alpha="1"), "option-range"),
        (lambda: risk.frequencies(frame, ["k"], alpha=float("nan")), "option-range"),
        (lambda: risk.frequencies(frame.clear(), ["k"]), "no-records"),
        (lambda: risk.individual(frame.clear(), ["k"]), "no-records"),
        (lambda: risk.k_anonymity(frame, ["k"], k=2.5), "option-whole"),
        (lambda: risk.k_anonymity(frame, ["k"], k="3"), "option-whole"),
        (lambda: risk.frequencies(frame, ["z"]), "variable-unknown"),
        (lambda: risk.k_anonymity(frame, ["k"], k=0), "option-whole"),
    ):
        with pytest.raises(CelosiaError) as error:
            call()
        assert error.value.code == code


@pytest.mark.parametrize("keys", ["k", ("k",), np.array(["k"]), pd.Index(["k"]), iter("k")])
def test_keys_may_be_one_or_several_of_any_kind(keys):
    assert risk.frequencies(pl.DataFrame({"k": [1, 1, 2]}), keys).sample.tolist() == [2, 2, 1]


def test_columns_that_pandas_numbers():
    assert risk.frequencies(pd.DataFrame([[1, 7], [1, 8]]), [0]).sample.tolist() == [2, 2]


def test_table_and_totals():
    found = risk.frequencies(pl.DataFrame({"k": [1, 1, 2, 3, 3, 3]}), ["k"])
    assert found.table().rows() == [(1, 1, 1), (2, 1, 2), (3, 1, 3)]
    assert found.to_dict()["uniques"] == 1
