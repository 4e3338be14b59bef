"""Nearest neighbours against the full matrix; assignment; wrong input."""

import continuous
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import CelosiaError
from celosia.risk.linkage import MOST_ASSIGNED, linkage
from celosia.risk.mixed_distance import euclidean
from celosia.risk.neighbours import crowded, neighbours

SEVERAL = Run(key=0, threads=2)


def uniform(seed, rows, variables=3):
    chance = np.random.default_rng(seed)
    return pl.DataFrame(chance.normal(size=(rows, variables)), schema=list("abcdefgh"[:variables]))


@given(continuous.before_and_after(), st.sampled_from(["euclidean", "manhattan"]))
def test_nearest_is_the_full_matrix(frames, distance):
    x, y = (frame.to_numpy() for frame in frames)
    assume(not any(np.isnan(side).all(axis=0).any() for side in (x, y)))
    want = continuous.full_matrix(x, y, 2 if distance == "euclidean" else 1)
    found = linkage(*frames, distance=distance, standardise=False, run=SEVERAL)
    np.testing.assert_allclose(found.correct, continuous.chance_of_own(want), atol=1e-12)
    np.testing.assert_allclose(found.distances, want.min(axis=1), atol=1e-12)
    assert found.share == pytest.approx(found.correct.mean())


@pytest.mark.parametrize("variables", [1, 3, 8])
def test_nearest_is_the_full_matrix_in_larger_files(variables):
    chance = np.random.default_rng(variables)
    x = np.exp(chance.normal(size=(700, variables)))
    y = x * np.exp(0.5 * chance.normal(size=x.shape))
    x[chance.random(x.shape) < 0.05], y[chance.random(x.shape) < 0.1] = np.nan, np.nan
    space = euclidean(x, y)
    whole, found = space.sums(slice(None)), neighbours(space, SEVERAL)
    np.testing.assert_array_equal(found.sums, whole.min(axis=1))
    known = np.isfinite(found.sums)
    within = (whole <= space.ties(found.sums)[:, None]).sum(axis=1)
    np.testing.assert_array_equal(found.candidates[known], within[known])
    assert (found.candidates[~known] == len(x)).all()
    np.testing.assert_array_equal(crowded(space, 0.5, 3, SEVERAL), (whole <= 0.25).sum(axis=1) >= 3)


def test_ties_are_split():
    before = pl.DataFrame({"a": [0.0, 0.0, 1.0, 5.0]})
    found = linkage(before, before, standardise=False)
    assert found.correct.tolist() == [0.5, 0.5, 1, 1]
    assert found.candidates.tolist() == [2, 2, 1, 1] and found.certain == 2 and found.expected == 3


def test_repeated_values_do_not_slow_it_down():
    before = pl.DataFrame({"a": np.arange(100_000) % 3, "b": np.arange(100_000) % 2})
    assert linkage(before, before).share == pytest.approx(6 / 100_000)


def test_a_file_that_says_nothing_gives_chance_alone():
    before, chance = uniform(1, 2000), np.random.default_rng(9)
    shuffled = pl.DataFrame(before.to_numpy()[chance.permutation(2000)], schema=before.columns)
    assert linkage(before, shuffled).share < 0.005


@given(st.randoms(use_true_random=False), continuous.before_and_after(min_rows=3))
def test_order_and_scale_do_not_matter(random, frames):
    before, after = frames
    assume(continuous.varied(before) and continuous.varied(after))
    order = random.sample(range(before.height), before.height)
    share = linkage(before, after).share
    assert linkage(before[order], after[order]).share == pytest.approx(share)
    assert linkage(before, after.select(pl.all() * 4 - 2)).share == pytest.approx(share)


def test_standardising_undoes_a_change_of_units():
    before = uniform(2, 300)
    after = before.select(pl.col("a") * 1000 + 5, pl.col("b") / 7, pl.col("c") - 3)
    assert linkage(before, after).share == 1
    assert linkage(before, after, standardise=False).share < 0.2


def test_microdata_are_matched_by_record_id_and_dropped_records_left_out():
    book = Dictionary.of(Variable(name="id", role="id"))
    frame = uniform(3, 200).with_columns(id=pl.int_range(200))
    data = Microdata(frame, book)
    treated = data.take(np.arange(150)[::-1])
    found = linkage(data, treated)
    assert found.records == 150 and found.variables == ("a", "b", "c") and found.share == 1


