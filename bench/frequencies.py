"""Frequencies + individual + household risk, as ratios to R = polars' own ``len().over(keys)``, same frame, same run.

usage: python bench/frequencies.py [--rows 1000000] [--no-census]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import polars as pl
from measure import alternated, calibration, line, peak_gigabytes, seconds
from peer_times import beside

from celosia.core.errors import CelosiaWarning
from celosia.datasets import bench_population
from celosia.risk import frequencies, individual

KEYS = ["region", "sex", "ageg", "marital", "edu", "act"]


def population(rows: int) -> pl.DataFrame:
    """The benchmark population with age in groups of ten years."""
    age = (pl.col("age") // 10).clip(0, 8).alias("ageg")
    return bench_population(rows).with_columns(age).select("hid", *KEYS, "weight")


def measured(frame: pl.DataFrame) -> None:
    """What is timed: all three measures, every record's value asked for."""
    found = individual(frame, KEYS, weight="weight", household="hid")
    _ = found.frequencies.sample, found.frequencies.population, found.risk, found.household_risk


def counted(frame: pl.DataFrame) -> None:
    """R: the size of each record's class in polars."""
    frame.select(pl.len().over(KEYS))


def with_missing(frame: pl.DataFrame, share: float, keys: Sequence[str] = KEYS) -> pl.DataFrame:
    """The frame with a share of its key cells emptied at random."""
    chance = np.random.Generator(np.random.PCG64(11))
    empty = {key: pl.Series(chance.random(frame.height) < share) for key in keys}
    return frame.with_columns(pl.when(empty[key]).then(None).otherwise(pl.col(key)).alias(key) for key in keys)


def sized(frame: pl.DataFrame) -> None:
    """Frequencies alone."""
    found = frequencies(frame, KEYS, weight="weight")
    _ = found.sample, found.population


def as_peers() -> Iterator[tuple[str, int, Callable[[pl.DataFrame], None], pl.DataFrame]]:
    """The tasks of the peers: name, rows, what is timed, and on which data."""
    yield "risk", 100_000, measured, population(100_000)
    yield "risk", 1_000_000, measured, population(1_000_000)
    yield "counts", 1_000_000, sized, population(1_000_000)
    yield "holes", 30_000, sized, with_missing(population(30_000), 0.05)


def main() -> int:
    """Measure, print, and say by the exit code whether every limit holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--no-census", action="store_true")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore", CelosiaWarning)
    print(f"C (numpy.sort of 10 million floats): {calibration():.3f} s")
    frame = population(wanted.rows)
    text = frame.with_columns(pl.col(key).cast(pl.String) for key in KEYS)
    missing = with_missing(frame, 0.05)
    kinds = (("integer keys", frame, 1.5), ("text keys", text, 5.0), ("5 % missing, wildcard", missing, 8.0))
    good = True
    for name, table, limit in kinds:
        ours, reference = alternated(lambda t=table: measured(t), lambda t=table: counted(t))
        good &= line(f"{wanted.rows:,} rows, {name}", ours, reference, limit)
    del text, missing
    if not wanted.no_census:
        frame = population(17_500_000)
        ours, reference = alternated(lambda: measured(frame), lambda: counted(frame))
        good &= line("17,500,000 rows, integer keys", ours, reference, 1.5)
        print(f"peak memory {peak_gigabytes():.2f} GB (limit 5 GB, data included)")
        good &= peak_gigabytes() < 5
    for task, rows, what, table in as_peers():
        beside("frequencies", task, rows, statistics.median(seconds(lambda w=what, t=table: w(t)) for _ in range(5)))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
