"""The optimal recoding, local recoding and Mondrian: seconds beside anjana (greedy, same hierarchies) and the losses.

usage: python bench/generalization.py [--k 5] [--limit 0.05]

The data are those of *adult* with the hierarchies of the reference folder where this machine has it, else the benchmark
population. anjana runs in the environment that ``make peers`` makes; without it only ours is measured.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import polars as pl
from measure import calibration, seconds, within_seconds

from celosia.core.errors import CelosiaWarning
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_builders import intervals, neighbours
from celosia.datasets import bench_population
from celosia.methods import Generalization, LocalRecoding, Mondrian

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from reference import FOLDER

PEER = Path(__file__).parents[1] / ".venv-peers" / "bin" / "python"
LATTICE_SECONDS = 2.0

_CALL = """
import json, sys, time
import pandas as pd
from anjana.anonymity import k_anonymity
frame = pd.read_parquet(sys.argv[1])
k, limit, trees = json.loads(sys.argv[2])
trees = {name: {level: pd.Series(codes) for level, codes in enumerate(levels)} for name, levels in trees.items()}
start = time.process_time()
found = k_anonymity(frame, [], list(trees), k, limit, trees)
print(json.dumps([time.process_time() - start, len(found), {name: sorted(set(found[name])) for name in trees}]))
"""


def adult() -> tuple[pl.DataFrame, dict[str, Hierarchy]] | None:
    """Nine keys of the reference's file, where it is at hand."""
    path = FOLDER / "arx" / "adult.csv"
    if not path.exists():
        return None
    frame = pl.read_csv(path, separator=";", infer_schema=False)
    return frame, {name: Hierarchy.from_csv(path.parent / f"adult_hierarchy_{name}.csv") for name in frame.columns}


def people() -> tuple[pl.DataFrame, dict[str, Hierarchy]]:
    """The benchmark population, as many persons as adult has."""
    frame = bench_population(30_162).select("age", "edu", "region", "marital", "act", "sex", "nat")
    trees = {"age": intervals(0, 100, levels=(5, 10, 20))}
    for name in frame.columns[1:]:
        codes = sorted(set(frame[name].to_list()))
        trees[name] = neighbours(codes, levels=(2, 4) if len(codes) > 4 else ())
    return frame.with_columns(pl.all().cast(pl.String)), trees


def median(task: Any, runs: int = 5) -> float:
    """The median time of some calls, after one that does not count."""
    task()
    return statistics.median(seconds(task) for _ in range(runs))


def processor(task: Any) -> float:
    """Processor time of one call, on whatever else the machine is at."""
    start = time.process_time()
    task()
    return time.process_time() - start


def anjana(frame: pl.DataFrame, trees: dict[str, Hierarchy], k: int, limit: float) -> tuple[float, dict[str, int], int]:
    """Its seconds, the levels that it came to, and the records that it dropped."""
    levels = {name: [[row[at] for row in tree.rows] for at in range(tree.depth)] for name, tree in trees.items()}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frame.parquet"
        frame.write_parquet(path)
        call = [str(PEER), "-c", _CALL, str(path), json.dumps([k, 100 * limit, levels])]
        done = subprocess.run(call, capture_output=True, text=True, check=True, timeout=900)
    took, left, codes = json.loads(done.stdout.strip().splitlines()[-1])
    reached = {
        name: next(at for at, known in enumerate(tree.codes) if set(codes[name]) <= set(known))
        for name, tree in trees.items()
    }
    return took, reached, frame.height - left


def main() -> int:
    """Measure, print, and say by the exit code whether every limit holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--limit", type=float, default=0.05)
    wanted = parser.parse_args()
    warnings.simplefilter("ignore", CelosiaWarning)
    print(f"C (numpy.sort of 10 million floats): {calibration():.3f} s")
    frame, trees = adult() or people()
    options: dict[str, Any] = {"hierarchies": trees, "k": wanted.k, "suppression_limit": wanted.limit}
    optimal = Generalization(**options)
    nodes = 1
    for tree in trees.values():
        nodes *= tree.depth
    took = median(lambda: optimal.apply(frame))
    found = optimal.apply(frame)
    good = within_seconds(f"optimum of {nodes:,} nodes", took, LATTICE_SECONDS)
    print(f"  {found.explored.height:,} nodes looked at, loss {found.loss:.4f}")
    local = LocalRecoding(hierarchies=trees, k=wanted.k)
    every = Generalization(**options, every_choice=True)
    print(f"all {nodes:,} nodes looked at: {seconds(lambda: every.apply(frame)):.2f} s")
    print(f"local recoding: {median(lambda: local.apply(frame)):.2f} s, loss {local.apply(frame).loss:.4f}")
    many = bench_population(10**6).select("age", "hsize", (pl.col("income") / 1000).round().cast(pl.Int64))
    mondrian = Mondrian(keys=many.columns, k=wanted.k)
    took = median(lambda: mondrian.apply(many)) / calibration()
    print(f"Mondrian, a million records with {', '.join(many.columns)}: {took:.1f} C")
    if not PEER.exists():
        print("no environment of the peers; `make peers` makes it")
        return 0 if good else 1
    runs = []
    for _ in range(5):
        theirs, levels, dropped = anjana(frame, trees, wanted.k, wanted.limit)
        runs.append((theirs, processor(lambda: optimal.apply(frame))))
    theirs, ours = (statistics.median(run) for run in zip(*runs, strict=True))
    same = Generalization(**options, levels=levels).apply(frame)
    print(
        f"anjana: {theirs:.2f} CPU s against {ours:.2f}, {theirs / ours:.1f} times ours; its levels lose "
        f"{same.loss:.4f} and {dropped:,} records, the optimum {found.loss:.4f} and {found.suppressed_records:,}"
    )
    return 0 if good and found.loss <= same.loss + 1e-9 else 1


if __name__ == "__main__":
    sys.exit(main())
