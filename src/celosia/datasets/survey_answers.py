"""What the persons of the synthetic survey answer, given their age, sex and household."""

from __future__ import annotations

import numpy as np
import polars as pl

from celosia.datasets.codebook import DOES_NOT_KNOW, NO_ANSWER, NOT_APPLICABLE, UNANSWERED
from celosia.datasets.draws import Columns, Ints, Mask, collected, draw, draw_by
from celosia.datasets.families import Families, Relationship
from celosia.datasets.nomenclatures import CHILE, COUNTRIES, FOREIGN, INDIGENOUS, PEOPLES, SECTIONS

ADULT = 15
"""Age from which marital status and work are asked."""
SCHOOL = 5
"""Age from which schooling is asked."""
EMPLOYED = 1

_COUPLES = [[0.12, 0.85, 0.03], [0.50, 0.46, 0.04], [0.75, 0.23, 0.02], [0.90, 0.09, 0.01]]
_ALONE = [
    [0.005, 0.001, 0.0001, 0.9939],
    [0.08, 0.04, 0.005, 0.875],
    [0.24, 0.16, 0.06, 0.54],
    [0.14, 0.09, 0.55, 0.22],
]
_SCHOOLING = [  # education 2 to 6 by age from 18, 25, 45, 65; few never went to school
    [0.002, 0.001, 0.05, 0.60, 0.14, 0.205, 0.002],
    [0.004, 0.001, 0.09, 0.43, 0.19, 0.25, 0.035],
    [0.010, 0.001, 0.25, 0.45, 0.12, 0.15, 0.019],
    [0.050, 0.001, 0.50, 0.30, 0.05, 0.09, 0.009],
]
_ACTIVITY = [  # activity 1 to 6 by age from 15, 18, 25, 55, 65; men, then women
    [0.04, 0.01, 0.93, 0.005, 0.0, 0.015], [0.03, 0.01, 0.93, 0.015, 0.0, 0.015],
    [0.42, 0.09, 0.43, 0.01, 0.0, 0.05], [0.33, 0.08, 0.47, 0.08, 0.0, 0.04],
    [0.86, 0.06, 0.02, 0.01, 0.01, 0.04], [0.63, 0.06, 0.02, 0.24, 0.01, 0.04],
    [0.77, 0.05, 0.0, 0.02, 0.10, 0.06], [0.48, 0.03, 0.0, 0.34, 0.10, 0.05],
    [0.27, 0.01, 0.0, 0.02, 0.68, 0.02], [0.11, 0.004, 0.0, 0.22, 0.65, 0.016],
]  # fmt: skip
_OCCUPATION = [  # occupation 0 to 9 by education 0-2, 3, 4, 5, 6
    [0.001, 0.01, 0.002, 0.01, 0.02, 0.20, 0.10, 0.19, 0.13, 0.337],
    [0.006, 0.03, 0.01, 0.07, 0.10, 0.29, 0.03, 0.16, 0.13, 0.174],
    [0.008, 0.05, 0.12, 0.33, 0.14, 0.17, 0.01, 0.08, 0.05, 0.042],
    [0.010, 0.13, 0.58, 0.15, 0.06, 0.05, 0.004, 0.006, 0.005, 0.005],
    [0.004, 0.22, 0.72, 0.04, 0.01, 0.003, 0.001, 0.0, 0.001, 0.001],
]
_ILLNESS = [  # illness 0 to 8 by age from 0, 15, 45, 65
    [0.93, 0.0005, 0.004, 0.05, 0.005, 0.001, 0.0005, 0.008, 0.0002],
    [0.82, 0.035, 0.02, 0.04, 0.07, 0.004, 0.001, 0.006, 0.004],
    [0.53, 0.24, 0.11, 0.04, 0.05, 0.017, 0.004, 0.005, 0.004],
    [0.26, 0.43, 0.18, 0.05, 0.03, 0.03, 0.013, 0.005, 0.002],
]
_PAY = np.array([12.6, 12.75, 12.9, 13.0, 13.3, 13.75, 14.4])
"""Mean of the logarithm of monthly pay, in pesos, by education."""


def unions(rng: np.random.Generator, people: Families) -> Columns:
    """Marital status: the head and the partner always agree, and both always answer."""
    head_age = people.age[people.heads]
    of_couple = 1 + draw_by(rng, _COUPLES, np.digitize(head_age, [30, 45, 65]))[people.household]
    alone = 4 + draw_by(rng, _ALONE, np.digitize(people.age, [30, 45, 65]))
    alone[people.relationship == Relationship.CHILD_IN_LAW] = 1
    alone = collected(rng, alone, unanswered=UNANSWERED, asked=people.age >= ADULT, skip=NOT_APPLICABLE)
    return {"estado_civil": np.where(people.paired, of_couple, alone)}


