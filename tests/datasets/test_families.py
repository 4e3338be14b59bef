"""Families hold together, whatever their number and the key."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.datasets.draws import stream
from celosia.datasets.families import OLDEST, Families, Relationship, families

made = st.builds(lambda n, key: families(stream(key, "families"), n), st.integers(1, 400), st.integers(-(2**63), 2**63))


@settings(max_examples=40, deadline=None)
@given(made)
def test_every_household_has_one_head_first_and_at_most_one_partner(people: Families) -> None:
    assert np.bincount(people.household[people.heads]).tolist() == [1] * people.households
    assert people.heads[people.number == 1].all()
    partners = people.household[people.relationship == Relationship.PARTNER]
    assert np.unique(partners).size == partners.size
    assert (np.bincount(people.household)[people.household] == people.size).all()


@settings(max_examples=40, deadline=None)
@given(made)
def test_members_are_in_order(people: Families) -> None:
    keys = np.stack([people.household, people.relationship, -people.age])
    assert (np.lexsort(keys[::-1]) == np.arange(people.age.size)).all()


@settings(max_examples=40, deadline=None)
@given(made)
def test_ages_fit(people: Families) -> None:
    couple = people.relationship <= Relationship.PARTNER
    younger = np.full(people.households, OLDEST)
    np.minimum.at(younger, people.household[couple], people.age[couple])
    gap = younger[people.household] - people.age
    assert people.age.min() >= 0
    assert people.age.max() <= OLDEST
    assert (people.age[couple] >= 18).all()
    assert (gap[people.relationship == Relationship.CHILD] >= 15).all()
    assert (gap[people.relationship == Relationship.PARENT] <= -14).all()


@settings(max_examples=40, deadline=None)
@given(made)
def test_a_pair_is_a_head_and_a_partner(people: Families) -> None:
    partners = np.bincount(people.household[people.relationship == Relationship.PARTNER], minlength=people.households)
    paired = np.bincount(people.household[people.paired], minlength=people.households)
    assert (paired == 2 * partners).all()
    assert people.of_head(people.paired)[people.relationship == Relationship.PARTNER].all()
