"""The calendar of births: the paper's equal periods, and days, months and years of their own length."""

import datetime as dt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from celosia.core.errors import OptionError
from celosia.demography import Births
from celosia.demography.births import details

WEEK = (1.1, 1.1, 1.1, 1.1, 1.1, 0.8, 0.7)
SEASON = (80.0, 75.0, 85.0, 84.0, 88.0, 87.0, 93.0, 92.0, 90.0, 88.0, 82.0, 82.0)


def test_equal_periods_as_in_the_paper():
    births = Births()
    assert [births.periods(detail, 0, 5).total for detail in ("day", "month", "year")] == [1826, 60, 5]
    assert Births(leap=False).periods("day", 0, 5).total == 1825
    assert births.periods("day", 0, 1).total == 365


def test_the_calendar_counts_leap_days():
    births = Births(date=dt.date(2010, 1, 1))
    first = births.periods("day", 0, 5)  # 2005-01-02 to 2010-01-01, with 2008-02-29
    assert first.total == 1826 and first.number.size == 1
    assert births.periods("day", 10, 1).total == 365 and births.periods("day", 1, 1).total == 366
    months = births.periods("month", 0, 5)
    assert months.total == 60  # the last day of January 2005 is in the next group, and counts with January 2010's
    assert births.periods("year", 0, 5).total == 5
    assert months.number @ months.chance == pytest.approx(1)


@given(st.dates(dt.date(1990, 1, 1), dt.date(2040, 12, 31)), st.integers(0, 90), st.integers(1, 20))
def test_groups_share_out_the_days(date, first, years):
    births = Births(date=date, weekdays=WEEK, months=SEASON)
    whole = births.periods("day", first, 2 * years)
    younger, older = births.periods("day", first, years), births.periods("day", first + years, years)
    assert whole.total == younger.total + older.total
    for detail in ("day", "month", "year"):
        periods = births.periods(detail, first, years)
        assert periods.number @ periods.chance == pytest.approx(1)
        assert (periods.chance > 0).all()


def test_weekdays_and_months_weigh():
    births = Births(date=dt.date(2024, 1, 1), weekdays=(1, 1, 1, 1, 1, 0.5, 0.5))
    days = births.periods("day", 0, 1)  # 2023-01-02 to 2024-01-01: 105 days of weekends in 365
    assert days.number.tolist() == [104, 261]
    assert days.chance[1] == pytest.approx(2 * days.chance[0])
    monday = births.rates(np.array(["2024-01-01", "2024-01-06"], dtype="datetime64[D]"))
    assert monday.tolist() == [1.0, 0.5]
    season = Births(date=dt.date(2023, 12, 31), months=(2, *[1] * 11)).periods("month", 0, 1)
    assert season.chance.max() == pytest.approx(2 * np.median(season.chance), rel=0.02)


def test_who_was_born_on_the_last_day_of_february():
    births = Births(date=dt.date(2024, 2, 29))
    assert births.periods("day", 0, 1).total == 366 and births.periods("day", 0, 4).total == 1461


def test_profiles_need_a_date_and_seven_or_twelve_numbers():
    with pytest.raises(OptionError) as error:
        Births(weekdays=WEEK)
    assert error.value.code == "option-needs"
    for wrong in ({"weekdays": WEEK[:6]}, {"months": (*SEASON[:11], 0)}, {"months": (*SEASON[:11], float("inf"))}):
        with pytest.raises(ValidationError):
            Births(date=dt.date(2024, 1, 1), **wrong)
    with pytest.raises(OptionError) as error:
        Births(date=dt.date(50, 1, 1)).periods("day", 85, 5)
    assert error.value.code == "births-before-calendar"


def test_details_as_callers_give_them():
    assert details("day") == ("day",) and details(1826) == (1826,) and details("60") == (60,)
    assert details(["day", "month", 5]) == ("day", "month", 5)
    assert details(np.int64(12)) == (12,)
    for wrong in ("week", "", 1.5, None, True, [], ["day", "nada"]):
        with pytest.raises(OptionError) as error:
            details(wrong)
        assert error.value.code == "option-unknown"
    for wrong, code in ((0, "option-range"), (-3, "option-range"), (["day", "day"], "periods-repeated")):
        with pytest.raises(OptionError) as error:
            details(wrong)
        assert error.value.code == code
