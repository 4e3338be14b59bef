"""Families: persons in households whose ages and relationships hold together."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from celosia.datasets.draws import Floats, Ints, Mask, draw_by

Scalar = TypeVar("Scalar", bound=np.generic)

SIZES = np.array([0.17, 0.24, 0.21, 0.19, 0.10, 0.05, 0.02, 0.01, 0.006, 0.004])
COUPLES = np.array([0.0, 0.55, 0.70, 0.80, 0.82, 0.82, 0.8, 0.8, 0.8, 0.8])
HEAD_MEAN = np.array([56.0, 55.0, 49.0, 45.0, 45.0, 46.0, 48.0, 50.0, 50.0, 50.0])
OLDEST = 104


class Relationship(IntEnum):
    """Relationship to the head of the household."""

    HEAD = 1
    PARTNER = 2
    CHILD = 3
    CHILD_IN_LAW = 4
    GRANDCHILD = 5
    PARENT = 6
    SIBLING = 7
    OTHER_RELATIVE = 8
    NOT_RELATED = 9


_OTHERS = np.array([r.value for r in Relationship if r > Relationship.PARTNER])
_OTHER_SHARES = [
    [0.25, 0.0, 0.0, 0.18, 0.25, 0.14, 0.18],  # head under 30
    [0.83, 0.0, 0.0, 0.07, 0.04, 0.03, 0.03],  # 30 to 54
    [0.64, 0.05, 0.18, 0.02, 0.04, 0.04, 0.03],  # 55 and more
]


@dataclass(frozen=True, eq=False)
class Families:
    """One entry a person, household by household, from the head to the least related."""

    household: Ints
    """Number of the household, from 0."""
    size: Ints
    """Persons in the household."""
    relationship: Ints
    sex: Ints
    """1 man, 2 woman."""
    age: Ints
    paired: Mask
    """True for the head and the partner of a couple."""

    @property
    def households(self) -> int:
        """Number of households."""
        return int(self.household[-1]) + 1

    @property
    def heads(self) -> Mask:
        """True for the first person of each household."""
        return np.equal(self.relationship, Relationship.HEAD.value)

    @property
    def number(self) -> Ints:
        """Number of each person in the household, from 1."""
        return np.arange(self.age.size) - np.flatnonzero(self.heads)[self.household] + 1

    def of_head(self, values: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        """What the head of the household has, for each person."""
        return values[self.heads][self.household]


def families(rng: np.random.Generator, n: int) -> Families:
    """Exactly ``n`` persons in households of skewed sizes (the last one takes what is left)."""
    sizes = _household_sizes(rng, n)
    household = np.repeat(np.arange(sizes.size), sizes)
    position = np.arange(n) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    couple = rng.random(sizes.size) < COUPLES[sizes - 1]
    youngest = np.where(sizes > 2, 22, 19)
    head_age = np.clip(rng.normal(HEAD_MEAN[sizes - 1], 15), youngest, 97).astype(np.int64)

    relationship = _relationships(rng, position, sizes[household], couple[household], head_age[household])
    sex = _sexes(rng, relationship, household, couple)
    age = _ages(rng, relationship, sex, household, head_age)
    order = np.lexsort((-age, relationship, household))
    relationship = relationship[order]
    return Families(
        household=household,
        size=sizes[household],
        relationship=relationship,
        sex=sex[order],
        age=age[order],
        paired=couple[household] & (relationship <= Relationship.PARTNER),
    )


def _household_sizes(rng: np.random.Generator, n: int) -> Ints:
    drawn = 1 + rng.choice(SIZES.size, n, p=SIZES / SIZES.sum())
    ends = np.cumsum(drawn)
    sizes = drawn[: int(np.searchsorted(ends, n)) + 1].copy()
    sizes[-1] -= ends[sizes.size - 1] - n
    return sizes


def _relationships(rng: np.random.Generator, position: Ints, size: Ints, couple: Mask, head_age: Ints) -> Ints:
    others = _OTHERS[draw_by(rng, _OTHER_SHARES, np.digitize(head_age, [30, 55]))]
    one_parent_at_most = (others == Relationship.PARENT) & ((position < size - 1) | (head_age > 70))
    others[one_parent_at_most] = Relationship.OTHER_RELATIVE
    partner = np.where(couple & (position == 1), Relationship.PARTNER.value, others)
    return np.where(position == 0, Relationship.HEAD.value, partner)


def _sexes(rng: np.random.Generator, relationship: Ints, household: Ints, couple: Mask) -> Ints:
    sex = 1 + (rng.random(relationship.size) < 0.505)
    head = 1 + (rng.random(couple.size) < np.where(couple, 0.33, 0.6))
    same = rng.random(couple.size) < 0.015
    sex = np.where(relationship == Relationship.HEAD, head[household], sex)
    return np.where(relationship == Relationship.PARTNER, np.where(same, head, 3 - head)[household], sex)


def _ages(rng: np.random.Generator, relationship: Ints, sex: Ints, household: Ints, head_age: Ints) -> Ints:
    """Age by relationship; a child is at least 15 years younger than the younger of the couple."""
    head, luck = head_age[household], rng.random(relationship.size)
    shift = rng.normal(0.0, 4.0, relationship.size)
    partner = np.clip(np.rint(head + shift + np.where(sex == 2, -2, 2)), 18, OLDEST)
    parent_age = head_age.copy()
    has_partner = relationship == Relationship.PARTNER
    np.minimum.at(parent_age, household[has_partner], partner[has_partner].astype(np.int64))
    child = parent_age[household] - np.minimum(16 + rng.gamma(3.0, 4.5, relationship.size), 48)
    ages: dict[Relationship, Floats] = {
        Relationship.PARTNER: partner,
        Relationship.CHILD: np.where(child >= 0, child, luck * np.minimum(parent_age[household] - 15, 6)),
        Relationship.CHILD_IN_LAW: np.clip(head - 28 + 2 * shift, 18, 60),
        Relationship.GRANDCHILD: luck * np.minimum(parent_age[household] - 32, 22).clip(0),
        Relationship.PARENT: np.minimum(head + 18 + luck * 16, OLDEST),
        Relationship.SIBLING: np.clip(head + 2 * shift, 0, 97),
        Relationship.OTHER_RELATIVE: luck * 85,
        Relationship.NOT_RELATED: 16 + luck**2 * 60,
    }
    codes = [relationship == code for code in ages]
    return np.select(codes, list(ages.values()), default=head).astype(np.int64)
