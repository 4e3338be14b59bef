"""The division of the country as codes."""

from __future__ import annotations

import polars as pl
import pytest

from celosia.datasets.census_population import COMUNAS
from celosia.datasets.census_population import PROVINCES as NUMBER_OF_PROVINCES
from celosia.datasets.geography import PROVINCES, REGIONS, comuna_labels, comunas

ORDER = ["01", "15", "02", "03", "04", "05", "06", "07", "08", "09", "14", "10", "11", "12", "13", "16"]


def test_each_region_has_its_provinces_and_comunas() -> None:
    frame = comunas().group_by("region").agg(pl.col("provincia").n_unique(), pl.len())
    found = {region: (provinces, count) for region, provinces, count in frame.iter_rows()}
    expected = zip(NUMBER_OF_PROVINCES, COMUNAS, strict=True)
    assert found == dict(zip(ORDER, expected, strict=True))


def test_codes_nest_and_are_labelled() -> None:
    frame = comunas()
    assert frame.height == frame["comuna"].n_unique() == 346
    assert frame.select((pl.col("comuna").str.head(3) == pl.col("provincia")).all()).item()
    assert set(frame["comuna"]) == set(comuna_labels())
    assert set(frame["provincia"]) == set(PROVINCES)
    assert set(frame["region"]) == set(REGIONS)


def test_shares_add_up_and_are_skewed() -> None:
    frame = comunas()
    assert frame["share"].sum() == pytest.approx(1)
    assert frame["share"].max() > 100 * frame["share"].min()
    assert frame["rural"].is_between(0, 1).all()
