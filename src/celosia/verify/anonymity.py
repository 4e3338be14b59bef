"""k-anonymity counted again, plainly: group the published cells and look at the smallest group."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import MissingKind
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata

RECORDS = "\x00records"
"""Name of a column of counts, which no variable has."""

Ints = npt.NDArray[np.int64]

_ABSENT = {MissingKind.NON_RESPONSE: "\x00non-response", MissingKind.SUPPRESSED: "\x00suppressed"}


def published(data: Microdata, name: str) -> pl.Series:
    """What a reader of the file sees in a variable, with one sign for each kind of absence."""
    texts, place = _seen(data, name)
    shown = pl.Series(texts, dtype=pl.String).gather(place).alias(name)
    return shown.zip_with(~data.suppressed(name), pl.Series([_ABSENT[MissingKind.SUPPRESSED]]))


def numbered(data: Microdata, name: str) -> pl.Series:
    """The same in numbers: 0 for what was not answered, -1 for what was emptied, and one for each category."""
    texts, place = _seen(data, name)
    number = {text: i for i, text in enumerate(sorted(set(texts) - set(_ABSENT.values())), start=1)}
    number |= {_ABSENT[MissingKind.NON_RESPONSE]: 0, _ABSENT[MissingKind.SUPPRESSED]: -1}
    shown = np.array([number[text] for text in texts], dtype=np.int32)[place.to_numpy()]
    shown[data.suppressed(name).to_numpy()] = -1
    return pl.Series(name, shown)


def groups(columns: Iterable[pl.Series | Ints], records: int) -> Ints:
    """A number for each record, the same for those that agree on all columns."""
    group, room = np.zeros(records, dtype=np.int64), 1
    for column in columns:
        values = np.asarray(column, dtype=np.int64)
        low = int(values.min(initial=0))
        width = int(values.max(initial=0)) - low + 1
        if room * width >= 2**62:
            group = np.unique(group, return_inverse=True)[1].reshape(-1)
            room = int(group.max(initial=0)) + 1
        group, room = group * width + (values - low), room * width
    return group


def _seen(data: Microdata, name: str) -> tuple[list[str], pl.Series]:
    """What the distinct cells of a variable are to a reader, and which of these each cell is."""
    values, variable = data.column(name), data.dictionary[name]
    if not values.dtype.is_integer():
        values = spell_series(values)
    distinct = values.unique().sort()
    empty = _ABSENT.get(variable.null or MissingKind.NON_RESPONSE, "\x00not-applicable")
    codes = spell_series(distinct).to_list()
    kinds = [None if code is None else variable.kind_of(code) for code in codes]
    texts = [
        empty if code is None else _ABSENT.get(kind, code) if kind else code
        for code, kind in zip(codes, kinds, strict=True)
    ]
    return texts, distinct.search_sorted(values)


@dataclass(frozen=True)
class KAnonymous:
    """Every record shares its published key with at least k - 1 others, within its stratum."""

    keys: tuple[str, ...]
    k: int
    strata: tuple[str, ...] = ()
    counting: Literal["strict"] = "strict"

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        return (*self.strata, *self.keys)

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of records in smaller groups."""
        _, sizes = np.unique(
            groups([numbered(after, name) for name in self.variables], after.height), return_counts=True
        )
        short = int(sizes[sizes < self.k].sum())
        if short:
            raise PromiseError("promise-k", k=self.k, count=short, counting=self.counting)
