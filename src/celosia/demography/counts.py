"""Published counts: a row a cell of people who share what everybody may know of them, and how many they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field

from celosia.core.codes import Code, spell_series
from celosia.core.errors import DataError, RoleError
from celosia.core.frames import enter, variable_names
from celosia.core.model import Frozen, ReadOnly
from celosia.demography.ages import AgeGroup, check_ladder, names_ages, read_age
from celosia.demography.births import Births, Detail, Periods
from celosia.demography.totals import refuse_hidden_totals, without_totals

Ints = npt.NDArray[np.int64]
_COUNT = "__count"
Years = Annotated[int, Field(ge=1, le=150)]


class CountsForm(Frozen):
    """How a table of counts is laid out.

    Parameters
    ----------
    count
        The column of the people of each cell; every other column describes the cell.
    age
        The column of the age groups; found by its name where that is one of ages.
    open_width
        Years of the open last group (``85+``); 5 as in Gil Bellosta (2011), who takes it to be 85 to 89. ``None``
        where it must be said.
    widths
        Years of groups by their label, where labels do not say them.
    absent
        What a cell that is not there means: an ``"error"``, or ``"zero"`` people.
    """

    count: str = "count"
    age: str | None = None
    open_width: Years | None = 5
    widths: ReadOnly[Code, Years] = Field(default_factory=dict, validate_default=True)
    absent: Literal["error", "zero"] = "error"


@dataclass(frozen=True, eq=False)
class Counts:
    """Counts that were checked.

    Attributes
    ----------
    cells
        The columns that describe the cells, as codes.
    people
        The people of each cell.
    form
        How the table was laid out; ``age`` is found where there is one.
    totals
        Rows of totals that were checked and set apart.

    Examples
    --------
    >>> frame = pl.DataFrame({"sexo": ["1", "2"], "edad": ["0-4", "0-4"], "personas": [120, 118]})
    >>> counts = Counts.of(frame, count="personas")
    >>> counts.total, counts.form.age
    (238, 'edad')
    """

    cells: pl.DataFrame = field(repr=False)
    people: Ints = field(repr=False)
    form: CountsForm
    totals: int = 0

    @classmethod
    def of(cls, frame: Any, form: CountsForm | None = None, **options: Any) -> Counts:
        """Check any table of counts; ``options`` are fields of ``CountsForm``."""
        if isinstance(frame, Counts):
            return frame
        laid = (form or CountsForm()).model_copy(update=CountsForm(**options).model_dump(exclude_unset=True))
        table = enter(frame).frame
        if laid.count not in table.columns:
            raise RoleError("counts-column", variable=laid.count, known=tuple(table.columns))
        names = [name for name in table.columns if name != laid.count]
        if not table.height:
            raise DataError("counts-empty")
        people = _people(table[laid.count])
        coded = pl.DataFrame([*(_coded(table[name]) for name in names), pl.Series(_COUNT, people)])
        cells = without_totals(coded, names, _COUNT)
        laid = laid.model_copy(update={"age": _age(laid.age, names)})
        made = cls(cells.select(names), cells[_COUNT].to_numpy(), laid, coded.height - cells.height)
        made._check(cells, names)
        return made

    def _check(self, cells: pl.DataFrame, names: Sequence[str]) -> None:
        """Cells that are there once, of groups that leave nothing out, and no totals among them.

        A group whose label says no ages may be the one between two others: it is asked for its width when that counts.
        """
        if names and (repeated := cells.height - cells.select(names).n_unique()):
            raise DataError("counts-repeated", count=repeated)
        if self.form.age is not None:
            zero = self.form.absent == "zero"
            said = [group for group in self.ages.values() if group]
            check_ladder(said, self.form.age, gaps=zero or len(said) < len(self.ages))
            others = [name for name in names if name != self.form.age]
            kinds = cells.select(others).n_unique() if others else 1
            if not zero and (absent := kinds * len(self.ages) - cells.height):
                raise DataError("counts-absent", variable=self.form.age, count=absent)
        refuse_hidden_totals(cells, names, _COUNT)

    # -- what it holds -----------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that describe a cell."""
        return tuple(self.cells.columns)

    @property
    def total(self) -> int:
        """All people."""
        return int(self.people.sum())

    @cached_property
    def ages(self) -> dict[str, AgeGroup | None]:
        """The age groups by label, in order of age; ``None`` for one whose label says no ages."""
        if self.form.age is None:
            return {}
        read = {label: read_age(label) for label in self.cells[self.form.age].unique().to_list()}
        return dict(sorted(read.items(), key=lambda item: (item[1] is None, item[1].first if item[1] else 0, item[0])))

    def years(self, label: str) -> int:
        """The years of age that a group spans; one without a width is an error."""
        group = self.ages[label]
        said = self.form.widths.get(label)
        if said is None and group is not None:
            said = self.form.open_width if group.last is None else group.years
        if said is None:
            raise DataError("age-without-width", variable=self.form.age, row=self._row(label))
        return said

    def periods(self, detail: Detail | int, births: Births) -> tuple[list[Periods], Ints]:
        """The periods of every age group, and which of them are those of each cell."""
        if isinstance(detail, int):
            return [Periods.equal(detail)], np.zeros(self.people.size, dtype=np.int64)
        if self.form.age is None:
            raise RoleError("counts-without-age", known=self.names)
        labels = list(self.ages)
        made = []
        for label in labels:
            group = self.ages[label]
            if births.date is not None and group is None:
                raise DataError("age-unreadable", variable=self.form.age, row=self._row(label))
            made.append(births.periods(detail, group.first if group else 0, self.years(label)))
        place = self.cells[self.form.age].replace_strict(labels, range(len(labels)), return_dtype=pl.Int64)
        return made, place.to_numpy()

    def _row(self, label: str) -> int:
        """The first cell with an age label, counted from 1."""
        assert self.form.age is not None
        return 1 + (self.cells[self.form.age].index_of(label) or 0)

    # -- the same counts, seen otherwise -----------------------------------------------------------

    def only(self, names: Sequence[str]) -> Counts:
        """Counts of a file that shows only these columns: cells that it cannot tell apart are put together."""
        wanted = variable_names(names)
        self.require(wanted)
        if not wanted and self.names:
            raise RoleError("keys-none")
        if set(wanted) == set(self.names):
            return self
        age = self.form.age if self.form.age in wanted else None
        return replace(self._merged(self.cells.select(wanted)), form=self.form.model_copy(update={"age": age}))

    def recoded(self, columns: Mapping[str, pl.Series]) -> Counts:
        """The same people under other codes of some columns; cells that became alike are put together."""
        if not columns:
            return self
        return self._merged(self.cells.with_columns(values.alias(name) for name, values in columns.items()))

    def _merged(self, cells: pl.DataFrame) -> Counts:
        """The people of these cells, a row for those that are alike."""
        people = cells.with_columns(pl.Series(_COUNT, self.people))
        merged = people.group_by(cells.columns, maintain_order=True).agg(pl.col(_COUNT).sum())
        return replace(self, cells=merged.select(cells.columns), people=merged[_COUNT].to_numpy())

    def require(self, names: Sequence[str]) -> None:
        """Raise where one of these columns is not there."""
        for name in names:
            if name not in self.names:
                raise RoleError("counts-column", variable=name, known=self.names)


