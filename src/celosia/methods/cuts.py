"""Cuts of a variable, and the order of its values that tells what lies beyond them."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from typing import Annotated, Any, Literal

import narwhals as nw
import polars as pl
from pydantic import BeforeValidator, model_validator

from celosia.core.codes import Code, spell_series
from celosia.core.errors import DataError, OptionError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen
from celosia.engines import engine


class Cut(Frozen):
    """A cut and what replaces the values strictly beyond it, as far as the next cut.

    Parameters
    ----------
    beyond
        The last value that stays: a number, or a code of an ordered variable.
    value
        The replacement: a number, a code or a label.
    by
        Without ``value``: the cut itself, or the mean or median of the values that are replaced.
    """

    beyond: Code
    value: Code | None = None
    by: Literal["threshold", "mean", "median"] = "threshold"

    @model_validator(mode="after")
    def _one_replacement(self) -> Cut:
        if self.value is not None and self.by != "threshold":
            raise OptionError("options-one", options=("value", "by"))
        return self


def _as_cuts(given: Any) -> Any:
    items = given if isinstance(given, list | tuple) else (given,)
    return tuple({"beyond": item} if isinstance(item, int | float | str) else item for item in items)


Cuts = Annotated[tuple[Cut, ...], BeforeValidator(_as_cuts)]
"""One cut or several; a bare number is a cut whose values take the cut itself."""


class Scale:
    """The order of a variable's values: numbers by size, codes as the dictionary or their type lists them."""

    def __init__(self, name: str, order: Sequence[str] | None) -> None:
        self.name = name
        self.place = None if order is None else {code: i for i, code in enumerate(order)}

    @classmethod
    def of(cls, data: Microdata, name: str) -> Scale:
        """The scale of a variable; codes that nobody put in order are an error."""
        values, variable = data.column(name), data.dictionary[name]
        if values.dtype.is_numeric():
            return cls(name, None)
        declared = values.dtype.categories.to_list() if isinstance(values.dtype, pl.Enum) else list(variable.values)
        order = [code for code in declared if variable.kind_of(code) is None]
        held = spell_series(values.filter(~variable.missing_mask(values)).unique())
        unlisted = set(held.to_list()) - set(order)
        if unlisted:
            raise DataError("order-unknown", variable=name, count=len(unlisted))
        return cls(name, order)

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.place is None

    def position(self, cut: Cut) -> float:
        """Where a cut lies."""
        try:
            found = float(cut.beyond) if self.place is None else self.place[cut.beyond]
        except (KeyError, ValueError):
            found = nan
        if not isfinite(found):
            raise OptionError("cut-unknown", variable=self.name)
        return found

    def beyond(self, data: Microdata, top: Sequence[Cut], bottom: Sequence[Cut]) -> pl.Series:
        """The farthest cut that each value lies beyond, those of the bottom first; null if none, or no value.

        Cuts of each side go from the nearest to the farthest.
        """
        missing = data.dictionary[self.name].missing_mask(data.column(self.name))
        x = nw.col(self.name)
        steps = [*(x < self.position(cut) for cut in bottom), *(x > self.position(cut) for cut in top)]
        passed: nw.Expr = nw.lit(None, nw.Int32)
        for number, step in enumerate(steps):
            passed = nw.when(step).then(nw.lit(number, nw.Int32)).otherwise(passed)
        return (
            engine(self._positions(data, missing))
            .with_columns({self.name: passed})
            .column(self.name)
            .set(missing, None)
        )

    def _positions(self, data: Microdata, missing: pl.Series) -> Microdata:
        """The data with codes replaced by their places in the order."""
        if self.place is None:
            return data
        texts = spell_series(engine(data).map_codes(self.name, {code: str(i) for code, i in self.place.items()}))
        return data.with_columns({self.name: texts.set(missing, None).cast(pl.Int64)})
