r"""Which variables drive the risk: what each key, and each small set of keys, adds to it.

With :math:`n` records, :math:`D_S` the distinct values of a set :math:`S` of keys and :math:`n_S(c)` the records that
have the value :math:`c`,

.. math::
    \mathrm{distinction}(S) = \frac{D_S}{n}, \qquad
    \mathrm{separation}(S) = 1 - \frac{\sum_c n_S(c)\,(n_S(c)-1)}{n\,(n-1)},

the share of the pairs of records that :math:`S` tells apart; a missing value is a category in both. Uniques and
risk are those of ``frequencies`` and ``individual``, under the same way of counting: with the set alone, without
it, and with its variables recoded one level up their hierarchies.

The fall when a set is dropped is what a decision turns on; it is not the sum of the falls of its variables.

References
----------
Motwani & Xu (2007), *Efficient algorithms for masking and finding quasi-identifiers*, VLDB 2007 workshop on secure
data management.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import CelosiaWarning, DataError, OptionError, RoleError
from celosia.core.frames import enter
from celosia.core.hierarchy import Hierarchy
from celosia.core.language import percent, text
from celosia.core.microdata import Microdata
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Keys, engine
from celosia.risk.frequencies import Missing
from celosia.risk.individual import IndividualRisk, individual
from celosia.risk.projection import project

Subset = tuple[int, ...]


@dataclass(frozen=True)
class Driver:
    """What a set of keys adds. ``without`` is absent where no key would remain, ``recoded`` without a hierarchy."""

    variables: tuple[str, ...]
    distinct: int
    distinction: float
    separation: float
    uniques_alone: int
    uniques_without: int | None
    risk_without: float | None
    risk_recoded: float | None


@dataclass(frozen=True, eq=False)
class Drivers(Tabular):
    """The keys and their small sets, each size from the one that adds most to the one that adds least."""

    keys: tuple[str, ...]
    records: int
    uniques: int
    global_risk: float
    missing: Missing
    sets: tuple[Driver, ...] = field(repr=False)

    def table(self) -> pl.DataFrame:
        """One row a set of keys, with the falls from the figures of all keys together."""
        columns = {name: [getattr(s, name) for s in self.sets] for name in Driver.__dataclass_fields__}
        columns["variables"] = [" × ".join(s.variables) for s in self.sets]
        reals = ("risk_without", "risk_recoded")
        whole = pl.DataFrame(
            columns, schema_overrides={"uniques_without": pl.Int64, **dict.fromkeys(reals, pl.Float64)}
        )
        return whole.with_columns(
            size=pl.Series([len(s.variables) for s in self.sets], dtype=pl.Int64),
            uniques_fall=self.uniques - pl.col("uniques_without"),
            risk_fall=self.global_risk - pl.col("risk_without"),
            recode_fall=self.global_risk - pl.col("risk_recoded"),
        ).select(
            *("variables", "size", "distinct", "distinction", "separation", "uniques_alone"),
            *("uniques_without", "uniques_fall", "risk_without", "risk_fall", "risk_recoded", "recode_fall"),
        )

    def picture(self) -> Picture:
        """Share of the global risk that goes away with each key."""
        fall = pl.col("risk_fall").fill_null(0.0) / self.global_risk
        rows = self.table().filter(pl.col("size") == 1).select("variables", share=fall)
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        return chart(rows, "variables", "share", share=True, alternative=text("picture.drivers", said=said))

    def to_dict(self) -> dict[str, Any]:
        """The figures of all keys together, and of each set."""
        return {
            "keys": list(self.keys),
            "records": self.records,
            "missing": self.missing,
            "uniques": self.uniques,
            "global_risk": self.global_risk,
            "sets": self.table().to_dicts(),
        }


def drivers(
    frame: Any,
    keys: Sequence[str],
    max_size: int = 2,
    weight: str | None = None,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    missing: Missing = "wildcard",
    run: Run | None = None,
) -> Drivers:
    """Measure what each key, and each set of up to ``max_size`` keys, adds to the risk.

    Parameters
    ----------
    frame, keys, weight, missing
        As in ``individual``.
    max_size
        The largest sets to look at; the set of all keys is not one of them, unless there is a single key.
    hierarchies
        Variable → hierarchy, to see the risk with that variable recoded one level.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [1, 1, 2, 2], "edad": [30, 41, 52, 63]})
    >>> drivers(frame, keys=["sexo", "edad"]).table().select("variables", "uniques_fall").rows()
    [('edad', 4), ('sexo', 0)]
    """
    names = (keys,) if isinstance(keys, str) else tuple(keys)
    if max_size < 1:
        raise OptionError("option-range", option="max_size", low=1, high=len(names))
    if weight in names:
        raise RoleError("weight-is-key", variable=weight)
    data = enter(frame)
    if not data.height:
        raise DataError("no-records")
    whole = individual(data, names, weight, missing=missing, run=run)
    with warnings.catch_warnings():  # said once, for all keys together
        warnings.simplefilter("ignore", CelosiaWarning)
        study = _Keyed.of(data, names, weight, missing, hierarchies or {}, run or Run())
        sets = [study.driver(subset) for subset in study.subsets(max_size)]
    sets.sort(key=lambda s: (len(s.variables), s.risk_without or 0.0, s.uniques_without or 0, -s.separation))
    return Drivers(names, data.height, whole.frequencies.below(2), whole.global_risk, missing, tuple(sets))


@dataclass(frozen=True, eq=False)
class _Keyed:
    """The keys as numbered categories, with those of the next level where there is a hierarchy."""

    keys: Keys
    classes: Keys
    coded: Microdata
    recoded: Mapping[str, pl.Series]
    weight: str | None
    missing: Missing
    run: Run

    @classmethod
    def of(
        cls,
        data: Microdata,
        names: tuple[str, ...],
        weight: str | None,
        missing: Missing,
        hierarchies: Mapping[str, Hierarchy],
        run: Run,
    ) -> _Keyed:
        held = engine(data)
        keys = held.encode(names, missing)
        columns = [_numbered(keys, j, np.arange(len(keys.categories[j]) + 1)) for j in range(len(names))]
        variables = [Variable(name=name, null=MissingKind.NON_RESPONSE) for name in names]
        if weight is not None:
            columns.append(data.column(weight))
            variables.append(data.dictionary[weight])
        coded = Microdata(pl.DataFrame(columns), Dictionary.of(*variables))
        recoded = {}
        for name, hierarchy in hierarchies.items():
            if name not in names:
                raise OptionError("hierarchy-not-a-key", variable=name, keys=names)
            j = names.index(name)
            recoded[name] = _numbered(keys, j, _one_level_up(keys, j, hierarchy))
        return cls(keys, held.encode(names, "strict"), coded, recoded, weight, missing, run)

    def subsets(self, max_size: int) -> list[Subset]:
        """The sets to look at, by size."""
        variables = len(self.keys.names)
        sizes = range(1, max(2, min(max_size + 1, variables)))
        return [subset for size in sizes for subset in combinations(range(variables), size)]

    def driver(self, subset: Subset) -> Driver:
        """The figures of one set."""
        self.run.check()
        names = tuple(self.keys.names[j] for j in subset)
        count = project(self.classes, subset).count
        records = self.coded.height
        together = int((count * (count - 1)).sum()) / max(records * (records - 1), 1)
        rest = [name for name in self.keys.names if name not in names]
        without = self._risk(self.coded, rest) if rest else None
        recoded = None
        if all(name in self.recoded for name in names):
            higher = self.coded.with_columns({name: self.recoded[name] for name in names})
            recoded = self._risk(higher, self.keys.names).global_risk
        return Driver(
            variables=names,
            distinct=count.size,
            distinction=count.size / records,
            separation=1 - together,
            uniques_alone=self._risk(self.coded, names).frequencies.below(2),
            uniques_without=None if without is None else without.frequencies.below(2),
            risk_without=None if without is None else without.global_risk,
            risk_recoded=recoded,
        )

    def _risk(self, data: Microdata, names: Sequence[str]) -> IndividualRisk:
        return individual(data, names, self.weight, missing=self.missing, run=self.run)


def _numbered(keys: Keys, j: int, number: Any) -> pl.Series:
    """The number of every record's category of one variable; null where it is not observed."""
    numbers = pl.Series(keys.names[j], keys.of_records(number[keys.digits[:, j]]))
    return numbers.set(numbers == 0, None) if (keys.digits[:, j] == 0).any() else numbers


def _one_level_up(keys: Keys, j: int, hierarchy: Hierarchy) -> Any:
    """For each digit, the number of its group one level up; kinds of missing stay categories of their own."""
    name, known = keys.names[j], keys.categories[j]
    if hierarchy.depth < 2:
        raise OptionError("hierarchy-one-level", variable=name)
    group = hierarchy.mapping(1)
    values = [code for code, kind in zip(known.codes, known.kinds, strict=True) if kind is None]
    unknown = sum(code not in group for code in values)
    if unknown:
        raise DataError("hierarchy-codes-unknown", variable=name, count=unknown)
    place = {code: i for i, code in enumerate(hierarchy.codes[1], start=len(known) + 1)}
    return np.array(
        [0]
        + [
            place[group[str(code)]] if kind is None else digit
            for digit, (code, kind) in enumerate(zip(known.codes, known.kinds, strict=True), start=1)
        ]
    )
