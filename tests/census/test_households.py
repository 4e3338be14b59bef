import polars as pl
from refusal import refused

from celosia.census.households import check_members, households
from celosia.datasets.census import census

PERSONS = pl.DataFrame({"ID": [1, 1, 1, 3], "P08": [1, 2, 1, 2]})
DWELLINGS = pl.DataFrame({"ID": [3, 2, 1], "P01": [1, 1, 2]})


def test_dwellings_with_the_number_of_their_persons():
    joined = households(PERSONS, DWELLINGS, "ID")
    assert joined.frame.rows() == [(3, 1, 1), (2, 1, 0), (1, 2, 3)]
    assert households(PERSONS, DWELLINGS, "ID", name="TAM", top=2).column("TAM").to_list() == [1, 0, 2]


def test_the_synthetic_census_says_the_same():
    files = census(2000)
    joined = households(files.persons, files.dwellings.drop("CANT_PER"), "ID_VIVIENDA", top=99)
    assert joined.column("CANT_PER").to_list() == files.dwellings.column("CANT_PER").to_list()


def test_files_that_do_not_fit_are_refused():
    with refused("person-without-dwelling", records=1):
        households(PERSONS, DWELLINGS[1:], "ID")
    with refused("person-without-dwelling", records=1):
        households(pl.DataFrame({"ID": [1, None]}), DWELLINGS, "ID")
    with refused("dwelling-repeated", variable="ID"):
        households(PERSONS, pl.concat([DWELLINGS, DWELLINGS]), "ID")
    with refused("option-range", option="top"):
        households(PERSONS, DWELLINGS, "ID", top=0)


def test_a_dwelling_larger_than_the_budget_protects_is_refused():
    check_members(PERSONS, "ID", 3)
    with refused("dwelling-too-large", members=2):
        check_members(PERSONS, "ID", 2)
