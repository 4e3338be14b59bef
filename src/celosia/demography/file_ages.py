"""What a file's ages or birth dates say in the age groups of published counts.

A code that is whole groups of the counts leaves nothing to chance. One within a group (a year of age, a birth month)
is shared by each of its people with a chance: its part of the group. Of one that is partly in several groups only the
whole ones count, else the group that it takes most of: whom this leaves out could only add to the people alike. What
lies beyond the years that an open group was given counts as the oldest of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from celosia.core.errors import DataError, OptionError
from celosia.demography.ages import AgeGroup, read_age
from celosia.demography.birth_codes import BirthSpan, read_birth
from celosia.demography.births import Births, years_before
from celosia.demography.counts import Counts

CODE, LABEL, CHANCE = "__code", "__label", "__chance"
"""Columns of ``as_table``: a code of the file, a group of the counts, and the chance of its people to have the code."""


@dataclass(frozen=True)
class Part:
    """Groups of the counts that a code of the file speaks of, and the chance of their people to be of that code."""

    labels: tuple[str, ...]
    chance: float


def parts_of(codes: Iterable[str], variable: str, counts: Counts, births: Births) -> dict[str, Part]:
    """The part of the counts' age groups that each code of a variable of the file speaks of."""
    found = {}
    for code in codes:
        if code in counts.ages:
            found[code] = Part((code,), 1.0)
        elif (age := read_age(code)) is not None:
            found[code] = _chosen({label: _of_ages(age, label, counts) for label in counts.ages})
        elif (span := read_birth(code)) is not None:
            found[code] = _chosen({label: _of_births(span, label, counts, births) for label in counts.ages})
        else:
            raise DataError("file-ages-unreadable", variable=variable)
    return found


def _of_ages(age: AgeGroup, label: str, counts: Counts) -> float:
    """The share of a group's years that the file's ages take."""
    group = counts.ages[label]
    if group is None:
        return 0.0
    years = counts.years(label)
    last = group.first + years - 1
    begin = min(age.first, last) if group.last is None else age.first
    end = last if age.last is None else min(age.last, last)
    return max(0, end - max(begin, group.first) + 1) / years


def _of_births(span: BirthSpan, label: str, counts: Counts, births: Births) -> float:
    """The share of a group's births that fall into a span of days."""
    group = counts.ages[label]
    if births.date is None:
        raise OptionError("births-date-needed")
    if group is None:
        return 0.0
    begin = np.datetime64(years_before(births.date, group.first + counts.years(label)), "D") + 1
    end = np.datetime64(years_before(births.date, group.first), "D") + 1
    first, after = np.datetime64(span.first, "D"), np.datetime64(span.last, "D") + 1
    if group.last is None and after <= begin:
        first, after = begin, begin + (after - first)
    own = np.arange(max(begin, first), max(begin, first, min(end, after)))
    return float(births.rates(own).sum()) / _all_births(births, begin, end) if own.size else 0.0


@lru_cache(maxsize=512)
def _all_births(births: Births, begin: np.datetime64, end: np.datetime64) -> float:
    return float(births.rates(np.arange(begin, end)).sum())


def _chosen(shares: Mapping[str, float]) -> Part:
    """Whole groups, else the one that is taken most of; no group at all where the counts have none."""
    whole = tuple(label for label, share in shares.items() if share >= 1.0)
    if whole:
        return Part(whole, 1.0)
    label = max(shares, key=lambda label: shares[label], default=None)
    return Part((), 1.0) if label is None or shares[label] <= 0 else Part((label,), shares[label])


def as_table(parts: Mapping[str, Part]) -> pl.DataFrame:
    """A row a code and group."""
    rows = [(code, label, part.chance) for code, part in parts.items() for label in part.labels]
    return pl.DataFrame(rows, schema={CODE: pl.String, LABEL: pl.String, CHANCE: pl.Float64}, orient="row")
