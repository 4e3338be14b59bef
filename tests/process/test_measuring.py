"""What a study shows: scenarios, groups, panels, the intruder's count, perturbed keys."""

import warnings

import numpy as np
import polars as pl
import pytest

from celosia import Dictionary, Microdata, Plan, Policy, Run, Study, Variable, risk
from celosia.core.errors import CelosiaError, PlanError
from celosia.core.method import Method, Protected
from celosia.methods import LocalSuppression, RecodeCategories

TEXT = """\
kind: sample
policy: ine-hogares
roles: {weight: w, household: h}
scenarios:
  registro: {keys: [zona, edad], policy: ine-economicas}
  vecino: {keys: [zona, edad, sexo], prioritised: true}
groups:
  sur: zona == "3"
  mayores: edad >= 8
"""


class Flip(Method):
    """A perturbing method, for these tests: some values become others."""

    do = "flip"
    perturbs = True
    variable: str

    def _transform(self, data, run):
        values = data.column(self.variable).to_numpy().copy()
        values[::5] = values[::5][::-1]
        return Protected(data.with_columns({self.variable: pl.Series(values)}), method=self, run=run)

    def promises(self, before):
        return ()


@pytest.fixture
def root():
    chance = np.random.Generator(np.random.PCG64(3))
    frame = pl.DataFrame(
        {
            "zona": chance.integers(1, 4, 300),
            "edad": chance.integers(0, 10, 300),
            "sexo": chance.integers(1, 3, 300),
            "h": np.arange(300) // 2,
            "w": np.full(300, 50.0),
        }
    )
    book = Dictionary.of(Variable(name="edad", level="discrete"))
    return Study.of(Microdata(frame, book), Plan.parse(TEXT), Run(key=1))


@pytest.fixture
def protected(root):
    merged = root.apply(RecodeCategories(variables=("zona",), mapping={"2": "1"}))
    return merged.apply(LocalSuppression(keys=("zona", "edad", "sexo"), k=4))


def test_the_prioritised_scenario_comes_first(root):
    assert root.risk() is root.risk("vecino") is not root.risk("registro")


def test_the_intruder_sees_through_suppression_and_not_through_recodes(protected):
    found = protected.scenarios()
    true = protected.undo().data
    for name in ("registro", "vecino"):
        keys = list(protected.plan.scenario(name).keys)
        expected = risk.frequencies(protected.data, keys, missing="intruder", truth=true).sample
        assert found[name, "intruder"].frequencies.sample.tolist() == expected.tolist()
    assert found.table()["counting"].to_list() == ["wildcard", "strict", "intruder"] * 2


def test_groups_are_told_from_the_original_data(protected):
    table = protected.by_group().table()
    sizes = dict(zip(table["group"].to_list(), table["records"].to_list(), strict=True))
    original = protected.root.data.frame
    assert sizes["sur"] == (original["zona"] == 3).sum() and sizes["mayores"] == (original["edad"] >= 8).sum()
    assert sizes[None] == 300 and protected.by_group().worst in ("sur", "mayores")


def test_each_scenario_is_judged_by_its_own_policy(protected):
    rows = {(row.scenario, row.policy) for row in protected.check().rows}
    assert rows == {("registro", "ine-economicas"), ("vecino", "ine-hogares")}


def test_any_measure_by_name(protected):
    assert protected.measure("suda2").scores.size == 300
    assert protected.measure("k_anonymity", k=3).violations == protected.risk().frequencies.below(3)
    assert protected.measure("best_guess", scenario="registro").chance.size == 300
    with pytest.raises(CelosiaError):
        protected.measure("k_anonymity")


def test_counts_of_perturbed_keys_are_labelled_and_the_guess_is_judged(root):
    done = root.apply(Flip(variable="edad"))
    with warnings.catch_warnings(action="ignore"):
        verdict = done.check()
    after = [row for row in verdict.rows if row.file == "after"]
    assert {row.counts_only for row in after if row.measure != "best_guess"} == {True}
    assert not any(row.counts_only for row in verdict.rows if row.file == "before")
    guesses = [row for row in after if row.measure == "best_guess"]
    assert {row.scenario for row in guesses} == {"registro", "vecino"}
    expected = risk.best_guess(root.data, done.data, ["zona", "edad", "sexo"]).share
    assert next(row.value for row in guesses if row.scenario == "vecino") == pytest.approx(expected)
    loose = Policy.parse('name: x\nthresholds: [{measure: global_risk, below: "90 %"}]', "x")
    strict = Policy.parse('name: x\nthresholds: [{measure: global_risk, below: "0.001 %"}]', "x")
    plain = done.plan.model_copy(update={"scenarios": done.plan.scenarios[1:]})
    again = Study(plain, done.data, done.run, done.parent, done.result)
    assert loose.check(again).passes and not strict.check(again).passes


def test_a_panel_scenario_is_the_chain():
    frame = pl.DataFrame({"id": [1, 2, 3, 1, 2, 3], "ola": [1, 1, 1, 2, 2, 2], "z": [1, 1, 1, 1, 1, 2], "w": [9.0] * 6})
    text = "kind: sample\nroles: {weight: w}\nscenarios:\n  panel: {keys: [z], person: id, round: ola}\n"
    study = Study.of(frame, Plan.parse(text))
    assert study.panel().table()["uniques"].to_list() == [0, 1, 1]
    assert study.risk().records == 3 and study.risk().frequencies.below(2) == 1


@pytest.mark.parametrize(
    "text",
    [
        "scenarios: {a: [x], b: [x], c: [x], d: [x], e: [x], f: [x]}",
        "scenarios: {a: {keys: [x], prioritised: true}, b: {keys: [x], prioritised: true}}",
        "scenarios: {a: {keys: [x], person: id}}",
        "groups: {a: 'x =='}",
        "groups: [a]",
    ],
)
def test_plans_that_do_not_hold_together_are_refused(text):
    with pytest.raises(CelosiaError):
        Plan.parse(text)


def test_a_group_of_an_unknown_variable_is_refused(root):
    plan = Plan.parse(TEXT.replace("edad >= 8", "otra == 1"))
    with pytest.raises(CelosiaError, match="otra"):
        Study.of(root.data.frame, plan)
    with pytest.raises(PlanError):
        root.panel()
