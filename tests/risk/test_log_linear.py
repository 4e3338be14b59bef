"""Log-linear risk: its sums, that it finds the truth where the model holds, and what it refuses."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from model_risk import taus
from strategies import key_frames

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import CelosiaError, CelosiaWarning
from celosia.core.language import LANGUAGES, speaking
from celosia.datasets import bench_population
from celosia.risk.log_linear import log_linear

KEYS = ["region", "sex", "ageg", "marital", "edu"]
POPULATION = bench_population(30_000).with_columns(ageg=(pl.col("age") // 10).clip(0, 8))
SAMPLE = POPULATION.sample(3_000, seed=1)


def refused(*arguments, **options) -> str:
    codes = set()
    for language in LANGUAGES:
        with speaking(language), pytest.raises(CelosiaError) as error:
            log_linear(*arguments, **options)
        assert not str(error.value).startswith("error.")
        codes.add(error.value.code)
    return codes.pop()


@given(key_frames(min_rows=3))
@settings(max_examples=40, deadline=None)
def test_the_sums_are_their_definition(frame):
    keys = [name for name in frame.columns if name != "w"]
    frame = frame.with_columns(w=pl.col("w") + 1)
    if frame.select(keys).n_unique() < 2:
        return
    found = log_linear(frame, keys, weight="w")
    cells = found.cells
    assert (found.tau1, found.tau2) == pytest.approx(taus(cells.records, cells.people, found.fitted))
    assert 0 <= found.tau1 <= found.tau2 <= found.sample_uniques
    assert found.fitted.sum() == pytest.approx(frame.height)
    assert np.nansum(found.risk) == pytest.approx(found.tau2)


def test_text_keys_and_the_order_of_rows_do_not_matter():
    found = log_linear(SAMPLE, KEYS, weight="weight", model="two-way")
    shuffled = SAMPLE.sample(fraction=1, shuffle=True, seed=2).with_columns(pl.col(KEYS).cast(pl.String))
    other = log_linear(shuffled.to_arrow(), KEYS, weight="weight", model="two-way")
    assert other.tau1 == pytest.approx(found.tau1) and other.tau2 == pytest.approx(found.tau2)
    assert other.fit.z_2 == pytest.approx(found.fit.z_2)


def test_the_model_that_the_fit_prefers_is_the_true_one_and_nearest_to_the_truth():
    """In this population only age with marital status and with education interact."""
    people = SAMPLE.join(POPULATION.group_by(KEYS).len(), on=KEYS).filter(pl.len().over(KEYS) == 1)["len"]
    truth = float((1 / people).sum())
    models = ("main", [("ageg", "marital"), ("ageg", "edu")], "two-way")
    simple, true, rich = (log_linear(SAMPLE, KEYS, population=POPULATION.height, model=model) for model in models)
    assert (simple.fit.verdict, true.fit.verdict, rich.fit.verdict) == ("under", "good", "over")
    assert (simple.recommended, true.recommended, rich.recommended) == ("search", "terms", "search")
    assert simple.tau2 > truth > rich.tau2
    assert abs(true.tau2 - truth) < min(abs(simple.tau2 - truth), abs(rich.tau2 - truth))
    assert true.tau1 == pytest.approx((people == 1).sum(), rel=0.05)


def test_the_search_finds_the_true_interactions():
    found = log_linear(SAMPLE, KEYS, population=POPULATION.height, model="search")
    assert {frozenset(term) for term in found.terms.terms if len(term) == 2} == {
        frozenset(("ageg", "marital")),
        frozenset(("ageg", "edu")),
    }
    assert found.fit.verdict == "good" and found.recommended == "search"


def test_every_method_of_fitting_sums_to_the_sample_where_weights_are_equal():
    for method in ("default", "ce", "pml", "weighted", "ipf"):
        found = log_linear(SAMPLE, ["sex", "ageg", "edu"], population=30_000, method=method)
        assert found.fitted.sum() == pytest.approx(3_000, rel=1e-6)
    numbers = log_linear(SAMPLE, ["sex", "ageg", "edu"], population=30_000, as_numbers=["ageg"])
    assert numbers.fit.parameters == 1 + 1 + 1 + SAMPLE["edu"].n_unique() - 1


def test_chosen_interactions_lie_between_main_effects_and_all():
    models = ("main", [("ageg", "marital"), ("ageg", "edu")], "two-way")
    gaps = [log_linear(SAMPLE, KEYS, population=30_000, model=model).fit.deviance for model in models]
    assert gaps[0] > gaps[1] > gaps[2]


def test_a_census_is_certain_of_its_uniques():
    found = log_linear(SAMPLE, KEYS, population=SAMPLE.height)
    assert found.tau1 == found.tau2 == found.sample_uniques > 0


def test_weights_below_one_are_raised_with_a_warning():
    frame = pl.DataFrame({"a": [1, 1, 2, 3], "b": [1, 2, 1, 2], "w": [0.5, 4, 4, 4]})
    with pytest.warns(CelosiaWarning) as caught:
        found = log_linear(frame, ["a", "b"], weight="w")
    assert caught[0].message.code == "population-below-sample"
    assert (found.cells.people[found.cells.of_key] >= 1).all() and found.tau2 <= 4


def test_wrong_input_is_refused():
    frame = pl.DataFrame({"a": [1, 1, 2], "b": ["x", "y", "y"], "same": [4, 4, 4], "v": [2, 2, 2]})
    frame = frame.with_columns(w=pl.Series([0.0, 2.0, 1.0]))
    keys = ["a", "b"]
    assert refused(frame, keys, weight="w") == "weight-zero"
    assert refused(frame, ["a", "v"], weight="v") == "weight-is-key"
    assert refused(frame, keys) == refused(frame, keys, weight="v", population=9) == "population-or-weight"
    assert refused(frame, keys, population=2) == "population-too-small"
    assert refused(frame, ["same"], population=9) == "keys-one-class"
    assert refused(frame, [*keys, "same"], population=9, as_numbers=["same"]) == "model-no-variation"
    assert refused(frame, keys, population=9, as_numbers=["b"]) == "model-not-number"
    assert refused(frame, keys, population=9, as_numbers=["z"]) == "model-terms"
    assert refused(frame, keys, population=9, model=[("a", "z")]) == "model-terms"
    assert refused(frame, keys, population=9, model="three-way") == "option-unknown"
    assert refused(frame, keys, population=9, method="guess") == "option-unknown"
    assert refused(frame, keys, population=9, bound=0) == "option-range"


def test_a_model_beyond_memory_says_how_many_cells():
    frame = pl.DataFrame({name: np.arange(500) * step % 499 for name, step in zip("abc", (1, 2, 3), strict=True)})
    with pytest.raises(CelosiaError) as error:
        log_linear(frame, ["a", "b", "c"], population=10_000)
    assert error.value.code == "model-cells" and error.value.facts["cells"] == 499**3
    assert refused(frame, ["a", "b"], population=10_000, method="weighted", max_cells=300_000) == "model-cells"


def test_a_missing_code_is_a_category_and_never_a_number():
    book = Dictionary.of(Variable(name="a", missing={-97: "not_applicable"}))
    data = Microdata(pl.DataFrame({"a": [1, 2, 3, -97, 1], "b": [1, 2, 1, 2, 1]}), book)
    assert log_linear(data, ["a", "b"], population=50).cells.shape == (4, 2)
    assert refused(data, ["a", "b"], population=50, as_numbers=["a"]) == "model-not-number"


def test_nulls_are_a_category():
    frame = pl.DataFrame({"a": [1, 1, 2, None, None], "b": [1, 2, 1, 2, 1]})
    assert log_linear(frame, ["a", "b"], population=50).cells.shape == (3, 2)


def test_it_tells():
    found = log_linear(SAMPLE, KEYS, population=30_000)
    assert found.fit.sentence in found.picture().alternative and found.picture().svg().startswith("<svg")
    assert found.to_dict()["verdict"] == "under" and "<table>" in found._repr_html_()