def origins(rng: np.random.Generator, people: Families, region: pl.Series) -> Columns:
    """Nationality and people; most of a household comes from where its head comes."""
    n = people.age.size
    foreign = region.replace_strict(FOREIGN, return_dtype=pl.Float64).to_numpy()
    indigenous = region.replace_strict(INDIGENOUS, return_dtype=pl.Float64).to_numpy()
    follows = rng.random(n) < 0.85
    country = np.where(rng.random(n) < foreign, draw(rng, COUNTRIES, n), CHILE)
    country = np.where(follows, people.of_head(country), country)
    own = np.where((rng.random(n) < indigenous) & (country == CHILE), draw(rng, PEOPLES, n), 0)
    own = np.where(follows & (country == people.of_head(country)), people.of_head(own), own)
    return {
        "nacionalidad": collected(rng, country, unanswered={DOES_NOT_KNOW: 0.0003, NO_ANSWER: 0.003}),
        "pueblo": collected(rng, own, unanswered={DOES_NOT_KNOW: 0.006, NO_ANSWER: 0.004}),
    }


def schooling(rng: np.random.Generator, people: Families) -> tuple[Ints, Ints]:
    """Highest education of everybody, and as declared in the survey."""
    age = people.age
    adult = draw_by(rng, _SCHOOLING, np.digitize(age, [25, 45, 65]))
    secondary = np.where(rng.random(age.size) < 0.9, 3, 2)
    level = np.select([age < SCHOOL, age == SCHOOL, age < 14, age < 18], [0, 1, 2, secondary], adult)
    return level, collected(rng, level, unanswered=UNANSWERED, asked=age >= SCHOOL, skip=NOT_APPLICABLE)


def work(rng: np.random.Generator, people: Families, level: Ints) -> Columns:
    """Activity, occupation, branch, hours and incomes; who does not work is not asked about it."""
    n, age = people.age.size, people.age
    band = np.digitize(age, [18, 25, 55, 65]) * 2 + people.sex - 1
    activity = np.where(age >= ADULT, 1 + draw_by(rng, _ACTIVITY, band), NOT_APPLICABLE)
    employed = activity == EMPLOYED
    occupation = draw_by(rng, _OCCUPATION, (level - 2).clip(0))
    branch = draw(rng, SECTIONS, n)
    branch[occupation == 6], branch[occupation == 0] = "A", "O"
    hours = np.clip(np.rint(rng.normal(42, 10, n)), 1, 84).astype(np.int64)
    lost = pl.Series(employed & (rng.random(n) < 0.015))
    text_codes = {str(code): share for code, share in UNANSWERED.items()}
    return {
        "actividad": activity,
        "ocupacion": collected(rng, occupation, unanswered=UNANSWERED, asked=employed, skip=NOT_APPLICABLE),
        "rama": collected(rng, branch, unanswered=text_codes, asked=employed, skip=str(NOT_APPLICABLE)),
        "horas": pl.Series(np.where(employed, hours, -NOT_APPLICABLE)).set(lost, None),
        **_incomes(rng, people, _pay(rng, level, hours, employed), employed),
    }


def _pay(rng: np.random.Generator, level: Ints, hours: Ints, employed: Mask) -> Ints:
    """Monthly pay in round figures, as people say it; a few earn many times the rest."""
    logarithm = rng.normal(_PAY[level], 0.5) + 0.6 * np.log(hours / 42)
    top = 1 + (rng.random(level.size) < 0.01) * rng.pareto(1.6, level.size)
    return np.where(employed, np.rint(np.exp(logarithm) * top / 10_000).clip(1) * 10_000, 0).astype(np.int64)


def _incomes(rng: np.random.Generator, people: Families, pay: Ints, employed: Mask) -> Columns:
    """Pay as declared, and the household's income: all that its members earn, and transfers."""
    silent = {-DOES_NOT_KNOW: 0.02, -NO_ANSWER: 0.06}
    declared = collected(rng, pay, unanswered=silent, asked=employed, skip=-NOT_APPLICABLE)
    pensions = 150_000 * np.bincount(people.household, people.age >= 65)
    transfers = np.rint(rng.gamma(1.2, 160, people.households)) * 1000
    total = np.bincount(people.household, pay) + pensions + transfers
    return {"ing_trabajo": declared, "ing_hogar": total[people.household].astype(np.int64)}


def illness(rng: np.random.Generator, people: Families) -> Columns:
    """Main chronic illness by age; some answers were lost and are empty."""
    answers = draw_by(rng, _ILLNESS, np.digitize(people.age, [15, 45, 65]))
    lost = pl.Series(rng.random(answers.size) < 0.003)
    answers = collected(rng, answers, unanswered=UNANSWERED)
    return {"enf_cronica": pl.Series(answers).set(lost, None)}
