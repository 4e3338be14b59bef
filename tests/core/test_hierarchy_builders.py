"""Builders give trees that cover their domain, nest, and refuse what they cannot place without showing it."""

import datetime as dt
import json

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import DataError, OptionError
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_builders import comunas, dates, intervals, isco, isic, neighbours
from celosia.core.language import speaking
from celosia.process import Plan


@given(st.integers(-30, 30), st.integers(0, 60), st.integers(1, 6), st.integers(1, 4), st.booleans())
def test_every_number_lies_in_its_intervals(low, length, width, times, open_high):
    made = intervals(low, low + length, levels=(width, width * times), open_high=open_high)
    assert len(made.rows) == length + 1 and made.codes[-1] == ("*",)
    for level, size in ((1, width), (2, width * times)):
        group = [(int(row[0]) - low) // size for row in made.rows]
        assert len({*zip(group, [row[level] for row in made.rows], strict=True)}) == len(set(group))
        assert len(set(made.codes[level])) == len(set(group))


def test_intervals_read_as_an_office_writes_them():
    age = intervals(0, 100, levels=(5, (0, 15, 65)), open_high=True, name="edad")
    assert age.parents(0) == ("0-4", "0-14", "*")
    assert age.parents(99) == ("95-99", "65+", "*")
    assert age.parents(100) == ("100+", "65+", "*")
    assert intervals(-3, 2, levels=(3,), top=None).rows[0] == ("-3", "[-3, -1]")


@pytest.mark.parametrize(
    ("build", "code"),
    [
        (lambda: intervals(5, 4, levels=(2,)), "interval-empty"),
        (lambda: intervals(0, 9, levels=(2, 3)), "hierarchy-not-nested"),
        (lambda: intervals(0, 9, levels=((1, 5),)), "grouping-form"),
        (lambda: intervals(0, 9, levels=((0, 5, 5),)), "grouping-form"),
        (lambda: intervals(0, 9, levels=((0, 50),)), "grouping-form"),
        (lambda: intervals(0, 9, levels=(0,)), "option-range"),
        (lambda: neighbours(["a", "b"], levels=((1,),)), "grouping-form"),
        (lambda: neighbours([None], levels=(2,)), "hierarchy-empty"),
        (lambda: dates(dt.date(2020, 1, 1), dt.date(2019, 1, 1)), "interval-empty"),
        (lambda: dates(dt.date(2020, 1, 1), dt.date(2020, 1, 2), levels=("year", "month")), "date-levels"),
        (lambda: isco([]), "hierarchy-empty"),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_groupings_that_make_no_tree(build, code, language):
    with pytest.raises(OptionError) as caught:
        build()
    assert caught.value.code == code
    with speaking(language):
        assert "{" not in str(caught.value)


def test_neighbours_by_number_and_by_place():
    assert neighbours(range(1, 6), levels=(2, 4), top=None).rows == (
        ("1", "1-2", "1-4"), ("2", "1-2", "1-4"), ("3", "3-4", "1-4"), ("4", "3-4", "1-4"), ("5", "5", "5"),
    )  # fmt: skip
    assert neighbours("abcd", levels=((0, 3),)).codes[1] == ("a-c", "d")


def test_dates_by_day_and_by_month():
    made = dates(dt.date(2019, 12, 30), dt.date(2020, 1, 2))
    assert made.rows[0] == ("2019-12-30", "2019-12", "2019", "2010-2019", "*")
    assert made.rows[-1] == ("2020-01-02", "2020-01", "2020", "2020-2029", "*")
    months = dates(dt.date(2019, 11, 5), dt.date(2020, 1, 2), detail="month", levels=("year",), top=None)
    assert months.rows == (("2019-11", "2019"), ("2019-12", "2019"), ("2020-01", "2020"))
    made.check_covers(Microdata(pl.DataFrame({"d": [dt.date(2020, 1, 1), None]})), "d")


def test_official_codes():
    assert comunas(["01101", "13101"]).rows == (("01101", "011", "01", "*"), ("13101", "131", "13", "*"))
    assert comunas([1101]).parents("1101") == ("011", "01", "*")
    assert isco(["2511"], top=None).rows == (("2511", "251", "25", "2"),)
    written = isic(["0111", "A01.12", "01.13", "8411", None, "8411"])
    assert {row[-2] for row in written.rows} == {"A", "O"} and len(written.rows) == 4


@pytest.mark.parametrize(
    ("build", "codes"),
    [
        (comunas, ["01101", "110"]),
        (comunas, ["01101", "0110x"]),
        (isco, ["2511", "110"]),
        (isic, ["0111", "111"]),
        (isic, ["0111", "B0111"]),
        (isic, ["0111", "3411"]),
    ],
)
def test_a_code_of_another_form_is_named_by_its_place(build, codes):
    with pytest.raises(DataError) as caught:
        build(codes)
    assert caught.value.code == "hierarchy-code-form" and caught.value.facts["row"] == 2
    assert codes[1] not in str(caught.value)


def test_a_root_is_set_once_and_labels_stay():
    tree = Hierarchy(rows=(("a", "x"), ("b", "y")), labels=({"a": "Uno"},), name="t")
    rooted = tree.with_top()
    assert rooted.rows == (("a", "x", "*"), ("b", "y", "*")) and rooted.label(0, "a") == "Uno"
    assert rooted.with_top() is rooted and rooted.with_top("todo").depth == 4


@pytest.mark.parametrize("language", ["es", "en"])
def test_what_a_hierarchy_does_not_cover_is_placed_and_counted(language):
    book = Dictionary.of(Variable(name="edad", missing={999: "non_response"}))
    data = Microdata(pl.DataFrame({"edad": [3, None, 999, 7777, 8888, 7777]}), book)
    age = intervals(0, 99, levels=(10,))
    age.check_covers(data.take(np.arange(3)), "edad")
    age.check_covers(data.take(np.arange(0)), "edad")
    with pytest.raises(DataError) as caught:
        age.check_covers(data, "edad")
    assert caught.value.facts == {"variable": "edad", "row": 4, "count": 2}
    with speaking(language):
        assert "7777" not in str(caught.value) and "8888" not in str(caught.value)


def test_a_plan_keeps_any_of_them_as_rows():
    for made in (intervals(0, 9, levels=(2,)), comunas(["01101"]), isic(["0111"])):
        plan = Plan.parse(f"hierarchies:\n  h: {json.dumps(made.to_rows())}\n")
        assert plan.hierarchies["h"].rows == made.rows
