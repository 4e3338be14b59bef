"""The numbers of a variable, with every kind of missing value masked: the one door to them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import type_name
from celosia.core.errors import DataError
from celosia.core.microdata import Microdata


def numeric(data: Microdata, name: str) -> npt.NDArray[np.float64]:
    """The values of a numeric variable as floats, NaN wherever the dictionary says that there is none."""
    values = data.column(name)
    if not values.dtype.is_numeric():
        raise DataError("column-not-numeric", variable=name, type=type_name(values.dtype))
    masked = data.dictionary[name].missing_mask(values)
    numbers = values.cast(pl.Float64)
    return (numbers.set(masked, None) if masked.any() else numbers).to_numpy(writable=True)
