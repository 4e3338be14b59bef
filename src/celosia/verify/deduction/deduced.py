"""What can be filled in again: how many cells, by which rules, and the data as an intruder may have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from celosia.core.codes import back_to, spell_series
from celosia.core.microdata import Microdata
from celosia.core.results import Tabular
from celosia.verify.deduction.cells import Ints, Mask


@dataclass(frozen=True, eq=False)
class Deduced(Tabular):
    """What can be filled in again.

    Attributes
    ----------
    emptied
        Variable → its emptied cells.
    cells
        Variable → how many of them can be filled in.
    rules
        A row a variable and rule: ``variable``, ``rule``, ``cells`` that it settled, and ``known_from``: ``given`` or
        ``shown`` by the file.
    broken
        Rules that published cells contradict, and how many records or households do; nothing was deduced from them.
    untried
        Rules that speak of a variable that is not in the file, or whose codes no longer say what they were.
    """

    emptied: Mapping[str, int]
    cells: Mapping[str, int]
    rules: pl.DataFrame
    broken: Mapping[str, int]
    untried: tuple[str, ...]
    data: Microdata = field(repr=False)
    found: Mapping[str, tuple[Ints, pl.Series]] = field(repr=False)
    """Variable → the records whose cell can be filled in, and its codes."""

    @property
    def total(self) -> int:
        """Cells in all."""
        return sum(self.cells.values())

    def with_untried(self, names: Iterable[str]) -> Deduced:
        """The same, and more rules that were not tried."""
        return replace(self, untried=(*self.untried, *names))

    def mask(self, variable: str) -> Mask:
        """True where the cell of this variable was deduced."""
        flags = np.zeros(self.data.height, dtype=np.bool_)
        if variable in self.found:
            flags[self.found[variable][0]] = True
        return flags

    def filled(self, only: Microdata | None = None) -> Microdata:
        """The data as an intruder may have them: deduced cells filled in, the others still marked.

        With ``only``, the true records in the same order, wrong deductions are left out.
        """
        columns, left = {}, {}
        for name, (rows, codes) in self.found.items():
            if only is not None:
                right = spell_series(only.column(name).gather(rows)).eq_missing(codes)
                rows, codes = rows[right.to_numpy()], codes.filter(right)
            if rows.size:
                columns[name] = self._filled(name, rows, codes)
                left[name] = self.data.suppressed(name).to_numpy().copy()
                left[name][rows] = False
        if not columns:
            return self.data
        bare = self.data.drop(*columns).with_columns(columns)
        return bare.select(self.data.variables).with_dictionary(self.data.dictionary).suppress(left)

    def _filled(self, name: str, rows: Ints, codes: pl.Series) -> pl.Series:
        values = self.data.column(name)
        typed = back_to(codes, values.dtype)
        if typed is None:
            values, typed = spell_series(values), codes
        return values.clone().scatter(rows, typed)

    def table(self) -> pl.DataFrame:
        """Cells by variable and the rule that gave them away."""
        return self.rules

    def to_dict(self) -> dict[str, Any]:
        """Totals, and names of variables and rules."""
        return {
            "total": self.total,
            "emptied": dict(self.emptied),
            "cells": dict(self.cells),
            "rules": self.rules.to_dicts(),
            "broken": dict(self.broken),
            "untried": list(self.untried),
        }
