"""Birth dates as files write them, whole or in part: ``1987-06-30``, ``1987-06``, ``1987``, ``1980-1989``."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections.abc import Iterable
from dataclasses import dataclass

from celosia.demography.births import DETAILS, Detail

_FORMS = (
    (re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:T.*)?"), "day"),
    (re.compile(r"(\d{4})(\d\d)(\d\d)"), "day"),
    (re.compile(r"(\d{4})-(\d\d)"), "month"),
    (re.compile(r"(\d{4})(\d\d)"), "month"),
    (re.compile(r"(\d{4})"), "year"),
    (re.compile(r"(\d{4})-(\d{4})"), "years"),
)
_EARLIEST, _LATEST = 1800, 2200


@dataclass(frozen=True)
class BirthSpan:
    """The days, first and last included, on which somebody may have been born; how much of a date that tells."""

    first: dt.date
    last: dt.date
    detail: str


def read_birth(code: str) -> BirthSpan | None:
    """The days that a code says, or ``None`` where it says none.

    >>> read_birth("2019-02").last
    datetime.date(2019, 2, 28)
    """
    for form, detail in _FORMS:
        if found := form.fullmatch(code):
            try:
                span = _span([int(part) for part in found.groups()], detail)
            except ValueError:
                continue
            if _EARLIEST <= span.first.year <= span.last.year <= _LATEST:
                return span
    return None


def _span(parts: list[int], detail: str) -> BirthSpan:
    if detail == "day":
        day = dt.date(*parts)
        return BirthSpan(day, day, detail)
    if detail == "month":
        year, month = parts
        first = dt.date(year, month, 1)
        return BirthSpan(first, first.replace(day=calendar.monthrange(year, month)[1]), detail)
    if parts[0] > parts[-1]:
        raise ValueError
    return BirthSpan(dt.date(parts[0], 1, 1), dt.date(parts[-1], 12, 31), detail)


def finest(codes: Iterable[str]) -> Detail | None:
    """The finest detail that some code tells; ``None`` where none tells as much as a year.

    Raises ``ValueError`` where a code is no birth date: what cannot be read is not known to be coarse.
    """
    seen = set()
    for code in codes:
        span = read_birth(code)
        if span is None:
            raise ValueError
        seen.add(span.detail)
    return next((detail for detail in DETAILS if detail in seen), None)
