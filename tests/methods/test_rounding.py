"""Rounding: halves away from zero, decimals as they are written, whole numbers whole."""

from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_UP, Decimal

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import DataError, OptionError
from celosia.core.microdata import Microdata
from celosia.methods import Rounding

WAYS = {"nearest": ROUND_HALF_UP, "down": ROUND_FLOOR, "up": ROUND_CEILING}


def rounded(values, dtype=None, **options):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=dtype)})
    return Rounding(variables=("x",), **options).apply(frame).data["x"].to_list()


@pytest.mark.parametrize(
    ("values", "options", "expected"),
    [
        ([1234, 1250, -1250, -1249, None, 0], {"base": 100}, [1200, 1300, -1300, -1200, None, 0]),
        ([1234, -1234, 1200], {"base": 100, "mode": "down"}, [1200, -1300, 1200]),
        ([1234, -1234, 1200], {"base": 100, "mode": "up"}, [1300, -1200, 1200]),
        ([7, 8, -8], {"base": 5}, [5, 10, -10]),
        ([1, 2, 4], {"base": 3}, [0, 3, 3]),
        ([1234, 1250], {"digits": -2}, [1200, 1300]),
        ([1234], {"digits": 2}, [1234]),
        ([2.5, -2.5, 0.5, 1.5], {"digits": 0}, [3, -3, 1, 2]),
        ([2.675, 1.005, 0.285, -1.115], {"digits": 2}, [2.68, 1.01, 0.29, -1.12]),
        ([0.1 + 0.2, 1.1 * 3], {"digits": 1}, [0.3, 3.3]),
        ([0.3, 0.7, 0.72], {"base": 0.1, "mode": "down"}, [0.3, 0.7, 0.7]),
        ([0.3, 0.7, 0.72], {"base": 0.1, "mode": "up"}, [0.3, 0.7, 0.8]),
        ([1.12, 1.13, 1.025], {"base": 0.05}, [1.1, 1.15, 1.05]),
        ([-0.2], {"digits": 0}, [0]),
    ],
)  # fmt: skip
def test_it_rounds(values, options, expected):
    assert rounded(values, **options) == expected
    assert [repr(v) for v in rounded(values, **options)] == [
        repr(type(v)(w)) if w is not None else "None" for v, w in zip(values, expected, strict=True)
    ]


def test_types_stay():
    frame = pl.DataFrame(
        {
            "i": pl.Series([17], dtype=pl.Int16),
            "f": pl.Series([1.25], dtype=pl.Float32),
            "u": pl.Series([17], dtype=pl.UInt8),
        }
    )
    assert Rounding(variables=("i", "f", "u"), base=10).apply(frame).data.schema == frame.schema
    assert Rounding(variables=("f",), digits=1).apply(frame).data.schema == frame.schema


def test_a_number_that_no_longer_fits_gets_a_wider_type():
    assert rounded([127], pl.Int8, base=10) == [130]


def test_missing_codes_stay_and_decimals_are_told():
    variable = Variable(name="x", missing={998: "non_response"}, decimals=3)
    data = Microdata(pl.DataFrame({"x": [1.234, 998.0, None]}), Dictionary.of(variable))
    result = Rounding(variables=("x",), base=5).apply(data).data
    assert result.column("x").to_list() == [0, 998, None]
    assert result.dictionary["x"].decimals == 0


@pytest.mark.parametrize("options", [{}, {"base": 5, "digits": 1}])
def test_one_of_base_and_digits(options):
    with pytest.raises(OptionError) as caught:
        Rounding(variables=("x",), **options)
    assert caught.value.code == "options-one"


@pytest.mark.parametrize(
    "options",
    [{"base": 0}, {"base": -5}, {"base": float("inf")}, {"base": 5, "mode": "sideways"}, {"base": 5, "foo": 1}],
)
def test_options_out_of_range_or_unknown(options):
    with pytest.raises(OptionError):
        Rounding(variables=("x",), **options)


@pytest.mark.parametrize(("values", "code"), [(["1", "2"], "column-not-numeric"), ([1, 2], "rounding-base")])
def test_data_that_do_not_allow_it(values, code):
    with pytest.raises(DataError) as caught:
        rounded(values, base=0.5)
    assert caught.value.code == code


def test_exact_decimals_stay_exact():
    values = [Decimal("1.25"), None, Decimal("7.10")]
    assert rounded(values, pl.Decimal(10, 2), digits=1) == [Decimal("1.30"), None, Decimal("7.10")]


def test_pandas():
    frame = pd.DataFrame({"x": pd.array([12, None, 18], dtype="Int64"), "y": [1.25, None, 2.0]})
    result = Rounding(variables=("x", "y"), digits=-1).apply(frame).data
    pd.testing.assert_series_equal(result["x"], pd.Series(pd.array([10, None, 20], dtype="Int64"), name="x"))
    assert result["y"].dtype == "float64"


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.decimals(-(10**6), 10**6, places=4), min_size=1),
    st.sampled_from(["0.05", "0.25", "0.1", "3", "100"]),
    st.sampled_from(sorted(WAYS)),
)
def test_it_rounds_the_decimal_that_is_written(values, base, mode):
    step = Decimal(base)
    expected = [float((v / step).quantize(Decimal(1), WAYS[mode]) * step) for v in values]
    assert rounded([float(v) for v in values], base=float(base), mode=mode) == expected


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(-(2**60), 2**60), min_size=1), st.integers(1, 1000), st.sampled_from(sorted(WAYS)))
def test_whole_numbers_of_any_size(values, base, mode):
    found = rounded(values, base=base, mode=mode)
    assert all(v % base == 0 for v in found)
    assert all(abs(new - old) < base for new, old in zip(found, values, strict=True))
    again = rounded(found, base=base, mode=mode)
    assert again == found