def test_missing_codes_are_not_values():
    frame = pl.DataFrame({"a": [1.0, 2.0, 3.0, -99.0], "b": [4.0, 1.0, 3.0, 9.0]})
    data = Microdata(frame, Dictionary.of(Variable(name="a", missing={-99: "non_response"})))
    plain = frame.with_columns(pl.col("a").replace({-99.0: None}))
    np.testing.assert_array_equal(linkage(data, data).distances, linkage(plain, plain).distances)


def test_a_record_with_nothing_to_compare_is_a_guess():
    before = pl.DataFrame({"a": [1.0, 2.0, None, 4.0]})
    found = linkage(before, before)
    assert found.correct.tolist() == [1, 1, 0.25, 1] and np.isinf(found.distances[2])


@given(continuous.before_and_after(max_rows=5, missing=False))
def test_assignment_is_the_best_of_all_permutations(frames):
    from itertools import permutations

    x, y = (frame.to_numpy() for frame in frames)
    cost = continuous.full_matrix(x, y, 2)
    totals = {p: sum(cost[i, j] for i, j in enumerate(p)) for p in permutations(range(len(x)))}
    least = min(totals.values())
    found = linkage(*frames, method="assignment", standardise=False)
    assert found.distances.sum() == pytest.approx(least)
    best = [sum(i == j for i, j in enumerate(p)) for p, total in totals.items() if total <= least + 1e-9]
    assert found.expected == max(best)


def test_assignment_links_what_cannot_be_compared_last():
    before = pl.DataFrame({"a": [1.0, None, 3.0]})
    found = linkage(before, before, method="assignment")
    assert found.correct.tolist() == [1, 1, 1] and np.isinf(found.distances).tolist() == [False, True, False]


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("variable-constant", {"variables": ["k"]}),
        ("variable-all-missing", {"variables": ["m"]}),
        ("variable-infinite", {"variables": ["i"]}),
        ("variable-unknown", {"variables": ["nobody"]}),
        ("column-not-numeric", {"variables": ["t"]}),
        ("option-unknown", {"method": "magic"}),
        ("option-unknown", {"distance": "taxi"}),
        ("gower-only", {"categorical": ["a"]}),
        ("no-numeric-variables", {"variables": []}),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_wrong_input_is_refused(code, options, language, monkeypatch):
    monkeypatch.setenv("CELOSIA_LANG", language)
    frame = pl.DataFrame(
        {"a": [1.0, 2.0], "k": [7, 7], "m": [None, None], "i": [np.inf, 1.0], "t": ["uno", "dos"]},
        schema_overrides={"m": pl.Float64},
    )
    with pytest.raises(CelosiaError) as refused:
        linkage(frame, frame, **options)
    assert refused.value.code == code and "{" not in str(refused.value)


def test_files_that_are_not_the_same_are_refused():
    frame = uniform(4, 10)
    with pytest.raises(CelosiaError, match="mismos registros"):
        linkage(frame, frame.head(9))
    with pytest.raises(CelosiaError) as refused:
        linkage(Microdata(frame.head(5)), Microdata(frame))
    assert refused.value.code == "masked-ids"
    with pytest.raises(CelosiaError) as refused:
        linkage(frame.clear(), frame.clear())
    assert refused.value.code == "masked-no-records"


def test_a_matrix_that_would_not_fit_is_refused():
    frame = pl.DataFrame({"a": np.arange(MOST_ASSIGNED + 1)})
    with pytest.raises(CelosiaError) as refused:
        linkage(frame, frame, method="assignment")
    assert refused.value.code == "linkage-too-large"


def test_pandas_and_arrow_give_the_same():
    before, after = uniform(5, 50), uniform(6, 50)
    share = linkage(before, after).share
    assert linkage(before.to_pandas(), after.to_arrow()).share == share


def test_it_draws_and_tells():
    found = linkage(uniform(7, 20), uniform(8, 20))
    picture = found.picture()
    assert "azar" in picture.alternative and picture.svg().startswith("<svg")
    assert found.to_dict()["share"] == found.table()["share"][0]
