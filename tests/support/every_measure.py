"""Sixty made-up people, before and after a treatment, and every measure of them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from celosia import risk

FRAME = pl.read_csv(Path(__file__).parents[1] / "golden" / "measures" / "people.csv")
_MOVED = pl.when(pl.int_range(pl.len()) % 10 == 0).then(pl.col("a") % 3 + 1).otherwise("a")
MASKED = FRAME.with_columns(_MOVED.alias("a"), pl.col("n") * 1.2, pl.col("m").round(1))
STAYS = {"a": {x: {y: 0.9 if x == y else 0.05 for y in (1, 2, 3)} for x in (1, 2, 3)}}
KEYS = ["a", "b"]
NUMBERS = ["n", "m"]
MEASURES = {
    "frequencies": lambda f, g: risk.frequencies(f, KEYS, weight="w"),
    "individual": lambda f, g: risk.individual(f, KEYS, weight="w", household="h"),
    "k_anonymity": lambda f, g: risk.k_anonymity(f, KEYS, k=3),
    "k_map": lambda f, g: risk.k_map(f, KEYS, f, k=3),
    "attackers": lambda f, g: risk.attackers(f, KEYS, weight="w"),
    "l_diversity": lambda f, g: risk.l_diversity(f, KEYS, "s"),
    "t_closeness": lambda f, g: risk.t_closeness(f, KEYS, "s"),
    "alpha_k": lambda f, g: risk.alpha_k(f, KEYS, "s", alpha=0.5, k=2),
    "delta_disclosure": lambda f, g: risk.delta_disclosure(f, KEYS, "s"),
    "beta_likeness": lambda f, g: risk.beta_likeness(f, KEYS, "s", "enhanced"),
    "suda2": lambda f, g: risk.suda2(f, KEYS),
    "log_linear": lambda f, g: risk.log_linear(f, KEYS, weight="w"),
    "best_guess": lambda f, g: risk.best_guess(f, g, KEYS),
    "transition_risk": lambda f, g: risk.transition_risk(f, g, KEYS, STAYS),
    "exact_linkage": lambda f, g: risk.exact_linkage(g, KEYS, f, "s"),
    "interval": lambda f, g: risk.interval(f, g, variables=NUMBERS),
    "robust_interval": lambda f, g: risk.robust_interval(f, g, variables=NUMBERS),
    "outliers": lambda f, g: risk.outliers(f, g, variables=NUMBERS, percentile=0.9),
    "linkage": lambda f, g: risk.linkage(f, g, NUMBERS),
    "rank_linkage": lambda f, g: risk.rank_linkage(f, g, NUMBERS),
}
OF_THE_FILE = {
    "drivers": lambda f, g: risk.drivers(f, KEYS, weight="w"),
    "rare_patterns": lambda f, g: risk.rare_patterns(f, KEYS),
    "risky_cells": lambda f, g: risk.risky_cells(f, KEYS),
    "population_uniqueness": lambda f, g: risk.population_uniqueness(f, KEYS, weight="w"),
    "panel": lambda f, g: risk.panel(f, "id", "ola", KEYS, weight="w"),
    "scenarios": lambda f, g: risk.scenarios(f, {"uno": ["a"], "dos": KEYS}, weight="w"),
    "by_group": lambda f, g: risk.by_group(risk.individual(f, KEYS), {"uno": "a == 1"}, f),
    "calibration": lambda f, g: risk.calibration(f, KEYS, [0.5], ["zayatz", "individual"], repeats=2),
}
ALL = MEASURES | OF_THE_FILE
