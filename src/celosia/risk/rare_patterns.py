r"""Rare patterns: combinations of values by which somebody may be recognised at a glance.

A combination of values of a set :math:`S` of keys that :math:`n_S(c)` records have is rare where
:math:`1 \le n_S(c) \le` ``at_most``, and a *pattern* where no part of it is rare already (a minimal infrequent
itemset). Patterns come in order of how much rarer they are than independence would make them,

.. math:: \frac{n_S(c)}{E_S(c)}, \qquad E_S(c) = n_S \prod_{v \in S} \frac{n_v(c_v)}{n_v},

with :math:`n_S` the records in which all of :math:`S` is observed; a single value is compared with equally common ones,
:math:`E = n_v / L_v` for :math:`L_v` categories. A widow of sixteen comes before a rare trade in a rare place.

The patterns are values of records: the table shows them to the analyst, who must see them. Nothing else does: not the
``repr``, the notebook's display, the picture or ``to_dict``, which hold totals.

References
----------
Haglin & Manning (2007), *On minimal infrequent itemset mining*, DMIN 2007. Hundepool et al. (2012), *Statistical
disclosure control*, 3.2.1 (spontaneous recognition).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.frames import variable_names
from celosia.core.language import text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular, html_table
from celosia.core.run import Run
from celosia.engines import Keys, engine
from celosia.risk.options import whole_number
from celosia.risk.projection import project, spelled
from celosia.risk.records import records_of

Subset = tuple[int, ...]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Pattern:
    """One combination of values, how many records have it and how many independence would give."""

    variables: tuple[str, ...]
    codes: tuple[str, ...] = field(repr=False)
    count: int
    expected: float

    @property
    def ratio(self) -> float:
        """Observed over expected."""
        return self.count / self.expected


@dataclass(frozen=True, eq=False)
class RarePatterns(Tabular):
    """The rarest patterns, and how many there are of each size."""

    keys: tuple[str, ...]
    at_most: int
    found: dict[int, int]
    patterns: tuple[Pattern, ...] = field(repr=False)

    def table(self) -> pl.DataFrame:
        """The patterns with their values, rarest first: for the analyst's eyes."""
        rows = [(" × ".join(p.variables), " × ".join(p.codes), p.count, p.expected, p.ratio) for p in self.patterns]
        types = {
            "variables": pl.String,
            "codes": pl.String,
            "count": pl.Int64,
            "expected": pl.Float64,
            "ratio": pl.Float64,
        }
        return pl.DataFrame(rows, schema=types, orient="row")

    def by_size(self) -> pl.DataFrame:
        """How many patterns there are of each number of variables."""
        return pl.DataFrame({"size": list(self.found), "patterns": list(self.found.values())})

    def views(self) -> dict[str, pl.DataFrame]:
        """The patterns, and how many there are of each size."""
        return {"": self.table(), "tables.patterns": self.by_size()}

    def picture(self) -> Picture:
        """Patterns by the number of their variables."""
        rows = self.by_size().with_columns(pl.col("size").cast(pl.String))
        said = ", ".join(f"{size}: {patterns}" for size, patterns in rows.iter_rows())
        return chart(rows, "size", "patterns", alternative=text("picture.rare-patterns", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Totals only."""
        return {
            "keys": list(self.keys),
            "at_most": self.at_most,
            "patterns": sum(self.found.values()),
            "by_size": {str(size): count for size, count in self.found.items()},
            "listed": len(self.patterns),
        }

    def _repr_html_(self) -> str:
        return html_table(self.by_size())


def rare_patterns(
    frame: Any,
    keys: Sequence[str],
    most: int = 50,
    max_size: int = 3,
    at_most: int = 2,
    run: Run | None = None,
) -> RarePatterns:
    """List the combinations of values that hardly occur, rarest against independence first.

    Parameters
    ----------
    frame
        Any table, or ``Microdata``. A cell that is not observed takes part in no pattern.
    keys
        The key variables.
    most
        The most patterns to list; all are counted.
    max_size
        The most variables of a pattern.
    at_most
        The most records that a rare combination has.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"edad": ["-18"] * 5 + ["18+"] * 5, "civil": ["s"] * 4 + ["v"] * 3 + ["s"] * 3})
    >>> rare_patterns(frame, keys=["edad", "civil"], at_most=1).table().rows()
    [('edad × civil', '-18 × v', 1, 1.5, 0.6666666666666666)]
    """
    names = variable_names(keys)
    for option, value in (("most", most), ("max_size", max_size), ("at_most", at_most)):
        whole_number(option, value)
    search = _Search.of(engine(records_of(frame)).encode(names, "wildcard"), at_most)
    top = min(max_size, len(names))
    covered: dict[Subset, Mask] = {}
    found: dict[int, int] = {}
    best: list[Pattern] = []
    for size in range(1, top + 1):
        (run or Run()).check("rare_patterns", (size - 1) / top)
        level = {s: search.rare(s, covered) for s in combinations(range(len(names)), size)}
        found[size] = sum(rare.count.size for rare in level.values())
        for rare in level.values():
            best = sorted([*best, *rare.first(most)], key=_rarity)[:most]
        covered = {s: rare.covered for s, rare in level.items()}
    return RarePatterns(names, at_most, found, tuple(best))


def _rarity(pattern: Pattern) -> tuple[Any, ...]:
    return pattern.ratio, pattern.count, len(pattern.variables), pattern.variables, pattern.codes


@dataclass(frozen=True, eq=False)
class _Rare:
    """The patterns of one set of variables, and the keys that hold one of them or of a part of it."""

    keys: Keys
    subset: Subset
    cells: npt.NDArray[np.int32]
    count: npt.NDArray[np.int64]
    expected: npt.NDArray[np.float64]
    covered: Mask

    def first(self, most: int) -> Iterator[Pattern]:
        """The rarest of them, and those as rare as the last."""
        ratio = self.count / self.expected
        chosen = np.arange(ratio.size)
        if ratio.size > most:
            chosen = np.flatnonzero(ratio <= np.partition(ratio, most - 1)[most - 1])
        variables = tuple(self.keys.names[j] for j in self.subset)
        known = [spelled(self.keys.categories[j]) for j in self.subset]
        for i in chosen:
            codes = tuple(codes[digit - 1] for codes, digit in zip(known, self.cells[i], strict=True))
            yield Pattern(variables, codes, int(self.count[i]), float(self.expected[i]))


@dataclass(frozen=True, eq=False)
class _Search:
    """The keys and the share that each category has of the records in which its variable is observed."""

    keys: Keys
    at_most: int
    shares: tuple[npt.NDArray[np.float64], ...]

    @classmethod
    def of(cls, keys: Keys, at_most: int) -> _Search:
        shares = []
        for j, categories in enumerate(keys.categories):
            count = np.bincount(keys.digits[:, j], keys.count, minlength=len(categories) + 1)
            count[0] = 0.0
            shares.append(count / max(count.sum(), 1.0))
        return cls(keys, at_most, tuple(shares))

    def rare(self, subset: Subset, covered: dict[Subset, Mask]) -> _Rare:
        """The patterns of a set, given the keys that hold one of a part of it."""
        table = project(self.keys, subset)
        cells = table.digits
        observed = (cells > 0).all(axis=1)
        before = np.zeros(self.keys.count.size, dtype=np.bool_)
        for part in combinations(subset, len(subset) - 1):
            if part:
                before |= covered[part]
        new = observed & (table.count <= self.at_most) & ~before[table.example]
        if len(subset) == 1:
            chance = np.full(cells.shape[0], 1 / max(len(self.keys.categories[subset[0]]), 1))
        else:
            chance = np.prod([self.shares[j][cells[:, i]] for i, j in enumerate(subset)], axis=0)
        expected = table.count[observed].sum() * chance
        return _Rare(self.keys, subset, cells[new], table.count[new], expected[new], before | new[table.index])
