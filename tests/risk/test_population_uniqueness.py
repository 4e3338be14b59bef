"""Population uniqueness: the rule, what it refuses, and that only the classes matter."""

import polars as pl
import pytest

from celosia.core.errors import CelosiaError, CelosiaWarning
from celosia.core.language import LANGUAGES, speaking
from celosia.datasets import bench_population
from celosia.risk.population_uniqueness import ESTIMATORS, population_uniqueness

KEYS = ["region", "sex", "age", "edu"]
SAMPLE = bench_population(30_000).sample(3_000, seed=1)


def refused(*arguments, **options) -> str:
    codes = set()
    for language in LANGUAGES:
        with speaking(language), pytest.raises(CelosiaError) as error:
            population_uniqueness(*arguments, **options)
        assert not str(error.value).startswith("error.") and error.value.fix
        codes.add(error.value.code)
    return codes.pop()


def test_a_small_fraction_takes_pitman_and_falls_back_on_zayatz():
    adult_like = ["region", "sex", "age", "edu", "marital", "act"]
    small = population_uniqueness(SAMPLE, adult_like, population=300_000)
    assert (small.estimator, small.reason) == ("pitman", "small-fraction")
    flat = population_uniqueness(SAMPLE, ["region", "sex", "age"], population=300_000)
    assert (flat.estimator, flat.reason) == ("zayatz", "fallback")
    assert flat.failures == {"pitman": "estimator-no-maximum"}


def test_a_large_fraction_takes_the_smaller_of_zayatz_and_snb():
    found = population_uniqueness(SAMPLE, KEYS, population=9_000)
    assert found.reason == "smaller"
    assert found.uniques == min(found.estimates[name].uniques for name in ("zayatz", "snb"))
    assert found.share == found.uniques / 9_000 and found.estimator in found.why


@pytest.mark.parametrize("method", ["dankar", *ESTIMATORS])
def test_a_census_is_counted(method):
    found = population_uniqueness(SAMPLE, KEYS, population=SAMPLE.height, method=method)
    alone = SAMPLE.group_by(KEYS).len().filter(pl.col("len") == 1).height
    assert found.uniques == found.sample_uniques == alone and found.estimator == "count"


def test_weights_are_the_population_and_text_keys_and_order_do_not_matter():
    found = population_uniqueness(SAMPLE, KEYS, weight="weight")
    people = SAMPLE["weight"].sum()
    assert found.population == pytest.approx(people)
    assert found.uniques == pytest.approx(population_uniqueness(SAMPLE, KEYS, population=people).uniques)
    shuffled = SAMPLE.sample(fraction=1, shuffle=True, seed=2).with_columns(pl.col(KEYS).cast(pl.String))
    assert population_uniqueness(shuffled, KEYS, weight="weight").to_dict() == found.to_dict()
    assert population_uniqueness(SAMPLE.to_pandas(), KEYS, weight="weight").uniques == found.uniques


def test_all_unique_is_an_upper_bound_with_a_warning_or_an_error():
    frame = pl.DataFrame({"k": range(50)})
    with pytest.warns(CelosiaWarning) as caught:
        found = population_uniqueness(frame, ["k"], population=5_000)
    assert caught[0].message.code == "sample-all-unique"
    assert found.uniques == pytest.approx(5_000) and found.estimator == "zayatz"
    for method in ("pitman", "snb", "snb_shlosser"):
        assert refused(frame, ["k"], population=5_000, method=method) == "estimator-all-unique"


def test_wrong_input_is_refused():
    frame = pl.DataFrame({"k": [1, 1, 2], "same": [4, 4, 4], "w": [0.0, 0.0, 1.0]})
    assert refused(frame, ["same"], population=10) == "keys-one-class"
    assert refused(pl.DataFrame({"k": pl.Series([None] * 3, dtype=pl.Int64)}), ["k"], population=9) == "keys-one-class"
    assert refused(frame, ["k"], population=2) == "population-too-small"
    assert refused(frame, ["k"], weight="w") == "population-too-small"
    assert refused(frame, ["k"]) == refused(frame, ["k"], population=9, weight="w") == "population-or-weight"
    assert refused(frame, ["k"], population=9, method="guess") == "option-unknown"
    assert refused(frame, ["k"], population=9, method="pitman") == "estimator-no-maximum"
    assert refused(frame.head(2), ["k", "same"], population=9) == "keys-one-class"


def test_it_tells():
    found = population_uniqueness(SAMPLE, KEYS, population=9_000)
    assert found.table()["taken"].sum() == 1 and "%" in found.picture().alternative
    assert "<table>" in found._repr_html_() and found.picture().svg().startswith("<svg")
