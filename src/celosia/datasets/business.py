"""A synthetic survey of establishments, with the small cells that one or two firms dominate."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl

from celosia.core.dictionary import Dictionary, Identification, Level, Role
from celosia.core.microdata import Microdata
from celosia.datasets.codebook import NO_ANSWER, NOT_APPLICABLE, NOTE, coded, uncoded
from celosia.datasets.draws import (
    Columns,
    Floats,
    Ints,
    Texts,
    collected,
    digest,
    draw,
    labels,
    require_size,
    stream,
)
from celosia.datasets.geography import REGION_LABELS, REGIONS
from celosia.datasets.identities import national_numbers
from celosia.datasets.nomenclatures import DIVISIONS, SECTIONS

SIZES = {1: "Micro (1 a 9)", 2: "Pequeña (10 a 49)", 3: "Mediana (50 a 199)", 4: "Grande (200 y más)"}
_SIZE_BREAKS = (10, 50, 200)
_TAKEN = np.array([1.0, 0.05, 0.15, 0.5, 1.0])
"""Share of the establishments of each size class that the sample takes; the large ones all."""
_ENTERPRISE = np.array([0.86, 0.07, 0.03, 0.015, 0.01, 0.005, 0.004, 0.003, 0.002, 0.001])
"""Shares of the enterprises with 1, 2, … establishments."""
SMALL_CELL = 15
"""A cell of region and division with fewer establishments may be dominated."""
NOT_EXPORTING = ("O", "P", "Q", "T", "U")
"""Sections that are not asked about exports."""


def business(n: int = 20_000, key: int = 1) -> Microdata:
    """Establishments with branch, size, region, turnover, employees and exports. Synthetic: nobody's.

    In more than half of the small cells (region by division) one or two establishments make most
    of the turnover, which is what the dominance and the p % rules look for.

    Parameters
    ----------
    n
        Number of establishments.
    key
        Of the chance: the same key gives the same file.
    """
    require_size("n", n)
    rng = stream(key, "business structure")
    enterprise = _enterprises(rng, n)
    section, division = _branches(rng, enterprise)
    region = draw(rng, REGIONS, n)
    cell = np.unique(region.astype(np.int64) * 100 + division, return_inverse=True)[1]
    amounts = _amounts(stream(key, "business amounts"), section, cell)
    size = 1 + np.digitize(amounts["empleo"], _SIZE_BREAKS)
    identity = stream(key, "business identity")
    columns: Columns = {
        "id_establecimiento": identity.permutation(n) + 1_000_001,
        "id_empresa": identity.permutation(enterprise[-1] + 1)[enterprise] + 500_001,
        "rut": national_numbers(identity, int(enterprise[-1]) + 1).gather(enterprise),
        "region": region,
        "seccion": section,
        "division": np.array([f"{number:02d}" for number in range(100)])[division],
        "tamano": size,
        "factor": _weights(identity, size),
        **amounts,
    }
    book = business_dictionary()
    return Microdata(pl.DataFrame(columns).select(book.names), book, key=digest(key, "business ids"))


def _enterprises(rng: np.random.Generator, n: int) -> Ints:
    """The enterprise of each establishment, from 0."""
    sizes = 1 + rng.choice(_ENTERPRISE.size, n, p=_ENTERPRISE / _ENTERPRISE.sum())
    return np.repeat(np.arange(n), sizes)[:n]


def _branches(rng: np.random.Generator, enterprise: Ints) -> tuple[Texts, Ints]:
    """Section and division; the establishments of an enterprise share their division."""
    number = int(enterprise[-1]) + 1
    section = draw(rng, SECTIONS, number)
    luck, division = rng.random(number) ** 1.8, np.zeros(number, np.int64)
    for code, divisions in DIVISIONS.items():
        inside = section == code
        division[inside] = np.array(divisions)[(luck[inside] * len(divisions)).astype(np.int64)]
    return section[enterprise], division[enterprise]


def _amounts(rng: np.random.Generator, section: Texts, cell: Ints) -> Columns:
    """Turnover and exports in thousands of pesos, and employees, which follow turnover."""
    n = cell.size
    turnover = np.exp(rng.normal(11.7, 1.15, n)) * (1 + rng.pareto(2.2, n))
    turnover = np.rint(_dominated(rng, turnover, cell))
    employees = np.rint((turnover / 25_000) ** 0.85 * np.exp(rng.normal(0, 0.4, n))).clip(1, 30_000)
    exporter = rng.random(n) < np.where(np.isin(section, ["A", "B", "C"]), 0.15, 0.03)
    exports = np.where(exporter, np.rint(turnover * rng.beta(1.2, 2.0, n)), 0).astype(np.int64)
    asked = ~np.isin(section, NOT_EXPORTING)
    return {
        "ventas": turnover.astype(np.int64),
        "empleo": employees.astype(np.int64),
        "exportaciones": collected(rng, exports, unanswered={-NO_ANSWER: 0.012}, asked=asked, skip=-NOT_APPLICABLE),
    }


def _dominated(rng: np.random.Generator, turnover: Floats, cell: Ints) -> Floats:
    """The same turnover, but the first one or two of some small cells outweigh all others together."""
    order = np.lexsort((-turnover, cell))
    count = np.bincount(cell)
    rank = np.empty_like(cell)
    rank[order] = np.arange(cell.size) - np.repeat(np.cumsum(count) - count, count)
    giants = np.where((count >= 2) & (count < SMALL_CELL) & (rng.random(count.size) < 0.5), 1, 0)
    giants += giants * ((count > 3) & (rng.random(count.size) < 0.4))
    grow = rank < giants[cell]
    others = np.bincount(cell, np.where(grow, 0.0, turnover))
    times = rng.uniform(2, 12, turnover.size)
    return np.where(grow, np.maximum(turnover, others[cell] * times), turnover)


def _weights(rng: np.random.Generator, size: Ints) -> Floats:
    adjusted = np.where(size == len(SIZES), 1.0, rng.gamma(40.0, 1 / 40.0, size.size))
    factor: Floats = np.maximum(adjusted / _TAKEN[size], 1.0).round(2)
    return factor


def business_dictionary() -> Dictionary:
    """The variables of ``business``, in file order."""
    indirect: dict[str, Any] = {"identification": Identification.INDIRECT}
    key: dict[str, Any] = {**indirect, "role": Role.KEY}
    magnitude: dict[str, Any] = {"sensitive": True, "role": Role.NUMERIC_KEY}
    divisions = {
        f"{division:02d}": f"División {division:02d} ({SECTIONS[section][0].lower()})"
        for section, codes in DIVISIONS.items()
        for division in codes
    }
    number: dict[str, Any] = {"level": Level.DISCRETE}
    tax_number: dict[str, Any] = {
        "level": Level.OPEN,
        "identification": Identification.DIRECT,
        "note": f"{NOTE} Nueve cifras que empiezan por 9: nadie tiene un número así.",
    }
    return Dictionary.of(
        uncoded("id_establecimiento", "Identificador del establecimiento", role=Role.ID, **number),
        uncoded("id_empresa", "Identificador de la empresa", **number),
        uncoded("rut", "Rol Único Tributario", **tax_number),
        coded("region", "Región", REGION_LABELS, **key),
        coded("seccion", "Sección CIIU Rev. 4", labels(SECTIONS), **key),
        coded("division", "División CIIU Rev. 4", divisions, **indirect),
        coded("tamano", "Tamaño según empleo", SIZES, **key),
        uncoded("ventas", "Ventas anuales", unit="miles de pesos", **magnitude),
        uncoded("empleo", "Personas ocupadas", unit="personas", **magnitude, **number),
        uncoded("exportaciones", "Exportaciones anuales", "all", unit="miles de pesos", **magnitude),
        uncoded("factor", "Factor de expansión", role=Role.WEIGHT),
    )
