"""Attribute disclosure, as ratios to R = polars' own ``len().over(keys)``, same frame, same run.

usage: python bench/risk_attribute.py [--rows 1000000]
"""

from __future__ import annotations

import argparse
import sys

import polars as pl
from measure import alternated, line
from peer_times import beside

from celosia.datasets import bench_population
from celosia.risk.l_diversity import l_diversity
from celosia.risk.t_closeness import t_closeness

KEYS = ["region", "sex", "ageg", "marital", "edu", "act"]


def population(rows: int) -> pl.DataFrame:
    """The benchmark population with age in groups of ten years."""
    age = (pl.col("age") // 10).clip(0, 8).alias("ageg")
    return bench_population(rows).with_columns(age).select(*KEYS, "industry", "income")


def counted(frame: pl.DataFrame) -> None:
    """R: the size of each record's class in polars."""
    frame.select(pl.len().over(KEYS))


def measured(rows: int = 1_000_000) -> bool:
    """Print the ratios; true where every limit holds."""
    frame = population(rows)
    ours, reference = alternated(lambda: l_diversity(frame, KEYS, "industry").table(), lambda: counted(frame))
    good = line(f"{rows:,} rows, l-diversity of industry, 6 keys", ours, reference, 3.0)
    beside("risk", "l_diversity", rows, ours)
    for sensitive, distance in (("industry", "equal"), ("income", "ordered")):
        ours, reference = alternated(
            lambda s=sensitive, d=distance: t_closeness(frame, KEYS, s, d).of_record, lambda: counted(frame), runs=3
        )
        line(f"{rows:,} rows, t-closeness of {sensitive}, {distance}", ours, reference, float("inf"))
    return good


def main() -> int:
    """Measure, print, and say by the exit code whether the limit holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    return 0 if measured(parser.parse_args().rows) else 1


if __name__ == "__main__":
    sys.exit(main())
