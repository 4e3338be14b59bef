"""Simulated anonymity: around the expectation, in every way of grouping, and the same for the same key."""

import datetime as dt

import numpy as np
import polars as pl
import pytest

from celosia import Run
from celosia.core.errors import CancelledError, OptionError
from celosia.datasets import register_counts
from celosia.demography import NATIONAL, Births, Counts, expected_anonymity, simulate_anonymity
from celosia.demography.rows import Groups, Rows
from celosia.demography.simulated import _Drawing

DETAILS = ("day", "month", "year")


@pytest.fixture(scope="module")
def register():
    return Counts.of(register_counts(300, 400_000))


def drawn(register, detail, births=None, simulations=400, tops=NATIONAL):
    """People of every replicate, by k."""
    groups = Groups.of(register, ())
    drawing = _Drawing(groups, tops, simulations, 0.95)
    rows = Rows.of(register, groups, detail, births or Births())
    return drawing._drawn(rows, 0, 1, Run(key=3))[0] * np.arange(tops[-1] + 1)


WEEK = Births(date=dt.date(2010, 1, 1), weekdays=(1.2, 1.1, 1.1, 1.1, 1.0, 0.8, 0.7))


@pytest.mark.parametrize("births", [Births(), Births(date=dt.date(2010, 5, 17)), WEEK])
@pytest.mark.parametrize("detail", DETAILS)
def test_means_are_the_expectation(register, detail, births):
    people = drawn(register, detail, births, simulations=200 if births is not WEEK else 60)
    table = expected_anonymity(register, detail, births=births).table()
    for k in range(1, 21):
        expected = table["people"][k - 1]
        error = (max(people[:, k].var(), k * expected) / len(people)) ** 0.5  # of what is rare, as of events
        assert abs(people[:, k].mean() - expected) < 5 * error


def test_the_formula_is_inside_the_interval(register):
    found = simulate_anonymity(register, DETAILS, simulations=400, run=Run(key=1)).table()
    expected = expected_anonymity(register, DETAILS).classes()["people"]
    told = expected > 100  # of one group of eleven people in a thousand years the interval is 0 to 0
    assert told.sum() > 20
    assert ((found["low"] <= expected) & (expected <= found["high"])).filter(told).all()
    assert ((found["low"] <= found["people"]) & (found["people"] <= found["high"])).all()


def test_every_replicate_has_everybody(register):
    found = simulate_anonymity(register, DETAILS, by=["province"], simulations=20, run=Run(key=1)).table()
    first = found.filter(pl.col("k") == 1)
    people = Groups.of(register, ["province"]).people.tolist()
    for part in first.partition_by("periods", maintain_order=True):
        for column in ("at_least", "at_least_low", "at_least_high"):
            assert part[column].to_list() == people
    last = found.filter(pl.col("to").is_null())
    assert last["at_least"].to_list() == last["people"].to_list()


def test_the_same_key_gives_the_same_figures_whatever_the_threads(register):
    one = simulate_anonymity(register, DETAILS, by=["place"], simulations=30, run=Run(key=7, threads=1))
    two = simulate_anonymity(register, DETAILS, by=["place"], simulations=30, run=Run(key=7, threads=3))
    assert one.table().equals(two.table())
    other = simulate_anonymity(register, DETAILS, by=["place"], simulations=30, run=Run(key=8))
    assert not one.table().equals(other.table())
    alone = simulate_anonymity(register, "month", by=["place"], simulations=30, run=Run(key=7))
    assert alone.table().equals(one.table().filter(pl.col("periods") == "month")), "a detail has its own draws"


def test_small_places_have_wide_intervals_and_large_ones_narrow():
    counts = register_counts(300, 400_000)
    found = simulate_anonymity(counts, "month", by=["place"], simulations=200, run=Run(key=2))
    rows = found.table().filter((pl.col("k") == 1) & (pl.col("people") > 20))
    width = (rows["high"] - rows["low"]) / rows["people"]
    assert (width > 0).all() and width.max() < 2
    whole = simulate_anonymity(counts, "month", simulations=200, run=Run(key=2)).table()
    assert (whole["high"][0] - whole["low"][0]) / whole["people"][0] < width.min()


def test_intervals_cover_what_they_say():
    """A single cell of 3 people and 2 periods: 1 alone in 3 of 4 cases."""
    frame = pl.DataFrame({"count": [3]})
    found = simulate_anonymity(frame, 2, simulations=2000, tops=(1, 2), level=0.6, run=Run(key=1)).table()
    assert found["people"].to_list() == [1.0, 2.0, 0.0]
    assert (found["low"][0], found["high"][0]) == (0.0, 1.0), "20 % lie below, and 25 % have nobody alone"
    narrow = simulate_anonymity(frame, 2, simulations=2000, tops=(1, 2), level=0.4, run=Run(key=1)).table()
    assert (narrow["low"][0], narrow["high"][0]) == (1.0, 1.0)


def test_the_layout_of_cuadro_1(register):
    found = simulate_anonymity(register, DETAILS, simulations=30, run=Run(key=1))
    layout = found.overview()
    assert layout.columns == ["class", *(f"{part}_{d}" for d in DETAILS for part in ("share", "people", "margin"))]
    assert layout["class"].to_list() == ["1", "2", "3", "4", "5", "6-10", "11-20", "21-50", ">50"]
    assert layout["share_day"].sum() == pytest.approx(1, abs=0.01)
    row = found.table().row(0, named=True)
    assert layout["margin_day"][0] == round((row["high"] - row["low"]) / 2)
    by = simulate_anonymity(register, "day", by=["province"], simulations=5, run=Run(key=1)).overview()
    assert by.columns[0] == "province" and by.height % 9 == 0


def test_a_stopped_run_stops(register):
    run = Run(key=1)
    run.cancel()
    with pytest.raises(CancelledError):
        simulate_anonymity(register, "day", simulations=10, run=run)


def test_results_are_plain(register):
    found = simulate_anonymity(register, "day", simulations=10, run=Run(key=1))
    told = found.to_dict()
    assert told["simulations"] == 10 and len(told["classes"]) == 9
    assert "Run" not in repr(found) and found.picture().svg().startswith("<svg")
    assert simulate_anonymity(register, "day", by=["place"], simulations=5).picture().svg().startswith("<svg")


@pytest.mark.parametrize("wrong", [{"simulations": 1}, {"simulations": 2.5}, {"level": 1}, {"level": 0}, {"tops": ()}])
def test_wrong_options(register, wrong):
    with pytest.raises(OptionError):
        simulate_anonymity(register, "day", **wrong)
