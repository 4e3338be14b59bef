"""One spelling of a code, for a value and for a column."""

import datetime as dt
from decimal import Decimal

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia.core.codes import back_to, sort_key, spell, spell_number, spell_series
from celosia.core.errors import DataError


@pytest.mark.parametrize(
    ("value", "code"),
    [
        (1, "1"),
        (-3, "-3"),
        (1.0, "1"),
        (-0.0, "0"),
        (2.5, "2.5"),
        (1e22, "1e+22"),
        ("01101", "01101"),
        ("1.0", "1.0"),
        (" x ", " x "),
        (True, "true"),
        (False, "false"),
        (dt.date(2017, 4, 19), "2017-04-19"),
        (dt.datetime(2017, 4, 19, 8, 30), "2017-04-19T08:30:00"),
        (None, None),
        (float("nan"), None),
        (np.int8(4), "4"),
        (np.float32(2.0), "2"),
        (np.float32(0.1), "0.1"),
        (Decimal("1.50"), "1.5"),
        (Decimal("100"), "100"),
        (Decimal("12345678901234567.89"), "12345678901234567.89"),
    ],
)
def test_spelling_of_a_value(value, code):
    assert spell(value) == code


def test_what_has_no_spelling_is_refused():
    with pytest.raises(DataError):
        spell(object())
    with pytest.raises(DataError):
        spell_series(pl.Series([[1]]))


scalars = st.one_of(
    st.lists(st.one_of(st.none(), st.integers(-(2**60), 2**60))),
    st.lists(st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=False, width=32))),
    st.lists(st.one_of(st.none(), st.text(max_size=4))),
    st.lists(st.one_of(st.none(), st.booleans())),
    st.lists(st.one_of(st.none(), st.dates(dt.date(1700, 1, 1)))),
)


@given(scalars)
def test_a_column_is_spelled_as_its_values(values):
    column = pl.Series("x", values)
    assert spell_series(column).to_list() == [spell(value) for value in column.to_list()]


def test_categories_and_decimals_are_spelled_as_what_they_hold():
    assert spell_series(pl.Series(["b", None], dtype=pl.Categorical)).to_list() == ["b", None]
    assert spell_series(pl.Series([1.5, 2.0]).cast(pl.Decimal(10, 2))).to_list() == ["1.5", "2"]
    long = [Decimal("12345678901234567.89"), Decimal("12345678901234567.90"), None]
    assert spell_series(pl.Series(long)).to_list() == ["12345678901234567.89", "12345678901234567.9", None]


def test_narrow_floats_are_spelled_as_they_show():
    assert spell_series(pl.Series([0.1, 12.3, 3.0, None], dtype=pl.Float32)).to_list() == ["0.1", "12.3", "3", None]


@given(scalars)
def test_codes_go_back_to_the_type_they_came_from(values):
    column = pl.Series("x", values)
    if column.dtype == pl.Null:
        return
    codes = spell_series(column)
    typed = back_to(codes, column.dtype)
    assert typed is not None and spell_series(typed).eq_missing(codes).all()


def test_a_code_that_the_type_cannot_hold_stays_text():
    assert back_to(pl.Series(["1", "norte"]), pl.Int64()) is None
    assert back_to(pl.Series(["01"]), pl.Int64()) is None
    assert back_to(pl.Series(["true", "maybe"]), pl.Boolean()) is None
    assert back_to(pl.Series(["300"]), pl.Int8()) is None


def test_numbers_sort_before_text_and_by_size():
    assert sorted(["b", "10", "9", "a", "-1"], key=sort_key) == ["-1", "9", "10", "a", "b"]
    assert sorted(["nan", "2", "b", "1"], key=sort_key) == ["1", "2", "b", "nan"]


@pytest.mark.parametrize(
    ("written", "spelled"),
    [("99.0", "99"), ("-1.50", "-1.5"), ("007", "7"), ("-0.0", "0"), ("1e3", "1000"), ("12345678901234567890", None)]
    + [(code, None) for code in ("a", "", "nan", "inf", "1_0", "1,5", ".", "٩")],
)
def test_a_number_is_spelled_as_a_column_would(written, spelled):
    assert spell_number(written) == (written if spelled is None else spelled)
