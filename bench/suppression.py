"""Local suppression from frame to frame, verification included, beside sdcMicro's measured times and its cells.

usage: python bench/suppression.py [--no-census] [--curve FILE]

Times of the peer are those of ``peers.json``, as they would be on this machine; ours are medians of five.
``--curve`` writes time against distinct keys as a table for the figure of the documentation.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import polars as pl
from measure import C, calibration, peak_gigabytes, seconds
from peer_times import peers

from celosia.core.errors import CelosiaWarning
from celosia.datasets import bench_population
from celosia.methods import LocalSuppression

KEYS = ["region", "sex", "ageg", "marital", "edu", "act"]
WIDE = ["region", "sex", "age", "marital", "edu", "act", "nat", "eth"]

FASTER = {10_000: 1_000, 30_000: 0, 100_000: 5_000}
OVER_BOUND = {10_000: 1.25, 30_000: 1.12, 100_000: 1.05}
LARGE_SECONDS, CENSUS_SECONDS, CENSUS_GIGABYTES = 30.0, 300.0, 10.0
SPREAD = 2.0
"""Time grows linearly in distinct keys: what one takes, at most over at least."""


def population(rows: int) -> pl.DataFrame:
    """The benchmark population with age in groups of ten years beside single years."""
    return bench_population(rows).with_columns(ageg=(pl.col("age") // 10).clip(0, 8))


def median(task: Callable[[], object], runs: int = 5) -> float:
    """The median time of some calls, after one that does not count."""
    task()
    return statistics.median(seconds(task) for _ in range(runs))


def processor_seconds(task: Callable[[], object]) -> float:
    """The time that all threads of this process spend on one call."""
    start = time.process_time()
    task()
    return time.process_time() - start


def against_peer() -> bool:
    """Time and cells beside sdcMicro's, for each way of counting."""
    good = True
    ways = {
        "strict": {"counting": "strict"},
        "wildcard, each treated": {"counting": "wildcard"},
        "wildcard, covered spared": {"counting": "wildcard", "spare_covered": True},
    }
    for name, options in ways.items():
        for peer in peers("suppression"):
            rows, violators = peer["rows"], peer["violators"]
            frame = population(rows)
            method = LocalSuppression(keys=KEYS, k=3, **options)
            took = median(lambda m=method, f=frame: m.apply(f))
            ratio = peer["here"] / took
            cells = method.apply(frame).total
            asked = FASTER[rows] if name != "wildcard, covered spared" else 0
            limit = OVER_BOUND[rows] * violators if name == "strict" else peer["suppressed"]
            fine = ratio >= asked and cells < limit
            good &= fine
            print(
                f"{name:<26}{rows:>8,} rows {took:8.3f} s {ratio:8,.0f} times faster (asked {asked:,})   "
                f"{cells:6,} cells, {cells / violators:.4f} a violator (limit {limit / violators:.4f}; "
                f"sdcMicro {peer['suppressed'] / violators:.4f})   {'ok' if fine else 'OVER'}"
            )
    return good


def longer() -> None:
    """What more effort gains."""
    for peer in peers("suppression"):
        frame, violators = population(peer["rows"]), peer["violators"]
        told = []
        for effort in (1, 10, 100):
            method = LocalSuppression(keys=KEYS, k=3, effort=effort)
            start = time.perf_counter()
            told.append(f"{effort}: {method.apply(frame).total / violators:.4f} in {time.perf_counter() - start:.2f} s")
        print(f"strict, {peer['rows']:,} rows, cells a violator by effort   " + "   ".join(told))


def large(c: float) -> bool:
    """One million rows, eight keys with single years of age."""
    frame = population(1_000_000).select(WIDE)
    LocalSuppression(keys=WIDE, k=3).apply(frame.head(2_000))
    start = time.perf_counter()
    result = LocalSuppression(keys=WIDE, k=3).apply(frame)
    took = (time.perf_counter() - start) * C / c
    fine = took < LARGE_SECONDS
    print(
        f"1,000,000 rows, 8 keys: {result.violators:,} violators, {result.total:,} cells, {took:.1f} s at the usual "
        f"calibration (limit {LARGE_SECONDS:.0f} s), peak {peak_gigabytes():.2f} GB   {'ok' if fine else 'OVER'}"
    )
    return fine


def census(c: float, keys: list[str]) -> bool:
    """The size of a country, in a process of its own."""
    call = [sys.executable, __file__, "--alone", ",".join(keys)]
    done = subprocess.run(call, capture_output=True, text=True, check=True)
    took, peak, violators, cells = (float(part) for part in done.stdout.split())
    took *= C / c
    fine = took < CENSUS_SECONDS and peak < CENSUS_GIGABYTES
    print(
        f"17,500,000 rows, {len(keys)} keys: {violators:,.0f} violators, {cells:,.0f} cells, {took:.1f} s at the usual "
        f"calibration (limit {CENSUS_SECONDS:.0f} s), peak {peak:.2f} GB (limit {CENSUS_GIGABYTES:.0f})   "
        f"{'ok' if fine else 'OVER'}"
    )
    return fine


def alone(keys: list[str]) -> None:
    """The suppression of a census, and nothing else: seconds, peak memory, violators, cells."""
    LocalSuppression(keys=keys, k=3).apply(population(2_000))
    frame = population(17_500_000).select(keys)
    start = time.perf_counter()
    result = LocalSuppression(keys=keys, k=3).apply(frame)
    print(time.perf_counter() - start, peak_gigabytes(), result.violators, result.total)


def curve() -> pl.DataFrame:
    """Processor time against distinct keys, from files of growing size: what else the machine does matters little."""
    rows = []
    LocalSuppression(keys=WIDE, k=3).apply(population(2_000))
    for size in (25_000, 50_000, 100_000, 200_000, 400_000, 800_000):
        frame = population(size).select(WIDE)
        method = LocalSuppression(keys=WIDE, k=3)
        took = statistics.median(processor_seconds(lambda m=method, f=frame: m.apply(f)) for _ in range(3))
        distinct = frame.unique().height
        rows.append((size, distinct, took, 1e6 * took / distinct))
        print(f"{size:>9,} rows {distinct:>9,} distinct keys {took:8.3f} s {1e6 * took / distinct:6.2f} µs a key")
    return pl.DataFrame(rows, schema=["rows", "distinct_keys", "seconds", "microseconds_a_key"], orient="row")


def main() -> int:
    """Measure, print, and say by the exit code whether every limit holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--no-census", action="store_true")
    parser.add_argument("--curve", type=Path)
    parser.add_argument("--alone")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore", CelosiaWarning)
    if wanted.alone:
        alone(wanted.alone.split(","))
        return 0
    c = calibration()
    print(f"C (numpy.sort of 10 million floats): {c:.3f} s")
    good = against_peer()
    longer()
    good &= large(c)
    points = curve()
    spread = points["microseconds_a_key"].max() / points["microseconds_a_key"].min()  # type: ignore[operator]
    good &= spread <= SPREAD
    print(
        f"time a key: largest over smallest {spread:.2f} over a factor {points['rows'][-1] // points['rows'][0]} "
        f"(limit {SPREAD})   {'ok' if spread <= SPREAD else 'OVER'}"
    )
    if wanted.curve:
        points.write_csv(wanted.curve, float_precision=4)
    if not wanted.no_census:
        good &= census(c, KEYS)
        good &= census(c, WIDE)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
