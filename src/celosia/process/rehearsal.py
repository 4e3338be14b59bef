"""Everything once on synthetic data: what is compiled on first use is compiled and kept before anybody waits for it."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import polars as pl

from celosia.core.errors import CelosiaWarning
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.kernels import cache_folder

RECORDS, PERSONS, REPLICATES = 2_000, 5_000, 3
KEYS = ("region", "sexo", "edad", "estado_civil", "nivel_educ")
MANY_KEYS = (*KEYS, "comuna", "ocupacion", "rama", "horas")
WEIGHT, HOUSEHOLD, SENSITIVE = "factor", "id_hogar", "enf_cronica"
AGES = {"intervals": {"low": 0, "high": 119, "levels": [5, 10, 20, 120]}}
REGIONS = [[f"{region:02}", "*"] for region in range(1, 17)]
_DONE = "rehearsed"
TREES: dict[str, Any] = {"region": REGIONS, "sexo": [["1", "*"], ["2", "*"]], "edad": AGES}


def rehearsed() -> bool:
    """Whether all that is compiled was kept by an earlier rehearsal."""
    folder = cache_folder()
    return folder is not None and (folder / _DONE).exists()


def rehearse(run: Run | None = None) -> None:
    """Use every compiled part once; progress is by piece of work."""
    run = run or Run()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CelosiaWarning)
        for done, piece in enumerate(PIECES):
            run.check(f"rehearsal-{piece.__name__}", done / len(PIECES))
            piece(run.step(piece.__name__))
    if (folder := cache_folder()) is not None:
        (folder / _DONE).touch()


@cache
def _survey() -> Microdata:
    """A survey in which some ages are not known."""
    from celosia.datasets import survey

    whole = survey(RECORDS)
    unknown = pl.Series(np.arange(whole.height) % 17 == 0)
    return whole.with_columns({"edad": whole.column("edad").set(unknown, None)})


def counting(run: Run) -> None:
    """Frequencies and risk of persons and households, by each way of counting."""
    from celosia import risk

    for missing in ("wildcard", "strict", "intruder"):
        found = risk.individual(
            _survey(), KEYS, WEIGHT, HOUSEHOLD, missing, truth=_survey() if missing == "intruder" else None, run=run
        )
        _ = found.risk, found.household_risk
    _ = risk.individual(_survey(), KEYS, WEIGHT, estimator="exact", run=run).risk
    _ = risk.individual(_survey(), MANY_KEYS, WEIGHT, run=run).risk


def measures(run: Run) -> None:
    """What is asked of classes and of special uniques, and of a treated file."""
    from celosia import risk

    data, numbers = _survey(), ("edad", "horas", "ing_trabajo")
    risk.k_map(data, KEYS, register=data).table()
    risk.l_diversity(data, KEYS, SENSITIVE).table()
    risk.t_closeness(data, KEYS, SENSITIVE).table()
    risk.alpha_k(data, KEYS, SENSITIVE, alpha=0.9, k=2).table()
    risk.suda2(data, KEYS).table()
    risk.drivers(data, KEYS).table()
    risk.population_uniqueness(data, KEYS, weight=WEIGHT).table()
    risk.log_linear(data, KEYS[:2], WEIGHT).table()
    risk.best_guess(data, data, KEYS).table()
    risk.linkage(data, data, numbers).table()
    risk.robust_interval(data, data, variables=numbers).table()


def suppression(run: Run) -> None:
    """Local suppression by both ways of counting, within strata, of subsets, by risk; and record suppression."""
    from celosia.methods import LocalSuppression, RecordSuppression

    asked: tuple[dict[str, Any], ...] = (
        {"k": 3},
        {"k": 3, "strata": ("area",)},
        {"k": 3, "counting": "wildcard"},
        {"k": 3, "counting": "wildcard", "spare_covered": True},
        {"subsets": {2: 3, 3: 2}},
        {"max_risk": 0.1, "weight": WEIGHT},
    )
    for options in asked:
        LocalSuppression(keys=KEYS, max_share=1.0, **options).apply(_survey(), run=run)
    RecordSuppression(keys=KEYS, k=3).apply(_survey(), run=run)


def generalization(run: Run) -> None:
    """The best node of a lattice, and recoding of the rare records."""
    from celosia.methods import Generalization, LocalRecoding, Mondrian

    diverse = [{"model": "l_diversity", "sensitive": SENSITIVE, "l": 2}]
    Generalization(hierarchies=TREES, k=3, suppression_limit=0.1, models=diverse).apply(_survey(), run=run)
    Generalization(hierarchies=TREES, k=3, suppression_limit=0.1, loss="entropy").apply(_survey(), run=run)
    LocalRecoding(hierarchies=TREES, k=3).apply(_survey(), run=run)
    Mondrian(keys=("edad", "horas"), k=5).apply(_survey(), run=run)


def topdown(run: Run) -> None:
    """A census whose queries form a chain, and one where they cross."""
    from celosia import census
    from celosia.datasets import census_population

    people, levels = census_population(PERSONS), ("REGION", "PROVINCIA", "COMUNA")
    sex, age = census.Attribute(name="P08", codes=(1, 2)), census.Attribute(name="P09", codes=range(101))
    domain = census.Domain(attributes=(sex, age, census.Attribute(name="P12N", codes=(0, 1))))
    tree = census.Geography.of_table(people.select(levels).unique(), levels, "pais")
    limits = [census.Limit(level="COMUNA", at_most=PERSONS, **of) for of in ({}, {"query": "P08", "answer": "1"})]
    known = census.Invariants(fixed=(census.Fixed(levels=levels),), limits=limits)
    half, third = Fraction(1, 2), Fraction(1, 3)
    for asked in ({"P08": half, "detailed": half}, {"P08 * P09": third, "P12N": third, "detailed": third}):
        budget = census.Budget(rho=1, protection=census.Protection(unit="person", neighbours="bounded"), queries=asked)
        country = census.TopDown(domain, tree, budget, known)
        release = country.run(people, run=run, source=census.SeededBits(1))
        _ = release.microdata, [release.counts[-1].answers(domain.query(name)) for name in asked]


def anonymity(run: Run) -> None:
    """People by what their birth date singles out, expected and simulated."""
    from celosia.datasets import register_counts
    from celosia.demography import expected_anonymity, simulate_anonymity

    counts = register_counts(PERSONS)
    expected_anonymity(counts, ["day", "month"]).table()
    simulate_anonymity(counts, ["day", "month"], by=["place"], simulations=REPLICATES, run=run).table()


PIECES: tuple[Callable[[Run], None], ...] = (counting, measures, suppression, generalization, topdown, anonymity)
