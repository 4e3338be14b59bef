"""A whole country under differential privacy: time, memory and errors beside their limits, each run in its own process.

usage: python bench/topdown.py [CASE ...] [--runs 5] [--persons 17574003]

The population is ``celosia.datasets.census_population``: 17,574,003 persons on six levels; ρ = 2.56 in equal parts
over the levels, totals exact down to the comuna, bounded neighbours. A run reads a Parquet file, counts, measures,
estimates and rounds; its time and its memory are those of all of it, once the kernels are compiled. Errors are
means over all runs, none left out.

sex-age     202 cells
chain       sex, age and people: 2,222 cells on one chain, beside the errors of the reference run
crossing    and nationality: 4,444 cells, people and nationality measured at 10 % of ρ beside the chain
questions   and schooling, down to the comuna: the questions of the thesis, all answered by one release
deep        the same 85,800 cells down to the zone, 1.6 thousand million measurements kept on disk: only when asked for
small       200,000 persons down to the comuna: estimation alone
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from measure import calibration, peak_gigabytes

from celosia.census import (
    Attribute,
    Budget,
    Domain,
    Fixed,
    Geography,
    Invariants,
    Protection,
    Release,
    Rule,
    SystemBits,
    TopDown,
)
from celosia.census.accuracy import accuracy
from celosia.census.published import Counted
from celosia.core.run import Run
from celosia.datasets import census_population

COUNTRY, SMALL = 17_574_003, 200_000
TREE = ("REGION", "PROVINCIA", "COMUNA", "DC", "ZC_LOC")
TO_COMUNA = TREE[:3]
PERSON = Protection(unit="person", neighbours="bounded")
RHO = Fraction("2.56")
TENTH = Fraction(1, 10)
UNIT = 0.08
"""C of the machine that limits in seconds are written for."""

SEX, AGE = Attribute(name="P08", codes=(1, 2)), Attribute(name="P09", codes=range(101))
PEOPLE, NATION = Attribute(name="P16A", codes=range(11)), Attribute(name="P12N", codes=(0, 1))
SCHOOLING = Attribute(name="ESCOLARIDAD", codes=range(22))
MOST_YEARS = {5: 0, 8: 3, 12: 7, 15: 10, 18: 13}
"""Below this age nobody has more years of schooling."""

REFERENCE = {"REGION": 1.96, "PROVINCIA": 1.80, "COMUNA": 1.87, "DC": 1.75, "ZC_LOC": 1.42}
"""Mean absolute error of sex by age of the reference run."""
SEX_AGE, SLACK = "P08 * P09", Fraction("1.03")


def near_reference(factor: float = 1.0) -> dict[tuple[str, str], float]:
    """Limits of the mean absolute error of sex by age."""
    return {(level, SEX_AGE): float(SLACK) * factor * mae for level, mae in REFERENCE.items()}


@dataclass(frozen=True)
class Case:
    """A census and its limits: seconds, gigabytes, and mean absolute errors by level and query."""

    variables: tuple[Attribute, ...]
    queries: Mapping[str, Fraction]
    seconds: float
    gigabytes: float
    levels: tuple[str, ...] = TREE
    errors: Mapping[tuple[str, str], float] = field(default_factory=dict)
    asked: tuple[str, ...] = ()
    rules: tuple[Rule, ...] = ()

    def topdown(self, places: pl.DataFrame) -> TopDown:
        """As its office would declare it."""
        return TopDown(
            Domain(attributes=self.variables, rules=self.rules),
            Geography.of_table(places, self.levels, "pais"),
            Budget(rho=RHO, protection=PERSON, queries=self.queries),
            Invariants(fixed=(Fixed(levels=TO_COMUNA),)),
        )


CHAIN = {"total": TENTH, SEX_AGE: 3 * TENTH, "detailed": 6 * TENTH}
CROSSING = {name: share * 9 / 10 for name, share in CHAIN.items()} | {"P16A": TENTH / 2, "P12N": TENTH / 2}
CASES = {
    "sex-age": Case((SEX, AGE), {"total": TENTH, "detailed": 9 * TENTH}, 60, 3),
    "chain": Case(
        (SEX, AGE, PEOPLE),
        CHAIN,
        240,
        4,
        errors=near_reference() | {("ZC_LOC", "total"): float(SLACK) * 3.54},
        asked=("P16A",),
    ),
    "crossing": Case(
        (SEX, AGE, PEOPLE, NATION),
        CROSSING,
        600,
        4,
        errors=near_reference((10 / 9) ** 0.5) | {("COMUNA", "P16A"): 4.0},
        asked=("P12N",),
    ),
    "questions": Case(
        (SEX, AGE, PEOPLE, NATION, SCHOOLING),
        CROSSING | {"P16A": TENTH / 3, "P12N": TENTH / 3, "ESCOLARIDAD": TENTH / 3},
        600,
        4,
        levels=TO_COMUNA,
        asked=("P16A", "P12N", "ESCOLARIDAD", "ESCOLARIDAD * P08", "P08", "P09"),
        rules=tuple(Rule(given=f"P09 < {age}", then=f"ESCOLARIDAD <= {most}") for age, most in MOST_YEARS.items()),
    ),
}
CASES["deep"] = replace(CASES["questions"], levels=TREE, seconds=math.inf, asked=("P16A", "P12N", "ESCOLARIDAD"))
SMALL_SECONDS = 0.5


# -- the population ----------------------------------------------------------------------------------------------------


def population(persons: int) -> pl.DataFrame:
    """The census population with years of schooling: more among the young, none before school."""
    frame = census_population(persons)
    chance, age = np.random.default_rng(5), frame["P09"].to_numpy()
    years = chance.normal(14.5 - 0.085 * np.maximum(age - 25, 0) - 1.5 * (frame["P16A"].to_numpy() > 0), 3.2)
    most = np.full(age.shape, len(SCHOOLING.codes) - 1)
    for below, few in reversed(MOST_YEARS.items()):
        most[age < below] = few
    return frame.with_columns(ESCOLARIDAD=pl.Series(np.clip(np.rint(years), 0, most).astype(np.int8)))


# -- one run, in a process of its own ----------------------------------------------------------------------------------


class Phases:
    """When each step of a run ended."""

    def __init__(self) -> None:
        self.last, self.seconds = time.perf_counter(), {}

    def __call__(self, step: str, done: float) -> None:
        """Take the time of a step that is done."""
        if done == 1.0:
            now = time.perf_counter()
            self.seconds[step], self.last = now - self.last, now


def alone(name: str, file: str) -> dict[str, Any]:
    """Run a case on a file."""
    case, start, worked = CASES[name], time.perf_counter(), time.process_time()
    phases = Phases()
    frame = pl.read_parquet(file, columns=[*case.levels, *(one.name for one in case.variables)])
    topdown = case.topdown(frame.select(case.levels).unique())
    phases("reading", 1.0)
    release = topdown.run(frame, run=Run(progress=phases), source=SystemBits())
    found = {"seconds": time.perf_counter() - start, "cpu": time.process_time() - worked, "gb": peak_gigabytes()}
    found |= {"phases": phases.seconds, "cells": topdown.domain.size, "places": sum(topdown.geography.nodes)}
    assert release.releasable
    assert release.ledger.spent(PERSON.unit) == RHO
    check(release, frame)
    return found | {"errors": errors(case, release, frame)}


def check(release: Release, frame: pl.DataFrame) -> None:
    """Consistency, non-negativity and invariants, counted anew by polars from the counts of the leaves."""
    geography, last = release.geography, release.geography.depth - 1
    leaf, cell, count = release.counts[last].entries
    leaves = pl.DataFrame({"leaf": leaf, "cell": cell, "count": count.astype(np.int64)})
    assert leaves["count"].min() > 0, "the leaves hold what is positive, everything else is zero"
    for level, counts in enumerate(release.counts):
        node = geography.ancestors(level)
        sums = leaves.group_by(pl.Series("place", node[leaf]), "cell").agg(pl.col("count").sum())
        held = pl.DataFrame(dict(zip(("place", "cell", "count"), counts.entries, strict=True)))
        both = sums.join(held, on=["place", "cell"], how="full", suffix="_held")
        assert both.select((pl.col("count") == pl.col("count_held")).fill_null(False).all()).item()
        if geography.levels[level] in TO_COMUNA:
            name = geography.levels[level]
            true = dict(frame.group_by(name).len().with_columns(pl.col(name).cast(pl.String)).iter_rows())
            found = dict(sums.group_by("place").agg(pl.col("count").sum()).iter_rows())
            assert {geography.codes[level][place]: n for place, n in found.items()} == true


def errors(case: Case, release: Release, frame: pl.DataFrame) -> dict[str, dict[str, float]]:
    """Mean absolute errors of everything measured or asked, by query and level."""
    truth = Counted.of("truth", frame, release.domain, release.geography)
    found: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys((*case.queries, *case.asked)):
        query = release.domain.query(name)
        for level, nodes in enumerate(release.geography.nodes):
            figures = accuracy(truth, release, level, query, nodes)
            found.setdefault(name, {})[release.geography.levels[level]] = figures.mae
    return found


# -- all of them -------------------------------------------------------------------------------------------------------


def runs_of(name: str, file: Path, runs: int) -> list[dict[str, Any]]:
    """Several runs, each in a process of its own, after one on few persons that compiles what is not compiled."""
    found = []
    for _ in range(runs):
        call = [sys.executable, __file__, name, "--alone", str(file)]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr)
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return found


def report(name: str, found: list[dict[str, Any]], scale: float) -> bool:
    """Print the figures of a case beside their limits; true where all hold."""
    case, first = CASES[name], found[0]
    print(f"\n{name}: {first['cells']:,} cells at {first['places']:,} places, {len(found)} runs")
    print("  " + ", ".join(f"{step} {seconds:.2f} s" for step, seconds in first["phases"].items()))
    seconds, cpu = (statistics.median(one[kind] for one in found) for kind in ("seconds", "cpu"))
    good = beside("seconds (median)", seconds, case.seconds * scale, f"{cpu:.1f} s of CPU")
    good &= beside("gigabytes (largest)", max(one["gb"] for one in found), case.gigabytes)
    for query, levels in first["errors"].items():
        print(f"  mean absolute error of {query}")
        for level in levels:
            values = [one["errors"][query][level] for one in found]
            spread = f"{min(values):.3f} to {max(values):.3f}"
            good &= beside(f"  {level}", statistics.fmean(values), case.errors.get((level, query)), spread)
    return good


def beside(what: str, value: float, limit: float | None, note: str = "") -> bool:
    """Print one figure and its limit."""
    good = limit is None or value <= limit
    asked = "" if limit is None else f"limit {limit:8.3f}   {'ok' if good else 'OVER'}"
    print(f"  {what:<52} {value:8.3f}   {asked:<24} {note}")
    return good


def small(scale: float) -> bool:
    """The median time of estimation and rounding in five runs, with the kernels at hand."""
    frame, good = population(SMALL), True
    print(f"\nsmall: {SMALL:,} persons down to the comuna")
    for name in ("sex-age", "chain", "crossing"):
        case = Case(CASES[name].variables, CASES[name].queries, 0, 0, levels=TO_COMUNA)
        topdown, seconds = case.topdown(frame.select(TO_COMUNA).unique()), []
        for _ in range(6):
            phases = Phases()
            release = topdown.run(frame, run=Run(progress=phases))
            seconds.append(sum(phases.seconds[level] for level in release.geography.levels))
        limit = None if name == "crossing" else SMALL_SECONDS * scale
        good &= beside(f"seconds, {topdown.domain.size:,} cells", statistics.median(seconds[1:]), limit)
    return good


def main() -> int:
    """Measure, print, and say by the exit code whether every limit holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join((*CASES, "small")))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--persons", type=int, default=COUNTRY)
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if unknown := set(wanted.cases) - {*CASES, "small"}:
        parser.error(f"no such case: {', '.join(sorted(unknown))}")
    if wanted.alone:
        print(json.dumps(alone(wanted.cases[0], wanted.alone)))
        return 0
    speed = calibration()
    scale, names = speed / UNIT, wanted.cases or [*(name for name in CASES if name != "deep"), "small"]
    print(f"C (numpy.sort of 10 million floats): {speed:.3f} s; limits in seconds are multiplied by {scale:.2f}")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        few, all_of_them = Path(folder) / "few.parquet", Path(folder) / "all.parquet"
        population(20_000).write_parquet(few)
        if set(names) & set(CASES):
            population(wanted.persons).write_parquet(all_of_them)
        for name in names:
            if name == "small":
                good &= small(scale)
            else:
                runs_of(name, few, 1)
                good &= report(name, runs_of(name, all_of_them, wanted.runs), scale)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
