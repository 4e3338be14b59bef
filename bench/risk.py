"""The risk measures of part two, as ratios to R = polars' own ``len().over(keys)``, same frame, same run.

usage: python bench/risk.py [--rows 1000000] [--quick]
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from functools import partial

import polars as pl
import risk_attribute
import risk_linkage
import risk_models
import risk_uniques
from frequencies import with_missing
from measure import alternated, calibration, line, peak_gigabytes

from celosia.core.errors import CelosiaWarning
from celosia.risk import scenarios
from celosia.risk.frequencies import Missing

FIVE = {
    "vecino": ["region", "sex", "ageg", "marital", "edu"],
    "registro": ["region", "sex", "ageg", "nat", "eth"],
    "empleador": ["region", "sex", "ageg", "act", "industry"],
    "escuela": ["region", "sex", "ageg", "edu", "hsize"],
    "prensa": ["region", "marital", "edu", "act", "nat"],
}


def together(rows: int) -> bool:
    """Five scenarios of five keys each, weights and households included."""
    whole = risk_uniques.population(rows)
    emptied = with_missing(whole, 0.05, sorted({key for keys in FIVE.values() for key in keys}))

    def counted(frame: pl.DataFrame) -> None:
        frame.select(pl.len().over(risk_uniques.KEYS))

    def measured(frame: pl.DataFrame, ways: Sequence[Missing]) -> None:
        found = scenarios(frame, FIVE, weight="weight", missing=ways)
        _ = [risk.risk for risk in found.risks.values()]

    good = True
    both: tuple[Missing, ...] = ("wildcard", "strict")
    cases = (("wildcard", whole, both[:1]), ("both ways", whole, both), ("5 % missing, both ways", emptied, both))
    for name, frame, ways in cases:
        ours, reference = alternated(partial(measured, frame, ways), partial(counted, frame))
        good &= line(f"five scenarios of five keys, {name}", ours, reference, 6.0)
    return good


def main() -> int:
    """Measure all, print, and say by the exit code whether every limit holds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--quick", action="store_true", help="leave out ten keys and the linkage")
    wanted = parser.parse_args()
    warnings.simplefilter("ignore", CelosiaWarning)
    print(f"C (numpy.sort of 10 million floats): {calibration():.3f} s")
    good = together(wanted.rows)
    good &= risk_attribute.measured(wanted.rows)
    good &= risk_uniques.uniques(wanted.rows, wide=not wanted.quick)
    if not wanted.quick:
        good &= risk_linkage.run(wanted.rows)
        good &= risk_models.models(risk_models.population(wanted.rows))
    print(f"peak memory {peak_gigabytes():.2f} GB (limit 4 GB, data included)")
    return 0 if good and peak_gigabytes() < 4 else 1


if __name__ == "__main__":
    sys.exit(main())
