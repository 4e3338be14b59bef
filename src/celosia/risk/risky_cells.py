r"""Risky cells: how many cells of the tables of one, two, … keys hold few records.

For every set :math:`S` of at most ``max_dim`` key variables, with :math:`n_S(c)` the records in cell :math:`c` of
its table and :math:`t_d` the threshold for tables of :math:`d = |S|` dimensions,

.. math:: R_S = \sum_c I(1 \le n_S(c) \le t_d).

Empty cells do not count; a missing value is a category.

References
----------
Hundepool et al. (2014), *μ-Argus user manual*, 2.4 (unsafe combinations). Templ, Kowarik & Meindl (2015), JSS 67(4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import polars as pl

from celosia.core.errors import OptionError
from celosia.core.frames import variable_names
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import engine
from celosia.risk.options import whole_number
from celosia.risk.projection import project
from celosia.risk.records import records_of


@dataclass(frozen=True)
class Cells:
    """The cells of one table: how many are observed, how many are risky, and the records in these."""

    variables: tuple[str, ...]
    threshold: int
    cells: int
    risky: int
    records: int


@dataclass(frozen=True, eq=False)
class RiskyCells(Tabular):
    """Risky cells of every table up to some dimensions."""

    keys: tuple[str, ...]
    tables: tuple[Cells, ...] = field(repr=False)

    @property
    def total(self) -> int:
        """Risky cells of all tables."""
        return sum(table.risky for table in self.tables)

    def table(self) -> pl.DataFrame:
        """One row a table: its variables, dimension, threshold, cells, risky cells and the records in them."""
        rows = [
            (" × ".join(t.variables), len(t.variables), t.threshold, t.cells, t.risky, t.records) for t in self.tables
        ]
        return pl.DataFrame(
            rows, schema=["variables", "dimension", "threshold", "cells", "risky", "records"], orient="row"
        )

    def by_dimension(self) -> pl.DataFrame:
        """Cells and risky cells of all tables of each dimension."""
        tables = self.table().group_by("dimension", "threshold").agg(pl.col("cells", "risky").sum())
        return tables.sort("dimension").with_columns(share=pl.col("risky") / pl.max_horizontal("cells", 1))

    def views(self) -> dict[str, pl.DataFrame]:
        """Each table, and by dimension."""
        named = {"threshold": "at_most"}
        return {"": self.table().rename(named), "tables.by-dimension": self.by_dimension().rename(named)}

    def picture(self) -> Picture:
        """Share of the observed cells that are risky, by dimension."""
        rows = self.by_dimension().select(pl.col("dimension").cast(pl.String), "share")
        said = ", ".join(f"{d}: {percent(share)}" for d, share in rows.iter_rows())
        return chart(rows, "dimension", "share", share=True, alternative=text("picture.risky-cells", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Totals, and the same by dimension."""
        return {"keys": list(self.keys), "total": self.total, "dimensions": self.by_dimension().to_dicts()}


def risky_cells(
    frame: Any,
    keys: Sequence[str],
    max_dim: int = 3,
    threshold: int | Sequence[int] = 3,
    run: Run | None = None,
) -> RiskyCells:
    """Count the observed cells that hold few records, in every table of up to ``max_dim`` keys.

    Parameters
    ----------
    frame
        Any table, or ``Microdata``.
    keys
        The key variables.
    max_dim
        The most dimensions of a table.
    threshold
        A cell with so many records or fewer is risky: one number, or one for each dimension from 1 up.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [1, 1, 2, 2], "zona": ["n", "n", "n", "s"]})
    >>> risky_cells(frame, keys=["sexo", "zona"], max_dim=2, threshold=1).table()["risky"].to_list()
    [0, 1, 2]
    """
    names = variable_names(keys)
    whole_number("max_dim", max_dim)
    top = min(max_dim, len(names))
    limits = tuple(threshold) if isinstance(threshold, Sequence) else (threshold,) * max_dim
    if len(limits) < top:
        raise OptionError("threshold-dimensions", found=len(limits), expected=top)
    for limit in limits:
        whole_number("threshold", limit)
    found = engine(records_of(frame)).encode(names, "strict")
    tables = []
    for size in range(1, top + 1):
        (run or Run()).check("risky_cells", (size - 1) / top)
        for subset in combinations(range(len(names)), size):
            count = project(found, subset).count
            few = count[count <= limits[size - 1]]
            variables = tuple(names[j] for j in subset)
            tables.append(Cells(variables, limits[size - 1], count.size, few.size, int(few.sum())))
    return RiskyCells(names, tuple(tables))
