"""The study of Gil Bellosta (2011): its printed figures hold together, and ours are of their order.

His register is not here; what can be reproduced is what his tables say of themselves and of the formula.
"""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from celosia import Run
from celosia.datasets import register_counts
from celosia.demography import Counts, expected_anonymity, simulate_anonymity
from celosia.demography.classes import NATIONAL, PLACES, names
from celosia.demography.pictures import by_size

FOLDER = Path(__file__).parents[1] / "golden" / "demography"
DETAILS = {"day": 1826, "month": 60, "year": 5}
CUADROS = {"day": "cuadro_2", "month": "cuadro_3", "year": "cuadro_4"}


def cuadro(name):
    return pl.read_csv(FOLDER / f"{name}.csv")


@pytest.fixture(scope="module")
def spain():
    return Counts.of(register_counts())


@pytest.mark.parametrize("name", CUADROS.values())
def test_rows_of_cuadros_2_to_4_add_up_to_their_totals(name):
    table = cuadro(name)
    assert table.columns == ["place", *names(PLACES), "total"] and table.height == 20
    error = table.select(names(PLACES)).sum_horizontal() - table["total"]
    assert error.abs().max() <= 5, "ten figures, each rounded"


def test_cuadros_2_to_4_have_the_same_places_and_totals():
    first = cuadro("cuadro_2").select("place", "total")
    assert all(cuadro(name).select("place", "total").equals(first) for name in CUADROS.values())


def test_cuadro_1_adds_up_to_the_population_of_spain():
    table = cuadro("cuadro_1")
    assert table["k"].to_list() == names(NATIONAL)
    for detail in DETAILS:
        assert table[f"{detail}_share"].sum() == pytest.approx(100, abs=0.05)
        assert table[f"{detail}_people"].sum() == pytest.approx(4702, abs=5)
        assert np.allclose(table[f"{detail}_people"] / 47.02, table[f"{detail}_share"], atol=0.02)


@pytest.mark.parametrize(("coarse", "fine"), [("year", "month"), ("month", "day")])
def test_his_places_obey_the_formula_with_the_periods_of_five_years(coarse, fine):
    """The share of 1-anonymous people is the mean of exp(-s O) over people, O the others of the cell and s =
    -log(1 - 1/N); so -log(share)/s cannot rise with s (Lyapunov). With the periods of one year it would.
    """

    known = cuadro(CUADROS[coarse])["1"] > 20

    def rate(detail, periods, rounding):
        table = cuadro(CUADROS[detail]).filter(known)
        return -np.log((table["1"] + rounding) / table["total"]).to_numpy() / -np.log1p(-1 / periods)

    assert known.sum() >= (1 if coarse == "year" else 7)
    assert (rate(coarse, DETAILS[coarse], 0.5) <= rate(fine, DETAILS[fine], -0.5)).all()
    assert (rate(coarse, DETAILS[coarse], 0.5) > rate(fine, DETAILS[fine] / 5, -0.5)).all()


def test_his_shares_fall_with_the_size_of_the_place_as_his_text_says():
    table = cuadro("cuadro_2").with_columns(share=pl.col("1") / pl.col("total")).sort("total")
    assert table.filter(pl.col("total") < 10_000)["share"].min() > 0.8
    assert table.filter(pl.col("total") > 100_000)["share"].max() < 0.2
    assert table["share"].is_sorted(descending=True)


def test_a_register_of_that_shape_gives_figures_of_that_order(spain):
    found = expected_anonymity(spain, tuple(DETAILS))
    ours = found.classes().pivot("periods", index="class", values="share")
    his = cuadro("cuadro_1")
    for detail, (low, high) in {"day": (0.38, 0.47), "month": (0.04, 0.08), "year": (0.001, 0.01)}.items():
        assert low < found.share_at_most(detail, 1) < high
        assert np.abs(ours[detail] - his[f"{detail}_share"] / 100).max() < 0.03


def test_the_simulated_margins_are_those_of_cuadro_1(spain):
    """His ± is half a 95 % interval, in tens of thousands; it hardly depends on whose register it is."""
    found = simulate_anonymity(spain, ("day", "year"), simulations=120, run=Run(key=1)).overview()
    his = cuadro("cuadro_1")
    for detail in ("day", "year"):
        ratio = found[f"margin_{detail}"] / (10_000 * his[f"{detail}_margin"])
        assert ratio.is_between(0.6, 1.6).all() and 0.85 < ratio.mean() < 1.2


def test_small_places_single_out_nearly_everybody_and_large_ones_few(spain):
    shares = expected_anonymity(spain, "day", by=["place"]).shares()
    assert shares.filter(pl.col("population") < 10_000)["share"].min() > 0.8
    above = shares.filter(pl.col("population") > 100_000)
    assert above["people"].sum() / above["population"].sum() < 0.2
    assert above["share"].max() < 0.21
    bands = by_size(shares)
    assert bands["share"].is_sorted(descending=True) and bands["groups"].sum() == 8110
