from itertools import product

import numpy as np
import pytest
from refusal import refused

from celosia.census.protection import Protection, Sensitivity, Table, Unit

SIZES = 3
"""Household sizes 0, 1, 2 and 3 or more: the cells of the table of dwellings in the small world below."""


def person(neighbours):
    return Protection(unit="person", neighbours=neighbours)


def dwelling(neighbours, members=3):
    return Protection(unit="dwelling", neighbours=neighbours, members=members)


def worst(changes):
    """The largest changes over every way to group cells into answers."""
    squared = absolute = 0
    for change in changes:
        for group in product(range(3), repeat=len(change)):
            answers = np.bincount(group, weights=change, minlength=3)
            squared, absolute = max(squared, (answers**2).sum()), max(absolute, np.abs(answers).sum())
    return Sensitivity(int(squared), int(absolute))


def basis(cell, cells):
    return np.eye(cells)[cell]


def moves():
    """One dwelling that gains or loses a person."""
    for size in range(SIZES):
        yield basis(size + 1, SIZES + 1) - basis(size, SIZES + 1)
        yield basis(size, SIZES + 1) - basis(size + 1, SIZES + 1)


def test_a_record_added_or_replaced_in_every_small_table():
    cells = 4
    added = [basis(cell, cells) for cell in range(cells)]
    replaced = [basis(a, cells) - basis(b, cells) for a, b in product(range(cells), repeat=2)]
    assert person("unbounded").sensitivities(Table.PERSONS) == {Unit.PERSON: worst(added)}
    assert person("bounded").sensitivities(Table.PERSONS) == {Unit.PERSON: worst(replaced)}
    assert person("bounded").sensitivities(Table.DWELLINGS) == {Unit.DWELLING: worst(replaced)}
    assert person("unbounded").sensitivities(Table.DWELLINGS) == {Unit.DWELLING: worst(added)}


def test_a_dwelling_with_all_its_members_in_every_small_table():
    cells, most = 3, 3
    homes = [sum(basis(c, cells) for c in home) for home in product(range(cells), repeat=most)]
    replaced = [one - other for one, other in product(homes, repeat=2)]
    assert dwelling("unbounded").sensitivities(Table.PERSONS) == {Unit.DWELLING: worst(homes)}
    assert dwelling("bounded").sensitivities(Table.PERSONS) == {Unit.DWELLING: worst(replaced)}
    for table in (Table.DWELLINGS, Table.HOUSEHOLDS):
        assert dwelling("bounded").sensitivities(table) == {Unit.DWELLING: Sensitivity(2, 2)}


def test_a_person_in_the_table_of_dwellings_with_their_persons():
    one = list(moves())
    both = [a + b for a, b in product(one, repeat=2)]
    assert person("unbounded").sensitivities(Table.HOUSEHOLDS)[Unit.PERSON] == worst(one)
    assert person("bounded").sensitivities(Table.HOUSEHOLDS)[Unit.PERSON] == worst(both)
    assert person("bounded").sensitivities(Table.HOUSEHOLDS)[Unit.DWELLING] == Sensitivity(2, 2)


def test_accounts():
    assert person("bounded").accounts == (Unit.PERSON, Unit.DWELLING)
    assert dwelling("bounded").accounts == (Unit.DWELLING,)
    assert person("bounded").account(Table.HOUSEHOLDS) is Unit.DWELLING
    assert person("bounded").account(Table.PERSONS) is Unit.PERSON
    assert dwelling("bounded").account(Table.PERSONS) is Unit.DWELLING


@pytest.mark.parametrize("neighbours", ["bounded", "unbounded"])
def test_a_changed_variable_is_one_answer_less_and_one_more(neighbours):
    assert person(neighbours).changes(Table.PERSONS) == {Unit.PERSON: Sensitivity(2, 2)}
    assert dwelling(neighbours).changes(Table.PERSONS) == {Unit.DWELLING: Sensitivity(18, 6)}
    assert person(neighbours).changes(Table.HOUSEHOLDS)[Unit.PERSON] == Sensitivity(8, 4), "who lives elsewhere"


def test_unit_neighbours_and_members_must_be_stated():
    with refused("protection-members"):
        Protection(unit="dwelling", neighbours="bounded")
    with refused("protection-members"):
        Protection(unit="person", neighbours="bounded", members=3)
    with pytest.raises(ValueError, match="neighbours"):
        Protection(unit="person")
    with pytest.raises(ValueError, match="unit"):
        Protection(neighbours="bounded")
