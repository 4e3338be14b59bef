"""Expected anonymity: tables, classes, groupings and details of the birth date."""

import datetime as dt
import time

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from occupancy import formula

from celosia.core.errors import CelosiaError, OptionError, RoleError
from celosia.core.language import speaking
from celosia.datasets import register_counts
from celosia.demography import NATIONAL, PLACES, Births, Counts, expected_anonymity

AGES = ("0-4", "5-9", "10+")


@st.composite
def tables(draw):
    """Small registers: places, sexes, ages, and counts from none to thousands."""
    places = draw(st.integers(1, 4))
    cells = [(f"p{p}", sex, age) for p in range(places) for sex in "12" for age in AGES]
    sizes = st.one_of(st.integers(0, 6), st.integers(0, 3000))
    counts = draw(st.lists(sizes, min_size=len(cells), max_size=len(cells)).filter(any))
    frame = pl.DataFrame(cells, schema=["place", "sex", "age"], orient="row").with_columns(count=pl.Series(counts))
    return frame.with_columns(province=pl.col("place").replace_strict({"p0": "A", "p1": "A"}, default="B"))


@pytest.fixture(scope="module")
def register():
    return Counts.of(register_counts(400, 1_000_000))


def test_a_table_by_formula_one():
    frame = pl.DataFrame({"sex": ["1", "2"], "age": ["0-4", "0-4"], "count": [7, 3]})
    table = expected_anonymity(frame, "year").table()
    exact = [float(sum(k * formula(n, k, 5) for n in (7, 3))) for k in range(1, 8)]
    assert table["k"].to_list() == list(range(1, 8))
    assert table["people"].to_list() == pytest.approx(exact, rel=1e-12)
    assert table["at_least"].to_list() == pytest.approx(np.cumsum(exact[::-1])[::-1], rel=1e-12)
    assert table["share"].sum() == pytest.approx(1) and table["share_at_least"][0] == pytest.approx(1)


@given(tables(), st.sampled_from(["day", "month", "year", 1, 7, 2000]))
def test_everybody_has_one_anonymity(frame, periods):
    counts = Counts.of(frame)
    found = expected_anonymity(counts, periods, by=["place"])
    people = frame.group_by("place").agg(pl.col("count").sum()).sort("place")["count"]
    summed = found.table().group_by("place").agg(pl.col("people").sum()).sort("place")["people"]
    assert summed.to_list() == pytest.approx(people.to_list(), rel=1e-12, abs=1e-12)
    for tops in (NATIONAL, PLACES, (1,), (3, 7)):
        classes = found.classes(tops)
        assert classes["people"].sum() == pytest.approx(counts.total, rel=1e-12)
        assert classes.height == counts.cells["place"].n_unique() * (len(tops) + 1)


@given(tables(), st.sampled_from(["day", "month", 3]))
def test_groups_add_up_and_neither_order_nor_empty_cells_matter(frame, periods):
    whole = expected_anonymity(frame, periods)
    for by in (["place"], ["province"], ["province", "sex"], ["place", "sex", "age", "province"]):
        parts = expected_anonymity(frame, periods, by=by).table().group_by("k").agg(pl.col("people").sum()).sort("k")
        assert parts["people"].to_list() == pytest.approx(whole.table()["people"].to_list(), rel=1e-9, abs=1e-9)
    mixed = expected_anonymity(frame.sample(fraction=1, shuffle=True, seed=3), periods)
    assert mixed.table().equals(whole.table())
    full = expected_anonymity(Counts.of(frame.filter(pl.col("count") > 0), absent="zero"), periods)
    assert full.table().equals(whole.table())


@given(tables())
def test_who_is_told_less_of_is_found_less(frame):
    found = expected_anonymity(frame, ("day", "month", "year"), by=["place"])
    by_detail = [found.at_most(detail, 1) for detail in ("day", "month", "year")]
    assert (by_detail[0] >= by_detail[1] - 1e-9).all() and (by_detail[1] >= by_detail[2] - 1e-9).all()
    coarser = expected_anonymity(frame, "day", keys=["province", "sex", "age"])
    assert coarser.share_at_most("day", 3) <= found.share_at_most("day", 3) + 1e-12
    assert found.share_at_most("day", 1) <= found.share_at_most("day", 2) <= 1 + 1e-12


