"""When people are born: into how many periods an age group falls, and with what chance into each."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from numbers import Integral
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from celosia.core.errors import OptionError
from celosia.core.model import Frozen

Detail = Literal["day", "month", "year"]
"""How much of a birth date is known."""
DETAILS: tuple[Detail, ...] = ("day", "month", "year")
MOST = 1_000_000
"""Periods in a group."""

_DAYS, _LEAP_DAYS = 365, 365.25
_MONTH_LENGTHS = np.array([31, 28.25, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Periods:
    """The periods of an age group: how many there are of each chance of being born in them."""

    number: Ints
    chance: Floats

    @classmethod
    def equal(cls, number: int) -> Periods:
        """So many periods, all alike."""
        return cls(np.array([number], dtype=np.int64), np.array([1.0 / number]))

    @classmethod
    def of_chances(cls, chances: npt.NDArray[Any]) -> Periods:
        """Periods given one by one; those of equal chance are put together."""
        chance, number = np.unique(chances / chances.sum(), return_counts=True)
        return cls(number.astype(np.int64), chance)

    @property
    def total(self) -> int:
        """Number of periods."""
        return int(self.number.sum())


class Births(Frozen):
    """The calendar of births.

    By default all periods of a group are alike, as in Gil Bellosta (2011): a group of w years has ⌊365.25 w⌋ days,
    12 w months or w years. With ``date`` they are those of the calendar: leap days, months and years of their
    own length. A month or year that the date cuts in two belongs to two groups of age; each counts the two halves at
    its ends as one, as if its neighbours were as many. With ``weekdays`` and ``months`` days are unequal too.

    Parameters
    ----------
    leap
        Whether leap days count, where there is no ``date``.
    date
        The day to which the counts refer.
    weekdays
        Births on a Monday, Tuesday … Sunday, up to a factor.
    months
        Births in a January, February … December, up to a factor.

    Examples
    --------
    >>> import datetime as dt
    >>> Births().periods("day", 0, 5).total, Births(date=dt.date(2010, 1, 1)).periods("day", 5, 5).total
    (1826, 1827)
    """

    leap: bool = True
    date: dt.date | None = None
    weekdays: Annotated[tuple[Positive, ...], Field(min_length=7, max_length=7)] | None = None
    months: Annotated[tuple[Positive, ...], Field(min_length=12, max_length=12)] | None = None

    @model_validator(mode="after")
    def _dated(self) -> Births:
        for option in ("weekdays", "months"):
            if getattr(self, option) is not None and self.date is None:
                raise OptionError("option-needs", option=option, needs="date")
        return self

    def periods(self, detail: Detail, first: int, years: int) -> Periods:
        """The periods of the people whose age is from ``first`` on over so many years."""
        if self.date is None:
            days = int((_LEAP_DAYS if self.leap else _DAYS) * years)
            return Periods.equal({"day": days, "month": 12 * years, "year": years}[detail])
        return _of_calendar(self, detail, first, years)

    def rates(self, days: npt.NDArray[np.datetime64]) -> Floats:
        """Births on each of these days, up to a factor."""
        rate = np.ones(days.size)
        if self.weekdays is not None:
            monday_first = (days.astype("datetime64[D]").astype(np.int64) + 3) % 7  # 1970-01-01 was a Thursday
            rate *= np.array(self.weekdays)[monday_first]
        if self.months is not None:
            rate *= (np.array(self.months) / _MONTH_LENGTHS)[days.astype("datetime64[M]").astype(np.int64) % 12]
        return rate


@lru_cache(maxsize=512)
def _of_calendar(births: Births, detail: Detail, first: int, years: int) -> Periods:
    assert births.date is not None
    begin, end = years_before(births.date, first + years), years_before(births.date, first)
    days = np.arange(np.datetime64(begin, "D") + 1, np.datetime64(end, "D") + 1)
    rate = births.rates(days)
    if detail == "day":
        return Periods.of_chances(rate)
    unit = days.astype(f"datetime64[{detail[0].upper()}]").astype(np.int64)
    whole = years if detail == "year" else 12 * years
    return Periods.of_chances(np.bincount((unit - unit[0]) % whole, weights=rate))


def years_before(date: dt.date, years: int) -> dt.date:
    """The same day so many years earlier; the last day of February where there is no 29th."""
    if date.year - years < 1:
        raise OptionError("births-before-calendar")
    try:
        return date.replace(year=date.year - years)
    except ValueError:
        return date.replace(year=date.year - years, day=28)


def details(periods: Any) -> tuple[Detail | int, ...]:
    """What people may know of a birth date, as callers give it: one or several of day, month, year or a number."""
    given = [periods] if isinstance(periods, str | Integral) or not isinstance(periods, Iterable) else list(periods)
    read = tuple(_detail(one) for one in given)
    if not read:
        raise OptionError("option-unknown", option="periods", known=(*DETAILS, "n"))
    if len(set(read)) < len(read):
        raise OptionError("periods-repeated")
    return read


def _detail(given: Any) -> Detail | int:
    if isinstance(given, str) and given.strip().isdecimal():
        given = int(given)
    if given in DETAILS:
        return given  # type: ignore[no-any-return]
    if not isinstance(given, Integral) or isinstance(given, bool):
        raise OptionError("option-unknown", option="periods", known=(*DETAILS, "n"))
    if not 1 <= int(given) <= MOST:
        raise OptionError("option-range", option="periods", low=1, high=MOST)
    return int(given)
