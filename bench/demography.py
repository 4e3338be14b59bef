"""Demographic anonymity at the size of Spain: exact, simulated, and beside the births of persons drawn one by one.

8,110 places, two sexes, 18 groups of age, 47 million people; birth dates to the day, month and year. Limits in
seconds grow with C, as ``measure`` says.

usage: python bench/demography.py [--simulations 1000]
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

import numpy as np
from measure import calibration, peak_gigabytes, seconds, within_seconds

from celosia import Run
from celosia.datasets import register_counts
from celosia.demography import Counts, expected_anonymity, simulate_anonymity

DETAILS = ("day", "month", "year")
PERIODS = (1826, 60, 5)
EXACT, SIMULATED = 2.0, 60.0
"""Limits in seconds: with the checks of the table; of a thousand simulations on two cores."""
PAPER = (0.4238, 0.0577, 0.0045)


def main() -> int:
    """Measure all, print, and say by the exit code whether every limit holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--simulations", type=int, default=1000)
    wanted = parser.parse_args().simulations
    print(f"C (numpy.sort of 10 million floats): {calibration():.3f} s; {os.cpu_count()} cores")
    frame = register_counts()
    expected_anonymity(register_counts(10, 1000), DETAILS)  # compiled once
    simulate_anonymity(register_counts(10, 1000), DETAILS, simulations=2, run=Run(key=1))
    good = exact(frame) & simulated(frame, wanted)
    print(f"peak memory {peak_gigabytes():.2f} GB")
    return 0 if good else 1


def exact(frame) -> bool:
    """The expectation, with everything that is checked of the table before it."""
    time = statistics.median(seconds(lambda: expected_anonymity(frame, DETAILS)) for _ in range(5))
    good = within_seconds("exact, three details, checks included", time, EXACT)
    counts = Counts.of(frame)
    places = statistics.median(seconds(lambda: expected_anonymity(counts, DETAILS, by=["place"])) for _ in range(5))
    print(f"{'  of every place, all k':<52} {places:8.2f} s")
    found = expected_anonymity(counts, DETAILS)
    for detail, paper in zip(DETAILS, PAPER, strict=True):
        total = found.spreads[detail].people.sum()
        share = found.share_at_most(detail, 1)
        beside = f"paper's register {paper:.2%}; Σ k f_k − n = {total - counts.total:.1e}"
        print(f"  1-anonymous to the {detail:<6} {share:7.2%} ({beside})")
        good &= abs(total / counts.total - 1) < 1e-12 and 0.5 < share / paper < 2
    return good


def simulated(frame, simulations: int) -> bool:
    """So many simulations, and one of the paper's kind for comparison."""
    counts = Counts.of(frame)
    time = seconds(lambda: simulate_anonymity(counts, DETAILS, simulations=simulations, run=Run(key=1)))
    good = within_seconds(f"{simulations:,} simulations, three details", time, SIMULATED * simulations / 1000)
    naive = sum(seconds(lambda n=periods: persons_one_by_one(counts.people, n)) for periods in PERIODS)
    print(f"{'  persons one by one, one simulation':<52} {naive:8.2f} s   {naive * simulations / time:6.0f} times ours")
    return good


def persons_one_by_one(people: np.ndarray, periods: int) -> np.ndarray:
    """The paper's algorithm, cell by cell: a period for each person, and how many periods have k."""
    rng, found = np.random.default_rng(1), np.zeros(51, dtype=np.int64)
    for size in people[people > 0]:
        held = np.bincount(rng.integers(0, periods, size))
        found += np.bincount(np.minimum(held, 50), minlength=51)
    return found


if __name__ == "__main__":
    sys.exit(main())
