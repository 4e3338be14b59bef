"""Coarsen birth dates to a month or a year, or to the finest detail that published counts allow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import polars as pl
from pydantic import model_validator

from celosia.core.codes import spell_series
from celosia.core.dictionary import Level, Variable
from celosia.core.errors import DataError, OptionError
from celosia.core.method import Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.demography.birth_codes import read_birth
from celosia.demography.births import DETAILS, Births, Detail
from celosia.demography.limits import Answer, Limit
from celosia.demography.published import CountsFile
from celosia.engines import engine
from celosia.methods.kinds import ColumnMethod, NewColumn, changed, exactly_one
from celosia.verify import BirthsNoFiner, KeepsMissing, NoFiner

_LENGTHS = {"day": 10, "month": 7, "year": 4}


@dataclass(frozen=True, eq=False)
class Coarsened(Protected):
    """Data with birth dates coarsened.

    Attributes
    ----------
    detail
        What the dates tell now.
    answers
        What was expected of each detail that was tried, where counts decided.
    """

    detail: Detail = field(default="year", kw_only=True)
    answers: tuple[Answer, ...] = field(default=(), kw_only=True)

    def to_dict(self) -> dict[str, Any]:
        """What the method reports, the answers as plain values."""
        return super().to_dict() | {"answers": [answer.to_dict() for answer in self.answers]}


class CoarsenBirth(ColumnMethod):
    """Keep of birth dates the day, the month (``1987-06``) or the year (``1987``), and no more.

    With ``counts`` the detail is the finest at which the people that published counts expect to be singled out meet a
    limit; where not even the year does, the step stops and nothing is published. Dates that tell less already stay.
    A value that is no birth date is an error: what cannot be read is not known to be coarse.

    Parameters
    ----------
    variable
        Birth dates, as dates or as ``1987-06-30``, ``1987-06``, ``19870630``, ``198706`` or ``1987``.
    detail
        ``day``, ``month`` or ``year``. Exactly one of this and ``counts`` is given.
    counts
        The file of the published counts, or how it is laid out.
    limit
        The limit that they must meet (``{below: 5 %}``).
    births
        The calendar of births.

    Examples
    --------
    >>> import datetime as dt
    >>> frame = pl.DataFrame({"nacimiento": [dt.date(1987, 6, 30), None]})
    >>> CoarsenBirth(variable="nacimiento", detail="month").apply(frame).data["nacimiento"].to_list()
    ['1987-06', None]
    """

    do: ClassVar[str] = "coarsen_birth"

    variable: str
    detail: Detail | None = None
    counts: CountsFile | None = None
    limit: Limit | None = None
    births: Births = Births()

    @model_validator(mode="after")
    def _one_way(self) -> CoarsenBirth:
        exactly_one(detail=self.detail, counts=self.counts)
        if (self.counts is None) != (self.limit is None):
            option, needs = ("counts", "limit") if self.limit is None else ("limit", "counts")
            raise OptionError("option-needs", option=option, needs=needs)
        return self

    @property
    def touched(self) -> tuple[str, ...]:
        """The variable coarsened."""
        return (self.variable,)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Dates that tell no more than the detail; none split, missing codes kept."""
        return (
            *super().promises(before),
            NoFiner(self.variable),
            KeepsMissing(self.variable),
            BirthsNoFiner(self.variable, self._found()[0]),
        )

    def lasting(self) -> tuple[Promise, ...]:
        """A detail that was named is kept by the published file."""
        return () if self.detail is None else (BirthsNoFiner(self.variable, self.detail),)

    def _transform(self, data: Microdata, run: Run) -> Coarsened:
        detail, answers = self._found()
        treated = super()._transform(data, run).data
        return Coarsened(treated, method=self, run=run, detail=detail, answers=answers)

    def _found(self) -> tuple[Detail, tuple[Answer, ...]]:
        """The detail to keep, and the answers that decided it."""
        if self.counts is None or self.limit is None:
            assert self.detail is not None
            return self.detail, ()
        answers = self.limit.answers(self.counts.read(), DETAILS, self.births)
        for detail, answer in zip(DETAILS, answers, strict=True):
            if answer.passes:
                return detail, answers
        raise DataError("birth-no-detail", variable=self.variable)

    def _columns(self, data: Microdata) -> Mapping[str, NewColumn]:
        detail, values = self._found()[0], data.column(self.variable)
        variable = data.dictionary[self.variable]
        there = values.filter(~variable.missing_mask(values))
        target = {code: self._told(code, detail) for code in spell_series(there.unique()).unique().to_list()}
        coarse = (
            values if values.dtype == pl.Date and detail == "day" else engine(data).map_codes(self.variable, target)
        )
        return {self.variable: NewColumn(coarse, _described(variable, target))}

    def _told(self, code: str, detail: Detail) -> str:
        """The code that tells this much of the date that another one tells."""
        span = read_birth(code)
        if span is None:
            raise DataError("birth-unreadable", variable=self.variable)
        kept = max(span.detail, detail, key=_coarseness)
        if kept == span.detail and span.detail != "day":
            return code
        plain = span.first.isoformat()[: _LENGTHS[kept]]
        return plain if "-" in code or kept == "year" else plain.replace("-", "")


def _coarseness(detail: str) -> int:
    return DETAILS.index(detail) if detail in DETAILS else len(DETAILS)


def _described(variable: Variable, target: Mapping[str, str]) -> Variable:
    """The variable under its new codes; labels stay where codes do."""
    kept = {code: label for code, label in variable.values.items() if target.get(code, code) == code}
    return changed(variable, values=kept, level=Level.CATEGORICAL, format="", hierarchy=None)
