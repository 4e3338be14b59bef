"""A synthetic household survey: persons in households, weights, skips and both kinds of missing codes."""

from __future__ import annotations

import numpy as np
import polars as pl

from celosia.core.microdata import Microdata
from celosia.datasets.codebook import UNANSWERED
from celosia.datasets.draws import Columns, Floats, Ints, collected, digest, draw, require_size, stream
from celosia.datasets.families import Families, families
from celosia.datasets.geography import REGIONS, comunas
from celosia.datasets.identities import full_names, national_numbers
from celosia.datasets.survey_answers import illness, origins, schooling, unions, work
from celosia.datasets.survey_book import DWELLINGS, TENURES, survey_dictionary

POPULATION = 18_000_000
"""People that the weights stand for, whatever the size of the sample."""


def survey(n: int = 12_000, key: int = 1) -> Microdata:
    """A household survey of exactly ``n`` persons. Synthetic: no record is anybody's.

    Parameters
    ----------
    n
        Number of persons.
    key
        Of the chance: the same key gives the same file.

    Examples
    --------
    >>> survey(n=500).height
    500
    """
    require_size("n", n)
    people = families(stream(key, "survey families"), n)
    place = _place(key, people)
    answers = {
        **_identity(key, people),
        **place,
        **_dwelling(key, people),
        "parentesco": people.relationship,
        "sexo": people.sex,
        "edad": people.age,
        **unions(stream(key, "survey unions"), people),
        **origins(stream(key, "survey origins"), people, place["region"]),
        **illness(stream(key, "survey illness"), people),
    }
    level, declared = schooling(stream(key, "survey schooling"), people)
    answers |= {"nivel_educ": declared, **work(stream(key, "survey work"), people, level)}
    book = survey_dictionary()
    return Microdata(pl.DataFrame(answers).select(book.names), book, key=digest(key, "survey ids"))


def _identity(key: int, people: Families) -> Columns:
    rng = stream(key, "survey identity")
    household = rng.permutation(people.households)[people.household] + 100_001
    days = rng.integers(0, 90, people.households)[people.household]
    return {
        "id_hogar": household,
        "id_persona": household * 100 + people.number,
        "nombre": full_names(rng, people),
        "rut": national_numbers(rng, people.age.size),
        "fecha_entrevista": np.datetime64("2024-11-04") + days,
    }


def _place(key: int, people: Families) -> Columns:
    """Comuna, area and stratum of each household; small regions are over-sampled, as surveys do."""
    rng, frame = stream(key, "survey place"), comunas()
    over_sampled = pl.col("share") * pl.col("share").sum().over("region") ** -0.4
    chance = frame.select(over_sampled / over_sampled.sum()).to_series().to_numpy()
    comuna = rng.choice(frame.height, people.households, p=chance)
    area = 1 + (rng.random(people.households) < frame["rural"].to_numpy()[comuna])
    region = frame["region"].cast(pl.Int64).to_numpy()[comuna]
    return {
        **frame.select("region", "provincia", "comuna")[comuna[people.household]].to_dict(),
        "area": area[people.household],
        "estrato": (region * 10 + area)[people.household],
        "factor": _weights(rng, people, region)[people.household],
    }


def _weights(rng: np.random.Generator, people: Families, region: Ints) -> Floats:
    """Weight of each household, raked so that every region's persons add up to its population."""
    persons = np.bincount(people.household)
    uneven = rng.gamma(12.0, 1 / 12.0, region.size) * (1 + 0.15 * (persons == 1))
    target = np.zeros(len(REGIONS) + 1)
    for code, (_, share) in REGIONS.items():
        target[int(code)] = share * POPULATION
    reached = np.bincount(region, uneven * persons, minlength=target.size)
    factor: Floats = np.maximum(uneven * target[region] / reached[region], 1.0).round(2)
    return factor


def _dwelling(key: int, people: Families) -> Columns:
    rng = stream(key, "survey dwelling")
    tenure = collected(rng, draw(rng, TENURES, people.households), unanswered=UNANSWERED)
    return {
        "tot_per": people.size,
        "tipo_vivienda": draw(rng, DWELLINGS, people.households)[people.household],
        "tenencia": tenure[people.household],
    }
