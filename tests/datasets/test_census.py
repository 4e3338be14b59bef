"""The synthetic census: exact size, exact skips, nested places, dwellings that hold their persons."""

from __future__ import annotations

from functools import reduce
from operator import or_

import polars as pl
import pytest

from celosia.core.codes import spell_series
from celosia.core.dictionary import Level, MissingKind
from celosia.core.errors import OptionError
from celosia.datasets import Census, census

GEOGRAPHY = ["REGION", "PROVINCIA", "COMUNA", "DC", "ID_ZONA_LOC"]
MINOR = pl.col("P09") < 15
NOT_A_WOMAN_OF_15 = MINOR | (pl.col("P08") == 1)


@pytest.fixture(scope="module")
def both() -> Census:
    return census(n=40_000, key=3)


@pytest.fixture(scope="module")
def persons(both: Census) -> pl.DataFrame:
    return both.persons.frame


@pytest.fixture(scope="module")
def dwellings(both: Census) -> pl.DataFrame:
    return both.dwellings.frame


def always(frame: pl.DataFrame, rule: pl.Expr) -> bool:
    return frame.select(rule.fill_null(False).all()).item()


@pytest.mark.parametrize("n", [1, 2, 50, 999])
def test_it_has_exactly_n_persons(n: int) -> None:
    found = census(n=n)
    assert found.persons.height == n
    assert found.dwellings.column("CANT_PER").sum() == n


def test_no_persons_is_an_error() -> None:
    with pytest.raises(OptionError):
        census(n=0)


def test_the_key_alone_decides() -> None:
    one, again, other = census(n=700, key=5), census(n=700, key=5), census(n=700, key=6)
    assert one.persons.frame.equals(again.persons.frame)
    assert one.dwellings.frame.equals(again.dwellings.frame)
    assert not one.persons.frame.equals(other.persons.frame)
    assert not one.dwellings.frame.equals(other.dwellings.frame)


def test_every_code_is_declared(both: Census) -> None:
    for data in (both.persons, both.dwellings):
        assert data.variables == data.dictionary.names
        for variable in data.dictionary:
            assert "sintéticos" in variable.note
            assert data.column(variable.name).null_count() == 0
            if variable.level is Level.CATEGORICAL:
                codes = spell_series(data.column(variable.name)).unique()
                assert set(codes) <= set(variable.values), variable.name


def test_places_nest_by_prefix(persons: pl.DataFrame, dwellings: pl.DataFrame) -> None:
    lengths = [2, 3, 5, 7, 10]
    for frame in (persons, dwellings):
        for above, below, length in zip(GEOGRAPHY, GEOGRAPHY[1:], lengths, strict=False):
            assert always(frame, pl.col(below).str.head(length) == pl.col(above))
        found = [frame[name].str.len_chars().unique().to_list() for name in GEOGRAPHY]
        assert found == [[length] for length in lengths]
        assert frame["REGION"].n_unique() == 16
        assert frame.group_by("ID_ZONA_LOC").agg(pl.col("AREA").n_unique())["AREA"].max() == 1


def test_the_country_has_its_depth() -> None:
    places = census(n=300_000).dwellings.frame.select(pl.col(*GEOGRAPHY).n_unique()).row(0)
    assert places[:3] == (16, 56, 346)
    assert 2400 < places[3] < 3000
    assert 12_000 < places[4] < 18_000


def test_zones_are_skewed(persons: pl.DataFrame) -> None:
    sizes = persons["COMUNA"].value_counts()["count"]
    assert sizes.mean() > 1.5 * sizes.median()


def test_dwellings_hold_their_persons(persons: pl.DataFrame, dwellings: pl.DataFrame) -> None:
    counted = persons.group_by("ID_VIVIENDA", *GEOGRAPHY, "AREA").len()
    joined = dwellings.join(counted, on=["ID_VIVIENDA", *GEOGRAPHY, "AREA"], how="left")
    assert counted.height == persons["ID_VIVIENDA"].n_unique()
    assert (joined["len"].fill_null(0) == joined["CANT_PER"]).all()
    assert dwellings["ID_VIVIENDA"].n_unique() == dwellings.height
    numbers = persons.group_by("ID_VIVIENDA").agg(pl.col("PERSONAN").sort() == pl.int_range(1, pl.len() + 1))
    assert numbers["PERSONAN"].list.all().all()
    heads = persons.group_by("ID_VIVIENDA").agg((pl.col("P07") == 1).sum())
    assert heads["P07"].unique().to_list() == [1]


def test_a_dwelling_where_nobody_was_found_answers_nothing_more(dwellings: pl.DataFrame) -> None:
    empty = pl.col("P02") != 1
    assert dwellings.select(empty.sum()).item() > 0
    for name in ("P03A", "P03B", "P03C", "P04", "P05"):
        assert always(dwellings, (pl.col(name) == 98) == empty)
    assert always(dwellings, (pl.col("CANT_PER") == 0) == empty)


