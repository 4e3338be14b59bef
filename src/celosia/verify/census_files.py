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
    told = pl.DataFrame([spell_series(records[name]) for name in records.columns])
    for level in histogram["level"].unique(maintain_order=True).to_list():
        said = histogram.filter(pl.col("level") == level)
        own = list(places[: places.index(level) + 1]) if level in places else []
        by = [*own, *variables]
        counted = told.group_by(by).agg(pl.len().cast(pl.Int64).alias("counted"))
        codes = [pl.col(name).cast(pl.String) for name in by]
        cells = said.select(*codes, pl.col("count").cast(pl.Int64))
        pairs = counted.join(cells, on=by, how="full", nulls_equal=True)
        wrong = pairs.filter(pl.col("counted").ne_missing(pl.col("count")) | (pl.col("count") <= 0)).height
        if wrong:
            raise PromiseError("promise-census-counts", level=level, count=wrong)
