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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, get_args

import polars as pl

from celosia.core.errors import RoleError
from celosia.core.frames import variable_names
from celosia.core.hierarchy import Hierarchy
from celosia.core.language import number, percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Counting, Keys, engine
from celosia.risk.frequencies import counting_remarks
from celosia.risk.individual import individual
from celosia.risk.key_trials import Trials
from celosia.risk.options import one_of, whole_number
from celosia.risk.projection import project
from celosia.risk.records import records_of


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
    missing: Counting
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

    def views(self) -> dict[str, pl.DataFrame]:
        """What a decision turns on: what each set tells apart, and the falls."""
        shown = ("variables", "distinct", "separation", "uniques_alone", "uniques_fall", "risk_fall", "recode_fall")
        return {"": self.table().select(shown)}

    def remarks(self) -> tuple[str, ...]:
        """The figures that the falls are from, and how empty cells were counted."""
        whole = text("remark.drivers", uniques=number(self.uniques, 0), risk=percent(self.global_risk))
        return (whole, *counting_remarks(self.missing))

    def picture(self) -> Picture:
        """Share of the global risk that goes away with each key."""
        fall = pl.col("risk_fall").fill_null(0.0) / self.global_risk
        rows = self.table().filter(pl.col("size") == 1).select("variables", share_gone=fall)
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        return chart(rows, "variables", "share_gone", share=True, alternative=text("picture.drivers", said=said))

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
    missing: Counting = "wildcard",
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
    names = variable_names(keys)
    whole_number("max_size", max_size)
    one_of("missing", missing, get_args(Counting))
    if weight in names:
        raise RoleError("weight-is-key", variable=weight)
    data = records_of(frame)
    whole = individual(data, names, weight, missing=missing, run=run)
    trials = Trials.of(data, whole.frequencies.keys, weight, missing, hierarchies or {}, run or Run())
    classes = engine(data).encode(names, "strict")
    sets = [_driver(trials, classes, subset) for subset in _subsets(len(names), max_size)]
    sets.sort(key=lambda s: (len(s.variables), s.risk_without or 0.0, s.uniques_without or 0, -s.separation))
    return Drivers(names, data.height, whole.frequencies.below(2), whole.global_risk, missing, tuple(sets))


def _driver(trials: Trials, classes: Keys, subset: tuple[int, ...]) -> Driver:
    """The figures of one set of keys."""
    names = tuple(classes.names[j] for j in subset)
    rest = tuple(name for name in classes.names if name not in names)
    count, records = project(classes, subset).count, classes.records
    without = trials.risk(rest) if rest else None
    recoded = trials.risk(classes.names, recoded=names) if trials.can_recode(names) else None
    return Driver(
        variables=names,
        distinct=count.size,
        distinction=count.size / records,
        separation=1 - int((count * (count - 1)).sum()) / max(records * (records - 1), 1),
        uniques_alone=trials.risk(names).frequencies.below(2),
        uniques_without=None if without is None else without.frequencies.below(2),
        risk_without=None if without is None else without.global_risk,
        risk_recoded=None if recoded is None else recoded.global_risk,
    )


def _subsets(variables: int, max_size: int) -> list[tuple[int, ...]]:
    """The sets to look at, by size: not all variables together, unless there is one."""
    top = max(1, min(max_size, variables - 1))
    return [subset for size in range(1, top + 1) for subset in combinations(range(variables), size)]
