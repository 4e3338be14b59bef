"""Population uniqueness and log-linear risk, as ratios to R = polars' own ``len().over(keys)``, same frame, same run.

usage: python bench/risk_models.py [--rows 1000000]
"""

from __future__ import annotations

import argparse
import sys

import polars as pl
from measure import alternated, line, peak_gigabytes, seconds

from celosia.core.run import Run
from celosia.datasets import bench_population
from celosia.risk.calibration import calibration
from celosia.risk.log_linear import log_linear
from celosia.risk.population_uniqueness import population_uniqueness

KEYS = ["region", "sex", "ageg", "marital", "edu", "act"]


def population(rows: int) -> pl.DataFrame:
    """The benchmark population with age in groups of ten years."""
    return bench_population(rows).with_columns(ageg=(pl.col("age") // 10).clip(0, 8)).select(*KEYS, "weight")


def models(frame: pl.DataFrame) -> bool:
    """Print the ratios of each measure; true where all are within their limits."""

    def counted() -> None:
        frame.select(pl.len().over(KEYS))

    tasks = {
        "population uniqueness (dankar)": (lambda: population_uniqueness(frame, KEYS, weight="weight"), 2.0),
        "log-linear, main effects": (lambda: log_linear(frame, KEYS, weight="weight"), 4.0),
        "log-linear, two-way": (lambda: log_linear(frame, KEYS, weight="weight", model="two-way"), 20.0),
        "log-linear, search": (lambda: log_linear(frame, KEYS, weight="weight", model="search"), 100.0),
    }
    good = True
    for name, (ours, limit) in tasks.items():
        good &= line(f"{frame.height:,} rows, {name}", *alternated(ours, counted), limit)
    return good


def main() -> int:
    """Measure, print, and say by the exit code whether every limit holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    wanted = parser.parse_args()
    good = models(population(wanted.rows))
    known = population(100_000)
    spent = seconds(lambda: calibration(known, KEYS, run=Run(key=1)))
    print(f"calibration, 100,000 people, 5 x 10 samples: {spent:.1f} s")
    print(f"peak memory {peak_gigabytes():.2f} GB")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
