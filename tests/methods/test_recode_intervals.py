"""Intervals: limits, ends, labels, missing cells, and nothing that goes missing without a word."""

import pandas as pd
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from celosia.core.dictionary import Dictionary, Level, MissingKind, MissingRange, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.language import speaking
from celosia.core.microdata import Microdata
from celosia.methods import RecodeIntervals

BOTH_OPEN = {"open_low": True, "open_high": True}
BOTH_SHUT = {"open_low": False, "open_high": False}
AGES = pl.DataFrame({"edad": [0, 14, 15, 64, 65, 95]})


def coded(frame=AGES, variable="edad", **options):
    return RecodeIntervals(variable=variable, **options).apply(frame).data[variable].to_list()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"breaks": (0, 15, 65), "open_high": True}, ["[0, 15)", "[0, 15)", "[15, 65)", "[15, 65)", "65+", "65+"]),
        ({"breaks": (0, 15, 65, 95)}, ["[0, 15)", "[0, 15)", "[15, 65)", "[15, 65)", "[65, 95]", "[65, 95]"]),
        ({"breaks": (0, 15, 65, 96), "include_edge": False}, ["[0, 15)"] * 2 + ["[15, 65)"] * 2 + ["[65, 96)"] * 2),
        ({"breaks": (15, 65), "open_low": True, "open_high": True}, ["<15"] * 2 + ["[15, 65)"] * 2 + ["65+"] * 2),
        ({"breaks": (0, 15, 65, 95), "closed": "right"}, ["[0, 15]"] * 3 + ["(15, 65]"] * 2 + ["(65, 95]"]),
        ({"breaks": (15, 65), "closed": "right", **BOTH_OPEN}, ["≤15"] * 3 + ["(15, 65]"] * 2 + [">65"]),
        ({"breaks": (65,), "open_low": True, "open_high": True}, ["<65"] * 4 + ["65+"] * 2),
        ({"width": 50}, ["[0, 50)"] * 3 + ["[50, 100)"] * 3),
        ({"width": 50, "origin": 15}, ["[-35, 15)"] * 2 + ["[15, 65)"] * 2 + ["[65, 115)"] * 2),
        ({"width": 50, "closed": "right"}, ["(-50, 0]"] + ["(0, 50]"] * 2 + ["(50, 100]"] * 3),
        ({"width": 30, "open_high": True}, ["[0, 30)"] * 3 + ["[60, 90)"] * 2 + ["90+"]),
        ({"groups": 2, "method": "quantiles"}, ["<39.5"] * 3 + ["39.5+"] * 3),
        ({"groups": 2, "method": "quantiles", **BOTH_SHUT}, ["[0, 39.5)"] * 3 + ["[39.5, 95]"] * 3),
    ],
)  # fmt: skip
def test_which_interval(options, expected):
    assert coded(**options) == expected


def test_groups_do_not_show_the_extremes():
    result = RecodeIntervals(variable="edad", groups=3, method="quantiles").apply(AGES)
    shown = " ".join(result.codes)
    assert "95" not in shown
    assert len(result.codes) == 3
    assert 0 not in result.breaks


def test_decimal_widths_are_exact():
    frame = pl.DataFrame({"x": [0.1, 0.3, 0.7]})
    assert coded(frame, "x", width=0.1) == ["[0.1, 0.2)", "[0.3, 0.4)", "[0.7, 0.8)"]


def test_labels_are_codes_in_the_columns_own_type():
    labels = {1: "Menores", 2: "Adultos", 3: "Mayores"}
    result = RecodeIntervals(variable="edad", breaks=(0, 15, 65), open_high=True, labels=labels).apply(Microdata(AGES))
    assert result.data.column("edad").to_list() == [1, 1, 2, 2, 3, 3]
    assert dict(result.data.dictionary["edad"].values) == {"1": "Menores", "2": "Adultos", "3": "Mayores"}
    assert coded(breaks=(0, 15, 100), labels=("joven", "adulto")) == ["joven"] * 2 + ["adulto"] * 4


def test_the_dictionary_says_the_order_and_keeps_the_missing():
    frame = pl.DataFrame({"edad": [5, 10, 70, 98, 99, -3, None]})
    variable = Variable(
        name="edad",
        values={98: "No sabe", 99: "No aplica"},
        missing={98: MissingKind.NON_RESPONSE, 99: MissingKind.NOT_APPLICABLE},
        missing_ranges=(MissingRange(low=-9, high=-1),),
        level=Level.DISCRETE,
        unit="años",
        decimals=0,
    )
    method = RecodeIntervals(variable="edad", breaks=(0, 10, 65), open_high=True)
    data = method.apply(Microdata(frame, Dictionary.of(variable))).data
    assert data.column("edad").to_list() == ["[0, 10)", "[10, 65)", "65+", "98", "99", "-3", None]
    after = data.dictionary["edad"]
    assert list(after.values) == ["[0, 10)", "[10, 65)", "65+", "98", "99"]
    assert (after.level, after.unit, after.decimals) == (Level.CATEGORICAL, "", None)
    assert after.missing == variable.missing
    assert after.missing_ranges == variable.missing_ranges


