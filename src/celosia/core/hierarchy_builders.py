"""Builders of hierarchies: numbers, ordered codes, dates, and the code lists of official statistics.

Each gives a ``Hierarchy``, so that a plan keeps it as rows and any method can take it.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Literal

from celosia.core.codes import sort_key, spell
from celosia.core.errors import DataError, OptionError
from celosia.core.hierarchy import Hierarchy

Grouping = int | Sequence[int]
"""One level: how many neighbours are merged, or where each group begins."""

DateLevel = Literal["day", "month", "year", "decade"]

ISIC_SECTIONS = {
    "A": (1, 3), "B": (5, 9), "C": (10, 33), "D": (35, 35), "E": (36, 39), "F": (41, 43), "G": (45, 47),
    "H": (49, 53), "I": (55, 56), "J": (58, 63), "K": (64, 66), "L": (68, 68), "M": (69, 75), "N": (77, 82),
    "O": (84, 84), "P": (85, 85), "Q": (86, 88), "R": (90, 93), "S": (94, 96), "T": (97, 98), "U": (99, 99),
}  # fmt: skip
"""ISIC Rev. 4, and with it CIIU Rev. 4 and NACE Rev. 2: section to its first and last division."""


def intervals(
    low: int, high: int, levels: Sequence[Grouping], *, open_high: bool = False, top: str | None = "*", name: str = ""
) -> Hierarchy:
    """Whole numbers from ``low`` to ``high`` in ever wider intervals.

    Parameters
    ----------
    low, high
        The domain, both ends included.
    levels
        For each level a width, counted from ``low``, or the numbers at which its intervals begin. An interval
        of a level must lie within one of the next level.
    open_high
        Whether the last interval of each level reads ``80+``, as where ``high`` stands for all beyond it.
    top
        The root; ``None`` leaves it out.

    Examples
    --------
    >>> age = intervals(0, 99, levels=(5, 10, (0, 20, 60)))
    >>> age.parents(37)
    ('35-39', '30-39', '20-59', '*')
    """
    if low > high:
        raise OptionError("interval-empty", low=low, high=high)
    numbers = range(low, high + 1)
    starts = [list(numbers[::size]) if isinstance(size := _checked(level), int) else list(size) for level in levels]
    for number, begins in enumerate(starts, start=1):
        if not begins or begins[0] != low or begins[-1] > high or any(a >= b for a, b in pairwise(begins)):
            raise OptionError("grouping-form", level=number)
    cuts = [[start - low for start in begins] for begins in starts]

    def spelled(first: str, last: str) -> str:
        if open_high and last == str(high):
            return f"{first}+"
        return first if first == last else f"{first}-{last}" if low >= 0 else f"[{first}, {last}]"

    return _merged([str(number) for number in numbers], cuts, spelled, top, name)


def neighbours(codes: Iterable[Any], levels: Sequence[Grouping], *, top: str | None = "*", name: str = "") -> Hierarchy:
    """Ordered codes, neighbours merged: a group is called by its first and its last code.

    Parameters
    ----------
    codes
        The codes in their order.
    levels
        For each level how many codes make a group, or the places (from 0) at which its groups begin.

    Examples
    --------
    >>> neighbours(["ninguna", "básica", "media", "superior"], levels=(2,)).parents("media")
    ('media-superior', '*')
    """
    ordered = [code for code in map(spell, codes) if code is not None]
    if not ordered:
        raise OptionError("hierarchy-empty")
    places = range(len(ordered))
    cuts = [list(places[::size]) if isinstance(size := _checked(level), int) else list(size) for level in levels]
    for number, begins in enumerate(cuts, start=1):
        if not begins or begins[0] != 0 or begins[-1] >= len(ordered) or any(a >= b for a, b in pairwise(begins)):
            raise OptionError("grouping-form", level=number)
    return _merged(ordered, cuts, lambda first, last: first if first == last else span(first, last), top, name)


def dates(
    first: dt.date,
    last: dt.date,
    *,
    detail: DateLevel = "day",
    levels: Sequence[DateLevel] = ("month", "year", "decade"),
    top: str | None = "*",
    name: str = "",
) -> Hierarchy:
    """Dates from ``first`` to ``last`` in ISO spelling, grouped by month, year and decade.

    Parameters
    ----------
    detail
        What a leaf is; a leaf that is a month reads ``2017-04``.
    levels
        The groupings above it, from fine to coarse.

    Examples
    --------
    >>> dates(dt.date(2017, 4, 18), dt.date(2017, 4, 20)).parents(dt.date(2017, 4, 19))
    ('2017-04', '2017', '2010-2019', '*')
    """
    if first > last:
        raise OptionError("interval-empty", low=str(first), high=str(last))
    order = [_DATE_LEVELS.index(level) for level in (detail, *levels)]
    if any(a >= b for a, b in pairwise(order)):
        raise OptionError("date-levels", known=_DATE_LEVELS)
    days = (dt.date.fromordinal(number) for number in range(first.toordinal(), last.toordinal() + 1))
    rows = dict.fromkeys(tuple(_date_code(day, level) for level in (detail, *levels)) for day in days)
    return _topped(Hierarchy.from_rows(rows, name), top)


def comunas(codes: Iterable[Any], *, top: str | None = "*", name: str = "comuna") -> Hierarchy:
    """Chile's codes: comuna (five digits; four where a number lost its zero) → provincia → región.

    Examples
    --------
    >>> comunas(["01101", 13101, 1401]).parents(1401)
    ('014', '01', '*')
    """
    return _by_form(codes, r"\d{4,5}", lambda code: (code.zfill(5)[:3], code.zfill(5)[:2]), top, name)


def isco(codes: Iterable[Any], *, top: str | None = "*", name: str = "isco08") -> Hierarchy:
    """ISCO-08 (CIUO-08): unit group (four digits) → minor → sub-major → major group.

    Examples
    --------
    >>> isco(["2511", "0110"]).parents("0110")
    ('011', '01', '0', '*')
    """
    return _by_form(codes, r"\d{4}", lambda code: (code[:3], code[:2], code[:1]), top, name)


def isic(codes: Iterable[Any], *, top: str | None = "*", name: str = "isic4") -> Hierarchy:
    """ISIC Rev. 4 (CIIU Rev. 4, NACE Rev. 2): class (four digits) → group → division → section.

    The section's letter and the point of NACE may stand in the code or not: ``0111``, ``01.11``, ``A01.11``.

    Examples
    --------
    >>> isic(["0111", "C10.11"]).parents("C10.11")
    ('101', '10', 'C', '*')
    """
    return _by_form(codes, r"[A-U]?\d\d\.?\d\d", _activity, top, name)


def span(first: str, last: str) -> str:
    """How the codes from a first to a last one are written together; numbers below zero stand in brackets."""
    return f"[{first}, {last}]" if first.startswith("-") else f"{first}-{last}"


_DATE_LEVELS: tuple[DateLevel, ...] = ("day", "month", "year", "decade")


def _date_code(day: dt.date, level: DateLevel) -> str:
    if level == "decade":
        decade = day.year // 10 * 10
        return f"{decade:04}-{decade + 9:04}"
    return day.isoformat()[: {"day": 10, "month": 7, "year": 4}[level]]


def _activity(code: str) -> tuple[str, ...] | None:
    digits = re.sub(r"\D", "", code)
    section = next((s for s, (first, last) in ISIC_SECTIONS.items() if first <= int(digits[:2]) <= last), None)
    if section is None or (code[0].isalpha() and code[0] != section):
        return None
    return digits[:3], digits[:2], section


def _by_form(
    codes: Iterable[Any], form: str, parents: Callable[[str], tuple[str, ...] | None], top: str | None, name: str
) -> Hierarchy:
    """A path for every code of a form; the first one without the form is named by its place among those given."""
    rows: dict[str, tuple[str, ...]] = {}
    for number, code in enumerate(map(spell, codes), start=1):
        if code is None:
            continue
        path = parents(code) if re.fullmatch(form, code) else None
        if path is None:
            raise DataError("hierarchy-code-form", row=number, hierarchy=name)
        rows[code] = (code, *path)
    if not rows:
        raise OptionError("hierarchy-empty")
    return _topped(Hierarchy.from_rows([rows[code] for code in sorted(rows, key=sort_key)], name), top)


def _checked(level: Grouping) -> Grouping:
    if isinstance(level, int) and level < 1:
        raise OptionError("option-range", option="levels", low=1, high="∞")
    return level


def _merged(
    leaves: Sequence[str], cuts: Sequence[Sequence[int]], spelled: Callable[[str, str], str], top: str | None, name: str
) -> Hierarchy:
    """Leaves in order, and for every level the places at which its groups begin."""
    paths = [[leaf] for leaf in leaves]
    finer = set(range(len(leaves)))
    for number, begins in enumerate(cuts, start=1):
        if not set(begins) <= finer:
            raise OptionError("hierarchy-not-nested", level=number)
        finer = set(begins)
        for start, end in pairwise([*begins, len(leaves)]):
            for path in paths[start:end]:
                path.append(spelled(leaves[start], leaves[end - 1]))
    return _topped(Hierarchy.from_rows(paths, name), top)


def _topped(made: Hierarchy, top: str | None) -> Hierarchy:
    return made if top is None else made.with_top(top)
