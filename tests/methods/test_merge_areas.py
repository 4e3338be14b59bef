"""Areas are merged until each is large enough, within their parents, next to each other, with few merges."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import DataError, OptionError, PromiseError, RoleError
from celosia.core.language import speaking
from celosia.methods import NewIds
from celosia.methods.merge_areas import MergeAreas
from celosia.methods.merging import anywhere, by_neighbours, in_order, lower_bound
from celosia.verify.areas import Contiguous, EnoughInAreas, InRuns, WithinParent


def persons(**areas):
    """A person a record: area → how many."""
    return pl.DataFrame({"zona": [code for code, count in areas.items() for _ in range(count)]})


def groups(result):
    """The sets of areas that were merged."""
    found = {}
    for code, new in result.mapping.items():
        found.setdefault(new, set()).add(code)
    return {frozenset(codes) for codes in found.values()}


def partitions(items):
    if not items:
        yield []
        return
    for rest in partitions(items[1:]):
        yield [[items[0]], *rest]
        for i, block in enumerate(rest):
            yield [*rest[:i], [items[0], *block], *rest[i + 1 :]]


def fewest_merges(sizes, need, allowed=lambda block: True):
    """By brute force over all partitions of the areas into blocks that may be and have enough."""
    blocks = (
        p
        for p in partitions(list(range(len(sizes))))
        if all((sizes[block].sum(axis=0) >= need).all() and allowed(block) for block in p)
    )
    return len(sizes) - max(map(len, blocks))


def hangs_together(near):
    def allowed(block):
        reached, waiting = set(), [block[0]]
        while waiting:
            one = waiting.pop()
            if one not in reached:
                reached.add(one)
                waiting += near[one] & set(block)
        return len(reached) == len(block)

    return allowed


AREAS = st.lists(st.tuples(st.integers(1, 9), st.integers(1, 4)), min_size=1, max_size=7)


@settings(deadline=None, max_examples=60)
@given(AREAS, st.integers(1, 10), st.integers(0, 5))
def test_any_areas_of_a_parent_take_the_fewest_merges(areas, persons, dwellings):
    sizes, need = np.array(areas), np.array([persons, dwellings])
    group = anywhere(sizes, need)
    if (sizes.sum(axis=0) >= need).all():
        assert lower_bound(sizes, need) <= len(sizes) - np.unique(group).size == fewest_merges(sizes, need)


@settings(deadline=None, max_examples=60)
@given(AREAS, st.integers(1, 10), st.integers(0, 5))
def test_areas_in_order_take_the_fewest_merges(areas, persons, dwellings):
    sizes, need = np.array(areas), np.array([persons, dwellings])
    group = in_order(sizes, need)
    assert (np.diff(group) >= 0).all()
    if (sizes.sum(axis=0) >= need).all():
        runs = fewest_merges(sizes, need, lambda block: sorted(block) == list(range(min(block), max(block) + 1)))
        assert len(sizes) - np.unique(group).size == runs


def test_many_areas_and_neighbours_take_few_more_than_the_fewest():
    """Greedy choices beside the optimum: by trying all where there are neighbours, by the bound where many."""
    rng = np.random.Generator(np.random.PCG64(11))
    excess, most = 0, 0
    for _ in range(120):
        count = int(rng.integers(3, 8))
        sizes, need = rng.integers(1, 10, (count, 2)), np.array([12, 6])
        if (sizes.sum(axis=0) < need).any():
            continue
        near = [{(i - 1) % count, (i + 1) % count} - {i} for i in range(count)]
        merges = count - np.unique(by_neighbours(sizes, need, near)).size
        excess += merges - fewest_merges(sizes, need, hangs_together(near))
        most += merges
    assert excess <= 0.08 * most
    sizes, need = rng.integers(1, 12, (400, 1)), np.array([12])
    merges = 400 - np.unique(anywhere(sizes, need)).size
    assert merges <= 1.1 * lower_bound(sizes, need)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(1, 6), st.integers(1, 3)), min_size=1, max_size=40))
def test_every_area_has_enough_persons_and_dwellings_within_its_parent(records):
    """Persons of (parent, area, dwelling): the method on a file, whichever way areas may be merged."""
    frame = pl.DataFrame(records, schema=["region", "zona", "casa"], orient="row")
    frame = frame.with_columns(zona=10 * pl.col("region") + pl.col("zona"))
    frame = NewIds(variable="casa", within=("zona",)).apply(frame).data
    few = frame.group_by("region").agg(pl.len(), homes=pl.col("casa").n_unique())
    for adjacency in (None, "order"):
        method = MergeAreas(
            area="zona", parent="region", minimum_persons=4, minimum_dwellings=2, dwelling="casa", adjacency=adjacency
        )
        if few.filter((pl.col("len") < 4) | (pl.col("homes") < 2)).height:
            with pytest.raises(DataError) as caught:
                method.apply(frame)
            assert caught.value.code == "areas-impossible"
            continue
        result = method.apply(frame)
        sizes = result.data.group_by("zona").agg(pl.len(), pl.col("region").n_unique(), homes=pl.col("casa").n_unique())
        assert sizes["len"].min() >= 4 and sizes["homes"].min() >= 2 and sizes["region"].max() == 1
        assert result.lower_bound <= result.merges == result.areas - sizes.height
        assert method.apply(result.data).merges == 0


def test_two_small_areas_help_each_other_before_a_large_one_is_touched():
    result = MergeAreas(area="zona", minimum_persons=4).apply(persons(a=2, b=9, c=2, d=3, e=1))
    assert groups(result) == {frozenset("de"), frozenset("ac")}
    assert result.merges == result.lower_bound == 2
    assert result.data["zona"].unique().sort().to_list() == ["a+", "b", "d+"]


def test_dwellings_count_too():
    frame = pl.DataFrame({"zona": list("aaabbbcccc"), "casa": [1, 1, 1, 2, 3, 3, 4, 5, 6, 7]})
    result = MergeAreas(area="zona", minimum_dwellings=3, dwelling="casa").apply(frame)
    assert groups(result) == {frozenset("ab")}
    both = MergeAreas(area="zona", minimum_persons=7, minimum_dwellings=3, dwelling="casa").apply(frame)
    assert groups(both) == {frozenset("abc")}


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 1), st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=12))
def test_a_dwelling_in_two_areas_of_a_parent_is_refused(records):
    """Merged, two dwellings of one number would be one: the file would no longer have the dwellings it counts."""
    frame = pl.DataFrame(records, schema=["region", "zona", "casa"], orient="row")
    frame = frame.with_columns(zona=10 * pl.col("region") + pl.col("zona"))
    spread = frame.group_by("region", "casa").agg(pl.col("zona").n_unique() - 1)["zona"].sum()
    options = {"area": "zona", "parent": "region", "minimum_dwellings": 1, "dwelling": "casa"}
    if not spread:
        assert MergeAreas(**options).apply(frame).merges == 0
        return
    with pytest.raises(DataError) as caught:
        MergeAreas(**options).apply(frame)
    assert caught.value.code == "dwelling-two-areas" and caught.value.facts["count"] == spread
    apart = NewIds(variable="casa", within=("zona",)).apply(frame).data
    assert apart["casa"].n_unique() == frame.select("zona", "casa").n_unique()
    assert MergeAreas(**options).apply(apart).merges == 0


def test_areas_stay_within_their_parent():
    frame = persons(a=1, b=5, c=1, d=5).with_columns(region=pl.col("zona").is_in(["a", "b"]))
    result = MergeAreas(area="zona", parent="region", minimum_persons=3).apply(frame)
    assert groups(result) == {frozenset("ab"), frozenset("cd")}
    with pytest.raises(DataError) as caught:
        MergeAreas(area="zona", parent="region", minimum_persons=7).apply(frame)
    assert caught.value.facts["count"] == 2
    with pytest.raises(DataError) as caught:
        MergeAreas(area="region", parent="zona", minimum_persons=3).apply(frame)
    assert caught.value.code == "area-two-parents"


def test_neighbours_by_order_and_by_list():
    frame = persons(a=1, b=9, c=1, d=9)
    assert groups(MergeAreas(area="zona", minimum_persons=2).apply(frame)) == {frozenset("ac")}
    ordered = MergeAreas(area="zona", minimum_persons=2, adjacency="order").apply(frame)
    assert groups(ordered) == {frozenset("ab"), frozenset("cd")} and ordered.lower_bound == 1
    listed = MergeAreas(area="zona", minimum_persons=2, adjacency={"a": ("d",), "b": ("c", "x")}).apply(frame)
    assert groups(listed) == {frozenset("ad"), frozenset("bc")}
    with pytest.raises(DataError) as caught:
        MergeAreas(area="zona", minimum_persons=2, adjacency={"a": ("b",)}).apply(frame)
    assert caught.value.facts["count"] == 1  # nobody is next to c


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(1, 6), min_size=2, max_size=9), st.integers(2, 8), st.data())
def test_groups_hang_together(sizes, need, chance):
    codes = [f"{i}" for i in range(len(sizes))]
    ring = {code: (codes[i - 1],) for i, code in enumerate(codes)}
    extra = chance.draw(st.tuples(st.sampled_from(codes), st.sampled_from(codes)))
    ring[extra[0]] = (*ring[extra[0]], extra[1])
    frame = persons(**dict(zip(codes, sizes, strict=True)))
    if sum(sizes) < need:
        return
    for adjacency in ("order", ring):
        result = MergeAreas(area="zona", minimum_persons=need, adjacency=adjacency).apply(frame, Run(key=1))
        assert result.data.group_by("zona").len()["len"].min() >= need
        assert result.merges >= result.lower_bound


def test_labels_and_missing_codes():
    book = Dictionary.of(
        Variable(name="zona", values={1: "Norte", 2: "Sur", 3: "Este", 99: "No sabe"}, missing={99: "non_response"})
    )
    data = Microdata(pl.DataFrame({"zona": [1, 2, 3, 3, 3, 99, None]}), book)
    after = MergeAreas(area="zona", minimum_persons=2).apply(data).data
    assert after.column("zona").to_list() == ["1+", "1+", "3", "3", "3", "99", None]
    values = after.dictionary["zona"].values
    assert values["1+"] == "Norte, Sur" and values["3"] == "Este" and "1" not in values


def test_a_file_with_nothing_to_merge_keeps_its_column():
    frame = pd.DataFrame({"zona": [1, 1, 2, 2]}, index=list("abcd"))
    result = MergeAreas(area="zona", minimum_persons=2).apply(frame)
    assert result.data["zona"].dtype == frame["zona"].dtype and result.mapping == {} and result.merges == 0
    assert MergeAreas(area="zona", minimum_persons=2).apply(pl.DataFrame({"zona": []})).areas == 0


def test_a_code_that_is_taken_is_not_given_again():
    frame = pl.DataFrame({"zona": ["a", "b", "a+", "a+"]})
    assert MergeAreas(area="zona", minimum_persons=2).apply(frame).data["zona"].to_list() == ["a++", "a++", "a+", "a+"]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"area": "zona"}, OptionError),
        ({"area": "zona", "minimum_dwellings": 2}, OptionError),
        ({"area": "zona", "minimum_persons": 2, "dwelling": "casa"}, OptionError),
        ({"area": "zona", "minimum_persons": 0}, OptionError),
        ({"area": "zona", "minimum_persons": 2, "adjacency": "near"}, OptionError),
        ({"area": "nada", "minimum_persons": 2}, RoleError),
        ({"area": "zona", "minimum_dwellings": 2, "dwelling": "casa"}, DataError),
    ],
)
def test_wrong_options(fields, kind):
    frame = pl.DataFrame({"zona": ["a", "b"], "casa": [1, None]})
    with pytest.raises(kind):
        MergeAreas(**fields).apply(frame)


@pytest.mark.parametrize("language", ["es", "en"])
def test_messages_show_no_code(language):
    frame = pl.DataFrame({"zona": ["ZZUNOZZ", "ZZDOSZZ"]})
    with pytest.raises(DataError) as caught:
        MergeAreas(area="zona", minimum_persons=5).apply(frame)
    with speaking(language):
        assert "ZZ" not in str(caught.value) and "zona" in str(caught.value)


# -- the checkers ------------------------------------------------------------------------------------

BEFORE = Microdata(pl.DataFrame({"zona": list("aabbc"), "casa": [1, 2, 3, 4, 5], "region": list("11112")}))


def now(codes):
    return BEFORE.with_columns({"zona": pl.Series(list(codes))})


@pytest.mark.parametrize(
    ("promise", "kept", "broken"),
    [
        (EnoughInAreas("zona", 2), "xxbbx", "aabbc"),
        (EnoughInAreas("zona", 0, 3, "casa"), "xxxxx", "xxxxc"),
        (WithinParent("zona", "region"), "xxxxc", "aaxxx"),
        (InRuns("zona"), "xxxxc", "xxbbx"),
        (InRuns("zona", "region"), "xxxxc", "xxbbx"),
        (Contiguous("zona", {"a": ("c",)}), "xxbbx", "xxxxc"),
    ],
)
def test_checkers_see_what_is_broken(promise, kept, broken):
    promise.check(BEFORE, now(kept))
    with pytest.raises(PromiseError) as caught:
        promise.check(BEFORE, now(broken))
    assert caught.value.facts["count"] == 1


def test_what_is_not_in_the_file_is_not_counted_in_it():
    merged = MergeAreas(area="zona", minimum_dwellings=2, dwelling="casa")
    (promise,) = merged.lasting()
    for left in (BEFORE.drop("zona"), BEFORE.drop("casa")):
        promise.check(left, left)


def test_dwellings_that_leave_afterwards_are_missed():
    merged = MergeAreas(area="zona", minimum_dwellings=2, dwelling="casa")
    (promise,) = merged.lasting()
    whole = merged.apply(BEFORE).data
    promise.check(whole, whole)
    torn = whole.take(np.array([0]))
    with pytest.raises(PromiseError):
        promise.check(torn, torn)


def test_a_group_over_two_parents_is_thrown_away(monkeypatch):
    transform = MergeAreas._transform

    def careless(self, data, run):
        result = transform(self, data, run)
        return type(result)(**{**vars(result), "data": now("xxxxx")})

    monkeypatch.setattr(MergeAreas, "_transform", careless)
    frame = BEFORE.take(np.arange(5))
    with pytest.raises(PromiseError):
        MergeAreas(area="zona", parent="region", minimum_persons=1).apply(frame)
