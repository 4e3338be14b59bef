"""Memory of the risk measures along the size of the file: each measure and size in a process of its own.

usage: python bench/risk_memory.py [--largest 2000000]

The peak of a process is a base (libraries, compiled loops) and what its records take. From three sizes, each twice the
one before, two slopes follow, in bytes a record; where memory grows linearly the second is no larger than the first,
where it grows with the square it is twice as large.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import warnings
from collections.abc import Callable

import numpy as np
import polars as pl
from measure import peak_gigabytes

from celosia import risk
from celosia.core.errors import CelosiaWarning
from celosia.core.microdata import Microdata
from celosia.datasets import bench_population

KEYS = ["region", "sex", "ageg", "marital", "edu", "act"]
WIDE = [*KEYS, "nat", "eth", "industry", "hsize"]
SCENARIOS = {name: [*KEYS[:4], name] for name in ("edu", "act", "nat", "eth", "industry")}
GIGABYTES, RECORDS = 4.0, 1_000_000
STEEPEST = 1.35
"""How much larger the second slope may be: allocators take memory in steps."""


def population(rows: int) -> pl.DataFrame:
    """The benchmark population with age in groups of ten years."""
    return bench_population(rows).with_columns(ageg=(pl.col("age") // 10).clip(0, 8))


def suppressed(frame: pl.DataFrame) -> Microdata:
    """One education in fifty emptied."""
    return Microdata(frame).suppress({"edu": np.arange(frame.height) % 50 == 0})


def noisy(frame: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Three continuous variables before and after noise."""
    chance = np.random.Generator(np.random.PCG64(1))
    before = np.exp(chance.normal(size=(frame.height, 3)))
    after = before * np.exp(0.1 * chance.normal(size=before.shape))
    names = ["income", "assets", "sales"]
    return pl.DataFrame(before, schema=names), pl.DataFrame(after, schema=names)


def _suda2(frame: pl.DataFrame, keys: list[str]) -> None:
    found = risk.suda2(frame, keys)
    _ = found.scores, found.dis, found.contributions


TASKS: dict[str, Callable[[pl.DataFrame], object]] = {
    "five scenarios, wildcard and strict": lambda f: risk.scenarios(f, SCENARIOS, weight="weight").table(),
    "individual, wildcard, with empty cells": lambda f: risk.individual(suppressed(f), KEYS, weight="weight").risk,
    "frequencies, intruder": lambda f: risk.frequencies(suppressed(f), KEYS, missing="intruder", truth=f).sample,
    "k_map": lambda f: risk.k_map(f.head(f.height // 10), KEYS, f).matches,
    "suda2, 6 keys": lambda f: _suda2(f, KEYS),
    "suda2, 10 keys": lambda f: _suda2(f, WIDE),
    "l_diversity": lambda f: risk.l_diversity(f, KEYS, "industry").table(),
    "t_closeness, ordered": lambda f: risk.t_closeness(f, KEYS, "income", "ordered").of_record,
    "risky_cells": lambda f: risk.risky_cells(f, KEYS).total,
    "rare_patterns": lambda f: risk.rare_patterns(f, KEYS).table(),
    "drivers": lambda f: risk.drivers(f, KEYS, weight="weight").table(),
    "population_uniqueness": lambda f: risk.population_uniqueness(f, KEYS, weight="weight").uniques,
    "log_linear, two-way": lambda f: risk.log_linear(f, KEYS, weight="weight", model="two-way").tau2,
    "best_guess": lambda f: risk.best_guess(f, suppressed(f), KEYS).share,
    "transition_risk": lambda f: risk.transition_risk(f, f, KEYS, {}).share,
    "interval": lambda f: risk.interval(*noisy(f)).share,
    "robust_interval": lambda f: risk.robust_interval(*noisy(f)).share,
    "linkage, nearest": lambda f: risk.linkage(*noisy(f)).share,
    "rank_linkage": lambda f: risk.rank_linkage(*noisy(f)).share,
}


def alone(name: str, rows: int) -> float:
    """The peak of a process that only does this."""
    call = [sys.executable, __file__, "--task", name, "--rows", str(rows)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def compared(largest: int) -> bool:
    """Print peaks and slopes; true where every limit holds."""
    sizes = [largest // 4, largest // 2, largest]
    print(f"{'peak of a process, GB':<42}" + "".join(f"{rows:>12,}" for rows in sizes) + "   bytes a record")
    good = True
    for name in TASKS:
        peaks = [alone(name, rows) for rows in sizes]
        first, second = (
            2**30 * (b - a) / (n - m) for a, b, m, n in zip(peaks, peaks[1:], sizes, sizes[1:], strict=False)
        )
        linear = second <= STEEPEST * first + 16
        small = all(peak < GIGABYTES for peak, rows in zip(peaks, sizes, strict=True) if rows <= RECORDS)
        mark = "ok" if linear and small else "OVER"
        print(f"{name:<42}" + "".join(f"{peak:12.2f}" for peak in peaks) + f"   {first:6.0f} → {second:6.0f}   {mark}")
        good &= linear and small
    return good


def main() -> int:
    """Measure all, or one task for the process above."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--largest", type=int, default=2 * RECORDS)
    parser.add_argument("--task", choices=TASKS)
    parser.add_argument("--rows", type=int, default=RECORDS)
    wanted = parser.parse_args()
    if wanted.task is None:
        return 0 if compared(wanted.largest) else 1
    warnings.simplefilter("ignore", CelosiaWarning)
    TASKS[wanted.task](population(wanted.rows))
    print(peak_gigabytes())
    return 0


if __name__ == "__main__":
    sys.exit(main())
