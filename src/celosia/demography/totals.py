"""Rows of totals among the cells of a published table: known by their label, checked against their parts, set apart.

A total that went unnoticed would count its people twice, and so would call them safer than they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import polars as pl

from celosia.core.errors import DataError

_TOTAL = re.compile(
    r"total(?:es)?\b.*|ambos(?: sexos)?|todos|todas|todas las edades|personas|both(?: sexes)?|all(?: ages| persons)?"
    r"|persons",
)
_ENOUGH = 8
"""Sums that come out right in so many combinations are no accident."""


def without_totals(cells: pl.DataFrame, names: Sequence[str], count: str) -> pl.DataFrame:
    """The cells without their totals; raise where a total is not the sum of its parts."""
    marks = {name: _labels(cells[name]) for name in names}
    marked = {name: found for name, found in marks.items() if found}
    if not marked:
        return cells
    flags = cells.select(pl.col(name).is_in(found).alias(name) for name, found in marked.items())
    parts = cells.filter(~flags.select(pl.any_horizontal(pl.all())).to_series())
    patterns = flags.unique().filter(pl.any_horizontal(pl.all()))
    wrong = 0
    for pattern in patterns.iter_rows(named=True):
        of = [name for name in names if not pattern.get(name, False)]
        here = cells.filter(pl.all_horizontal(flags[name] == flag for name, flag in pattern.items()))
        if not of:
            wrong += int((here[count] != parts[count].sum()).sum())
            continue
        sums = parts.group_by(of).agg(pl.col(count).sum().alias("__parts"))
        both = here.join(sums, on=of, how="left")
        wrong += int((both[count] != both["__parts"].fill_null(0)).sum())
    if wrong:
        raise DataError("totals-disagree", count=wrong, variables=tuple(marked))
    return parts


def _labels(values: pl.Series) -> list[str]:
    """The labels of totals in a column that has others too."""
    distinct = values.unique().drop_nulls()
    found = [label for label in distinct.to_list() if _TOTAL.fullmatch(label.strip().casefold())]
    return found if 0 < len(found) < len(distinct) else []


def refuse_hidden_totals(cells: pl.DataFrame, names: Sequence[str], count: str) -> None:
    """Raise where a code without a telling label is everywhere the sum of the others."""
    for name in names:
        others = [other for other in names if other != name]
        if not others or cells[name].n_unique() < 3:
            continue
        sums = cells.group_by(others).agg(pl.col(count).sum().alias("__all"), pl.len().alias("__parts"))
        both = cells.join(sums, on=others, how="left").filter(pl.col("__all") > 0)
        doubled = 2 * pl.col(count) == pl.col("__all")
        seen = both.group_by(name).agg(
            doubled.all().alias("always"), (doubled & (pl.col("__parts") > 2)).sum().alias("times")
        )
        if (seen["always"] & (seen["times"] >= _ENOUGH)).any():
            raise DataError("totals-hidden", variable=name)
