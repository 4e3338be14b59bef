"""Kinship, residence, birth and people of the persons of the synthetic census (questions 7, 10 to 12, 16)."""

from __future__ import annotations

import numpy as np
import polars as pl

from celosia.datasets.census_codes import (
    COUNTRY_MISSING,
    COUNTRY_SKIP,
    MISSING,
    NAMED_COUNTRIES,
    OTHER_PEOPLES,
    RESIDENCE,
    SKIP,
    YEAR_MISSING,
    YEAR_SKIP,
)
from celosia.datasets.draws import Columns, Ints, draw
from celosia.datasets.families import Families, Relationship
from celosia.datasets.geography import comunas
from celosia.datasets.nomenclatures import COUNTRIES, FOREIGN, INDIGENOUS, PEOPLES

YEAR = 2017
BORN_HERE, BORN_ELSEWHERE = 1, 2
NOT_YET_BORN, LIVED_HERE, LIVED_ELSEWHERE = 1, 2, 3
ABROAD_AT_BIRTH, ABROAD_IN_2012 = 3, 4
"""Codes of the first named country in questions 12 and 11."""
OTHER_PEOPLE = 10


def kinship(rng: np.random.Generator, people: Families) -> Ints:
    """Question 7: the relationship of the family, in the finer codes of the census."""
    luck, codes = rng.random(people.age.size), np.array([0, 1, 4, 5, 11, 12, 8, 7, 14, 15])
    kin, couple = codes[people.relationship], people.of_head(people.paired)
    head_luck = people.of_head(luck)
    kin[(people.relationship == Relationship.PARTNER) & (head_luck < 0.6)] = 2
    kin[(people.relationship == Relationship.PARTNER) & (head_luck > 0.98)] = 3
    kin[(people.relationship == Relationship.CHILD) & (luck > 0.94) & couple] = 6
    kin[(people.relationship == Relationship.PARENT) & (luck > 0.75) & couple] = 10
    kin[(people.relationship == Relationship.OTHER_RELATIVE) & (luck > 0.93) & (people.age >= 60)] = 13
    kin[(people.relationship == Relationship.SIBLING) & (luck > 0.8) & couple] = 9
    kin[(people.relationship == Relationship.NOT_RELATED) & (luck > 0.9) & (people.age >= 18)] = 16
    return kin


def migration(rng: np.random.Generator, people: Families, place: pl.DataFrame) -> Columns:
    """Questions 10 to 12: usual residence, residence five years ago, birth and arrival."""
    n, age = people.age.size, people.age
    abroad_share = place["REGION"].replace_strict(FOREIGN, return_dtype=pl.Float64).to_numpy()
    follows = (rng.random(n) < 0.85) & (age >= 5)
    country = np.where(rng.random(n) < abroad_share, draw(rng, COUNTRIES, n), 0)
    country = np.where(follows, people.of_head(country), country)
    born_abroad = country > 0
    arrival = YEAR - np.minimum(rng.gamma(0.8, 9.0, n).astype(np.int64), age)

    resides = draw(rng, RESIDENCE, n)
    newcomer = born_abroad & (arrival > YEAR - 5)
    moved = np.where(rng.random(n) < 0.84, LIVED_HERE, LIVED_ELSEWHERE)
    lived = np.select([age < 5, newcomer], [NOT_YET_BORN, _abroad(country, ABROAD_IN_2012)], moved)
    native = np.where(rng.random(n) < 0.58, BORN_HERE, BORN_ELSEWHERE)
    born = np.where(born_abroad, _abroad(country, ABROAD_AT_BIRTH), native)
    last = ABROAD_AT_BIRTH + len(NAMED_COUNTRIES)
    return {
        **_question(rng, "P10", resides, 3, 4, place["COMUNA"], draw(rng, COUNTRIES, n)),
        **_question(rng, "P11", lived, LIVED_ELSEWHERE, last + 1, place["COMUNA"], country),
        **(birth := _question(rng, "P12", born, BORN_ELSEWHERE, last, place["COMUNA"], country)),
        **_arrival(rng, birth["P12"], arrival),
    }


def _abroad(country: Ints, first: int) -> Ints:
    """The code of the country, where it has one of its own; the last is any other."""
    named = np.full(country.size, first + len(NAMED_COUNTRIES))
    for code, iso in enumerate(NAMED_COUNTRIES, first):
        named[country == iso] = code
    return named


def _question(
    rng: np.random.Generator,
    name: str,
    answer: Ints,
    elsewhere: int,
    abroad: int,
    here: pl.Series,
    country: Ints,
) -> Columns:
    """A place: its answer, the comuna if another one of the country, the country if one without a code."""
    answer = np.where(rng.random(answer.size) < 0.011, MISSING, answer)
    frame = comunas()
    other = rng.choice(frame.height, answer.size, p=(frame["share"] / frame["share"].sum()).to_numpy())
    same = (frame["comuna"].gather(other) == here).to_numpy()
    comuna = frame["comuna"].gather((other + same) % frame.height)
    unanswered = answer == MISSING
    codes = pl.Series(np.where(unanswered, str(MISSING), str(SKIP)))
    follow_up = np.where(answer == abroad, country, COUNTRY_SKIP)
    return {
        name: answer,
        f"{name}COMUNA": comuna.zip_with(pl.Series(answer == elsewhere), codes),
        f"{name}PAIS": np.where(unanswered, COUNTRY_MISSING, follow_up),
    }


def _arrival(rng: np.random.Generator, born: Ints, year: Ints) -> Columns:
    """Year of arrival, else the period; who does not know the year says the period."""
    skipped, unanswered = born < ABROAD_AT_BIRTH, born == MISSING
    forgot = rng.random(year.size) < 0.08
    period = 1 + (year < 2010).astype(np.int64) + (year < 2000) + (year < 1990)
    return {
        "P12_LLEGADA": np.select([skipped, unanswered | forgot], [YEAR_SKIP, YEAR_MISSING], year),
        "P12_TRAMO": np.select([skipped, unanswered], [SKIP, MISSING], period),
    }


def peoples(rng: np.random.Generator, people: Families, region: pl.Series) -> Columns:
    """Question 16: whether they belong to a people, which, and which other."""
    n = people.age.size
    share = region.replace_strict(INDIGENOUS, return_dtype=pl.Float64).to_numpy()
    which = np.where(rng.random(n) < share, draw(rng, PEOPLES, n), 0)
    which = np.where(rng.random(n) < 0.85, people.of_head(which), which)
    unanswered = rng.random(n) < 0.02
    belongs = which > 0
    other = np.where(which == OTHER_PEOPLE, draw(rng, OTHER_PEOPLES, n), SKIP)
    return {
        "P16": np.where(unanswered, MISSING, np.where(belongs, 1, 2)),
        "P16A": np.where(unanswered, MISSING, np.where(belongs, which, SKIP)),
        "P16_OTRO": np.where(unanswered, MISSING, other),
    }
