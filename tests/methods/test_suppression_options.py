"""Whatever is asked of a local suppression, the output keeps it or nothing leaves: counted again by brute force."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from brute import wildcard_frequencies
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Dictionary, Microdata, Run, Variable, risk
from celosia.core.errors import DataError, OptionError
from celosia.methods import LocalSuppression

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")

IMPOSSIBLE = {"suppression-limits", "suppression-impossible", "fewer-than-k", "record-suppression-all"}


def keys_of(frame):
    return [name for name in frame.columns if name in "abcd"]


def applied(method, data):
    """The result, or nothing where it stopped for a reason that it may stop for."""
    try:
        return method.apply(data, Run(key=1))
    except DataError as error:
        assert error.code in IMPOSSIBLE
        return None


def wildcard_counts(frame, keys):
    rows = frame.select(keys).rows()
    return [f for f, _ in wildcard_frequencies(rows, [1.0] * len(rows), 1.0)]


def strict_counts(data, keys):
    """Sizes of classes in which nulls of the source and cells that we emptied are two categories."""
    marks = [data.suppressed(name).alias(f"_{name}") for name in keys]
    frame = pl.DataFrame([*(data.column(name) for name in keys), *marks])
    return frame.select(pl.len().over(frame.columns)).to_series().to_list()


def lost_cells(before, after, keys):
    """For each record that stayed and each key, whether it was emptied."""
    old = before.in_order_of(after.ids)
    return np.column_stack([(old.column(n).is_not_null() & after.column(n).is_null()).to_numpy() for n in keys])


counting = st.sampled_from([("strict", False), ("wildcard", False), ("wildcard", True)])


@given(key_frames(min_rows=3), st.integers(2, 4), counting, st.sampled_from([0.34, 0.5, 0.75, 1.0]))
def test_k_holds_by_brute_force_within_the_cap(frame, k, how, share):
    keys, data = keys_of(frame), Microdata(frame)
    method = LocalSuppression(keys=keys, k=k, counting=how[0], spare_covered=how[1], max_share=share)
    result = applied(method, data)
    if result is None:
        return
    after = result.data
    counts = strict_counts(after, keys) if how[0] == "strict" else wildcard_counts(after.frame, keys)
    assert min(counts) >= k
    lost = lost_cells(data, after, keys)
    assert lost.sum(axis=1).max() <= max(1, int(share * len(keys) + 1e-9))
    if how == ("wildcard", False):
        violators = np.array(wildcard_counts(frame, keys)) < k
        assert lost[violators].any(axis=1).all()
    assert result.table().height == sum(lost[:, j].any() for j in range(len(keys)))


@given(key_frames(min_rows=3), st.integers(2, 3), counting)
def test_doing_it_again_changes_nothing(frame, k, how):
    method = LocalSuppression(keys=keys_of(frame), k=k, counting=how[0], spare_covered=how[1], max_share=1.0)
    once = applied(method, Microdata(frame))
    if once is not None:
        twice = method.apply(once.data, Run(key=2))
        assert twice.data.frame.equals(once.data.frame) and not twice.changed


@given(key_frames(min_rows=3, max_keys=4), st.integers(2, 3), counting)
def test_every_subset_reaches_its_own_k(frame, k, how):
    keys, data = keys_of(frame), Microdata(frame)
    sizes = {1: k + 1, len(keys): k} if len(keys) > 1 else {1: k}
    method = LocalSuppression(keys=keys, subsets=sizes, counting=how[0], spare_covered=how[1], max_share=1.0)
    result = applied(method, data)
    if result is None:
        return
    for size, needed in sizes.items():
        for some in combinations(keys, size):
            if how[0] == "strict":
                assert min(strict_counts(result.data, list(some))) >= needed
            else:
                assert min(wildcard_counts(result.data.frame, list(some))) >= needed


@given(key_frames(min_rows=4), st.integers(2, 3), counting, st.integers(0, 3))
def test_keys_that_must_stay_stay(frame, k, how, which):
    keys, data = keys_of(frame), Microdata(frame)
    never = keys[which % len(keys)]
    method = LocalSuppression(keys=keys, k=k, never=never, counting=how[0], spare_covered=how[1], max_share=1.0)
    result = applied(method, data)
    if result is not None:
        assert result.data.column(never).equals(data.column(never)) and result.suppressed[never] == 0


@given(key_frames(min_rows=4, max_keys=3), st.integers(2, 3), counting)
def test_linked_variables_go_together(frame, k, how):
    keys = keys_of(frame)
    frame = frame.with_columns(mirror=pl.int_range(pl.len()))
    linked = [[*keys[:2], "mirror"]]
    method = LocalSuppression(keys=keys, k=k, linked=linked, counting=how[0], spare_covered=how[1], max_share=1.0)
    result = applied(method, Microdata(frame))
    if result is None:
        return
    gone = result.data.column("mirror").is_null()
    for name in linked[0]:
        assert (result.data.column(name).is_null() | ~gone).all()
        assert result.suppressed[name] >= gone.sum() - frame[name].null_count()
    assert (gone == result.data.suppressed("a")).all()


@given(key_frames(min_rows=6, max_keys=3, missing=False), st.integers(2, 3), counting, st.randoms())
def test_members_of_a_household_lose_what_they_share_together(frame, k, how, chance):
    home = [chance.randrange(max(2, frame.height // 2)) for _ in range(frame.height)]
    frame = frame.with_columns(hogar=pl.Series(home), a=pl.col("a").first().over(pl.Series(home)))
    keys, data = keys_of(frame), Microdata(frame)
    options = {"household": {"id": "hogar", "keys": ["a"]}, "counting": how[0], "spare_covered": how[1]}
    result = applied(LocalSuppression(keys=keys, k=k, max_share=1.0, **options), data)
    if result is None:
        return
    shown = result.data.frame.group_by("hogar").agg(pl.col("a").is_null().n_unique())
    assert shown["a"].max() == 1
    counts = strict_counts(result.data, keys) if how[0] == "strict" else wildcard_counts(result.data.frame, keys)
    assert min(counts) >= k


@given(key_frames(min_rows=4), st.integers(2, 4), counting)
def test_records_that_cannot_be_protected_are_dropped_and_no_others(frame, k, how):
    keys, data = keys_of(frame), Microdata(frame)
    options = {"k": k, "counting": how[0], "spare_covered": how[1], "max_share": 0.34}
    result = applied(LocalSuppression(keys=keys, impossible="drop", **options), data)
    stopped = applied(LocalSuppression(keys=keys, **options), data)
    if stopped is not None:
        assert result.dropped == 0 and result.data.frame.equals(stopped.data.frame)
    if result is not None:
        counts = strict_counts(result.data, keys) if how[0] == "strict" else wildcard_counts(result.data.frame, keys)
        assert not counts or min(counts) >= k
        assert result.data.height == data.height - result.dropped


@given(key_frames(min_rows=6, max_keys=3), st.sampled_from([0.1, 0.3, 0.5]), st.booleans(), counting)
def test_no_risk_is_above_the_limit(frame, limit, weighted, how):
    keys = keys_of(frame)
    book = Dictionary.of(Variable(name="w", role="weight")) if weighted else Dictionary()
    frame = frame.with_columns(pl.col("w") + 1)
    method = LocalSuppression(keys=keys, max_risk=limit, counting=how[0], spare_covered=how[1], max_share=1.0)
    result = applied(method, Microdata(frame, book))
    if result is not None:
        weight = "w" if weighted else None
        found = risk.individual(result.data, keys, weight=weight, missing=how[0])
        assert found.risk.max() <= limit * (1 + 1e-9)


@given(key_frames(min_rows=20, max_rows=40, max_keys=3), st.sampled_from([0.0001, 0.1, 0.3]), counting)
def test_a_variable_loses_no_more_than_it_may(frame, share, how):
    keys, data = keys_of(frame), Microdata(frame)
    options = {"max_lost": {"a": share}, "counting": how[0], "spare_covered": how[1], "max_share": 1.0}
    result = applied(LocalSuppression(keys=keys, k=2, **options), data)
    if result is not None:
        assert lost_cells(data, result.data, ["a"]).sum() <= share * frame.height


def test_strata_are_told_apart_in_every_way_of_counting():
    chance = np.random.Generator(np.random.PCG64(4))
    frame = pl.DataFrame(chance.integers(0, 3, (150, 4)), schema=["region", "a", "b", "c"])
    frame = frame.with_columns(region=pl.when(pl.col("region") == 2).then(None).otherwise(pl.col("region")))
    for how, spare in (("strict", False), ("wildcard", False), ("wildcard", True)):
        method = LocalSuppression(
            keys=list("abc"), k=4, strata="region", counting=how, spare_covered=spare, max_share=1
        )
        after = method.apply(frame).data
        assert after["region"].equals(frame["region"])
        for part in after.partition_by("region"):
            if how == "strict":
                assert part.group_by("a", "b", "c").len()["len"].min() >= 4
            else:
                assert min(wildcard_counts(part, ["a", "b", "c"])) >= 4


def test_less_important_keys_go_first_whatever_the_counting():
    chance = np.random.Generator(np.random.PCG64(8))
    frame = pl.DataFrame(chance.integers(0, 6, (300, 4)), schema=["a", "b", "c", "d"])
    for how in ("strict", "wildcard"):
        ranks = {"a": 1, "b": 2, "c": 3, "d": 4}
        lost = LocalSuppression(keys=list("abcd"), k=3, importance=ranks, counting=how).apply(frame).suppressed
        assert lost["a"] <= lost["b"] <= lost["c"] <= lost["d"]
        other = {"a": 4, "b": 3, "c": 2, "d": 1}
        assert (
            lost["a"]
            < LocalSuppression(keys=list("abcd"), k=3, importance=other, counting=how).apply(frame).suppressed["a"]
        )


def test_an_order_keeps_what_comes_first_where_costs_weigh_it():
    chance = np.random.Generator(np.random.PCG64(8))
    frame = pl.DataFrame(chance.integers(0, 6, (300, 4)), schema=["a", "b", "c", "d"])
    for how in ("strict", "wildcard"):
        lost = {}
        for name, options in {
            "order": {"importance": {"a": 1}},
            "dear": {"cost": {"a": 2.0}},
            "same": {},
            "cheap": {"cost": {"a": 0.5}},
        }.items():
            result = LocalSuppression(keys=list("abcd"), k=3, counting=how, **options).apply(frame)
            lost[name] = result.suppressed["a"]
        assert lost["order"] <= lost["dear"] < lost["same"] < lost["cheap"]


def test_no_cell_of_the_first_rank_goes_where_none_needs_to():
    # one cell of a in the first record, or one of b in each of the first and two others
    frame = pl.DataFrame({"a": [1, 2, 2, 2, 1, 1], "b": [1, 1, 1, 1, 2, 3], "c": [1] * 6})
    assert LocalSuppression(keys=list("abc"), k=3, importance={"a": 1}).apply(frame).suppressed == {
        "a": 0,
        "b": 3,
        "c": 0,
    }
    assert LocalSuppression(keys=list("abc"), k=3, cost={"a": 3}).apply(frame).total == 3


def test_the_result_carries_every_way_of_counting():
    chance = np.random.Generator(np.random.PCG64(5))
    frame = pl.DataFrame(chance.integers(0, 8, (400, 4)), schema=["a", "b", "c", "d"])
    result = LocalSuppression(keys=list("abcd"), k=3, counting="wildcard", spare_covered=True).apply(frame)
    rows = {row["counting"]: row for row in result.counts.to_dicts()}
    assert rows["wildcard"]["below"] == 0 < rows["intruder"]["below"] <= rows["strict"]["below"]
    assert rows["wildcard"]["below_before"] == result.violators
    truth = risk.frequencies(result.data, list("abcd"), missing="intruder", truth=frame).sample
    assert rows["intruder"]["below"] == (truth < 3).sum() and rows["intruder"]["unique"] == (truth < 2).sum()
    assert result.to_dict()["counts"] == result.counts.to_dicts()


def test_a_preview_tells_what_would_be_done():
    chance = np.random.Generator(np.random.PCG64(5))
    frame = pl.DataFrame(chance.integers(0, 5, (300, 4)), schema=["a", "b", "c", "d"])
    for options in ({"k": 3}, {"k": 3, "counting": "wildcard"}, {"k": 9, "max_share": 0.25, "impossible": "drop"}):
        method = LocalSuppression(keys=list("abcd"), **options)
        preview, result = method.preview(frame), method.apply(frame)
        assert (preview.suppressed, preview.dropped, preview.left) == (result.suppressed, result.dropped, 0)
        assert preview.total == result.total and preview.violators == result.violators > 0
    assert LocalSuppression(keys=list("abcd"), k=40, max_share=0.25).preview(frame).left > 0


def test_it_says_which_limit_stands_in_the_way():
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "b": [5, 5, 7, 7], "c": [1, 2, 3, 4]})
    for options, limits in (
        ({"max_share": 0.34}, ("max_share",)),
        ({"max_share": 0.67, "never": "c"}, ("never",)),
        ({"max_share": 1.0, "max_lost": {"a": 0.1}}, ("max_lost",)),
    ):
        with pytest.raises(DataError) as error:
            LocalSuppression(keys=list("abc"), k=2, **options).apply(frame)
        assert (error.value.code, error.value.facts["limits"]) == ("suppression-limits", limits)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "options-one"),
        ({"k": 2, "max_risk": 0.2}, "options-one"),
        ({"k": 2, "weight": "w"}, "option-needs"),
        ({"k": 2, "spare_covered": True}, "option-needs"),
        ({"max_risk": 0.2, "subsets": {1: 2}}, "options-one"),
        ({"k": 2, "never": "w"}, "keys-only"),
        ({"k": 2, "importance": {"w": 1}}, "keys-only"),
        ({"k": 2, "cost": {"w": 1}}, "keys-only"),
        ({"k": 2, "importance": {"a": 1}, "cost": {"a": 2}}, "options-either"),
        ({"k": 2, "max_lost": {"w": 0.1}}, "keys-only"),
        ({"k": 2, "household": {"id": "h", "keys": ["w"]}}, "keys-only"),
        ({"k": 2, "subsets": {5: 2}}, "option-range"),
        ({"k": 5, "subsets": {1: 2}}, "subsets-whole"),
        ({"k": [2, 3], "subsets": [1]}, "subsets-k"),
        ({"k": 2, "linked": [["w"]]}, "linked-groups"),
        ({"k": 2, "linked": [["a", "w"], ["b", "w"]]}, "linked-groups"),
    ],
)
def test_options_that_do_not_agree(options, code):
    with pytest.raises(OptionError) as error:
        LocalSuppression(keys=("a", "b"), **options)
    assert error.value.code == code


@pytest.mark.parametrize("options", [{"k": 2, "max_share": 0}, {"k": 2, "importance": {"a": 0}}, {"max_risk": 1}])
def test_options_out_of_range(options):
    with pytest.raises(OptionError):
        LocalSuppression(keys=("a", "b"), **options)


def test_subsets_can_be_written_in_several_ways():
    wanted = {1: 3, 2: 2}
    for options in (
        {"subsets": {1: 3, 2: 2}},
        {"subsets": (1, 2), "k": (3, 2)},
        {"subsets": {"1": 3, "2": 2}, "k": 3},
    ):
        assert dict(LocalSuppression(keys=("a", "b"), **options).subsets) == wanted
    assert dict(LocalSuppression(keys=("a", "b"), subsets=2, k=3).subsets) == {2: 3}


def test_a_household_whose_members_differ_is_refused():
    frame = pl.DataFrame({"hogar": [1, 1, 2, 2], "a": [1, 2, 3, 3], "b": [1, 1, 1, 1]})
    with pytest.raises(DataError) as error:
        LocalSuppression(keys=("a", "b"), k=2, household={"id": "hogar", "keys": ["a"]}).apply(frame)
    assert error.value.code == "household-varies"
