"""Dates and times as the numbers that statistical formats keep.

SPSS counts seconds from 14 October 1582; SAS and Stata count days from 1 January 1960, and seconds or
milliseconds for times. Which of them a number is, its display format says.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass

import polars as pl

_UNIX = dt.date(1970, 1, 1)
_DAY_MS = 86_400_000


@dataclass(frozen=True)
class Clock:
    """How one family of formats counts time."""

    epoch: dt.date
    day: int
    """Units in a day, for dates."""
    second: int
    """Units in a second, for times."""
    date_format: str
    datetime_format: str
    time_format: str
    dates: re.Pattern[str]
    datetimes: re.Pattern[str]
    times: re.Pattern[str]

    @property
    def _offset(self) -> int:
        return (self.epoch - _UNIX).days

    def kind(self, display: str) -> pl.DataType | None:
        """The type that a display format means, or ``None`` for a plain number."""
        if self.times.match(display):
            return pl.Time()
        if self.datetimes.match(display):
            return pl.Datetime("us")
        return pl.Date() if self.dates.match(display) else None

    def default(self, kind: pl.DataType) -> str:
        """The display format of a type when nobody chose one."""
        if kind == pl.Date:
            return self.date_format
        return self.time_format if kind == pl.Time else self.datetime_format

    def to_number(self, values: pl.Series) -> pl.Series | None:
        """Numbers for a temporal column; ``None`` where they would not be exact (below a millisecond)."""
        if values.dtype == pl.Date:
            return (values.cast(pl.Int64) - self._offset) * self.day
        if values.dtype == pl.Time:
            nanoseconds = values.cast(pl.Int64)
            exact = (nanoseconds % 1_000_000 == 0).all()
            return self._from_ms(nanoseconds // 1_000_000) if exact else None
        if getattr(values.dtype, "time_zone", None):
            return None
        microseconds = values.cast(pl.Datetime("us")).cast(pl.Int64)
        exact = (values.cast(pl.Datetime("us")) == values).all() and (microseconds % 1000 == 0).all()
        return self._from_ms(microseconds // 1000 - self._offset * _DAY_MS) if exact else None

    def from_number(self, values: pl.Series, kind: pl.DataType) -> pl.Series | None:
        """A temporal column for numbers; ``None`` where they lie outside the calendar or the day."""
        if kind == pl.Date:
            days = (values / self.day).floor() + self._offset
            return days.cast(pl.Int32).cast(pl.Date) if _within(days, -719_162, 2_932_896) else None
        ms = (values * 1000 / self.second).round()
        if kind == pl.Time:
            return (ms.cast(pl.Int64) * 1_000_000).cast(pl.Time) if _within(ms, 0, _DAY_MS - 1) else None
        ms = ms + self._offset * _DAY_MS
        inside = _within(ms, -719_162 * _DAY_MS, 2_932_897 * _DAY_MS - 1)
        return (ms.cast(pl.Int64) * 1000).cast(pl.Datetime("us")) if inside else None

    def _from_ms(self, ms: pl.Series) -> pl.Series:
        if self.second == 1000:
            return ms
        return ms // 1000 if (ms % 1000 == 0).all() else ms / 1000


def _within(values: pl.Series, low: int, high: int) -> bool:
    return bool(((values >= low) & (values <= high)).all())


def _pattern(names: str) -> re.Pattern[str]:
    return re.compile(rf"(?:{names})\d*(?:\.\d*)?$", re.IGNORECASE)


SPSS = Clock(
    epoch=dt.date(1582, 10, 14),
    day=86_400,
    second=1,
    date_format="DATE11",
    datetime_format="DATETIME20",
    time_format="TIME8",
    dates=_pattern("DATE|ADATE|EDATE|JDATE|SDATE"),
    datetimes=_pattern("DATETIME|YMDHMS"),
    times=_pattern("TIME"),
)
SAS = Clock(
    epoch=dt.date(1960, 1, 1),
    day=1,
    second=1,
    date_format="DATE9",
    datetime_format="DATETIME20",
    time_format="TIME8",
    dates=_pattern(
        "DATE|DAY|DDMMYY[BCDNPS]?|MMDDYY[BCDNPS]?|YYMMDD[BCDNPS]?|E8601DA|B8601DA|WEEKDATE|WEEKDATX|WORDDATE"
    ),
    datetimes=_pattern("DATETIME|DATEAMPM|E8601DT|B8601DT"),
    times=_pattern("TIME|TOD|HHMM|TIMEAMPM|E8601TM|B8601TM"),
)
STATA = Clock(
    epoch=dt.date(1960, 1, 1),
    day=1,
    second=1000,
    date_format="%td",
    datetime_format="%tc",
    time_format="%tcHH:MM:SS",
    dates=re.compile(r"%-?t?d(?!\w*s$)|%-?d"),
    datetimes=re.compile(r"%-?tc"),
    times=re.compile(r"%-?tc[Hh][Hh]:MM(:SS)?(\.s+)?$"),
)
