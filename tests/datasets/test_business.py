"""The synthetic establishments: exact size, nested branches, small cells with giants."""

from __future__ import annotations

import polars as pl
import pytest

from celosia.core.codes import spell_series
from celosia.core.dictionary import Level
from celosia.core.errors import OptionError
from celosia.core.microdata import Microdata
from celosia.datasets import business
from celosia.datasets.business import NOT_EXPORTING, SMALL_CELL
from celosia.datasets.identities import IMPOSSIBLE
from celosia.datasets.nomenclatures import DIVISIONS


@pytest.fixture(scope="module")
def data() -> Microdata:
    return business(n=30_000, key=4)


@pytest.fixture(scope="module")
def frame(data: Microdata) -> pl.DataFrame:
    return data.frame


@pytest.mark.parametrize("n", [1, 2, 37, 1000])
def test_it_has_exactly_n_establishments(n: int) -> None:
    assert business(n=n).height == n


def test_none_is_an_error() -> None:
    with pytest.raises(OptionError):
        business(n=0)


def test_the_key_alone_decides() -> None:
    one, again, other = business(n=800, key=5), business(n=800, key=5), business(n=800, key=6)
    assert one.frame.equals(again.frame)
    assert (one.ids == again.ids).all()
    assert not one.frame.equals(other.frame)


def test_every_code_is_declared(data: Microdata) -> None:
    assert data.variables == data.dictionary.names
    for variable in data.dictionary:
        assert "sintéticos" in variable.note
        if variable.level is Level.CATEGORICAL:
            assert set(spell_series(data.column(variable.name)).unique()) <= set(variable.values), variable.name


def test_divisions_lie_in_their_sections(frame: pl.DataFrame) -> None:
    pairs = set(frame.select("seccion", pl.col("division").cast(pl.Int64)).unique().iter_rows())
    assert pairs <= {(section, division) for section, codes in DIVISIONS.items() for division in codes}
    assert len(pairs) > 60


def test_the_establishments_of_an_enterprise_share_branch_and_number(frame: pl.DataFrame) -> None:
    groups = frame.group_by("id_empresa").agg(pl.col("division", "rut").n_unique(), pl.len())
    assert groups["division"].max() == 1
    assert groups["rut"].max() == 1
    assert groups["len"].max() > 1
    assert frame["rut"].n_unique() == groups.height
    assert frame["rut"].str.head(9).cast(pl.Int64).min() > IMPOSSIBLE


def test_size_class_follows_employees(frame: pl.DataFrame) -> None:
    bounds = frame.group_by("tamano").agg(pl.col("empleo").min().alias("low"), pl.col("empleo").max().alias("high"))
    for size, low, high in bounds.iter_rows():
        assert {1: 1, 2: 10, 3: 50, 4: 200}[size] <= low
        assert high <= {1: 9, 2: 49, 3: 199, 4: 30_000}[size]


def test_exports_are_part_of_turnover_and_asked_where_they_make_sense(frame: pl.DataFrame) -> None:
    skipped = pl.col("seccion").is_in(NOT_EXPORTING)
    assert frame.select(((pl.col("exportaciones") == -97) == skipped).all()).item()
    assert frame.select((pl.col("exportaciones") <= pl.col("ventas")).all()).item()
    assert frame.filter(pl.col("exportaciones") < 0)["exportaciones"].is_in([-97, -99]).all()
    assert 0.01 < (frame["exportaciones"] > 0).mean() < 0.2


def test_the_largest_are_all_taken(frame: pl.DataFrame) -> None:
    assert frame.filter(pl.col("tamano") == 4)["factor"].unique().to_list() == [1.0]
    assert frame["factor"].min() >= 1
    assert frame["factor"].round(2).equals(frame["factor"])


def test_some_small_cells_are_dominated_and_some_are_not(frame: pl.DataFrame) -> None:
    cells = frame.group_by("region", "division").agg(
        pl.len().alias("size"), (pl.col("ventas").top_k(2).sum() / pl.col("ventas").sum()).alias("share")
    )
    small = cells.filter(pl.col("size").is_between(4, SMALL_CELL - 1))
    large = cells.filter(pl.col("size") > 100)
    assert 0.4 < (small["share"] > 2 / 3).mean() < 0.85
    assert large["share"].median() < 1 / 4
