"""A synthetic census of persons and dwellings, with the questions of the Chilean census of 2017."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from celosia.core.dictionary import Dictionary
from celosia.core.microdata import Microdata
from celosia.datasets.census_book import dwellings_dictionary, persons_dictionary
from celosia.datasets.census_codes import (
    BEDROOMS,
    DWELLING_TYPES,
    FLOORS,
    MISSING,
    OCCUPANCY,
    OCCUPIED,
    ROOFS,
    SKIP,
    WALLS,
    WATER,
)
from celosia.datasets.census_lives import children, schooling, work
from celosia.datasets.census_origins import kinship, migration, peoples
from celosia.datasets.draws import Columns, Ints, collected, draw, require_size, stream, subdivide
from celosia.datasets.families import Families, families
from celosia.datasets.geography import comunas

DISTRICTS = 2_700
ZONES = 16_000
EMPTY = 0.12
"""Dwellings where nobody was found, for each one with people."""
OLDEST = 100
"""Age that stands for itself and all above."""


@dataclass(frozen=True, eq=False)
class Census:
    """The two files of a census. ``ID_VIVIENDA`` links them, inside the confidential file only.

    Attributes
    ----------
    places
        The public list of zones with the codes of every level above, those where nobody lives among them.
    """

    persons: Microdata
    dwellings: Microdata
    places: pl.DataFrame


def census(n: int = 100_000, key: int = 1) -> Census:
    """A census of exactly ``n`` persons in private dwellings, one household each. Synthetic.

    Country, 16 regions, 56 provinces, 346 comunas, about 2,700 districts and 16,000 zones of skewed sizes;
    each code begins with its parent's. Both files are sorted by zone.

    Parameters
    ----------
    n
        Number of persons; dwellings where nobody was found come on top.
    key
        Of the chance: the same key gives the same files.

    References
    ----------
    INE (2018), *Manual de usuario de la base de datos del Censo de Población y Vivienda 2017*: questions
    and skips; the codes of districts, zones and other peoples are ours.
    """
    require_size("n", n)
    people = families(stream(key, "census families"), n)
    zones = _zones(key)
    rng = stream(key, "census dwellings")
    total = people.households + max(1, round(EMPTY * people.households))
    zone = np.sort(rng.choice(zones.height, total, p=zones["share"].to_numpy()))
    occupied = np.sort(rng.permutation(total)[: people.households])
    dwelling = occupied[people.household]
    return Census(
        persons=_persons(key, people, zones[zone[dwelling]], dwelling),
        dwellings=_dwellings(rng, zones[zone], np.bincount(dwelling, minlength=total)),
        places=zones.drop("share"),
    )


def _zones(key: int) -> pl.DataFrame:
    """A row a zone: its codes at each level, its area and its share of the country's dwellings."""
    rng, frame = stream(key, "census zones"), comunas()
    of_district, district_share = subdivide(rng, frame["share"].to_numpy(), DISTRICTS, even=0.5, spread=0.9)
    of_zone, zone_share = subdivide(rng, district_share, ZONES, even=0.4, spread=0.8)
    comuna = of_district[of_zone]
    rural = rng.random(of_zone.size) < frame["rural"].to_numpy()[comuna]
    district = pl.Series(_numbered(of_district)[of_zone]).cast(pl.String).str.zfill(2)
    number = pl.Series(_numbered(of_zone)).cast(pl.String).str.zfill(3)
    return frame[comuna].select(
        pl.col("region").alias("REGION"),
        pl.col("provincia").alias("PROVINCIA"),
        pl.col("comuna").alias("COMUNA"),
        pl.concat_str("comuna", district).alias("DC"),
        pl.concat_str("comuna", district, number).alias("ID_ZONA_LOC"),
        pl.Series("AREA", 1 + rural.astype(np.int16)),
        pl.Series("share", zone_share / zone_share.sum()),
    )


def _numbered(parents: Ints) -> Ints:
    """1, 2, … within each run of equal parents."""
    first = np.searchsorted(parents, parents)
    return np.arange(parents.size) - first + 1


def _dwellings(rng: np.random.Generator, place: pl.DataFrame, persons: Ints) -> Microdata:
    inhabited, total = persons > 0, persons.size
    kind = draw(rng, DWELLING_TYPES, total)
    columns: Columns = {
        "ID_VIVIENDA": np.arange(1, total + 1),
        "P01": np.where((kind == 2) & (place["AREA"].to_numpy() == 2), 1, kind),
        "P02": np.where(inhabited, OCCUPIED, draw(rng, OCCUPANCY, total)),
        "CANT_PER": persons,
    }
    rooms = np.clip(rng.poisson(1.1 + 0.45 * persons), 0, max(BEDROOMS))
    lists = {"P03A": WALLS, "P03B": ROOFS, "P03C": FLOORS, "P05": WATER}
    answers = {name: draw(rng, codes, total) for name, codes in lists.items()}
    for name, values in {**answers, "P04": rooms}.items():
        columns[name] = collected(rng, values, unanswered={MISSING: 0.012}, asked=inhabited, skip=SKIP)
    return _file(place, columns, dwellings_dictionary())


def _persons(key: int, people: Families, place: pl.DataFrame, dwelling: Ints) -> Microdata:
    columns: Columns = {
        "ID_VIVIENDA": dwelling + 1,
        "PERSONAN": people.number,
        "P07": kinship(stream(key, "census kinship"), people),
        "P08": people.sex,
        "P09": np.minimum(people.age, OLDEST),
        **migration(stream(key, "census migration"), people, place),
        **peoples(stream(key, "census peoples"), people, place["REGION"]),
        **schooling(stream(key, "census schooling"), people.age),
        **work(stream(key, "census work"), people),
        **children(stream(key, "census children"), people),
    }
    return _file(place, columns, persons_dictionary())


def _file(place: pl.DataFrame, columns: Columns, book: Dictionary) -> Microdata:
    """The columns of the code book in its order, in types that leave room for a whole country."""
    types = {"ID_VIVIENDA": pl.Int32, "CANT_PER": pl.Int32}
    answers = [
        series if series.dtype == pl.String else series.cast(types.get(name, pl.Int16))
        for name, series in ((name, pl.Series(name, values)) for name, values in columns.items())
    ]
    return Microdata(place.with_columns(answers).select(book.names), book)
