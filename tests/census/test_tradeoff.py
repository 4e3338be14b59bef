from fractions import Fraction

import pytest
from censuses import folder_with_a_census
from refusal import refused

import celosia
from celosia.census import Attribute, Budget, Domain, Geography, Protection, PureBudget, TopDown, accounting
from celosia.census.tradeoff import tradeoff

PERSON = Protection(unit="person", neighbours="bounded")
QUESTIONS = {"REGION": ["P08"], "COMUNA": ["total"]}


@pytest.fixture(scope="module")
def census(tmp_path_factory):
    folder = folder_with_a_census(tmp_path_factory.mktemp("censo"))
    places = Geography.of_table(celosia.read(folder / "lugares.csv"), ("REGION", "COMUNA"), "NORTE")
    domain = Domain(attributes=(Attribute(name="P08", codes=(1, 2)),))
    return celosia.read(folder / "personas.parquet"), places, domain


def test_more_budget_means_less_error(census):
    data, places, domain = census
    topdown = TopDown(domain, places, Budget(rho=1, protection=PERSON, queries={"total": "1/2", "P08": "1/2"}))
    found = tradeoff(topdown, data, ["1/100", 1, 100], QUESTIONS, runs=3, public=True)
    assert not found.confidential
    rows = found.table()
    assert rows.columns == ["budget", "epsilon", "level", "query", "mae", "rmse", "runs"] and rows.height == 6
    for level in ("REGION", "COMUNA"):
        errors = rows.filter(level=level)["mae"].to_list()
        assert errors == sorted(errors, reverse=True) and errors[0] > errors[-1]
    assert rows["epsilon"][2] == accounting.epsilon(1, 1e-10)
    assert found.to_dict()["points"][0]["budget"] == "1/100"
    specification = found.picture().specification
    assert len(specification["data"]["values"]) == 6 and "ε" in found.picture().alternative
    again = tradeoff(topdown, data, ["1/100", 1, 100], QUESTIONS, runs=3)
    assert again.confidential and again.table().equals(rows), "the noise comes again with its seed"


def test_a_pure_budget_is_its_epsilon(census):
    data, places, domain = census
    topdown = TopDown(domain, places, PureBudget(epsilon=1, protection=PERSON, queries={"P08": 1}))
    found = tradeoff(topdown, data, [Fraction(1, 2)], QUESTIONS)
    assert found.table()["epsilon"].to_list() == [0.5, 0.5]


def test_nothing_to_try_is_refused(census):
    data, places, domain = census
    topdown = TopDown(domain, places, Budget(rho=1, protection=PERSON, queries={"P08": 1}))
    for options in ({"budgets": []}, {"budgets": [1], "runs": 0}):
        with refused("option-range"):
            tradeoff(topdown, data, questions=QUESTIONS, **options)