# The skips of the questionnaire: a question is "no aplica" exactly where these hold.
SKIPS = {
    "P10COMUNA": ("98", [pl.col("P10").is_in([1, 2, 4])]),
    "P10PAIS": (998, [pl.col("P10").is_in([1, 2, 3])]),
    "P11COMUNA": ("98", [~pl.col("P11").is_in([3, 99])]),
    "P11PAIS": (998, [~pl.col("P11").is_in([9, 99])]),
    "P12COMUNA": ("98", [~pl.col("P12").is_in([2, 99])]),
    "P12PAIS": (998, [~pl.col("P12").is_in([8, 99])]),
    "P12_LLEGADA": (9998, [pl.col("P12").is_in([1, 2])]),
    "P12_TRAMO": (98, [pl.col("P12").is_in([1, 2])]),
    "P14": (98, [pl.col("P13") == 3]),
    "P15": (98, [pl.col("P13") == 3]),
    "P15A": (98, [pl.col("P13") == 3]),
    "P16A": (98, [pl.col("P16") == 2]),
    "P16_OTRO": (98, [~pl.col("P16A").is_in([10, 99])]),
    "P17": (98, [MINOR]),
    "P18": ("98", [MINOR, pl.col("P17").is_in([4, 5, 6, 7, 8])]),
    "P19": (98, [NOT_A_WOMAN_OF_15]),
    "P20": (98, [NOT_A_WOMAN_OF_15, pl.col("P19") == 0]),
    "P21M": (98, [NOT_A_WOMAN_OF_15, pl.col("P19") == 0]),
    "P21A": (9998, [NOT_A_WOMAN_OF_15, pl.col("P19") == 0]),
}


@pytest.mark.parametrize("name", SKIPS)
def test_not_applicable_exactly_where_skipped(both: Census, persons: pl.DataFrame, name: str) -> None:
    code, skips = SKIPS[name]
    assert always(persons, (pl.col(name) == pl.lit(code)) == reduce(or_, skips))
    assert both.persons.dictionary[name].kind_of(str(code)) is MissingKind.NOT_APPLICABLE


def test_answers_hold_together(persons: pl.DataFrame) -> None:
    assert always(persons, pl.col("P09").is_between(0, 100))
    assert always(persons, (pl.col("P11") == 1).eq(pl.col("P09") < 5) | (pl.col("P11") == 99))
    told = persons.filter(pl.col("P12_LLEGADA") < 9998)
    assert always(told, pl.col("P12_LLEGADA") >= 2017 - pl.col("P09").cast(pl.Int64) - 4)
    earlier = pl.sum_horizontal(pl.col("P12_LLEGADA") < year for year in (2010, 2000, 1990))
    assert always(told, pl.col("P12_TRAMO") == 1 + earlier)
    elsewhere = persons.filter(~pl.col("P10COMUNA").is_in(["98", "99"]))
    assert always(elsewhere, pl.col("P10COMUNA") != pl.col("COMUNA"))


def test_mothers_have_at_least_their_children_at_home(persons: pl.DataFrame) -> None:
    at_home = pl.col("P07").is_in([5, 6]).sum().over("ID_VIVIENDA")
    mothers = persons.with_columns(at_home.alias("home")).filter(
        (pl.col("P07") <= 4) & (pl.col("P08") == 2) & (pl.col("P19") < 98)
    )
    assert mothers.height > 0
    assert always(mothers, pl.col("P19") >= pl.col("home"))
    with_children = mothers.filter(pl.col("P19") > 0)
    assert always(with_children, pl.col("P20").is_between(pl.col("home"), pl.col("P19")))
    assert always(with_children, pl.col("P21M").is_between(1, 12))
    assert always(with_children, (pl.col("P21A") + pl.col("P09") - 2017).is_between(13, 101))
    assert always(with_children, (pl.col("P21A") < 2017) | ((pl.col("P21A") == 2017) & (pl.col("P21M") <= 4)))


def test_missing_answers_occur(both: Census) -> None:
    kinds = {kind for variable in both.persons.dictionary for kind in variable.missing.values()}
    assert kinds == {MissingKind.NOT_APPLICABLE, MissingKind.NON_RESPONSE}
    for name in ("P15", "P16A", "P17", "P19"):
        assert (both.persons.column(name) == 99).any()


def test_the_list_of_places_is_that_of_the_country():
    found = census(n=2_000, key=3)
    assert found.places.columns == ["REGION", "PROVINCIA", "COMUNA", "DC", "ID_ZONA_LOC", "AREA"]
    assert found.places["COMUNA"].n_unique() == 346 and found.places["ID_ZONA_LOC"].is_unique().all()
    assert set(found.dwellings.column("ID_ZONA_LOC")) < set(found.places["ID_ZONA_LOC"])
    assert census(n=3_000, key=3).places.equals(found.places)
