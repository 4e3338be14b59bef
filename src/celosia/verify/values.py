"""Values lie in a declared domain, missing cells stay missing, a recode is no finer than it was."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.cells import aligned, same_cells


@dataclass(frozen=True)
class Domain:
    """Values that are not missing are among these codes."""

    variable: str
    codes: frozenset[str]

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a value is outside."""
        values = after.column(self.variable)
        held = spell_series(values.filter(~after.dictionary[self.variable].missing_mask(values)).unique())
        outside = [code for code in held.to_list() if code not in self.codes]
        if outside:
            raise PromiseError("promise-domain", variable=self.variable, count=len(outside))


@dataclass(frozen=True)
class KeepsMissing:
    """A cell is missing after exactly where it was missing before, with the same code."""

    variable: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a missing cell got a value, changed its code, or a value went missing."""
        old, new = aligned(before, after, self.variable)
        was = before.dictionary[self.variable].missing_mask(old)
        same = same_cells(old.filter(was), new.filter(was))
        lost = after.dictionary[self.variable].missing_mask(new.filter(~was))
        if not same or lost.any():
            raise PromiseError("promise-missing", variable=self.variable)


@dataclass(frozen=True)
class NoFiner:
    """Records that were equal are equal still: each code before has one code after."""

    variable: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where one code became several; a cell that we emptied is no empty cell of the source."""
        old, new = aligned(before, after, self.variable)
        marked = before.in_order_of(after.ids).suppressed(self.variable)
        codes = pl.DataFrame({"old": old, "emptied": marked, "new": new}).unique()
        if codes.select("old", "emptied").n_unique() < codes.height:
            raise PromiseError("promise-finer", variable=self.variable)


@dataclass(frozen=True)
class InOrder:
    """A greater number before has the same code after, or a later one in this order."""

    variable: str
    codes: tuple[str, ...]

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where two numbers changed places, or a code is not in the order."""
        old, new = aligned(before, after, self.variable)
        valid = ~before.dictionary[self.variable].missing_mask(old)
        texts = spell_series(new.filter(valid).gather(old.filter(valid).arg_sort()))
        places = texts.replace_strict(list(self.codes), range(len(self.codes)), default=-1, return_dtype=pl.Int64)
        if (places < 0).any() or (places.diff() < 0).any():
            raise PromiseError("promise-order", variable=self.variable)


@dataclass(frozen=True)
class OnlyBeyond:
    """Numbers from ``low`` to ``high`` are as they were; the others became one of a few codes."""

    variable: str
    low: float
    high: float
    most: int

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a number within changed, or those beyond have more codes than there are bands."""
        old, new = aligned(before, after, self.variable)
        valid = ~before.dictionary[self.variable].missing_mask(old)
        within = old.cast(pl.Float64).is_between(self.low, self.high) & valid
        if not same_cells(old.filter(within), new.filter(within)):
            raise PromiseError("promise-untouched", variable=self.variable)
        if new.filter(valid & ~within).n_unique() > self.most:
            raise PromiseError("promise-domain", variable=self.variable, count=self.most)


@dataclass(frozen=True)
class OnGrid:
    """Every number is a multiple of ``units`` / 10 ** ``decimals``, less than a step from where it was."""

    variable: str
    units: int
    decimals: int

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a number is off the grid or went further than a step."""
        old, new = aligned(before, after, self.variable)
        valid = ~before.dictionary[self.variable].missing_mask(old)
        old, new = old.filter(valid), new.filter(valid)
        fine = self._whole(old, new) if new.dtype.is_integer() else self._fractional(old, new)
        if not fine:
            raise PromiseError("promise-grid", variable=self.variable)

    def _whole(self, old: pl.Series, new: pl.Series) -> bool:
        moved = new.cast(pl.Int64) - old.cast(pl.Int64)
        return bool(((new % self.units == 0) & (moved.abs() < self.units)).all())

    def _fractional(self, old: pl.Series, new: pl.Series) -> bool:
        scale = 10.0**self.decimals
        now, was = (series.cast(pl.Float64).to_numpy() for series in (new, old))
        multiple = np.round(now * scale / self.units) * self.units / scale
        exact = pl.Series(multiple).cast(new.dtype) == new
        # A single-precision decimal is as far as this from the one it stands for.
        blur = np.abs(was) * (1e-7 if new.dtype == pl.Float32 else 1e-15)
        return bool(exact.all() and (np.abs(now - was) <= self.units / scale + blur).all())


@dataclass(frozen=True)
class OneToOne:
    """Records are equal in a variable after exactly where they were equal before in it, and in those it was within."""

    variable: str
    within: tuple[str, ...] = ()

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where two codes became one, or one became two."""
        old, new = aligned(before, after, self.variable)
        among = [spell_series(aligned(before, after, name)[0]).alias(f"in {name}") for name in self.within]
        pairs = pl.DataFrame([spell_series(old).alias("old"), spell_series(new).alias("new"), *among]).unique()
        if not pairs.height == pairs.drop("new").n_unique() == pairs["new"].n_unique():
            raise PromiseError("promise-one-to-one", variable=self.variable)
