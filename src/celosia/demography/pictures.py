"""Pictures of demographic anonymity: how it falls with the size of the place, and how a whole population is spread."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl

from celosia.core.language import has_text, number, percent, text
from celosia.core.picture import Picture, chart

MOST = 600
"""Points of a colour that a picture shows; of more groups, about so many, evenly along the logarithm of their size."""
BANDS = (1, 1_000, 10_000, 50_000, 100_000, None)
"""Sizes of place that are told apart: the text of Gil Bellosta speaks of 10,000 and 100,000 inhabitants."""


def spoken(detail: str) -> str:
    """A detail of the birth date in the reader's language."""
    code = f"periods.{detail}"
    return text(code) if has_text(code) else text("periods.number", count=int(detail))


def by_size(shares: pl.DataFrame) -> pl.DataFrame:
    """Share of 1-anonymous people in places of each size: ``shares`` is what ``ExpectedAnonymity.shares`` gives."""
    rows = []
    for detail in shares["periods"].unique(maintain_order=True):
        own = shares.filter(pl.col("periods") == detail)
        for low, high in pairwise(BANDS):
            assert low is not None
            inside = pl.col("population") >= low if high is None else pl.col("population").is_between(low, high - 1)
            here = own.filter(inside)
            people = int(here["population"].sum())
            share = float(here["people"].sum()) / people if people else None
            rows.append((detail, low, None if high is None else high - 1, here.height, people, share))
    names = ["periods", "population_from", "population_to", "groups", "population", "share"]
    return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)


def by_population(shares: pl.DataFrame, most: int = MOST) -> Picture:
    """Figure 1 of Gil Bellosta (2011): share of 1-anonymous people against population, a colour a detail."""
    peopled = shares.filter(pl.col("population") > 0)
    parts = []
    for detail in peopled["periods"].unique(maintain_order=True):
        own = peopled.filter(pl.col("periods") == detail).sort("population")
        parts.append(_thinned(own, most).with_columns(pl.lit(spoken(detail)).alias("periods")))
    rows = pl.concat(parts).select("periods", "population", "share")
    bands = by_size(shares).filter(pl.col("groups") > 0)
    said = "; ".join(
        f"{spoken(detail)}: " + ", ".join(f"{_band(low, high)} {percent(share)}" for low, high, share in own.rows())
        for (detail,), own in (
            (key, part.select("population_from", "population_to", "share"))
            for key, part in bands.group_by("periods", maintain_order=True)
        )
    )
    alternative = text("picture.by-population", said=said)
    return chart(
        rows,
        "population",
        "share",
        mark="point",
        group="periods",
        share=True,
        logarithmic=("population",),
        alternative=alternative,
    )


def _thinned(ranked: pl.DataFrame, most: int) -> pl.DataFrame:
    """Groups in order of their people, at most so many of them; the smallest and the largest always."""
    if ranked.height <= most:
        return ranked
    people = ranked["population"].to_numpy()
    wanted = np.geomspace(people[0], people[-1], most)
    return ranked[pl.Series(np.unique(np.searchsorted(people, wanted).clip(max=ranked.height - 1)))]


def _band(low: int, high: int | None) -> str:
    return f"≥ {number(low, 0)}" if high is None else f"{number(low, 0)}–{number(high, 0)}"


def by_class(rows: pl.DataFrame) -> Picture:
    """Share of the people in each class of k, side by side for each detail of the birth date."""
    named = rows.with_columns(
        pl.col("periods").replace_strict({detail: spoken(detail) for detail in rows["periods"].unique()})
    )
    said = "; ".join(
        f"{detail}: " + ", ".join(f"{name}: {percent(share)}" for name, share in part.select("class", "share").rows())
        for (detail,), part in named.group_by("periods", maintain_order=True)
    )
    shown = named.select("class", "periods", "share")
    return chart(shown, "class", "share", group="periods", share=True, alternative=text("picture.by-class", said=said))
