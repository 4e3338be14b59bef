"""A step done once a household and given back to every member, so that members can never come to disagree.

The method sees one record a household, and of it only the variables that it names: each was found to be the same for
all members. Whatever it does to them is done to every member; what cannot be (another order, fewer households) is
refused.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl

from celosia.core.condition import names as names_in
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.method import Method, Protected, changed_cells
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import engine

_HOME = "celosia household"
"""The household as it was, while a step may be changing or dropping its variable."""


def on_households(method: Method, step: str, data: Microdata, run: Run) -> Protected:
    """The method applied to one record a household, and its result given back to every member."""
    household = data.role("household")
    if household is None:
        raise RoleError("household-missing", step=step)
    if getattr(method, "household", None) is not None:
        raise OptionError("household-twice", step=step)
    named = [name for name in _variables(method) if name in data and name != household]
    _check_alike(data, household, named)
    homes = engine(data).group(household).index
    known = data.with_columns({_HOME: data.column(household)})
    rows = known.take(np.sort(np.unique(homes, return_index=True)[1])).select([_HOME, household, *named])
    treated: Microdata = method.apply(rows, run).data
    if not np.array_equal(treated.ids, rows.ids):
        raise OptionError("household-drops", step=step)
    joined = engine(known).attach(treated, _HOME, [name for name in treated.variables if name != _HOME])
    after = joined.drop(_HOME, *(name for name in rows.variables if name not in treated))
    return Protected(after, method=method, run=run, changed=changed_cells(data, after))


def _check_alike(data: Microdata, household: str, names: list[str]) -> None:
    """Raise where members of a household differ in one of the variables, or in what was emptied of it."""
    for name in names:
        cells = data.frame.select(household, name).with_columns(data.suppressed(name).alias(_HOME))
        kinds = cells.unique().group_by(household).len()
        varying = kinds.filter(pl.col("len") > 1).height
        if varying:
            raise DataError("household-varies", variable=name, count=varying)


def _variables(method: Method) -> tuple[str, ...]:
    """Whatever a method's fields say that may be the name of a variable, in conditions too."""
    return tuple(dict.fromkeys(_words(method.model_dump(mode="json"))))


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        try:
            yield from names_in(value)
        except OptionError:
            return
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _words(key)
            yield from _words(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _words(item)