def _people(values: pl.Series) -> pl.Series:
    """The counts as whole numbers."""
    if not values.dtype.is_numeric():
        raise DataError("counts-text", variable=values.name, type=str(values.dtype))
    if empty := values.null_count():
        raise DataError("counts-null", variable=values.name, count=empty)
    numbers = values.cast(pl.Float64)
    if not numbers.is_finite().all():
        raise DataError("counts-null", variable=values.name, count=int((~numbers.is_finite()).sum()))
    if negative := int((numbers < 0).sum()):
        raise DataError("counts-negative", variable=values.name, count=negative)
    if broken := int((numbers != numbers.floor()).sum()):
        raise DataError("counts-fractional", variable=values.name, count=broken)
    if not numbers.sum():
        raise DataError("counts-nobody", variable=values.name)
    if numbers.sum() >= 2**53:
        raise DataError("counts-overflow", variable=values.name)
    return values.cast(pl.Int64)


def _coded(values: pl.Series) -> pl.Series:
    """A column that describes cells, as codes; every cell must say what it is."""
    codes = spell_series(values)
    empty = codes.is_null() | (codes.str.strip_chars() == "")
    if empty.any():
        raise DataError("counts-label-empty", variable=values.name, count=int(empty.sum()))
    return codes


def _age(given: str | None, names: Sequence[str]) -> str | None:
    """The column of the ages: the one that is said to be, else the one with such a name."""
    if given is not None:
        if given not in names:
            raise RoleError("counts-column", variable=given, known=tuple(names))
        return given
    found = [name for name in names if names_ages(name)]
    if len(found) > 1:
        raise RoleError("age-ambiguous", variables=tuple(found))
    return found[0] if found else None


def published(counts: Any, keys: Sequence[str] | None) -> Counts:
    """Counts as the measures take them: any table or ``Counts``, of the columns that a file would show."""
    read = Counts.of(counts)
    return read if keys is None else read.only(keys)
