r"""Distances between original and treated records, of numbers, ordered and unordered categories.

With :math:`O` the variables observed in both records and :math:`w_j` the importance of a variable:

* Euclidean, :math:`\sqrt{\frac{p}{|O|}\sum_{j\in O}(x_j-y_j)^2}`, and Manhattan,
  :math:`\frac{p}{|O|}\sum_{j\in O}|x_j-y_j|`: the sum over what is observed, scaled up;
* Gower, :math:`\sum_{j\in O} w_j d_j \big/ \sum_{j\in O} w_j`, where :math:`d_j` is :math:`|x_j-y_j|` over the range of
  the variable in both files (for ordered categories: of their positions), or 0 or 1 for unordered categories.

Two records with nothing observed in common are infinitely far apart.

References
----------
Gower (1971), *A general coefficient of similarity and some of its properties*, Biometrics 27(4), 857-871.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import Level
from celosia.core.errors import DataError, OptionError
from celosia.core.microdata import Microdata
from celosia.risk.before_after import Floats, Pair, columns
from celosia.risk.options import within

SQUARE, ABSOLUTE, UNEQUAL = 0, 1, 2
"""The terms that ``kernels.nearest`` adds."""
_BLOCK = 1 << 22
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Space:
    """Original and treated records as points, and how their distance adds up.

    Attributes
    ----------
    kind, scale
        The term of each coordinate (as in ``kernels.nearest``) and its factor.
    importance
        What a variable counts where not all are observed.
    """

    original: Floats = field(repr=False)
    masked: Floats = field(repr=False)
    kind: npt.NDArray[np.int8]
    scale: Floats
    importance: Floats

    @property
    def squared(self) -> bool:
        """Whether sums are of squares."""
        return bool((self.kind == SQUARE).any())

    @property
    def whole(self) -> float:
        """The importance of all variables, added in order."""
        return float(self.importance.cumsum()[-1])

    def sums(self, rows: slice) -> Floats:
        """Scaled sums from some original records to all treated ones: the full matrix, a block of rows at a time."""
        return self._added(self.original[rows, None, :], self.masked[None, :, :])

    def own(self) -> Floats:
        """Scaled sum from each original record to its own treated one."""
        return self._added(self.original, self.masked)

    def _added(self, x: Floats, y: Floats) -> Floats:
        total = np.zeros(np.broadcast_shapes(x.shape, y.shape)[:-1])
        common = np.zeros_like(total)
        for j in range(x.shape[-1]):
            gap = np.abs(x[..., j] - y[..., j])
            seen = ~np.isnan(gap)
            total += np.where(seen, self._term(j, gap), 0.0)
            common += np.where(seen, self.importance[j], 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(common > 0, self.whole / common * total, np.inf)

    def _term(self, j: int, gap: Floats) -> Floats:
        if self.kind[j] == UNEQUAL:
            return np.where(gap > 0, self.scale[j], 0.0)
        scaled: Floats = self.scale[j] * gap
        return scaled * gap if self.kind[j] == SQUARE else scaled

    def blocks(self) -> list[slice]:
        """Rows of the full matrix, some at a time, so that a block fits in memory."""
        step = max(_BLOCK // len(self.masked), 1)
        return [slice(first, first + step) for first in range(0, len(self.original), step)]

    def ties(self, best: Floats) -> Floats:
        """The greatest sum that rounding cannot tell from each of these."""
        unit = np.sqrt(self.scale) if self.squared else self.scale
        largest = [
            unit[j] * np.nanmax(np.abs(side[:, j]), initial=0.0)
            for side in (self.original, self.masked)
            for j in np.flatnonzero(self.kind != UNEQUAL)
        ]
        width = _ROUNDING * max(largest, default=1.0)
        limit = (np.sqrt(best) + width) ** 2 if self.squared else best + width
        return np.maximum(best, limit)

    def distance(self, sums: Floats) -> Floats:
        """Distances from scaled sums."""
        return np.sqrt(sums) if self.squared else sums


def euclidean(x: Floats, y: Floats) -> Space:
    """Points whose distance is Euclidean."""
    return _plain(x, y, SQUARE)


def manhattan(x: Floats, y: Floats) -> Space:
    """Points whose distance is the sum of absolute differences."""
    return _plain(x, y, ABSOLUTE)


def _plain(x: Floats, y: Floats, kind: int) -> Space:
    ones = np.ones(x.shape[1])
    return Space(x, y, np.full(x.shape[1], kind, dtype=np.int8), ones, ones)


def gower(
    both: Pair,
    categorical: Sequence[str] = (),
    ordered: Sequence[str] = (),
    importance: Mapping[str, float] | None = None,
) -> Space:
    """Points whose distance is Gower's.

    A variable is compared by equality where it is named in ``categorical``, is text, or is of a categorical or open
    level; by position where it is named in ``ordered`` (in the order of its value labels, else of its sorted codes).
    """
    for name in (*categorical, *ordered, *(importance or {})):
        if name not in both.variables:
            raise OptionError("option-variable", option="variables", variable=name)
    for counted in (importance or {}).values():
        within("importance", counted, 0, above=True)
    weights = np.array([(importance or {}).get(name, 1.0) for name in both.variables])
    pairs, kinds, spans = [], [], []
    for name in both.variables:
        unequal = name in categorical or (name not in ordered and is_categorical(both.original, name))
        x, y = codes(both, name) if unequal or name in ordered else _numbers(both, name)
        span = 1.0 if unequal else float(np.nanmax([x, y]) - np.nanmin([x, y]))
        if span == 0:
            raise DataError("variable-constant", variable=name)
        pairs.append((x, y))
        kinds.append(UNEQUAL if unequal else ABSOLUTE)
        spans.append(span)
    shares = weights / weights.sum()
    original, masked = (np.column_stack(side) for side in zip(*pairs, strict=True))
    return Space(original, masked, np.array(kinds, dtype=np.int8), shares / np.array(spans), shares)


def is_categorical(data: Microdata, name: str) -> bool:
    """Whether a variable is compared by equality, if nobody says otherwise."""
    if data.dictionary[name].level in (Level.CATEGORICAL, Level.OPEN):
        return True
    return not data.column(name).dtype.is_numeric()


def _numbers(both: Pair, name: str) -> tuple[Floats, Floats]:
    return columns(both.original, [name])[:, 0], columns(both.masked, [name])[:, 0]


def codes(both: Pair, name: str) -> tuple[Floats, Floats]:
    """Positions of the codes of both files in one order; NaN where missing."""
    sides = [_spelled(data, name) for data in (both.original, both.masked)]
    present = pl.concat(sides).drop_nulls().unique()
    if present.is_empty():
        raise DataError("variable-all-missing", variable=name)
    labelled = [code for code in both.original.dictionary[name].values if code in set(present)]
    rest = present.filter(~present.is_in(labelled))
    known = pl.Series([*labelled, *_sorted(rest)], dtype=pl.String)
    place = pl.Series(range(len(known)), dtype=pl.Float64)
    x, y = (side.replace_strict(known, place, default=None) for side in sides)
    return x.to_numpy(writable=True), y.to_numpy(writable=True)


def _spelled(data: Microdata, name: str) -> pl.Series:
    values = data.column(name)
    missing = data.dictionary[name].missing_mask(values)
    spelled = spell_series(values)
    return spelled.set(missing, None) if missing.any() else spelled


def _sorted(codes: pl.Series) -> list[str]:
    """Codes in order: of their numbers where all are numbers, else of their letters."""
    numbers = codes.cast(pl.Float64, strict=False)
    return codes.sort().to_list() if numbers.null_count() else codes.gather(numbers.arg_sort()).to_list()
