"""The kinds of method, by what they work on: columns, or the codes of key variables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import back_to, spell_series, type_name
from celosia.core.dictionary import Variable
from celosia.core.errors import DataError, OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import engine
from celosia.engines.contract import WEIGHT_DECIMALS, WEIGHT_SCALE
from celosia.verify import SameRecords, Untouched


@dataclass(frozen=True, eq=False)
class NewColumn:
    """A column and what the dictionary says of it from now on."""

    values: pl.Series
    variable: Variable


class ColumnMethod(Method):
    """Replaces or adds whole columns, each from what stands in its own record."""

    @abstractmethod
    def _columns(self, data: Microdata) -> Mapping[str, NewColumn]:
        """The new columns by name."""

    @property
    @abstractmethod
    def touched(self) -> tuple[str, ...]:
        """The variables that it replaces or adds."""

    def _transform(self, data: Microdata, run: Run) -> Protected:
        columns = self._columns(data)
        dictionary = data.dictionary
        for name, column in columns.items():
            facts = column.variable.model_dump(exclude={"name"})
            dictionary = dictionary.replace(name, **facts)
        treated = data.with_columns({name: column.values for name, column in columns.items()}, dictionary)
        return Protected(treated, method=self, run=run)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Records as they were, other variables untouched."""
        return (SameRecords(), Untouched(frozenset(self.touched)))


def exactly_one(**options: object) -> None:
    """Raise unless exactly one of these options was given."""
    if sum(value is not None for value in options.values()) != 1:
        raise OptionError("options-one", options=tuple(options))


def changed(variable: Variable, **facts: Any) -> Variable:
    """The same variable with some facts of its description changed."""
    return Variable(**{**variable.model_dump(), **facts})


def require_numeric(data: Microdata, name: str) -> pl.Series:
    """The column of a variable, which must hold numbers."""
    values = data.column(name)
    if not values.dtype.is_numeric():
        raise DataError("column-not-numeric", variable=name, type=type_name(values.dtype))
    return values


def overlay(values: pl.Series, place: pl.Series, codes: Sequence[str]) -> pl.Series:
    """Cells with a place get the code that stands there; the others stay as they were written.

    The column keeps its type where that can hold the codes, else it becomes text.
    """
    texts = pl.Series(codes, dtype=pl.String)
    wider = [values.dtype, *([pl.Int64()] if values.dtype.is_integer() else [])]
    for dtype in wider:
        typed = back_to(texts, dtype)
        if typed is not None:
            return values.cast(dtype).zip_with(place.is_null(), typed.gather(place))
    return spell_series(values).zip_with(place.is_null(), texts.gather(place))


def new_name(data: Microdata, name: str) -> str:
    """A name that no variable of the data has yet, whatever its case."""
    if name.casefold() in {known.casefold() for known in data.variables}:
        raise DataError("variable-exists", variable=name)
    return name


def reweighted(data: Microdata, weight: str, factors: npt.NDArray[np.float64]) -> Microdata:
    """The data with the weight of each record multiplied, to as many decimals as a weight may have."""
    weights = engine(data).weights(weight) / WEIGHT_SCALE
    column = pl.Series(weight, (weights * factors).round(WEIGHT_DECIMALS))
    return data.with_columns({weight: column}, data.dictionary.replace(weight, decimals=WEIGHT_DECIMALS))
