"""Measures and draws the figures of the calibration page: ``python docs/figures/calibration.py`` (some minutes).

The figures are kept beside this script, with the table that they draw, so that the site builds without measuring.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from celosia import Run
from celosia.core.language import LANGUAGES, percent, speaking
from celosia.core.results import heading
from celosia.datasets import bench_population
from celosia.risk.calibration import Calibration, calibration

FOLDER = Path(__file__).parent
PEOPLE = 50_000
KEYS = ("region", "sex", "group", "marital", "edu")
FRACTIONS = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5)
TARGETS = ("population_uniques", "tau1", "tau2", "global_risk")


def population() -> pl.DataFrame:
    """Synthetic people, their age in groups of five years."""
    return bench_population(PEOPLE).with_columns(group=(pl.col("age") // 5).clip(0, 17))


def measured(**options: object) -> Calibration:
    """The calibration that the page shows, or a part of it, to the digits that every machine agrees on."""
    wanted = {"fractions": FRACTIONS, "repeats": 10, "run": Run(key=1)} | options
    found = calibration(population(), KEYS, **wanted)  # type: ignore[arg-type]
    return replace(found, samples=found.samples.with_columns(pl.col("truth", "estimate").round_sig_figs(9)))


def draw(found: Calibration) -> None:
    """One picture a target and language."""
    for language in LANGUAGES:
        with speaking(language):
            for target in TARGETS:
                svg = found.picture(target).svg()
                (FOLDER / f"calibration-{target}.{language}.svg").write_text(svg + "\n", "utf-8")


def bias_table(found: Calibration, target: str, language: str) -> str:
    """The biases of one target in Markdown, as the page prints them."""
    rows = found.table().filter(pl.col("target") == target)
    with speaking(language):
        lines = [[heading("estimator"), *(percent(fraction, 0) for fraction in FRACTIONS)], ["---"] * 7]
        for (estimator,), biases in rows.group_by("estimator", maintain_order=True):
            lines.append([f"`{estimator}`", *(signed(bias) for bias in biases["bias"])])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def signed(share: float) -> str:
    """A share as a percentage with its sign."""
    return ("+" if share > 0 else "−") + percent(abs(share), 0)


if __name__ == "__main__":
    calibrated = measured()
    calibrated.samples.write_csv(FOLDER / "calibration.csv")
    draw(calibrated)
