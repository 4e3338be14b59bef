"""Hierarchies by rule: what a plan writes where the codes are not at hand yet, and any hierarchy in any of its forms.

A rule holds for every file whose codes have the form, so that plans of several years share it. ``Tree`` is what methods
take: a hierarchy, its rows, code → group, a file of rows, or a rule by its name.
"""

from __future__ import annotations

import datetime as dt
from abc import abstractmethod
from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

import polars as pl
from pydantic import BeforeValidator, Discriminator, Field, Tag, model_validator

from celosia.core import hierarchy_builders as builders
from celosia.core.codes import Code, sort_key, spell_series
from celosia.core.errors import DataError, OptionError
from celosia.core.hierarchy import Hierarchy
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen, Names

Grouping = int | tuple[int, ...]
"""One level: how many neighbours are merged, or where each group begins."""


class Way(Frozen):
    """One way of making a hierarchy."""

    top: str | None = "*"
    """The root; nothing leaves it out."""

    @abstractmethod
    def grown(self, data: Microdata, variable: str) -> Hierarchy:
        """The hierarchy for a variable."""


class Intervals(Way):
    """Whole numbers in ever wider intervals (``hierarchy_builders.intervals``)."""

    low: int
    high: int
    levels: Annotated[tuple[Grouping, ...], Field(min_length=1)]
    open_high: bool = False

    @model_validator(mode="after")
    def _nested(self) -> Intervals:
        self._built("")
        return self

    def grown(self, data: Microdata, variable: str) -> Hierarchy:
        """The hierarchy of all numbers from low to high."""
        return self._built(variable)

    def _built(self, name: str) -> Hierarchy:
        return builders.intervals(self.low, self.high, self.levels, open_high=self.open_high, top=self.top, name=name)


class Neighbours(Way):
    """Ordered codes, neighbours merged: those given, else those of the code book, else those of the data."""

    levels: Annotated[tuple[Grouping, ...], Field(min_length=1)]
    codes: tuple[Code, ...] = ()

    def grown(self, data: Microdata, variable: str) -> Hierarchy:
        """The hierarchy of the codes in their order."""
        known = data.dictionary[variable]
        described = [code for code in known.values if known.kind_of(code) is None]
        codes = self.codes or described or sorted(_codes(data, variable), key=sort_key)
        return builders.neighbours(codes, self.levels, top=self.top, name=variable)


class Dates(Way):
    """Dates by month, year and decade (``hierarchy_builders.dates``)."""

    first: dt.date
    last: dt.date
    detail: builders.DateLevel = "day"
    levels: tuple[builders.DateLevel, ...] = ("month", "year", "decade")

    def grown(self, data: Microdata, variable: str) -> Hierarchy:
        """The hierarchy of all dates from first to last."""
        return builders.dates(
            self.first, self.last, detail=self.detail, levels=self.levels, top=self.top, name=variable
        )


class _ByForm(Way):
    """A way that tells the parents from each code's form: of the codes given, else of those of the data."""

    codes: tuple[Code, ...] = ()

    @abstractmethod
    def _built(self, codes: Iterable[str], variable: str) -> Hierarchy:
        """The hierarchy of these codes; an error names one by its place."""

    def grown(self, data: Microdata, variable: str) -> Hierarchy:
        """The hierarchy of the codes; one without the form is named by its row."""
        codes = self.codes or tuple(_codes(data, variable))
        if not codes:
            return Hierarchy.from_rows([["*", "*"]], variable)  # nothing is there to be covered
        try:
            return self._built(codes, variable)
        except DataError as error:
            if self.codes:
                raise
            wrong = codes[error.facts["row"] - 1]
            first = (spell_series(data.column(variable)) == wrong).arg_max() or 0
            raise DataError(error.code, **{**error.facts, "row": first + 1}) from None


