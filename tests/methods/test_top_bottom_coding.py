"""Top and bottom coding: bands, replacements, codes in order, and no value told by a mean."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.core.dictionary import Dictionary, Level, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.language import speaking
from celosia.core.microdata import Microdata
from celosia.methods import TopBottomCoding

VALUES = [1, 5, 9, 10, 11, None, 20, -3]


def coded(values=VALUES, **options):
    frame = pl.DataFrame({"x": values})
    return TopBottomCoding(variable="x", **options).apply(frame).data["x"].to_list()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"top": 10}, [1, 5, 9, 10, 10, None, 10, -3]),
        ({"bottom": 5}, [5, 5, 9, 10, 11, None, 20, 5]),
        ({"top": {"beyond": 10, "value": 99}}, [1, 5, 9, 10, 99, None, 99, -3]),
        ({"top": "10.0"}, [1, 5, 9, 10, 10, None, 10, -3]),
        ({"top": 10, "bottom": 1}, [1, 5, 9, 10, 10, None, 10, 1]),
        ({"top": ({"beyond": 15, "value": 16}, {"beyond": 9, "value": 12})}, [1, 5, 9, 12, 12, None, 16, -3]),
        ({"bottom": ({"beyond": 6, "value": 4}, {"beyond": 0, "value": -1})}, [4, 4, 9, 10, 11, None, 20, -1]),
        ({"top": {"beyond": 10, "value": "10+"}}, ["1", "5", "9", "10", "10+", None, "10+", "-3"]),
        ({"top": {"beyond": 8, "by": "mean"}}, [1, 5, 13, 13, 13, None, 13, -3]),
        ({"top": {"beyond": 8, "by": "median"}}, [1, 5, 11, 11, 11, None, 11, -3]),
        ({"top": {"beyond": 100, "by": "mean"}}, VALUES),
    ],
)
def test_what_replaces(options, expected):
    assert coded(**options) == expected


def test_a_mean_keeps_the_total_of_decimals():
    values = [1.5, 100.25, 200.5, 400.0]
    found = coded(values, top={"beyond": 50, "by": "mean"})
    assert sum(found) == pytest.approx(sum(values))


def test_weighted_mean_and_median():
    frame = pl.DataFrame({"x": [1.0, 10.0, 20.0, 40.0], "w": [1, 1, 1, 2]})
    mean = TopBottomCoding(variable="x", top={"beyond": 5, "by": "mean"}, weight="w").apply(frame)
    assert mean.data["x"].to_list() == [1, 27.5, 27.5, 27.5]
    median = TopBottomCoding(variable="x", top={"beyond": 5, "by": "median"}, weight="w").apply(frame)
    assert median.data["x"].to_list() == [1, 30, 30, 30]


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("by", ["mean", "median"])
def test_a_statistic_of_two_records_is_refused(by, language):
    with pytest.raises(DataError) as caught:
        coded([1, 2, 3, 777, 888], top={"beyond": 10, "by": by})
    assert caught.value.code == "cut-few"
    with speaking(language):
        assert not any(value in str(caught.value) for value in ("777", "888"))


@pytest.mark.parametrize("language", ["es", "en"])
@pytest.mark.parametrize("by", ["mean", "median"])
@pytest.mark.parametrize(
    ("weights", "code"), [([1, 0, 0, 5], "cut-few"), ([1, 0, 0, 0], "cut-few"), ([1, 1, 1, 9], "cut-dominated")]
)
def test_a_statistic_that_one_record_decides_is_refused(by, weights, code, language):
    frame = pl.DataFrame({"x": [1, 70, 80, 97], "w": weights})
    with pytest.raises(DataError) as caught:
        TopBottomCoding(variable="x", top={"beyond": 65, "by": by}, weight="w").apply(frame)
    assert caught.value.code == code
    with speaking(language):
        assert "97" not in str(caught.value)


def test_missing_codes_stay():
    variable = Variable(name="x", values={99: "No sabe"}, missing={99: "non_response", -1: "not_applicable"})
    data = Microdata(pl.DataFrame({"x": [3, 70, 99, -1, None]}), Dictionary.of(variable))
    result = TopBottomCoding(
        variable="x", top={"beyond": 65, "value": "66+"}, bottom={"beyond": 5, "value": "<5"}
    ).apply(data)
    assert result.data.column("x").to_list() == ["<5", "66+", "99", "-1", None]
    after = result.data.dictionary["x"]
    assert after.level is Level.CATEGORICAL
    assert dict(after.values) == {"99": "No sabe", "<5": "<5", "66+": "66+"}
    with pytest.raises(DataError) as caught:
        TopBottomCoding(variable="x", top={"beyond": 65, "value": 99}).apply(data)
    assert caught.value.code == "recode-into-missing"


def test_cells_that_we_emptied_stay_empty():
    data = Microdata(pl.DataFrame({"x": [3, 70, 80]})).suppress({"x": np.array([False, True, False])})
    result = TopBottomCoding(variable="x", top=65).apply(data).data
    assert result.column("x").to_list() == [3, None, 65]
    assert result.suppressed("x").to_list() == [False, True, False]


STUDIES = {"b": "Básica", "m": "Media", "u": "Universitaria", "p": "Posgrado", "99": "No sabe"}


def test_codes_in_the_order_of_the_dictionary():
    book = Dictionary.of(Variable(name="x", values=STUDIES, missing={"99": "non_response"}))
    data = Microdata(pl.DataFrame({"x": ["p", "u", "m", "b", "99", None]}), book)
    top = TopBottomCoding(variable="x", top="m").apply(data)
    assert top.data.column("x").to_list() == ["m", "m", "m", "b", "99", None]
    low = TopBottomCoding(variable="x", bottom={"beyond": "u", "value": "hasta media"}).apply(data)
    assert low.data.column("x").to_list() == ["p", "u", "hasta media", "hasta media", "99", None]


def test_codes_in_the_order_of_their_type():
    values = pl.Series(["p", "b", "m"], dtype=pl.Enum(["b", "m", "p"]))
    assert coded(values, top="m") == ["m", "b", "m"]


def test_codes_without_an_order_are_refused():
    with pytest.raises(DataError) as caught:
        coded(["a", "b"], top="a")
    assert caught.value.code == "order-unknown"
    assert caught.value.facts["count"] == 2


@pytest.mark.parametrize(
    "options", [{"top": "zzz"}, {"bottom": {"beyond": "1,5"}}, {"top": "nan"}, {"top": float("inf")}]
)
def test_a_cut_that_is_no_value(options):
    with pytest.raises(OptionError) as caught:
        coded(**options)
    assert caught.value.code == "cut-unknown"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({}, "options-some"),
        ({"top": 3, "weight": "w"}, "option-needs"),
        ({"top": {"beyond": 3, "value": 4, "by": "mean"}}, "options-one"),
        ({"top": (3, 3)}, "cuts-repeated"),
        ({"top": 3, "bottom": 5}, "cuts-crossed"),
    ],
)
def test_options_that_do_not_go_together(options, code):
    with pytest.raises(OptionError) as caught:
        coded(**options)
    assert caught.value.code == code


def test_unknown_fields_and_variables():
    with pytest.raises(OptionError):
        TopBottomCoding(variable="x", top={"beyond": 3, "foo": 1})
    with pytest.raises(RoleError):
        TopBottomCoding(variable="nada", top=3).apply(pl.DataFrame({"x": [1]}))


def test_a_whole_number_too_big_for_its_type_gets_a_wider_one():
    frame = pl.DataFrame({"x": pl.Series([1, 100], dtype=pl.Int8)})
    result = TopBottomCoding(variable="x", top={"beyond": 90, "value": 1000}).apply(frame).data
    assert result["x"].to_list() == [1, 1000]
    assert result["x"].dtype.is_integer()


def test_exact_decimals():
    values = pl.Series([1.25, 7.1, None, 50.0]).cast(pl.Decimal(10, 2))
    assert [v and float(v) for v in coded(values, top=7.1)] == [1.25, 7.1, None, 7.1]


def test_pandas():
    frame = pd.DataFrame({"x": [1.0, None, 50.0]}, index=["a", "b", "c"])
    result = TopBottomCoding(variable="x", top=10).apply(frame).data
    pd.testing.assert_frame_equal(result, pd.DataFrame({"x": [1.0, None, 10.0]}, index=["a", "b", "c"]))


def test_settings_round_trip():
    method = TopBottomCoding(
        variable="x", top=({"beyond": 65, "value": "65-80"}, {"beyond": 80, "value": "80+"}), bottom=3
    )
    assert TopBottomCoding.model_validate_json(method.model_dump_json()) == method


@settings(deadline=None, max_examples=60)
@given(st.lists(st.one_of(st.none(), st.integers(-99, 99)), min_size=1), st.integers(-99, 0), st.integers(0, 99))
def test_cuts_are_a_clip(values, low, high):
    found = coded(pl.Series(values, dtype=pl.Int64), top=high, bottom=low)
    assert found == [None if v is None else min(max(v, low), high) for v in values]
