"""New identifiers: the numbers that link records of one household or firm, replaced by random ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.dictionary import Identification, Variable
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import engine
from celosia.verify import OneToOne, Renumbered, SameRecords, Untouched


class NewIds(Method):
    """Replace an identifier by numbers 1, 2, … in a secret random order.

    Records that shared an identifier share the new one. The office's own number, with which anybody inside could
    go back to the original file, is gone.

    Parameters
    ----------
    variable
        The identifier of households, firms, … that stays in the file.
    within
        Where its numbers start again: 1 of one area and 1 of another get different numbers.

    Examples
    --------
    >>> import polars as pl
    >>> from celosia import Run
    >>> frame = pl.DataFrame({"hogar": [7001, 7002, 7001]})
    >>> new = NewIds(variable="hogar").apply(frame, Run(key=1)).data["hogar"].to_list()
    >>> sorted(set(new)), new[0] == new[2]
    ([1, 2], True)
    """

    do: ClassVar[str] = "new_ids"

    variable: str
    within: tuple[str, ...] = ()

    def _transform(self, data: Microdata, run: Run) -> Protected:
        index = self._groups(data)
        size = int(index.max(initial=-1)) + 1
        first = np.full(size, np.iinfo(np.uint64).max, dtype=np.uint64)
        np.minimum.at(first, index, data.ids)
        number = np.empty(size, dtype=np.int64)
        number[np.argsort(run.order(first), kind="stable")] = np.arange(1, size + 1)
        facts = self._facts(data.dictionary[self.variable])
        dictionary = data.dictionary.replace(self.variable, **facts)
        treated = data.with_columns({self.variable: pl.Series(number[index])}, dictionary)
        return Protected(treated, method=self, run=run)

    def _groups(self, data: Microdata) -> npt.NDArray[np.integer]:
        """The number of the group of each record."""
        index: npt.NDArray[np.integer] = engine(data).group(self.variable).index
        for name in self.within:
            among = engine(data).group(name)
            index = np.unique(index.astype(np.int64) * among.size + among.index, return_inverse=True)[1]
        return index

    def _facts(self, variable: Variable) -> Mapping[str, object]:
        """What is still true of the variable: its name, label and role; it identifies nobody now."""
        same = variable.identification is None and not variable.is_direct
        return {
            "values": {},
            "missing": {},
            "missing_ranges": (),
            "null": None,
            "format": "",
            "identification": None if same else Identification.NONE,
        }

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Each old identifier has one new one, each new one one old, and the order of the old ones is gone."""
        one_to_one = OneToOne(self.variable, self.within)
        renumbered = Renumbered(self.variable, self.within)
        return (SameRecords(), Untouched(frozenset({self.variable})), one_to_one, renumbered)
