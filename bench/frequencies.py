"""Frequencies + individual + household risk, as ratios to R = polars' own ``len().over(keys)``, same frame, same run.

usage: python bench/frequencies.py [--rows 1000000] [--no-census]
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from measure import alternated, calibration, line, peak_gigabytes, seconds

from celosia.core.errors import CelosiaWarning
from celosia.datasets import bench_population
from celosia.risk import individual

KEYS = ["region", "sex", "ageg", "marital", "edu", "act"]
PEERS = json.loads((Path(__file__).parent / "peers.json").read_text("utf-8"))


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
    for peer in PEERS["frequencies"]:
        ours = seconds(lambda n=peer["rows"]: measured(population(n)))
        print(f"{peer['tool']}, {peer['op']}, {peer['rows']:,} rows: {peer['seconds']} s; here {ours:.2f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
