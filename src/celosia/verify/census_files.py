"""A published census counted again, plainly: its records and its histograms say the same, and nothing more is there."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError


def check_columns(records: pl.DataFrame, allowed: Sequence[str]) -> None:
    """Raise where a file of records has any other column than these."""
    if unlike := set(records.columns) ^ set(allowed):
        raise PromiseError("promise-census-columns", variables=tuple(sorted(unlike)))


def check_histogram(records: pl.DataFrame, histogram: pl.DataFrame, places: Sequence[str]) -> None:
    """Raise where the counts of some level are not those of the records, or are not above zero.

    Parameters
    ----------
    records
        One row a record.
    histogram
        ``level``, the columns of ``places`` down to that level (empty below it), the variables, ``count``.
    places
        The columns of the levels, widest first.
    """
    variables = [name for name in records.columns if name not in places]
    kinds = {name: _spellings(records[name], histogram[name]) for name in records.columns}
    told = pl.DataFrame([spell_series(records[name]).cast(kind) for name, kind in kinds.items()])
    alike = told.group_by(told.columns).agg(pl.len().cast(pl.Int64).alias("counted"))
    for level in histogram["level"].unique(maintain_order=True).to_list():
        said = histogram.filter(pl.col("level") == level)
        own = list(places[: places.index(level) + 1]) if level in places else []
        by = [*own, *variables]
        counted = alike.group_by(by).agg(pl.col("counted").sum())
        cells = said.select(*(pl.col(name).cast(kinds[name]) for name in by), pl.col("count").cast(pl.Int64))
        pairs = counted.join(cells, on=by, how="full", nulls_equal=True)
        wrong = pairs.filter(pl.col("counted").ne_missing(pl.col("count")) | (pl.col("count") <= 0)).height
        if wrong:
            raise PromiseError("promise-census-counts", level=level, count=wrong)


def _spellings(told: pl.Series, said: pl.Series) -> pl.Enum:
    """Every code of a column in either file: numbered, they are compared at a fraction of the memory."""
    either = pl.concat([spell_series(told.unique()), said.unique().cast(pl.String)])
    return pl.Enum(either.drop_nulls().unique().sort())
