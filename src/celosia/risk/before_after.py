"""The same records before and after treatment, paired: what every measure of continuous variables starts from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.core.dictionary import Role
from celosia.core.errors import DataError, RoleError
from celosia.core.frames import enter
from celosia.core.microdata import Microdata
from celosia.core.values import numeric

Floats = npt.NDArray[np.float64]

_NOT_MEASURED = {Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM, Role.LINKED, Role.ID}


@dataclass(frozen=True, eq=False)
class Pair:
    """Original and treated records, row by row the same, and the variables to compare."""

    original: Microdata
    masked: Microdata
    variables: tuple[str, ...]

    @property
    def records(self) -> int:
        """Number of records."""
        return self.masked.height

    def values(self) -> tuple[Floats, Floats]:
        """Both files as arrays, a row a record, a column a variable; NaN where a value is missing."""
        return columns(self.original, self.variables), columns(self.masked, self.variables)


def pair(original: Any, masked: Any, variables: Sequence[str] | None = None) -> Pair:
    """Pair two files: by record id where both are ``Microdata``, else row by row.

    Treated ``Microdata`` may lack records that were dropped; they are not compared. Without ``variables``, those with
    the role ``numeric_key``, or else all that are numeric in both files and play no other role.
    """
    before, after = enter(original), enter(masked)
    if isinstance(original, Microdata) and isinstance(masked, Microdata):
        before = before.in_order_of(after.ids)
        if before.height != after.height:
            raise DataError("masked-ids", count=after.height - before.height)
    if before.height != after.height:
        raise DataError("masked-records", original=before.height, masked=after.height)
    if after.height == 0:
        raise DataError("masked-no-records")
    names = _measured(before, after) if variables is None else _names(variables)
    if not names:
        raise RoleError("no-numeric-variables")
    before.require(*names)
    after.require(*names)
    return Pair(before, after, names)


def _names(variables: Sequence[str]) -> tuple[str, ...]:
    return (variables,) if isinstance(variables, str) else tuple(dict.fromkeys(variables))


def _measured(before: Microdata, after: Microdata) -> tuple[str, ...]:
    declared = before.dictionary.with_role(Role.NUMERIC_KEY)
    if declared:
        return declared
    return tuple(
        name
        for name in before.variables
        if name in after
        and before.column(name).dtype.is_numeric()
        and after.column(name).dtype.is_numeric()
        and before.dictionary[name].role not in _NOT_MEASURED
    )


def columns(data: Microdata, names: Sequence[str]) -> Floats:
    """The values of numeric variables side by side, checked: each has one, and none is infinite."""
    for name in names:  # of any type: a column without a value has none of its own
        if data.column(name).is_null().all():
            raise DataError("variable-all-missing", variable=name)
    side = np.column_stack([numeric(data, name) for name in names])
    for j, name in enumerate(names):
        if np.isnan(side[:, j]).all():
            raise DataError("variable-all-missing", variable=name)
        if np.isinf(side[:, j]).any():
            raise DataError("variable-infinite", variable=name)
    return side


def deviations(values: Floats, names: Sequence[str]) -> Floats:
    """Standard deviation (n - 1) of each column over its observed values; none is zero."""
    observed = (~np.isnan(values)).sum(axis=0)
    low, high = np.nanmin(values, axis=0), np.nanmax(values, axis=0)
    for j, name in enumerate(names):
        if observed[j] < 2 or low[j] == high[j]:
            raise DataError("variable-constant", variable=name)
    size = magnitude(values)
    found: Floats = np.nanstd(values / size, axis=0, ddof=1) * size
    return found


def standardised(values: Floats, names: Sequence[str]) -> Floats:
    """Each column less its mean, over its standard deviation."""
    of_order_one = values / magnitude(values)
    scaled: Floats = (of_order_one - np.nanmean(of_order_one, axis=0)) / deviations(of_order_one, names)
    return scaled


def magnitude(values: Floats) -> Floats:
    """Of each column the power of two by which its largest value comes to be between a half and one.

    Squares of what is divided by it neither overflow nor vanish, and it takes away no digit.
    """
    exponent = np.frexp(np.nanmax(np.abs(values), axis=0))[1]
    return np.asarray(np.exp2(np.clip(exponent, -1022, 1023).astype(np.float64)))
