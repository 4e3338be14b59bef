"""Hierarchies of a plan in its measures: one level up from where a variable is."""

import polars as pl
import pytest

from celosia import Plan, Study
from celosia.core.errors import OptionError
from celosia.methods import DropVariables, RecodeCategories
from celosia.process.levels import hierarchies

TEXT = """\
kind: census
scenarios: {todos: [zona, edad, sexo]}
dictionary: {edad: {hierarchy: tramos}}
hierarchies:
  zona: [["1", n, "*"], ["2", n, "*"], ["3", s, "*"]]
  tramos: [["30", "30-49"], ["40", "30-49"], ["50", "50+"], ["60", "50+"]]
  salud: [[a, leve, "*"], [b, leve, "*"], [c, grave, "*"]]
"""


@pytest.fixture
def study():
    frame = pl.DataFrame(
        {
            "zona": ["1", "1", "2", "2", "3", "3"],
            "edad": [30, 40, 50, 60, 30, 40],
            "sexo": [1, 1, 2, 2, 1, 2],
            "salud": ["a", "b", "c", "a", "b", "c"],
            "otra": ["a", "b", "c", "a", "b", "c"],
        }
    )
    return Study.of(frame, Plan.parse(TEXT))


def recoded(study):
    found = study.measure("drivers", max_size=1).table()
    return dict(zip(found["variables"], found["risk_recoded"], strict=True))


def test_drivers_are_recoded_by_the_hierarchies_of_the_plan(study):
    risks = recoded(study)
    assert risks["sexo"] is None and risks["edad"] < 1.0
    zones = study.apply(RecodeCategories(variables=("zona",), mapping={"1": "n", "2": "n", "3": "s"}))
    assert risks["zona"] == zones.risk().global_risk
    assert recoded(zones)["zona"] == zones.apply(DropVariables(variables=("zona",))).risk().global_risk


def test_codes_of_no_level_and_of_the_last_have_no_way_up(study):
    keys = ("zona", "edad", "sexo")
    assert set(hierarchies(study, study.data, keys)) == {"zona", "edad"}
    other = study.apply(RecodeCategories(variables=("zona",), mapping={"1": "x"}))
    assert set(hierarchies(other, other.data, keys)) == {"edad"}
    last = study.apply(RecodeCategories(variables=("zona",), mapping={"1": "*", "2": "*", "3": "*"}))
    assert set(hierarchies(last, last.data, keys)) == {"edad"}


def test_the_hierarchical_distance_takes_that_of_its_sensitive_variable(study):
    near = study.measure("t_closeness", sensitive="salud", distance="hierarchical")
    tree = study.plan.hierarchies["salud"]
    wanted = study.measure("t_closeness", sensitive="salud", distance="hierarchical", hierarchy=tree)
    assert near.to_dict() == wanted.to_dict()
    with pytest.raises(OptionError):
        study.measure("t_closeness", sensitive="otra", distance="hierarchical")