def test_other_attributes_are_more_cells(register):
    """Nationality and number of children by a joint table: more cells, fewer people in each."""
    plain = register_counts(5, 3000)
    parts = [
        plain.with_columns(
            nationality=pl.lit(nation),
            children=pl.lit(children),
            count=(pl.col("count") * share).floor().cast(pl.Int64),
        )
        for nation, children, share in (
            ("own", "0", 0.5),
            ("own", "1+", 0.4),
            ("other", "0", 0.07),
            ("other", "1+", 0.03),
        )
    ]
    joint = pl.concat(parts)
    found = expected_anonymity(joint, "month", by=["nationality"])
    shares = dict(found.shares().select("nationality", "share").rows())
    assert shares["other"] > shares["own"]
    with_less = expected_anonymity(joint, "month", keys=["place", "sex", "age_group"])
    assert with_less.share_at_most("month", 1) < found.share_at_most("month", 1)


def test_a_month_is_known_worse_in_a_wider_open_group():
    frame = pl.DataFrame({"age": ["0-4", "5+"], "count": [40, 40]})
    narrow, wide = (expected_anonymity(Counts.of(frame, open_width=w), "month") for w in (5, 30))
    assert narrow.share_at_most("month", 1) < wide.share_at_most("month", 1)


def test_leap_days_and_profiles_move_little_and_the_right_way(register):
    """Uneven births crowd people together: fewer are alone (convexity of (1 - p)^(n - 1) weighed by p)."""
    plain = expected_anonymity(register, "day").share_at_most("day", 1)
    short = expected_anonymity(register, "day", births=Births(leap=False)).share_at_most("day", 1)
    assert 0 < plain - short < 1e-3
    date = dt.date(2010, 1, 1)
    calendar = expected_anonymity(register, "day", births=Births(date=date)).share_at_most("day", 1)
    assert calendar == pytest.approx(plain, abs=1e-3)
    week = Births(
        date=date, weekdays=(1.1, 1.1, 1.1, 1.1, 1.1, 0.8, 0.7), months=(80, 75, 85, 84, 88, 87, 93, 92, 90, 88, 82, 82)
    )
    uneven = expected_anonymity(register, "day", births=week).share_at_most("day", 1)
    assert 0 < calendar - uneven < 0.02


