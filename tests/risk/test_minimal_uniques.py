"""Minimal sample uniques: the definition, over all subsets."""

import numpy as np
import polars as pl
import pytest
import uniques
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Run
from celosia.core.errors import CancelledError, OptionError
from celosia.core.frames import enter
from celosia.engines import engine
from celosia.risk import minimal_uniques as module
from celosia.risk.minimal_uniques import minimal_uniques

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


def encoded(frame):
    return engine(enter(frame)).encode(frame.columns, "wildcard")


def listed(frame, **options):
    names = {name: j for j, name in enumerate(frame.columns)}
    found = [set() for _ in range(frame.height)]
    for record, variables, size in minimal_uniques(encoded(frame), **options).table().iter_rows():
        assert size == len(variables)
        found[record].add(tuple(names[name] for name in variables))
    return found


@given(key_frames(max_keys=4), st.integers(1, 3))
def test_all_of_them_and_nothing_else(frame, threads):
    frame = frame.drop("w")
    assert listed(frame, run=Run(key=1, threads=threads)) == uniques.minimal(frame.rows())


@given(key_frames(max_keys=4), st.integers(1, 4))
def test_up_to_a_size_they_are_the_small_ones(frame, top):
    frame = frame.drop("w")
    expected = [{subset for subset in of if len(subset) <= top} for of in uniques.minimal(frame.rows())]
    assert listed(frame, max_size=top) == expected


@given(key_frames(max_keys=4, min_rows=2))
def test_the_hash_table_finds_what_the_table_of_places_finds(frame):
    frame, places = frame.drop("w"), module._PLACES
    try:
        module._PLACES = 0
        assert listed(frame) == uniques.minimal(frame.rows())
    finally:
        module._PLACES = places


def test_more_records_than_a_word_of_the_bitmap():
    drawn = np.random.Generator(np.random.PCG64(3)).integers(0, 5, (300, 5))
    frame = pl.DataFrame(drawn, schema=list("abcde"))
    assert listed(frame) == uniques.minimal(frame.rows())


def test_codes_too_wide_for_an_integer():
    drawn = np.random.Generator(np.random.PCG64(4)).integers(0, 200, (250, 9))
    frame = pl.DataFrame(np.vstack([drawn, drawn[:60]]), schema=list("abcdefghi")).with_columns(
        a=pl.int_range(pl.len()) % 190, b=pl.int_range(pl.len()) % 190
    )
    frame = frame.with_columns(pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise(pl.col("c")).alias("c"))
    wide = pl.concat([frame, frame.head(30)])
    found = listed(wide)
    assert found == uniques.minimal(wide.rows())
    assert found[:30] == [set()] * 30


def test_keys_that_differ_only_beyond_the_reach_of_one_integer():
    base = np.arange(256)[:, None] * np.ones((1, 9), dtype=int)
    frame = pl.DataFrame(np.vstack([base, base]), schema=list("abcdefghi"))
    alike = frame.with_columns(i=pl.Series([*range(256), *range(255, -1, -1)]))
    found = minimal_uniques(encoded(alike))
    assert found.by_size()["minimal_uniques"].to_list() == [0, 512 * 8, *([0] * 7)]


def test_sizes_count_the_records_of_their_smallest():
    frame = pl.DataFrame({"a": [1, 1, 2, 3, 3], "b": [1, 2, 1, 1, 1]})
    rows = minimal_uniques(encoded(frame)).by_size().rows()
    assert rows == [(1, 2, 2), (2, 1, 1)]  # the first record takes both, its neighbours one each


def test_a_cell_that_is_not_observed_equals_nothing():
    frame = pl.DataFrame({"a": [1, 1, None], "b": [1, 2, 2]})
    assert listed(frame) == [{(1,)}, {(0, 1)}, set()]


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": [None, None]}), pl.DataFrame({"a": []}, schema={"a": pl.Int64})])
def test_nothing_observed_singles_nobody_out(frame):
    found = minimal_uniques(encoded(frame))
    assert found.table().height == 0 and found.by_size().rows() == [(1, 0, 0)]


def test_sizes_below_one_and_too_many_sets_are_refused():
    with pytest.raises(OptionError) as caught:
        minimal_uniques(encoded(pl.DataFrame({"a": [1, 2]})), max_size=0)
    assert caught.value.code == "option-whole"
    wide = pl.DataFrame({f"v{j}": [1, 2] for j in range(40)})
    with pytest.raises(OptionError) as caught:
        minimal_uniques(encoded(wide))
    assert caught.value.code == "uniques-too-many"
    assert minimal_uniques(encoded(wide), max_size=2).by_size()["minimal_uniques"].to_list() == [80, 0]


def test_the_search_stops_when_asked():
    run = Run(key=1)
    run.cancel()
    with pytest.raises(CancelledError):
        minimal_uniques(encoded(pl.DataFrame({"a": [1, 2]})), run=run)