def test_a_label_is_no_missing_code():
    data = Microdata(AGES, Dictionary.of(Variable(name="edad", missing={9: "non_response"})))
    with pytest.raises(DataError) as caught:
        RecodeIntervals(variable="edad", breaks=(0, 50, 100), labels=(1, 9)).apply(data)
    assert caught.value.code == "recode-into-missing"


@pytest.mark.parametrize("language", ["es", "en"])
def test_outside_is_an_error_with_the_declared_range_and_no_value(language):
    frame = pl.DataFrame({"edad": [-7, 20, 30, 117, 118]})
    with pytest.raises(DataError) as caught:
        RecodeIntervals(variable="edad", breaks=(0, 15, 100)).apply(frame)
    assert caught.value.facts == {"variable": "edad", "low": "0", "high": "100", "below": 1, "above": 2}
    with speaking(language):
        said = str(caught.value)
    assert "100" in said
    assert not any(value in said for value in ("117", "118", "-7"))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"breaks": (0, 1), "width": 3},
        {"breaks": (3, 2)},
        {"breaks": (3, 3)},
        {"breaks": (0, float("inf"))},
        {"breaks": (3,)},
        {"breaks": (0, 1), "method": "log"},
        {"groups": 3, "origin": 1},
        {"breaks": (0, 1, 2), "labels": ("a", "a")},
    ],
)
def test_options_that_do_not_go_together(options):
    with pytest.raises(OptionError):
        RecodeIntervals(variable="x", **options)


@pytest.mark.parametrize(
    "options", [{"width": 0}, {"groups": 1}, {"breaks": ()}, {"width": 1, "foo": 1}, {"width": 1, "closed": "both"}]
)
def test_options_out_of_range_or_unknown(options):
    with pytest.raises(OptionError):
        RecodeIntervals(variable="x", **options)


@pytest.mark.parametrize(
    ("values", "options", "code"),
    [
        (["1", "2"], {"width": 1}, "column-not-numeric"),
        (["1", "2"], {"breaks": (0, 5)}, "column-not-numeric"),
        ([0, 10**9], {"width": 1}, "intervals-many"),
        ([0, 1], {"groups": 2, "method": "log"}, "log-not-positive"),
        ([1, 1, 1, 2], {"groups": 3, "method": "quantiles"}, "groups-tied"),
        ([None, None], {"groups": 3}, "no-numbers"),
        ([1, 2], {"breaks": (0, 5, 9), "labels": ("a",)}, "labels-count"),
    ],
)
def test_data_that_do_not_allow_it(values, options, code):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64 if values[0] is None else None)})
    with pytest.raises((DataError, OptionError)) as caught:
        RecodeIntervals(variable="x", **options).apply(frame)
    assert caught.value.code == code


def test_an_unknown_variable():
    with pytest.raises(RoleError):
        RecodeIntervals(variable="nada", width=3).apply(AGES)


@pytest.mark.parametrize("dtype", [pl.Decimal(10, 2), pl.Float32, pl.Float64])
def test_types_of_fractions(dtype):
    frame = pl.DataFrame({"x": pl.Series([1.25, 7.5, None, 50.0]).cast(dtype)})
    assert coded(frame, "x", breaks=(0, 7.5, 100)) == ["[0, 7.5)", "[7.5, 100]", None, "[7.5, 100]"]


def test_pandas_with_holes():
    frame = pd.DataFrame({"edad": [3.0, None, 70.0], "y": [1, 2, 3]}, index=["a", "b", "c"])
    result = RecodeIntervals(variable="edad", breaks=(0, 15, 65), open_high=True).apply(frame).data
    assert result["edad"].iloc[[0, 2]].tolist() == ["[0, 15)", "65+"]
    assert result["edad"].isna().tolist() == [False, True, False]
    assert result["y"].tolist() == [1, 2, 3]


def test_settings_round_trip():
    for labels in (None, ("a", "b"), {1: "a", 2: "b"}):
        method = RecodeIntervals(variable="x", breaks=(0, 1, 2), labels=labels)
        assert RecodeIntervals.model_validate_json(method.model_dump_json(exclude_unset=True)) == method


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.one_of(st.none(), st.integers(-100, 100)), min_size=1, max_size=40),
    st.lists(st.integers(-100, 100), min_size=2, max_size=6, unique=True),
    st.sampled_from(["left", "right"]),
)
def test_open_intervals_hold_every_number_where_it_belongs(values, breaks, closed):
    limits = sorted(breaks)
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64)})
    labels = tuple(range(len(limits) + 1))
    method = RecodeIntervals(variable="x", breaks=limits, closed=closed, open_low=True, open_high=True, labels=labels)
    found = method.apply(frame).data["x"].to_list()
    reached = (lambda v, b: v >= b) if closed == "left" else (lambda v, b: v > b)
    assert found == [None if v is None else sum(reached(v, b) for b in limits) for v in values]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(0.001, 1e6), min_size=2, max_size=40),
    st.integers(2, 5),
    st.sampled_from(["equidistant", "log", "quantiles"]),
    st.booleans(),
)
def test_made_breaks_hold_every_number(values, groups, method, ends):
    frame = pl.DataFrame({"x": values})
    step = RecodeIntervals(variable="x", groups=groups, method=method, open_low=ends, open_high=ends)
    try:
        result = step.apply(frame)
    except DataError as error:
        assume(error.code != "groups-tied")
        raise
    assert result.data["x"].null_count() == 0
    assert len(result.codes) == groups
