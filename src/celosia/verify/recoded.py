"""Each code and each number became what was written down for it: distinct pairs of before and after are compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from celosia.core.codes import as_shown, spell_series
from celosia.core.dictionary import MissingKind, Variable
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify.cells import aligned, same_cells


@dataclass(frozen=True, eq=False)
class Recoded:
    """Every code became the one that is written for it; of the rest, missing ones and others what is said of them.

    ``missing`` is the code that non-response got, but no cell that we emptied; ``others`` that of what is not named.
    """

    variable: str
    codes: Mapping[str, str] = field(repr=False)
    others: str | None = None
    missing: str | None = None

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of codes that became another one."""
        old, new = aligned(before, after, self.variable)
        emptied = before.in_order_of(after.ids).suppressed(self.variable)
        pairs = pl.DataFrame({"old": old, "emptied": emptied, "new": new}).unique()
        texts = zip(spell_series(pairs["old"]), pairs["emptied"], spell_series(pairs["new"]), strict=True)
        variable = before.dictionary[self.variable]
        if wrong := sum(new != self._due(variable, old, emptied) for old, emptied, new in texts):
            raise PromiseError("promise-recoded", variable=self.variable, count=wrong)

    def _due(self, variable: Variable, code: str | None, emptied: bool) -> str | None:
        """What a cell should hold now."""
        if code is not None and code in self.codes:
            return self.codes[code]
        if kind := variable.kind_of(code):
            stays = emptied or self.missing is None or kind is MissingKind.NOT_APPLICABLE
            return code if stays or (code is not None and kind is not MissingKind.NON_RESPONSE) else self.missing
        return code if self.others is None else self.others


@dataclass(frozen=True)
class InIntervals:
    """Every number lies between the ends of the interval whose code it got.

    An interval has its low end (else its high one); ``ends_too`` are intervals that have both.
    """

    variable: str
    codes: tuple[str, ...]
    lows: tuple[float, ...]
    highs: tuple[float, ...]
    left: bool = True
    ends_too: frozenset[int] = frozenset()

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of cells that lie elsewhere, or hold no code of an interval."""
        old, new = aligned(before, after, self.variable)
        valid = ~before.dictionary[self.variable].missing_mask(old)
        x = as_shown(old.filter(valid)).cast(pl.Float64).to_numpy()
        texts = spell_series(new.filter(valid))
        place = texts.replace_strict(
            list(self.codes), range(len(self.codes)), default=-1, return_dtype=pl.Int64
        ).to_numpy()
        low, high = np.array(self.lows)[place], np.array(self.highs)[place]
        both = np.isin(place, list(self.ends_too))
        above = (x > low) | ((x == low) & (both | self.left))
        below = (x < high) | ((x == high) & (both | (not self.left)))
        if wrong := int((~(above & below) | (place < 0)).sum()):
            raise PromiseError("promise-intervals", variable=self.variable, count=wrong)


@dataclass(frozen=True)
class Band:
    """A limit and the code of what lies strictly beyond it; ``None`` for a number from among those it replaces."""

    limit: float
    above: bool
    code: str | None


@dataclass(frozen=True)
class Banded:
    """What lies in no band is as it was; the others have the code of the farthest limit that they are beyond.

    ``order`` lists the codes of a variable that is not numeric: there limits are places in it.
    """

    variable: str
    bands: tuple[Band, ...]
    order: tuple[str, ...] | None = field(default=None, repr=False)

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where something within changed, or something beyond has another code."""
        old, new = aligned(before, after, self.variable)
        valid = ~before.dictionary[self.variable].missing_mask(old)
        old, new = old.filter(valid), new.filter(valid)
        place = self._places(old)
        left = pl.repeat(True, old.len(), dtype=pl.Boolean, eager=True)
        for band in sorted(self.bands, key=lambda band: band.limit if band.above else -band.limit, reverse=True):
            beyond = (place > band.limit) if band.above else (place < band.limit)
            within = beyond & left
            left = left & ~beyond
            if not _holds(band.code, place.filter(within), new.filter(within)):
                raise PromiseError("promise-banded", variable=self.variable)
        if not same_cells(old.filter(left), new.filter(left)):
            raise PromiseError("promise-untouched", variable=self.variable)

    def _places(self, values: pl.Series) -> pl.Series:
        if self.order is None:
            return as_shown(values).cast(pl.Float64)
        return spell_series(values).replace_strict(list(self.order), range(len(self.order)), return_dtype=pl.Float64)


def _holds(code: str | None, old: pl.Series, new: pl.Series) -> bool:
    """Whether these all have the code, or one number that lies among them."""
    if old.is_empty():
        return True
    texts = spell_series(new).unique().to_list()
    if code is not None or len(texts) > 1 or texts[0] is None:
        return texts == [code]
    numbers = old.to_numpy()
    blur = 1e-6 * np.abs(numbers).max()
    return bool(numbers.min() - blur <= float(texts[0]) <= numbers.max() + blur)
