"""Values lie in a declared domain, missing cells stay missing, a recode is no finer than it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.cells import aligned, same_cells

Numbers = npt.NDArray[Any]


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
class OnGrid:
    """Every number is the multiple of ``units`` / 10 ** ``decimals`` nearest to where it was, below it or above it.

    Halves go away from zero; a number that was a multiple is as it was.
    """

    variable: str
    units: int
    decimals: int
    mode: Literal["nearest", "down", "up"] = "nearest"

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a number is off the grid or went to another multiple."""
        old, new = aligned(before, after, self.variable)
        valid = ~before.dictionary[self.variable].missing_mask(old)
        old, new = old.filter(valid), new.filter(valid)
        fine = self._whole(old, new) if new.dtype.is_integer() else self._fractional(old, new)
        if not fine:
            raise PromiseError("promise-grid", variable=self.variable)

    def _whole(self, old: pl.Series, new: pl.Series) -> bool:
        now, was = (series.cast(pl.Int64).to_numpy() for series in (new, old))
        return bool((now % self.units == 0).all()) and self._near(was, now, float(self.units), np.zeros(was.size))

    def _fractional(self, old: pl.Series, new: pl.Series) -> bool:
        scale = 10.0**self.decimals
        now, was = (series.cast(pl.Float64).to_numpy() for series in (new, old))
        multiple = np.round(now * scale / self.units) * self.units / scale
        exact = pl.Series(multiple).cast(new.dtype) == new
        # A single-precision decimal is as far as this from the one it stands for.
        blur = np.abs(was) * (1e-7 if new.dtype == pl.Float32 else 1e-15)
        return bool(exact.all()) and self._near(was, now, self.units / scale, blur)

    def _near(self, was: Numbers, now: Numbers, step: float, blur: Numbers) -> bool:
        """Whether each number went where the mode sends it, give or take the blur of its decimals."""
        moved = now - was
        if self.mode == "nearest":
            halves = (2 * np.abs(moved) == step) & (np.abs(now) < np.abs(was))
            return bool((2 * np.abs(moved) <= step + 2 * blur).all() and not halves.any())
        forward = moved if self.mode == "up" else -moved
        return bool(((forward >= -blur) & (forward < step)).all())


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
