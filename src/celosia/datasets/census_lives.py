"""Schooling, work and children of the persons of the synthetic census (questions 13 to 21)."""

from __future__ import annotations

import numpy as np

from celosia.datasets.census_codes import MISSING, SCHOOLING, SKIP, YEAR_MISSING, YEAR_SKIP
from celosia.datasets.census_origins import YEAR
from celosia.datasets.draws import Columns, Ints, Mask, collected, draw, draw_by
from celosia.datasets.families import Families, Relationship
from celosia.datasets.nomenclatures import SECTIONS

ADULT = 15
"""Age from which work and children are asked."""
NEVER = 3
_ATTENDS = [  # attends, does not now, never did; by age from 0, 4, 6, 14, 18, 25, 45
    [0.30, 0.05, 0.65], [0.88, 0.05, 0.07], [0.985, 0.01, 0.005], [0.93, 0.065, 0.005],
    [0.45, 0.545, 0.005], [0.08, 0.91, 0.01], [0.01, 0.95, 0.04],
]  # fmt: skip
_LEVELS = [  # levels 4 to 14 by age from 18, 25, 45, 65
    [0.010, 0.06, 0.000, 0.46, 0.15, 0.00, 0.000, 0.12, 0.195, 0.004, 0.001],
    [0.007, 0.12, 0.000, 0.36, 0.14, 0.00, 0.000, 0.13, 0.210, 0.030, 0.003],
    [0.003, 0.29, 0.030, 0.31, 0.09, 0.04, 0.017, 0.08, 0.120, 0.018, 0.002],
    [0.002, 0.10, 0.430, 0.08, 0.02, 0.19, 0.060, 0.03, 0.080, 0.007, 0.001],
]
_WORKED = [  # codes 1 to 8 by age from 15, 18, 25, 55, 65; men, then women
    [0.04, 0.003, 0.002, 0.01, 0.91, 0.01, 0.0, 0.025], [0.02, 0.002, 0.002, 0.01, 0.92, 0.03, 0.0, 0.016],
    [0.40, 0.008, 0.015, 0.09, 0.43, 0.02, 0.0, 0.037], [0.31, 0.006, 0.012, 0.08, 0.46, 0.10, 0.0, 0.032],
    [0.79, 0.009, 0.040, 0.06, 0.03, 0.02, 0.01, 0.041], [0.56, 0.007, 0.035, 0.05, 0.03, 0.27, 0.01, 0.038],
    [0.68, 0.009, 0.040, 0.05, 0.0, 0.03, 0.12, 0.071], [0.38, 0.006, 0.025, 0.02, 0.0, 0.38, 0.14, 0.049],
    [0.23, 0.004, 0.010, 0.01, 0.0, 0.03, 0.68, 0.036], [0.09, 0.002, 0.004, 0.004, 0.0, 0.26, 0.60, 0.040],
]  # fmt: skip
_BIRTHS = np.array([0.05, 0.55, 1.3, 1.9, 2.4, 3.1])
"""Mean number of children born, by age of the woman from 15, 20, 30, 40, 50, 65."""


def schooling(rng: np.random.Generator, age: Ints) -> Columns:
    """Questions 13 to 15: attendance, year and level; who never went is not asked the rest."""
    n = age.size
    attends = 1 + draw_by(rng, _ATTENDS, np.digitize(age, [4, 6, 14, 18, 25, 45]))
    adult = 4 + draw_by(rng, _LEVELS, np.digitize(age, [25, 45, 65]))
    secondary = np.where(rng.random(n) < 0.7, 7, 8)
    level = np.select([age < 5, age == 5, age == 6, age < 15, age < 18], [1, 2, 3, 5, secondary], adult)
    years = np.array([0, *(count for _, count in SCHOOLING.values())])[level]
    whole = (rng.random(n) < 0.72) | (years == 0)
    reached = np.where(whole, years, 1 + (rng.random(n) * (years - 1)).astype(np.int64))
    grade = np.select([age < 7, age < 15, age < 18], [0, age - 6, age - 14], reached)
    never, unanswered = attends == NEVER, rng.random(n) < 0.012
    rest = {"P14": grade, "P15": level, "P15A": np.where(grade == years, 1, 2)}
    return {
        "P13": attends,
        **{name: np.select([never, unanswered], [SKIP, MISSING], values) for name, values in rest.items()},
    }


def work(rng: np.random.Generator, people: Families) -> Columns:
    """Questions 17 and 18, from 15 years on; the branch only of those with an employment."""
    adult = people.age >= ADULT
    band = np.digitize(people.age, [18, 25, 55, 65]) * 2 + people.sex - 1
    worked = 1 + draw_by(rng, _WORKED, band)
    worked = collected(rng, worked, unanswered={MISSING: 0.02}, asked=adult, skip=SKIP)
    branch = draw(rng, SECTIONS, adult.size)
    branch = collected(rng, branch, unanswered={str(MISSING): 0.06}, asked=worked <= 3, skip=str(SKIP))
    return {"P17": worked, "P18": np.where(worked == MISSING, str(MISSING), branch)}


def children(rng: np.random.Generator, people: Families) -> Columns:
    """Questions 19 to 21, of women of 15 and more: at least the children of the couple who live with them."""
    n, age = people.age.size, people.age
    asked = (people.sex == 2) & (age >= ADULT)
    is_child = people.relationship == Relationship.CHILD
    is_mother = asked & (people.relationship <= Relationship.PARTNER)
    of_household = np.bincount(people.household[is_child], minlength=people.households)
    at_home = of_household[people.household] * is_mother
    mean = _BIRTHS[np.digitize(age, [20, 30, 40, 50, 65])]
    born = np.maximum(np.minimum(rng.poisson(mean), (age - 14).clip(0)), at_home)
    lost = rng.binomial(born - at_home, np.where(age < 50, 0.015, 0.06))
    month, year = _last_birth(rng, people, at_home > 0)
    unanswered = asked & (rng.random(n) < 0.025)
    childless = asked & (born == 0)
    rest = {
        "P20": (born - lost, SKIP, MISSING),
        "P21M": (month, SKIP, MISSING),
        "P21A": (year, YEAR_SKIP, YEAR_MISSING),
    }
    return {
        "P19": np.select([~asked, unanswered], [SKIP, MISSING], born),
        **{
            name: np.select([~asked, unanswered, childless], [skip, missing, skip], values)
            for name, (values, skip, missing) in rest.items()
        },
    }


def _last_birth(rng: np.random.Generator, people: Families, with_child: Mask) -> tuple[Ints, Ints]:
    """Month and year of the last birth: the youngest child's at home, else some time since the age of 15."""
    age, is_child = people.age, people.relationship == Relationship.CHILD
    youngest = np.full(people.households, age.max())
    np.minimum.at(youngest, people.household[is_child], age[is_child])
    since = np.maximum((age - ADULT) * 0.3, age - 45) + rng.random(age.size) * (age - ADULT).clip(0) * 0.4
    since = np.minimum(since, age - ADULT).clip(0).astype(np.int64)
    ago = np.where(with_child, youngest[people.household], since)
    month = rng.integers(1, 13, age.size)
    return month, YEAR - ago - (month > 4)
