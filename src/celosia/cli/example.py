"""The files of the example census: two regions of the synthetic country, and a plan in the reader's language."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import polars as pl

from celosia.core.errors import FileError
from celosia.core.language import language
from celosia.core.microdata import Microdata

REGIONS = ("01", "15")
COUNTRY = 600_000
"""Persons of the country that the two regions are taken from: about 19,000 live there."""


def census_files(folder: Path) -> list[Path]:
    """Write persons, dwellings, the list of places and the plan; a plan that is there already is not written over."""
    from celosia.datasets import census
    from celosia.io import write
    from celosia.io.atomic import writing

    plan = folder / "plan.yaml"
    if plan.exists():
        raise FileError("example-there", path=str(plan))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise FileError("folder-unwritable", path=folder.name) from None
    made = census(COUNTRY)
    written = [folder / name for name in ("personas.parquet", "viviendas.parquet", "lugares.csv")]
    write(_inside(made.persons), written[0])
    write(_inside(made.dwellings), written[1])
    with writing(written[2]) as temporary:
        made.places.filter(pl.col("REGION").is_in(REGIONS)).write_csv(temporary)
    with writing(plan) as temporary:
        text = files("celosia.cli").joinpath(f"census_plan.{language()}.yaml").read_text("utf-8")
        temporary.write_text(text, "utf-8")
    return [*written, plan]


def _inside(data: Microdata) -> Microdata:
    return data.take(data.column("REGION").is_in(REGIONS).to_numpy())
