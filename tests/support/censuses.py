"""A small census on disk and its plan: two regions of the synthetic country, persons and dwellings that are linked."""

from __future__ import annotations

from pathlib import Path

import polars as pl

import celosia
from celosia.datasets import census

REGIONS = ("01", "15")
PLAN = """\
# Un censo pequeño. Los comentarios se conservan.
census: 1
title: Censo de prueba
data: censo-de-prueba
ledger: libro.json
protection: {unit: person, neighbours: bounded}
limits: {person: 6, dwelling: 1}
sources: {persons: personas.parquet, dwellings: viviendas.parquet}
link: ID_VIVIENDA
places: {file: lugares.csv, levels: [REGION, PROVINCIA, COMUNA], root: NORTE}
public: true
tables:
  persons:
    variables:
      P08:
      P09: {from: 0, to: 100}
      P17:
    rules:
      - {given: P09 < 15, then: P17 == 98}
      - {given: P09 >= 15, then: P17 != 98}
    groupings:
      tramo: {variable: P09, bands: {0-14: {from: 0, to: 14}, 15-64: {from: 15, to: 64}, 65+: {from: 65, to: 100}}}
    invariants:
      fixed: [{levels: [REGION]}]
    budget:
      rho: 2
      queries: {P08 * tramo: 1/2, detailed: 1/2}
    questions:
      REGION: [total, P08 * tramo]
      COMUNA: [total, P08]
    groups:
      mayores: P09 >= 65
      comunas pequeñas: {level: COMUNA, below: 30}
  dwellings:
    variables: {P01: , P02: }
    budget:
      rho: 1/2
      queries: {total: 1/4, detailed: 3/4}
  households:
    variables: {P02: , CANT_PER: {from: 0, to: 6}}
    top: 6
    rules: [{given: P02 != 1, then: CANT_PER == 0}, {given: P02 == 1, then: CANT_PER > 0}]
    budget:
      rho: 1/2
      queries: {CANT_PER: 1/2, detailed: 1/2}
"""


def folder_with_a_census(folder: Path, persons: int = 12_000) -> Path:
    """Write the files and the plan."""
    made = census(persons)
    here = pl.col("REGION").is_in(REGIONS)
    kept = ("REGION", "PROVINCIA", "COMUNA", "ID_VIVIENDA", "PERSONAN", "P07", "P08", "P09", "P17")
    people, homes = made.persons.select(kept), made.dwellings
    celosia.write(people.take(people.frame.select(here).to_series().to_numpy()), folder / "personas.parquet")
    celosia.write(homes.take(homes.frame.select(here).to_series().to_numpy()), folder / "viviendas.parquet")
    made.places.filter(here).write_csv(folder / "lugares.csv")
    (folder / "plan.yaml").write_text(PLAN, "utf-8")
    return folder
