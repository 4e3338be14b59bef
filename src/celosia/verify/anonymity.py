"""k-anonymity counted again, plainly: group the published cells and look at the smallest group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import MissingKind
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata

_ABSENT = {MissingKind.NON_RESPONSE: "\x00non-response", MissingKind.SUPPRESSED: "\x00suppressed"}


def published(data: Microdata, name: str) -> pl.Series:
    """What a reader of the file sees in a variable, with one sign for each kind of absence."""
    values = data.column(name)
    variable = data.dictionary[name]
    empty = variable.null or MissingKind.NON_RESPONSE
    texts = spell_series(values)
    kinds = {code: variable.kind_of(code) for code in texts.unique().drop_nulls().to_list()}
    joined = {code: _ABSENT[kind] for code, kind in kinds.items() if kind in _ABSENT}
    if joined:
        texts = texts.replace(joined)
    texts = texts.fill_null(_ABSENT.get(empty, "\x00not-applicable"))
    return texts.zip_with(~data.suppressed(name), pl.Series([_ABSENT[MissingKind.SUPPRESSED]]))


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
        cells = pl.DataFrame([published(after, name).alias(name) for name in self.variables])
        sizes = cells.group_by(self.variables).len()
        short = sizes.filter(pl.col("len") < self.k)["len"].sum()
        if short:
            raise PromiseError("promise-k", k=self.k, count=int(short), counting=self.counting)
