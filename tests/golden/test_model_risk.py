"""Log-linear risk against sdcMicro 5.8.1, and population uniqueness against ARX 3.9.2."""

import json

import numpy as np
import polars as pl
import pytest
import reference

from celosia import risk
from celosia.risk.class_sizes import ClassSizes
from celosia.risk.log_linear import log_linear
from celosia.risk.population_uniqueness import of_sizes, population_uniqueness

METHODS = {"default": "default", "CE": "ce", "PML": "pml", "weightedLLM": "weighted", "IPF": "ipf"}

ARX = reference.FOLDER / "arx"
ADULT = pytest.mark.skipif(not ARX.is_dir(), reason="the reference folder is not on this machine")


def measured(case):
    params, frame = case["params"], reference.data(case["dataset"])
    terms = [term.strip() for term in params["formula"].strip("~").split("+")]
    keys = [term for term in terms if ":" not in term]
    method = METHODS[params["method"]]
    factors = keys if method == "ipf" else params["variables_as_factor"]
    return log_linear(
        frame,
        keys=keys,
        weight=params["weights"],
        model=[tuple(term.split(":")) for term in terms if ":" in term] or "main",
        method=method,
        as_numbers=[key for key in keys if key not in factors and frame[key].dtype.is_numeric()],
        bound=float(params["bound"]),
    )


@pytest.mark.parametrize("case", reference.cases("model_risk"))
def test_figures_agree(case):
    """Where sdcMicro gives NaN (v = 0 in some cell, also one that does not count) ours is the stated formula."""
    found, expect = measured(case), case["expect"]
    near = {"abs": case["tolerance"]}
    assert found.sample_uniques == expect["n_sample_unique_cells"]
    assert found.cells.records.size == expect["n_cells_grid"]
    assert found.cells_used == expect["n_cells_used"]
    assert found.fitted.sum() == pytest.approx(expect["sum_fitted_R"], rel=1e-6)
    assert found.gr1 == pytest.approx(expect["gr1"], **near)
    assert found.gr2 == pytest.approx(expect["gr2"], **near)
    assert found.tau1 == pytest.approx(expect["tau1_skinner"], **near)
    assert found.tau2 == pytest.approx(expect["tau2_skinner"], **near)
    if expect["gr1_R"] is not None:
        assert (found.gr1, found.gr2) == pytest.approx((expect["gr1_R"], expect["gr2_R"]), **near)


def adult_cases():
    path = ARX / "arx_adult.json"
    if not path.exists():
        return [pytest.param(None, marks=ADULT, id="adult")]
    cases = json.loads(path.read_text("utf-8"))["risk_of_raw_data"]
    return [pytest.param(case, id=f"{len(case['qis'])} keys of {case['population']}") for case in cases]


@pytest.mark.parametrize("case", adult_cases())
def test_pitman_and_zayatz_agree_with_arx(case):
    frame = pl.read_csv(ARX / "adult.csv", separator=";")
    sizes = ClassSizes.of(frame.group_by(case["qis"]).len()["len"].to_numpy().astype(np.int64))
    population = case["population_size"]
    for estimator in ("pitman", "zayatz"):
        if case[f"available_{estimator.upper()}"]:
            expected = case[f"pop_unique_{estimator.upper()}"]
            assert of_sizes(sizes, population, estimator).share == pytest.approx(expected, rel=1e-7)


@pytest.mark.parametrize("case", adult_cases())
def test_the_rule_of_dankar(case):
    """As ARX for small fractions; above 0.1 ARX's broken SNB never counts, and ours may be the smaller estimate."""
    frame = pl.read_csv(ARX / "adult.csv", separator=";")
    found = population_uniqueness(frame, case["qis"], population=case["population_size"])
    theirs = case["pop_unique_DANKAR"]
    if found.fraction <= 0.1:
        assert found.estimator == "pitman" and found.share == pytest.approx(theirs, rel=1e-7)
    else:
        snb, zayatz = (found.estimates[name].uniques for name in ("snb", "zayatz"))
        assert found.uniques == min(snb, zayatz) and zayatz / found.population == pytest.approx(theirs, rel=1e-9)


@pytest.mark.parametrize("case", adult_cases())
def test_attackers_agree_with_arx(case):
    """ARX takes the file for the population, as F = f does here."""
    frame = pl.read_csv(ARX / "adult.csv", separator=";")
    found = risk.attackers(frame, case["qis"])
    prosecutor, journalist, marketer = found.table().iter_rows(named=True)
    for row, name in ((prosecutor, "prosecutor"), (journalist, "journalist")):
        assert row["highest"] == case["highest_risk"] == case[f"est_{name}"]
        assert row["mean"] == pytest.approx(case["average_risk"], rel=1e-12)
        assert row["above_20"] == pytest.approx(case[f"{name}_records_at_risk_0.2"], rel=1e-12)
    assert marketer["mean"] == pytest.approx(case["est_marketer"], rel=1e-12)
    assert found.prosecutor.min() == pytest.approx(case["lowest_risk"], rel=1e-12)
    assert (found.prosecutor == 1).mean() == pytest.approx(case["sample_uniques"], rel=1e-12)
    assert (found.prosecutor == found.prosecutor.min()).mean() == pytest.approx(case["frac_lowest"], rel=1e-12)


@pytest.mark.parametrize("case", [c for c in adult_cases() if not c.values[0] or "attribute_risks" in c.values[0]])
def test_distinction_and_separation_agree_with_arx(case):
    frame = pl.read_csv(ARX / "adult.csv", separator=";")
    found = risk.drivers(frame, case["qis"], max_size=len(case["qis"]))
    ours = {frozenset(s.variables): (s.distinction, s.separation) for s in found.sets}
    theirs = {frozenset(row["attrs"]): (row["distinction"], row["separation"]) for row in case["attribute_risks"]}
    # all keys together are no part of themselves; their share of distinct values is the mean risk
    assert theirs.pop(frozenset(case["qis"]))[0] == pytest.approx(found.global_risk, rel=1e-12)
    assert ours.keys() == theirs.keys()
    for names, figures in theirs.items():
        assert ours[names] == pytest.approx(figures, rel=1e-12)
