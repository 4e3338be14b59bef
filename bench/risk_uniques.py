"""Special uniques and the tables around them, as ratios to R = polars' own ``len().over(keys)``, same frame, same run.

usage: python bench/risk_uniques.py [--rows 1000000] [--no-wide]
"""

from __future__ import annotations

import argparse
import sys
import warnings

import polars as pl
from measure import alternated, calibration, line, peak_gigabytes, seconds, within_seconds
from peer_times import beside

from celosia.core.errors import CelosiaWarning
from celosia.datasets import bench_population
from celosia.risk.drivers import drivers
from celosia.risk.rare_patterns import rare_patterns
from celosia.risk.risky_cells import risky_cells
from celosia.risk.suda2 import suda2

KEYS = ["region", "sex", "ageg", "marital", "edu", "act"]
WIDE = [*KEYS, "nat", "eth", "industry", "hsize"]
WIDE_SECONDS = 180.0
GIGABYTES = 4.0


def population(rows: int) -> pl.DataFrame:
    """The benchmark population with age in groups of ten years."""
    age = (pl.col("age") // 10).clip(0, 8).alias("ageg")
    return bench_population(rows).with_columns(age).select(*WIDE, "weight")


def scored(frame: pl.DataFrame, keys: list[str]) -> None:
    """What is timed: every record's score, DIS and contributions."""
    found = suda2(frame, keys)
    _ = found.scores, found.dis, found.contributions


def uniques(rows: int, wide: bool = True) -> bool:
    """Measure, print, and say whether every limit holds."""
    frame = population(rows)

    def counted() -> None:
        frame.select(pl.len().over(KEYS))

    ours, reference = alternated(lambda: scored(frame, KEYS), counted)
    good = line(f"SUDA2, {rows:,} rows, 6 keys", ours, reference, 4.0)
    beside("risk", "suda2", rows, ours)
    others = {
        "risky cells to 3 dimensions, 6 keys": lambda: risky_cells(frame, KEYS),
        "rare patterns to 3 variables, 6 keys": lambda: rare_patterns(frame, KEYS).table(),
        "drivers, 6 keys and their pairs": lambda: drivers(frame, KEYS, weight="weight"),
    }
    for name, task in others.items():
        task()
        print(f"{name:<52} {(took := seconds(task)):8.3f} s   {took / reference:6.2f} R")
    if wide:
        took = seconds(lambda: scored(frame, WIDE))
        good &= within_seconds(f"SUDA2, {rows:,} rows, 10 keys", took, WIDE_SECONDS)
        print(f"peak memory {peak_gigabytes():.2f} GB (limit {GIGABYTES:.0f} GB, data included)")
        good &= peak_gigabytes() < GIGABYTES
    return good


def main() -> int:
    """Measure with the options of the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--no-wide", action="store_true")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore", CelosiaWarning)
    print(f"C (numpy.sort of 10 million floats): {calibration():.3f} s")
    return 0 if uniques(wanted.rows, not wanted.no_wide) else 1


if __name__ == "__main__":
    sys.exit(main())
