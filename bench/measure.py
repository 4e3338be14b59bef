"""Fair timing: two tasks in alternation, medians, and the calibration of the machine."""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

C = 0.08
"""The calibration of the machine that limits in seconds are stated for."""


def seconds(task: Callable[[], Any]) -> float:
    """Wall time of one call."""
    start = time.perf_counter()
    task()
    return time.perf_counter() - start


def alternated(ours: Callable[[], Any], reference: Callable[[], Any], runs: int = 5) -> tuple[float, float]:
    """Median times of both, run in turn after one call of each that does not count."""
    ours(), reference()
    pairs = [(seconds(reference), seconds(ours)) for _ in range(runs)]
    return statistics.median(o for _, o in pairs), statistics.median(r for r, _ in pairs)


@cache
def calibration() -> float:
    """C: the median time that ``numpy.sort`` takes for ten million random floats."""
    values = np.random.Generator(np.random.PCG64(1)).random(10**7)
    return statistics.median(seconds(lambda: np.sort(values)) for _ in range(5))


def peak_gigabytes() -> float:
    """The most memory that this process has held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (2**30 if sys.platform == "darwin" else 2**20)


def within_seconds(what: str, took: float, limit: float) -> bool:
    """Print a time beside its limit, which is meant where C is 0.08 s; true where it is within."""
    scaled = limit * calibration() / C
    mark = "ok" if took <= scaled else "OVER"
    print(f"{what:<52} {took:8.3f} s   limit {scaled:.0f} s ({limit:.0f} s where C is {C} s)   {mark}")
    return took <= scaled


def line(what: str, ours: float, reference: float, limit: float) -> bool:
    """Print a ratio beside its limit; true where it is within."""
    ratio = ours / reference
    mark = "ok" if ratio <= limit else "OVER"
    print(f"{what:<52} {ours:8.3f} s   {ratio:6.2f} R   limit {limit:.1f} R   {mark}")
    return ratio <= limit
