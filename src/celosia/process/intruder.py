"""What an intruder holds of a study: the true records in the coding of the file.

Each step coded the cells that the file still held; the others are coded alike. Of a true code that no cell held any
more, the step is asked again on the true records; where it has no answer the code stays as it was, and only emptied
cells can be its own.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import polars as pl

from celosia.core.codes import back_to, spell_series
from celosia.core.errors import CelosiaError, CelosiaWarning
from celosia.core.microdata import Microdata

if TYPE_CHECKING:
    from celosia.process.study import Study


def truth(study: Study) -> Microdata:
    """The records as they are coded now, with every cell as it was before suppression and perturbation."""
    data, untouched = study.root.data, True
    for before, after in pairwise(study.history):
        method = after.plan.steps[-1].method
        if method.perturbs or method.suppresses:
            untouched = False
        elif untouched:
            data = after.data
        else:
            data = _Coded(before, after, data).records
    return data.in_order_of(study.data.ids)


class _Coded:
    """The true records after a step: a cell is coded as the file has it, or would have it."""

    def __init__(self, before: Study, after: Study, true: Microdata) -> None:
        self.after, self.step, self.run = after.data, after.plan.steps[-1], after.run
        self.true = true.in_order_of(before.data.ids)
        self.known, self.held = (data.in_order_of(after.data.ids) for data in (true, before.data))

    @property
    def records(self) -> Microdata:
        """The records that the step left."""
        columns = {name: self._column(name) for name in self.after.variables}
        base = self.known.select([name for name in self.after.variables if name in self.known])
        return base.with_columns(columns, self.after.dictionary)

    def _column(self, name: str) -> pl.Series:
        shown = self.after.column(name)
        image = spell_series(shown)
        if name not in self.known:
            coded = _either(self._asked_again(name), image)
        else:
            own = spell_series(self.known.column(name))
            same = own.eq_missing(spell_series(self.held.column(name)))
            if same.all():
                return shown
            alike = self._alike(own, image, same)
            if (alike.is_null() & ~same).any():
                alike = _either(alike, self._asked_again(name))
            coded = image.zip_with(same, _either(alike, own))
        typed = back_to(coded, shown.dtype)
        return (coded if typed is None else typed).alias(name)

    def _alike(self, own: pl.Series, image: pl.Series, same: pl.Series) -> pl.Series:
        """What each true code became where the file held it, if that is one code, and not of some records only."""
        pairs = pl.DataFrame({"own": own, "image": image}).filter(same & own.is_not_null()).unique()
        if self.step.where is not None or self.step.step_strata:
            pairs = pairs.clear()
        one = pairs.filter(~pairs["own"].is_duplicated())
        return own.to_frame("own").join(one, on="own", how="left", maintain_order="left")["image"]

    def _asked_again(self, name: str) -> pl.Series:
        """What the step makes of the true records; nothing where it refuses them, or leaves a record out."""
        made = self._replayed
        if made is None or name not in made:
            return pl.Series(name, [None] * self.after.height, dtype=pl.String)
        codes = pl.DataFrame({"id": made.ids, "image": spell_series(made.column(name))})
        order = pl.DataFrame({"id": self.after.ids})
        return order.join(codes, on="id", how="left", maintain_order="left")["image"]

    @cached_property
    def _replayed(self) -> Microdata | None:
        try:
            with warnings.catch_warnings(action="ignore", category=CelosiaWarning):
                made: Microdata = self.step.apply(self.true, self.run).data
        except CelosiaError:
            return None
        return made


def _either(codes: pl.Series, others: pl.Series) -> pl.Series:
    """The first code, or the other where there is none."""
    return codes.zip_with(codes.is_not_null(), others)
