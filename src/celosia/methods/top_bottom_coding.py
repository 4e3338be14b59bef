"""Top and bottom coding: what lies beyond a cut is no longer told apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field, model_validator

from celosia.core.codes import spell, type_name
from celosia.core.dictionary import Level, Variable
from celosia.core.errors import DataError, OptionError
from celosia.core.method import Promise
from celosia.core.microdata import Microdata
from celosia.engines import engine
from celosia.methods.cuts import Cut, Cuts, Scale
from celosia.methods.kinds import ColumnMethod, NewColumn, changed, overlay
from celosia.verify import Band, Banded, KeepsMissing, NoFiner

LEAST = 3
"""A mean or median of fewer records than this tells what one of them has."""


class TopBottomCoding(ColumnMethod):
    """Replace values strictly above or below a cut.

    Several cuts make bands: a value takes the replacement of the farthest cut that it lies beyond. Missing codes
    stay. A label that the column's type cannot hold makes the column text. Means and medians are of the values that
    the band replaces. They would tell a value where fewer than three records count in them, or where one has more
    than half of the weight, and are refused there. In a column of whole numbers they are rounded to whole numbers.

    Parameters
    ----------
    variable
        A numeric variable, or one of codes whose order its dictionary (or its categorical type) gives.
    top, bottom
        The cuts above and below; at least one.
    weight
        Weights of the means and medians.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"edad": [20, 66, 81, 97]})
    >>> bands = ({"beyond": 65, "value": 70}, {"beyond": 80, "value": 85})
    >>> TopBottomCoding(variable="edad", top=bands).apply(frame).data["edad"].to_list()
    [20, 70, 85, 85]
    """

    do: ClassVar[str] = "top_bottom_coding"

    variable: str
    top: Cuts = Field(default=(), validate_default=True)
    bottom: Cuts = Field(default=(), validate_default=True)
    weight: str | None = None

    @model_validator(mode="after")
    def _some_cut(self) -> TopBottomCoding:
        cuts = (*self.top, *self.bottom)
        if not cuts:
            raise OptionError("options-some", options=("top", "bottom"))
        if self.weight is not None and all(cut.by == "threshold" for cut in cuts):
            raise OptionError("option-needs", option="weight", needs="by")
        return self

    @property
    def record_wise(self) -> bool:
        """Where no replacement is a mean or a median."""
        return all(cut.value is not None or cut.by == "threshold" for cut in (*self.top, *self.bottom))

    @property
    def touched(self) -> tuple[str, ...]:
        """The variable coded."""
        return (self.variable,)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Values within the cuts and missing cells as they were; beyond them the replacement of each band."""
        scale = Scale.of(before, self.variable)
        sides = ((cut, above) for cuts, above in ((self.bottom, False), (self.top, True)) for cut in cuts)
        bands = tuple(Band(scale.position(cut), above, _said(cut, scale.numeric)) for cut, above in sides)
        order = None if scale.place is None else tuple(scale.place)
        banded = Banded(self.variable, bands, order)
        return (*super().promises(before), NoFiner(self.variable), KeepsMissing(self.variable), banded)

    def _columns(self, data: Microdata) -> Mapping[str, NewColumn]:
        scale = Scale.of(data, self.variable)
        top, bottom = self._ordered(scale)
        place = scale.beyond(data, top, bottom)
        codes = [self._replacement(data, cut, place == i) for i, cut in enumerate((*bottom, *top))]
        variable = data.dictionary[self.variable]
        if any(variable.kind_of(code) for code in codes):
            raise DataError("recode-into-missing", variable=self.variable)
        column = overlay(data.column(self.variable), place, codes)
        became_text = scale.numeric and not column.dtype.is_numeric()
        facts = {"level": Level.CATEGORICAL, "decimals": None} if became_text else {}
        return {self.variable: NewColumn(column, changed(variable, values=_labels(variable, codes), **facts))}

    def _ordered(self, scale: Scale) -> tuple[list[Cut], list[Cut]]:
        """Cuts from the nearest to the farthest, those above and those below."""
        top = sorted(self.top, key=scale.position)
        bottom = sorted(self.bottom, key=scale.position, reverse=True)
        for cuts in (top, bottom):
            if len({scale.position(cut) for cut in cuts}) < len(cuts):
                raise OptionError("cuts-repeated", variable=self.variable)
        if top and bottom and scale.position(bottom[0]) > scale.position(top[0]):
            raise OptionError("cuts-crossed", variable=self.variable)
        return top, bottom

    def _replacement(self, data: Microdata, cut: Cut, within: pl.Series) -> str:
        values = data.column(self.variable)
        said = _said(cut, values.dtype.is_numeric())
        if said is not None:
            return said
        if not within.any():
            return str(spell(float(cut.beyond))) if values.dtype.is_numeric() else cut.beyond
        if not values.dtype.is_numeric():
            raise DataError("column-not-numeric", variable=self.variable, type=type_name(values.dtype))
        chosen = within.fill_null(False).to_numpy()
        numbers = values.cast(pl.Float64).fill_null(0).to_numpy()[chosen]
        weights = engine(data).weights(self.weight)[chosen] if self.weight else np.ones(numbers.size, dtype=np.int64)
        if (weights > 0).sum() < LEAST:
            raise DataError("cut-few", variable=self.variable, least=LEAST)
        if 2 * int(weights.max()) > int(weights.sum()):
            raise DataError("cut-dominated", variable=self.variable, weight=self.weight)
        found = float(np.average(numbers, weights=weights)) if cut.by == "mean" else _median(numbers, weights)
        return str(spell(float(_round_half_away(found)) if values.dtype.is_integer() else found))


def _said(cut: Cut, numeric: bool) -> str | None:
    """The replacement where the cut says it; ``None`` for a mean or a median."""
    if cut.value is not None or cut.by != "threshold":
        return cut.value
    return spell(float(cut.beyond)) if numeric else cut.beyond


def _median(numbers: npt.NDArray[np.float64], weights: npt.NDArray[np.int64]) -> float:
    """The value at half of the weight; between two, their middle."""
    order = np.argsort(numbers)
    reached = 2 * np.cumsum(weights[order])
    total = int(weights.sum())
    low, high = (
        numbers[order][np.searchsorted(reached, total)],
        numbers[order][np.searchsorted(reached, total, side="right")],
    )
    return float((low + high) / 2)


def _round_half_away(value: float) -> int:
    """To the nearest whole number, halves away from zero."""
    return int(np.copysign(np.floor(abs(value) + 0.5), value))


def _labels(variable: Variable, codes: Sequence[str]) -> dict[str, str]:
    """The value labels; where there are any, a new code is its own label."""
    new = {code: code for code in codes if code not in variable.values}
    return {**variable.values, **new} if variable.values else {}
