"""The synthetic register: an exact total, places as skewed as Spain's, every cell once."""

from __future__ import annotations

import polars as pl
import pytest

from celosia.core.errors import OptionError
from celosia.datasets import register_counts
from celosia.datasets.register_counts import AGE_GROUPS


@pytest.fixture(scope="module")
def counts() -> pl.DataFrame:
    return register_counts()


@pytest.fixture(scope="module")
def sizes(counts: pl.DataFrame) -> pl.Series:
    return counts.group_by("place").agg(pl.col("count").sum())["count"]


def test_the_total_is_exact(counts: pl.DataFrame) -> None:
    assert counts["count"].sum() == 47_000_000
    assert counts["count"].min() >= 0


@pytest.mark.parametrize(("places", "people"), [(1, 1), (3, 2), (99, 1000), (150, 90_000)])
def test_small_countries_add_up_too(places: int, people: int) -> None:
    counts = register_counts(places=places, people=people)
    assert counts["count"].sum() == people
    assert counts["place"].n_unique() == places


def test_every_cell_is_there_once(counts: pl.DataFrame) -> None:
    assert counts.height == 8110 * 2 * 18
    assert counts.select("place", "sex", "age_group").is_unique().all()
    assert counts["age_group"].unique(maintain_order=True).to_list() == list(AGE_GROUPS)
    assert AGE_GROUPS[0] == "0-4"
    assert AGE_GROUPS[-1] == "85+"


def test_places_nest_in_provinces(counts: pl.DataFrame) -> None:
    assert counts.select((pl.col("place").str.head(2) == pl.col("province")).all()).item()
    assert counts["province"].n_unique() == 52
    assert counts["place"].str.len_chars().unique().to_list() == [5]


def test_a_few_big_cities_and_thousands_of_small_places(sizes: pl.Series) -> None:
    assert 1 <= (sizes > 1_000_000).sum() <= 5
    assert 3000 < (sizes < 1000).sum() < 6000
    assert sizes.min() >= 3


def test_small_places_are_older(counts: pl.DataFrame) -> None:
    with_size = counts.with_columns(pl.col("count").sum().over("place").alias("size"))
    old = pl.col("count").filter(pl.col("age_group").is_in(AGE_GROUPS[13:])).sum() / pl.col("count").sum()
    villages = with_size.filter(pl.col("size") < 1000).select(old).item()
    cities = with_size.filter(pl.col("size") > 100_000).select(old).item()
    assert villages > 1.2 * cities


def test_the_key_alone_decides() -> None:
    one, again, other = (register_counts(places=200, people=100_000, key=key) for key in (1, 1, 2))
    assert one.equals(again)
    assert not one.equals(other)


@pytest.mark.parametrize("options", [{"places": 0}, {"people": 0}])
def test_nothing_is_an_error(options: dict[str, int]) -> None:
    with pytest.raises(OptionError) as caught:
        register_counts(**options)
    assert caught.value.facts["option"] in options
