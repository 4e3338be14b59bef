"""The risk that a file would have with other keys: with fewer of them, or with some recoded one level up.

The keys are taken as numbers of categories, so that a group of a hierarchy never meets a code of the file that
happens to be written alike, a missing one least of all.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import CelosiaWarning, DataError, OptionError
from celosia.core.hierarchy import Hierarchy
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.engines import Counting, Keys
from celosia.risk.individual import IndividualRisk, individual


@dataclass(frozen=True, eq=False)
class Trials:
    """A file of numbered keys and its weight, with the numbers one level up where there is a hierarchy."""

    coded: Microdata
    higher: Mapping[str, pl.Series]
    weight: str | None
    missing: Counting
    run: Run

    @classmethod
    def of(
        cls,
        data: Microdata,
        keys: Keys,
        weight: str | None,
        missing: Counting,
        hierarchies: Mapping[str, Hierarchy],
        run: Run,
    ) -> Trials:
        """The trials of a file whose keys were encoded under this way of counting."""
        columns = [_numbered(keys, j, np.arange(len(known) + 1)) for j, known in enumerate(keys.categories)]
        variables = [Variable(name=name, null=MissingKind.NON_RESPONSE) for name in keys.names]
        if weight is not None:
            columns.append(data.column(weight))
            variables.append(data.dictionary[weight])
        higher = {}
        for name, hierarchy in hierarchies.items():
            if name not in keys.names:
                raise OptionError("hierarchy-not-a-key", variable=name, keys=keys.names)
            j = keys.names.index(name)
            higher[name] = _numbered(keys, j, _one_level_up(keys, j, hierarchy))
        return cls(Microdata(pl.DataFrame(columns), Dictionary.of(*variables)), higher, weight, missing, run)

    def can_recode(self, names: Sequence[str]) -> bool:
        """Whether each of these keys has a hierarchy."""
        return all(name in self.higher for name in names)

    def risk(self, names: Sequence[str], recoded: Sequence[str] = ()) -> IndividualRisk:
        """The risk with these keys, some of them recoded one level up; what it would warn of is known already."""
        self.run.check()
        data = self.coded.with_columns({name: self.higher[name] for name in recoded}) if recoded else self.coded
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CelosiaWarning)
            return individual(data, names, self.weight, missing=self.missing, run=self.run)


def _numbered(keys: Keys, j: int, number: npt.NDArray[np.int64]) -> pl.Series:
    """The number of every record's category of one variable; null where it is not observed."""
    numbers = pl.Series(keys.names[j], keys.of_records(number[keys.digits[:, j]]))
    return numbers.set(numbers == 0, None) if (keys.digits[:, j] == 0).any() else numbers


def _one_level_up(keys: Keys, j: int, hierarchy: Hierarchy) -> npt.NDArray[np.int64]:
    """For each digit, the number of its group one level up; kinds of missing stay categories of their own."""
    name, known = keys.names[j], keys.categories[j]
    if hierarchy.depth < 2:
        raise OptionError("hierarchy-one-level", variable=name)
    group = hierarchy.mapping(1)
    place = {code: i for i, code in enumerate(hierarchy.codes[1], start=len(known) + 1)}
    number, unknown = np.arange(len(known) + 1, dtype=np.int64), 0
    for digit, (code, kind) in enumerate(zip(known.codes, known.kinds, strict=True), start=1):
        if kind is None and code in group:
            number[digit] = place[group[code]]
        elif kind is None:
            unknown += 1
    if unknown:
        raise DataError("hierarchy-codes-unknown", variable=name, count=unknown)
    return number
