"""What each measure, and a choice of recodings, shows: its first table, its remarks and its picture.

All are drawn as the site is built, from one synthetic survey: a page never shows what the code no longer says.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from functools import cache
from html import escape
from typing import Any

import numpy as np
import polars as pl
from mkdocs.exceptions import PluginError

from celosia import Microdata, risk
from celosia.core.errors import CelosiaWarning
from celosia.core.hierarchy_builders import intervals
from celosia.core.language import number, speaking, text
from celosia.core.results import Tabular, html_table
from celosia.datasets import survey
from celosia.methods import Generalization

_MARK = re.compile(r"<!-- shows: (\w+) -->")
_ROWS = 9
KEYS = ["region", "sexo", "edad", "estado_civil"]
INCOMES = ["ing_trabajo", "ing_hogar"]
SCENARIOS = {"vecina": KEYS, "registro": ["region", "sexo", "edad"], "prensa": ["region", "nacionalidad", "pueblo"]}
GROUPS = {"extranjeros": "nacionalidad != 152", "pueblos indígenas": "pueblo != 0", "mayores": "edad >= 60"}
STAYS = 0.8


@cache
def population() -> Microdata:
    """Twelve thousand synthetic people, their age in groups of ten years."""
    people = survey(n=12_000)
    return people.with_columns({"edad": people.column("edad") // 10 * 10})


@cache
def sample() -> Microdata:
    """One household in six of them."""
    home = population().column("id_hogar")
    return population().take((home % 6 == 0).to_numpy())


@cache
def emptied() -> Microdata:
    """The sample with one marital status in twelve emptied."""
    return sample().suppress({"estado_civil": np.arange(sample().height) % 12 == 0})


@cache
def perturbed() -> Microdata:
    """The sample with each sex drawn anew with some chance."""
    chance = np.random.Generator(np.random.PCG64(5))
    drawn = pl.Series(chance.integers(1, 3, sample().height))
    moved = pl.Series(chance.random(sample().height) > STAYS)
    return sample().with_columns({"sexo": drawn.zip_with(moved, sample().column("sexo"))})


@cache
def noisy() -> Microdata:
    """The sample with its incomes times a noise of a tenth."""
    chance = np.random.Generator(np.random.PCG64(7))
    noise = pl.Series(np.exp(0.1 * chance.normal(size=sample().height)))
    return sample().with_columns({name: _times(sample().column(name), noise) for name in INCOMES})


def _times(values: pl.Series, noise: pl.Series) -> pl.Series:
    """Codes of missing values stay."""
    return (values * noise).round().cast(pl.Int64).zip_with(values > 0, values)


def rounds() -> pl.DataFrame:
    """The sample twice: in the second round one in five has another marital status."""
    first = sample().frame.select("id_persona", *KEYS)
    chance = np.random.Generator(np.random.PCG64(3))
    other = pl.Series(chance.integers(1, 8, first.height))
    moved = pl.Series(chance.random(first.height) < 0.2)
    second = first.with_columns(other.zip_with(moved, first["estado_civil"]).alias("estado_civil"))
    return pl.concat([first.with_columns(ola=pl.lit(1)), second.with_columns(ola=pl.lit(2))])


def matrices() -> dict[str, dict[int, dict[int, float]]]:
    """How sex was perturbed."""
    half = (1 - STAYS) / 2
    return {"sexo": {1: {1: STAYS + half, 2: half}, 2: {1: half, 2: STAYS + half}}}


def choices() -> Tabular:
    """Every combination of levels that the page of generalization speaks of."""
    hierarchies = {
        "edad": intervals(0, 110, levels=(5, 10, 20)),
        "sexo": [(1, "*"), (2, "*")],
        "region": [(f"{region:02}", "*") for region in range(1, 17)],
    }
    method = Generalization(hierarchies=hierarchies, k=5, suppression_limit=0.05, every_choice=True)
    return method.apply(survey(n=2000))


SHOWN: dict[str, Callable[[], Any]] = {
    "frequencies": lambda: risk.frequencies(emptied(), KEYS, weight="factor"),
    "individual": lambda: risk.individual(emptied(), KEYS, household="id_hogar"),
    "k_anonymity": lambda: risk.k_anonymity(emptied(), KEYS, k=5),
    "scenarios": lambda: risk.scenarios(
        emptied(), SCENARIOS, missing=["wildcard", "strict", "intruder"], truth=sample()
    ),
    "drivers": lambda: risk.drivers(sample(), KEYS, missing="strict"),
    "suda2": lambda: risk.suda2(sample(), KEYS),
    "risky_cells": lambda: risk.risky_cells(sample(), KEYS, max_dim=3, threshold=(10, 5, 2)),
    "rare_patterns": lambda: risk.rare_patterns(sample(), KEYS),
    "attackers": lambda: risk.attackers(sample(), KEYS, register=population()),
    "k_map": lambda: risk.k_map(sample(), KEYS, population(), k=5),
    "exact_linkage": lambda: risk.exact_linkage(sample(), KEYS, population(), "enf_cronica"),
    "by_group": lambda: risk.by_group(risk.individual(sample(), KEYS), GROUPS, sample()),
    "panel": lambda: risk.panel(rounds(), "id_persona", "ola", KEYS),
    "l_diversity": lambda: risk.l_diversity(sample(), ["region", "sexo"], "enf_cronica"),
    "t_closeness": lambda: risk.t_closeness(sample(), ["region", "sexo"], "enf_cronica"),
    "alpha_k": lambda: risk.alpha_k(sample(), ["region", "sexo"], "enf_cronica", alpha=0.8, k=20),
    "delta_disclosure": lambda: risk.delta_disclosure(sample(), ["region", "sexo"], "enf_cronica"),
    "beta_likeness": lambda: risk.beta_likeness(sample(), ["region", "sexo"], "enf_cronica"),
    "population_uniqueness": lambda: risk.population_uniqueness(sample(), KEYS, population=population().height),
    "log_linear": lambda: risk.log_linear(sample(), KEYS, population=population().height),
    "best_guess": lambda: risk.best_guess(sample(), perturbed(), KEYS),
    "transition_risk": lambda: risk.transition_risk(sample(), perturbed(), KEYS, matrices()),
    "interval": lambda: risk.interval(sample(), noisy(), variables=INCOMES),
    "robust_interval": lambda: risk.robust_interval(sample(), noisy(), k=1, variables=INCOMES),
    "outliers": lambda: risk.outliers(sample(), noisy(), percentile=0.95, k=0.2, variables=INCOMES),
    "linkage": lambda: risk.linkage(sample(), noisy(), INCOMES),
    "rank_linkage": lambda: risk.rank_linkage(sample(), noisy(), INCOMES),
    "generalization": lambda: choices(),
}


@cache
def measured(name: str) -> Tabular:
    """What is shown of the survey."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CelosiaWarning)
        found: Tabular = SHOWN[name]()
    return found


def block(name: str, language: str) -> str:
    """The table, the remarks and the picture of a measure as HTML."""
    found: Any = measured(name)
    with speaking(language):
        table = next(iter(found.views().values()))
        table = table.select(n for n in table.columns if table[n].null_count() < table.height)
        picture = found.picture()
        left = [text("risk.more-rows", count=number(table.height - _ROWS, 0))] * (table.height > _ROWS)
        said = "".join(f"<p>{escape(remark)}</p>" for remark in (*left, *found.remarks()))
        drawn = picture.svg().replace("<svg", '<svg role="img"', 1)
        shown = f'<figure class="shows" aria-label="{escape(picture.alternative)}">{drawn}</figure>'
        return f'<div class="shows">{html_table(table.head(_ROWS))}</div>{said}{shown}'


def on_page_content(html: str, page: Any, **_: Any) -> str:
    """Put what a measure shows where its page asks for it."""

    def shown(found: re.Match[str]) -> str:
        if found[1] not in SHOWN:
            raise PluginError(f"{page.file.src_uri} asks for a measure that is not shown: {found[1]}")
        return block(found[1], "es" if page.file.src_uri.startswith("es/") else "en")

    return _MARK.sub(shown, html)
