"""The census population is frozen: the same data for a seed as ever."""

from __future__ import annotations

import hashlib
import importlib.util
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from reference import FOLDER

from celosia.datasets import census_population
from celosia.datasets.census_population import census_zones

GENERATOR = FOLDER / "census" / "generate.py"


def test_the_data_of_a_seed_are_pinned() -> None:
    text = census_population(2000).write_csv().encode()
    assert hashlib.blake2b(text, digest_size=16).hexdigest() == "c8c6f4a29072c587b2a3ec2e9b8f795c"


@pytest.fixture(scope="module")
def generator() -> Any:
    if not GENERATOR.exists():
        pytest.skip("the reference files are not here")
    spec = importlib.util.spec_from_file_location("reference_census", GENERATOR)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("n", [5, 20_000])
def test_it_equals_the_reference_generator(generator: Any, n: int) -> None:
    geography, zone, sex, age, people, foreign = generator.persons(n)
    frame = census_population(n)
    for name, level in {"REGION": "reg", "PROVINCIA": "prov", "COMUNA": "com", "DC": "dist"}.items():
        assert (frame[name].to_numpy() == geography[f"zone_{level}"][zone] + 1).all(), name
    answers = {"ZC_LOC": zone + 1, "P08": sex + 1, "P09": age, "P16A": people, "P12N": foreign}
    for name, values in answers.items():
        assert (frame[name].to_numpy() == values).all(), name
        assert frame[name].to_numpy().dtype == values.dtype, name


def test_the_country_has_its_depth() -> None:
    country = census_zones(np.random.default_rng(2017))
    assert np.unique(country.region).size == 16
    assert np.unique(country.province).size == 56
    assert np.unique(country.comuna).size == 346
    assert np.unique(country.district).size == pytest.approx(2700, rel=0.1)
    assert country.share.size == pytest.approx(16_000, rel=0.1)
    assert country.share.sum() == pytest.approx(1)


def test_levels_nest() -> None:
    frame = census_population(20_000, seed=4)
    levels = ["REGION", "PROVINCIA", "COMUNA", "DC", "ZC_LOC"]
    for above, below in pairwise(levels):
        parents = frame.group_by(below).agg(pl.col(above).n_unique())
        assert parents[above].max() == 1


def test_foreigners_belong_to_no_people() -> None:
    frame = census_population(20_000, seed=4)
    assert frame.filter(pl.col("P12N") == 1)["P16A"].unique().to_list() == [0]
    assert frame["P09"].is_between(0, 100).all()


def test_another_seed_gives_other_data() -> None:
    assert not census_population(200).equals(census_population(200, seed=2018))
