"""Recode numbers to intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite
from typing import Annotated, Any, ClassVar, Literal

import polars as pl
from pydantic import Field, model_validator

from celosia.core.codes import Code
from celosia.core.dictionary import Level, Variable
from celosia.core.errors import DataError, OptionError
from celosia.core.method import Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import ReadOnly
from celosia.core.run import Run
from celosia.engines import engine
from celosia.methods.intervals import MOST, Floats, Intervals, grid, grouped, limit_texts
from celosia.methods.kinds import ColumnMethod, NewColumn, changed, exactly_one, overlay, require_numeric
from celosia.verify import Domain, InIntervals, KeepsMissing, NoFiner


@dataclass(frozen=True, eq=False)
class Classed(Protected):
    """Data with a variable in intervals: the breaks between them, and the code of each in order."""

    breaks: Floats = field(default=(), kw_only=True)
    codes: tuple[str, ...] = field(default=(), kw_only=True)


class RecodeIntervals(ColumnMethod):
    """Replace numbers by the interval they lie in.

    The column becomes text that reads ``[0, 15)``, ``[15, 65)``, ``65+``, and the dictionary keeps the order of the
    intervals; with ``labels`` it holds the codes given, in its own type where that can hold them. Missing codes of
    every kind stay as they were written. A number outside the breaks is an error, never a missing value.

    Parameters
    ----------
    variable
        A numeric variable.
    breaks
        Limits of the intervals, increasing.
    width, origin
        Equal intervals of this width, one of them beginning at ``origin``.
    groups, method
        How many intervals to make, and how (see ``methods.intervals``).
    closed
        The side on which an interval holds its limit.
    open_low, open_high
        Whether the outer intervals have no outer limit. With ``breaks`` an open end is one more interval beyond
        the last break; with ``width`` and ``groups`` it is the outermost one. With ``groups`` both ends are open by
        default, because their limits would be the smallest and the largest number in the file.
    include_edge
        Whether the outermost break on the side that is not closed still belongs to the interval that it ends.
    labels
        The code of each interval in order; a mapping gives each code its label too.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"edad": [3, 15, 80, None]})
    >>> RecodeIntervals(variable="edad", breaks=(0, 15, 65), open_high=True).apply(frame).data["edad"].to_list()
    ['[0, 15)', '[15, 65)', '65+', None]
    """

    do: ClassVar[str] = "recode_intervals"

    variable: str
    breaks: Annotated[Floats, Field(min_length=1)] | None = None
    width: Annotated[float, Field(gt=0)] | None = None
    origin: float = 0.0
    groups: Annotated[int, Field(ge=2, le=MOST)] | None = None
    method: Literal["equidistant", "log", "quantiles"] = "equidistant"
    closed: Literal["left", "right"] = "left"
    open_low: bool | None = None
    open_high: bool | None = None
    include_edge: bool = True
    labels: tuple[Code, ...] | ReadOnly[Code, str] | None = None

    @model_validator(mode="after")
    def _one_way(self) -> RecodeIntervals:
        exactly_one(breaks=self.breaks, width=self.width, groups=self.groups)
        for option, needs in (("origin", "width"), ("method", "groups")):
            if option in self.model_fields_set and getattr(self, needs) is None:
                raise OptionError("option-needs", option=option, needs=needs)
        if self.breaks is not None:
            if not all(map(isfinite, self.breaks)) or any(a >= b for a, b in pairwise(self.breaks)):
                raise OptionError("breaks-not-increasing")
            if self._between(self.breaks).size < 1:
                raise OptionError("breaks-few")
        if len(set(self.labels or ())) < len(self.labels or ()):
            raise OptionError("labels-repeated")
        return self

    @property
    def record_wise(self) -> bool:
        """Where the breaks are not made from the data."""
        return self.groups is None

    @property
    def touched(self) -> tuple[str, ...]:
        """The variable recoded."""
        return (self.variable,)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Every number in the interval that its code says; missing cells as they were."""
        made = self._intervals(before)
        codes = self._codes(made)
        return (
            *super().promises(before),
            NoFiner(self.variable),
            Domain(self.variable, frozenset(codes)),
            InIntervals(self.variable, codes, made.lows, made.highs, made.left, made.closed),
            KeepsMissing(self.variable),
        )

    def _transform(self, data: Microdata, run: Run) -> Classed:
        treated = super()._transform(data, run).data
        made = self._intervals(data)
        return Classed(treated, method=self, run=run, breaks=made.limits, codes=self._codes(made))

    def _columns(self, data: Microdata) -> Mapping[str, NewColumn]:
        variable, made = data.dictionary[self.variable], self._intervals(data)
        codes = self._codes(made)
        if any(variable.kind_of(code) for code in codes):
            raise DataError("recode-into-missing", variable=self.variable)
        values = overlay(data.column(self.variable), self._places(data, made), codes)
        return {self.variable: NewColumn(values, self._described(variable, codes))}

    def _intervals(self, data: Microdata) -> Intervals:
        """The intervals, declared or made from the data; of made ones an open end loses its limit."""
        values = require_numeric(data, self.variable)
        if self.breaks is not None:
            return self._between(self.breaks)
        numbers = values.filter(~data.dictionary[self.variable].missing_mask(values)).cast(pl.Float64)
        if numbers.is_empty():
            raise DataError("no-numbers", variable=self.variable)
        if self.width is not None:
            limits = grid(numbers, self.width, self.origin, self.closed == "left")
        else:
            limits = grouped(numbers, self.groups or 0, self.method)
        whole = self._between(limits)
        return self._between(limits[whole.open_low : len(limits) - whole.open_high])

    def _between(self, limits: Floats) -> Intervals:
        return Intervals(
            limits,
            left=self.closed == "left",
            open_low=self.groups is not None if self.open_low is None else self.open_low,
            open_high=self.groups is not None if self.open_high is None else self.open_high,
            edge=self.include_edge and self.width is None,
        )

    def _places(self, data: Microdata, made: Intervals) -> pl.Series:
        """The interval of each record; null where the cell is missing."""
        missing = data.dictionary[self.variable].missing_mask(data.column(self.variable))
        passed = engine(data).with_columns({self.variable: made.passed(self.variable)}).column(self.variable)
        passed = passed.set(missing, None)
        below = 0 if made.open_low else int((passed == 0).sum())
        above = 0 if made.open_high else int((passed == len(made.limits)).sum())
        if below or above:
            low, high = limit_texts((made.limits[0], made.limits[-1]))
            raise DataError("intervals-outside", variable=self.variable, low=low, high=high, below=below, above=above)
        return passed if made.open_low else passed - 1

    def _codes(self, made: Intervals) -> tuple[str, ...]:
        if self.labels is None:
            return made.texts
        if len(self.labels) != made.size:
            raise OptionError("labels-count", expected=made.size, found=len(self.labels))
        return tuple(self.labels)

    def _described(self, variable: Variable, codes: tuple[str, ...]) -> Variable:
        """The variable as a classification; the labels of its missing codes stay."""
        labels = self.labels if isinstance(self.labels, Mapping) else {code: code for code in codes}
        absent = {code: label for code, label in variable.values.items() if variable.kind_of(code)}
        return changed(variable, values={**labels, **absent}, **_CLASSED)


_CLASSED: dict[str, Any] = {
    "level": Level.CATEGORICAL,
    "unit": "",
    "decimals": None,
    "format": "",
    "hierarchy": None,
}