def test_a_profile_by_brute_force():
    """One cell of 4 people, born in the twelve months of a year of unequal months."""
    births = Births(date=dt.date(2023, 12, 31), months=(3, *[1] * 11))
    found = expected_anonymity(pl.DataFrame({"age": ["0"], "count": [4]}), "month", births=births)
    days = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    rates = days * np.array([3, *[1] * 11]) / np.array([31, 28.25, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    chance = rates / rates.sum()
    alone = float(np.sum(4 * chance * (1 - chance) ** 3))
    assert found.at_most("month", 1)[0] == pytest.approx(alone, rel=1e-12)


def test_layouts_of_the_paper(register):
    found = expected_anonymity(register, ("day", "month", "year"), by=["province"])
    layout = found.layout("day")
    assert layout.columns == ["province", "1", "2", "3", "4", "5", "6-10", "11-20", "21-50", "51-100", ">100", "total"]
    rows = layout.select(pl.exclude("province", "total")).sum_horizontal()
    assert (rows - layout["total"]).abs().max() <= 5, "each of ten figures is rounded"
    classes = expected_anonymity(register, "day").classes()
    assert classes["class"].to_list() == ["1", "2", "3", "4", "5", "6-10", "11-20", "21-50", ">50"]
    assert classes["k"].to_list() == [1, 2, 3, 4, 5, 6, 11, 21, 51] and classes["to"][-1] is None


def test_pictures_say_what_they_show(register):
    places = expected_anonymity(register, ("day", "month", "year"), by=["place"])
    for lang, words in (
        ("es", ("escala logarítmica", "día: ", "10.000–49.999")),
        ("en", ("logarithmic", "day: ", "10,000–49,999")),
    ):
        with speaking(lang):
            picture = places.picture()
            assert all(word in picture.alternative for word in words), picture.alternative
    encoding = picture.specification["encoding"]
    assert encoding["x"]["scale"] == {"type": "log"} and encoding["color"]["field"] == "periods"
    assert len(picture.specification["data"]["values"]) <= 3 * 600
    assert picture.svg().startswith("<svg")
    whole = expected_anonymity(register, "month").picture()
    assert ">50" in whole.alternative and whole.svg().startswith("<svg")


def test_a_picture_of_very_many_places_is_thinned():
    found = expected_anonymity(register_counts(2000, 300_000), "day", by=["place"])
    points = found.picture().specification["data"]["values"]
    assert 100 < len(points) <= 600
    assert max(point["population"] for point in points) == found.groups.people.max()


def test_a_place_without_anybody():
    frame = pl.DataFrame({"place": ["a", "b"], "age": ["0-4", "0-4"], "count": [0, 3]})
    found = expected_anonymity(frame, "day", by=["place"])
    assert found.shares()["share"].to_list() == pytest.approx([0.0, 1.0], abs=1e-2)
    assert found.table().select(pl.col("share").is_finite().all()).item()
    assert len(found.picture().specification["data"]["values"]) == 1


def test_results_are_plain_and_have_no_cells(register):
    found = expected_anonymity(register, ("day", 1826), by=["place"])
    told = found.to_dict()
    assert (told["people"], told["groups"], told["by"]) == (1_000_000, 400, ["place"])
    assert [one["periods"] for one in told["details"]] == ["day", "1826"]
    assert told["details"][0]["unique"] == pytest.approx(told["details"][1]["unique"])
    assert "<table>" in expected_anonymity(register, "year")._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "code", "kind"),
    [
        ({"periods": "week"}, "option-unknown", OptionError),
        ({"periods": "day", "by": ["nada"]}, "counts-column", RoleError),
        ({"periods": "day", "by": ["place"], "keys": ["sex", "age"]}, "counts-column", RoleError),
        ({"periods": "day", "keys": []}, "keys-none", RoleError),
    ],
)
def test_wrong_questions(arguments, code, kind):
    frame = pl.DataFrame({"place": ["a", "b"], "sex": ["1", "1"], "age": ["0-4", "0-4"], "count": [1, 3]})
    with pytest.raises(kind) as error:
        expected_anonymity(frame, **arguments)
    assert error.value.code == code


def test_wrong_classes_and_names(register):
    found = expected_anonymity(register, "day")
    for tops in ((), (0, 1), (2, 2), (1.5,), (True,)):
        with pytest.raises(OptionError):
            found.classes(tops)
    for k in (0, 1.5):
        with pytest.raises(CelosiaError):
            found.at_most("day", k)
    frame = pl.DataFrame({"share": ["a", "b"], "count": [1, 3]})
    with pytest.raises(RoleError) as error:
        expected_anonymity(frame, 5, by=["share"])
    assert error.value.code == "by-reserved"


def test_the_size_of_spain_takes_no_time():
    """8,110 places, 2 sexes, 18 groups, 47 million people, three details, checks included."""
    frame = register_counts()
    expected_anonymity(register_counts(10, 1000), "day")  # the kernel is compiled once
    start = time.process_time()
    found = expected_anonymity(frame, ("day", "month", "year"))
    assert time.process_time() - start < 2, "the bench measures it on a quiet machine"
    shares = [found.share_at_most(detail, 1) for detail in found.details]
    assert 0.38 < shares[0] < 0.47 and 0.04 < shares[1] < 0.08 and 0.001 < shares[2] < 0.01