class Prefixes(_ByForm):
    """Codes whose first characters name their parents."""

    lengths: Annotated[tuple[Annotated[int, Field(ge=1)], ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _ever_shorter(self) -> Prefixes:
        if any(longer <= shorter for longer, shorter in pairwise(self.lengths)):
            raise OptionError("prefixes-not-shorter")
        return self

    def _built(self, codes: Iterable[str], variable: str) -> Hierarchy:
        tree = Hierarchy.from_prefix(codes, self.lengths, variable)
        return tree if self.top is None else tree.with_top(self.top)


class Comunas(_ByForm):
    """Comuna → provincia → región."""

    def _built(self, codes: Iterable[str], variable: str) -> Hierarchy:
        return builders.comunas(codes, top=self.top, name=variable)


class Isco(_ByForm):
    """ISCO-08 (CIUO-08): unit → minor → sub-major → major group."""

    def _built(self, codes: Iterable[str], variable: str) -> Hierarchy:
        return builders.isco(codes, top=self.top, name=variable)


class Isic(_ByForm):
    """ISIC Rev. 4 (CIIU, NACE): class → group → division → section."""

    def _built(self, codes: Iterable[str], variable: str) -> Hierarchy:
        return builders.isic(codes, top=self.top, name=variable)


class Parents(Way):
    """The parents that stand beside each code in the data, nearest first."""

    variables: Names

    def grown(self, data: Microdata, variable: str) -> Hierarchy:
        """The hierarchy of the codes that are in the data."""
        columns = (variable, *self.variables)
        valued = [~data.dictionary[name].missing_mask(data.column(name)) for name in columns]
        rows = pl.DataFrame([spell_series(data.column(name)) for name in columns]).filter(pl.all_horizontal(valued))
        paths = rows.unique().sort(columns)
        for code, parent in zip(columns, self.variables, strict=False):
            pairs = paths.select(code, parent).unique()
            if several := pairs.height - pairs[code].n_unique():
                raise DataError("recode-parents", variable=code, parent=parent, count=several)
        tree = Hierarchy.from_rows(paths.iter_rows(), variable)
        return tree if self.top is None else tree.with_top(self.top)


class HierarchyRule(Frozen):
    """A hierarchy that is made when the data are at hand, in exactly one of these ways.

    Examples
    --------
    >>> frame = pl.DataFrame({"comuna": ["01101", "13101", None]})
    >>> HierarchyRule(comunas={}).on(Microdata(frame), "comuna").parents("13101")
    ('131', '13', '*')
    """

    intervals: Intervals | None = None
    neighbours: Neighbours | None = None
    dates: Dates | None = None
    prefixes: Prefixes | None = None
    comunas: Comunas | None = None
    isco: Isco | None = None
    isic: Isic | None = None
    parents: Parents | None = None

    @model_validator(mode="after")
    def _one_way(self) -> HierarchyRule:
        if len(self._ways) != 1:
            raise OptionError("options-one", options=RULES)
        return self

    @property
    def _ways(self) -> list[Way]:
        return [way for name in RULES if (way := getattr(self, name)) is not None]

    def on(self, data: Microdata, variable: str) -> Hierarchy:
        """The hierarchy of a variable of the data, complete."""
        return self._ways[0].grown(data, variable).on(data, variable)


RULES = tuple(HierarchyRule.model_fields)
"""Names of the ways."""


class CsvHierarchy(Frozen):
    """A file of a hierarchy, as ``Hierarchy.from_csv`` reads it."""

    csv: str
    separator: str | None = None
    header: bool = False
    columns: Names | None = None
    labels: Names | None = None

    def read(self, folder: Path) -> Hierarchy:
        """The hierarchy of the file."""
        file = folder / self.csv
        return Hierarchy.from_csv(file, self.separator, self.header, self.columns or (), self.labels or ())


def _codes(data: Microdata, variable: str) -> list[str]:
    """The distinct codes of a column that are not missing, in order of appearance."""
    values = data.column(variable)
    there = values.filter(~data.dictionary[variable].missing_mask(values))
    return spell_series(there.unique(maintain_order=True)).unique(maintain_order=True).to_list()


def read_tree(given: Any) -> Any:
    """A hierarchy from any of its forms; what has none of them is left for the models to refuse."""
    if isinstance(given, list | tuple) and all(isinstance(row, list | tuple) for row in given):
        return Hierarchy.from_rows(given)
    if isinstance(given, Mapping) and isinstance(given.get("csv"), str):
        return CsvHierarchy(**given).read(Path())
    if not isinstance(given, Mapping) or "rows" in given:
        return given
    if any(name in RULES and isinstance(facts, Mapping | Way) for name, facts in given.items()):
        return given
    scalars = all(isinstance(group, str | int | float | bool) for group in given.values())
    return Hierarchy.from_mapping(given) if given and scalars else given


def _kind(given: Any) -> str:
    return "hierarchy" if isinstance(given, Hierarchy) or (isinstance(given, Mapping) and "rows" in given) else "rule"


Tree = Annotated[
    Annotated[Hierarchy, Tag("hierarchy")] | Annotated[HierarchyRule, Tag("rule")],
    Discriminator(_kind),
    BeforeValidator(read_tree),
]
"""A hierarchy, its rows (most detailed code first), code → group, a file, or a rule: ``{"comunas": {}}``."""
