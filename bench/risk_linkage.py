"""Nearest-neighbour linkage of a million records, in seconds.

usage: python bench/risk_linkage.py [--rows 1000000]
"""

from __future__ import annotations

import argparse
import sys

import numpy as np
import polars as pl
from measure import peak_gigabytes, seconds, within_seconds

from celosia.risk.linkage import linkage
from celosia.risk.rank_linkage import rank_linkage

LIMIT_SECONDS = 60
LIMIT_GIGABYTES = 4


def treated(rows: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Three skewed variables that go together, before and after noise of a tenth."""
    chance = np.random.Generator(np.random.PCG64(3))
    common = chance.normal(size=(rows, 1))
    before = np.exp(0.8 * common + chance.normal(size=(rows, 3)))
    after = before * np.exp(0.1 * chance.normal(size=before.shape))
    names = ["income", "assets", "sales"]
    return pl.DataFrame(before, schema=names), pl.DataFrame(after, schema=names)


def rounded(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with few distinct values: most records share theirs."""
    return frame.select(pl.all().round(0).clip(0, 20))


def run(rows: int = 1_000_000) -> bool:
    """Measure and print; true where every limit holds."""
    before, after = treated(rows)
    linkage(before.head(1000), after.head(1000))
    tasks = (
        ("nearest, Euclidean", lambda: linkage(before, after)),
        ("nearest, Gower", lambda: linkage(before, after, distance="gower")),
        ("nearest, repeated values", lambda: linkage(rounded(before), rounded(after))),
        ("ranks", lambda: rank_linkage(before, after)),
    )
    good = True
    for name, task in tasks:
        good &= within_seconds(f"{rows:,} × 3 linkage, {name}", seconds(task), LIMIT_SECONDS)
    print(f"peak memory {peak_gigabytes():.2f} GB (limit {LIMIT_GIGABYTES} GB, data included)")
    return good and peak_gigabytes() < LIMIT_GIGABYTES


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    sys.exit(0 if run(parser.parse_args().rows) else 1)
