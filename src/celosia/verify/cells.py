"""Cells are untouched, or emptied and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import RECORD_ID, Microdata


def aligned(before: Microdata, after: Microdata, name: str) -> tuple[pl.Series, pl.Series]:
    """One variable before and after, on the records that are in both, in the order of the output."""
    if np.array_equal(before.ids, after.ids):
        return before.column(name), after.column(name)
    old = pl.DataFrame({RECORD_ID: before.ids, "old": before.column(name)})
    new = pl.DataFrame({RECORD_ID: after.ids, "new": after.column(name)})
    both = new.join(old, on=RECORD_ID, how="left", maintain_order="left")
    return both["old"], both["new"]


def same_cells(old: pl.Series, new: pl.Series) -> bool:
    """Whether two columns hold the same codes, in whatever type, and nothing in the same places."""
    if old.dtype == new.dtype:
        return old.equals(new, null_equal=True)
    return spell_series(old).equals(spell_series(new), null_equal=True)


@dataclass(frozen=True)
class Untouched:
    """Every variable but these is there with every cell as it was."""

    but: frozenset[str] = frozenset()

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where another variable is missing, or differs in any cell or type."""
        for name in before.variables:
            if name in self.but:
                continue
            if name not in after:
                raise PromiseError("promise-variable-lost", variable=name)
            old, new = aligned(before, after, name)
            if not old.equals(new, check_dtypes=True, null_equal=True):
                raise PromiseError("promise-untouched", variable=name)


@dataclass(frozen=True)
class EmptiedOnly:
    """In these variables a cell is as it was, or empty and marked as suppressed."""

    variables: tuple[str, ...]

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a value became another one, an emptied cell has no mark, or a marked one is not empty."""
        for name in self.variables:
            old, new = aligned(before, after, name)
            emptied = old.is_not_null() & new.is_null()
            if old.dtype != new.dtype or not (emptied | old.eq_missing(new)).all():
                raise PromiseError("promise-emptied", variable=name)
            if not (after.suppressed(name) | ~emptied).all():
                raise PromiseError("promise-unmarked", variable=name)
            if (after.suppressed(name) & new.is_not_null()).any():
                raise PromiseError("promise-marked", variable=name)


@dataclass(frozen=True)
class Absent:
    """These variables are nowhere: no column, no description, no mark."""

    variables: tuple[str, ...]

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where one is left."""
        for name in self.variables:
            if name in after or name in after.dictionary or name in after.marked:
                raise PromiseError("promise-variable-left", variable=name)
