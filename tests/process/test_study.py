"""A study is immutable: apply gives a new one, undo its parent; risk is computed when looked at, once."""

import dataclasses
import warnings

import polars as pl
import pytest

from celosia import Microdata, Plan, Run, Study
from celosia.core.errors import DataError, OptionError, PlanError, RoleError
from celosia.datasets import survey
from celosia.methods import DropVariables
from celosia.process import measuring as study_module

TEXT = """\
kind: sample
policy: ine-hogares
roles: {weight: factor, household: id_hogar}
scenarios: {vecina: [region, sexo], colega: [sexo, edad]}
"""
FEWER = {"do": "recode_intervals", "variable": "edad", "breaks": [0, 30, 60], "open_high": True}
MERGED = {"do": "recode_categories", "variables": ["region"], "mapping": {"01": "15"}}


@pytest.fixture(scope="module")
def data():
    return survey(n=400)


@pytest.fixture
def root(data):
    return Study.of(data, Plan.parse(TEXT), Run(key=1))


def test_a_step_gives_a_new_study_and_leaves_the_old(root):
    before = root.data.frame
    done = root.apply(FEWER)
    assert root.data.frame.equals(before) and root.plan.steps == ()
    assert done.parent is root and [step.name for step in done.plan.steps] == ["recode_intervals"]
    assert done.data.column("sexo").to_physical().equals(root.data.column("sexo").to_physical())
    with pytest.raises(dataclasses.FrozenInstanceError):
        done.parent = None


def test_undo_to_the_root_redo_another_branch_and_compare(root):
    one = root.apply(FEWER).apply(MERGED)
    assert one.undo().undo() is root and one.root is root
    with pytest.raises(OptionError) as error:
        root.undo()
    assert error.value.code == "nothing-to-undo"
    other = one.undo().undo().apply(MERGED)
    again = other.apply(FEWER)
    assert one.risk("colega").global_risk == again.risk("colega").global_risk
    assert one.data.frame.equals(again.data.frame)
    assert one.risk("colega").global_risk < other.risk("colega").global_risk
    assert one.table()["step"].to_list() == ["", "recode_intervals", "recode_categories"]
    assert [state.data.height for state in one.history] == [400, 400, 400]


def test_undo_has_no_limit(root):
    done = root
    for _ in range(1500):
        done = Study(root.plan, root.data, root.run, parent=done)
    assert done.root is root and len(done.history) == 1501
    while done.parent is not None:
        done = done.undo()
    assert done is root


def test_risk_is_computed_when_looked_at_and_once(root, monkeypatch):
    calls = []
    real = study_module.individual
    monkeypatch.setattr(study_module, "individual", lambda *a, **o: calls.append(a[4]) or real(*a, **o))
    done = root.apply(FEWER).apply(MERGED)
    assert calls == []
    first = done.risk("vecina")
    assert done.risk("vecina") is first and done.risk() is first and calls == ["wildcard"]
    done.risk("vecina", missing="strict")
    done.check()
    assert len(calls) == 8, "two scenarios, two rules, before and after: each once"
    done.check()
    done.table()
    assert len(calls) == 9, "only the state between was new"


def test_a_step_name_is_taken_once(root):
    with pytest.raises(OptionError, match="shuffle"):
        root.apply({"do": "shuffle_order", "name": "shuffle"}).apply({"do": "sample", "name": "shuffle", "share": 0.5,
                                                                      "weight": "factor"})  # fmt: skip
    twice = root.apply({"do": "shuffle_order"}).apply({"do": "shuffle_order"})
    assert twice.plan.step_names == ("shuffle_order", "shuffle_order-2")


def test_inserting_a_step_changes_no_other_steps_draws(root):
    draw = {"do": "sample", "name": "muestra", "share": 0.5, "weight": "factor"}
    order = {"do": "shuffle_order", "name": "orden"}
    plain = root.apply(draw).apply(order)
    inserted = root.apply(MERGED).apply(draw).apply(FEWER).apply(order)
    assert plain.data.ids.tolist() == inserted.data.ids.tolist()
    renamed = root.apply(draw | {"name": "otra"}).apply(order)
    assert plain.data.ids.tolist() != renamed.data.ids.tolist()


def test_running_a_plan_is_the_fold_of_apply(data):
    plan = Plan.parse(TEXT + "steps:\n  - {do: sample, share: 0.5, weight: factor}\n  - {do: shuffle_order}\n")
    root = Study.of(data, plan, Run(key=3))
    folded = root
    for step in plan.steps:
        folded = folded.apply(step)
    assert folded.data.frame.equals(root.replay(plan).data.frame)
    assert folded.plan.steps == plan.steps


def test_dropping_a_key_counts_the_others(root):
    done = root.apply(DropVariables(variables=("region",)))
    assert done.risk("vecina").frequencies.keys.names == ("sexo",)
    none = done.apply(DropVariables(variables=("sexo",)), name="sexo")
    assert none.risk("vecina").frequencies.below(400) == 0


def test_households_stay_after_their_id_left(root):
    done = root.apply(DropVariables(variables=("id_hogar",)))
    assert done.risk().household_global_risk == pytest.approx(root.risk().household_global_risk)
    assert {row.level for row in done.check().rows} == {"individual", "household"}


def test_a_step_on_a_dropped_variable_names_the_step_that_dropped_it(root):
    with pytest.raises(RoleError) as error:
        root.apply(DropVariables(variables=("edad",)), name="fuera").apply(FEWER)
    assert error.value.code == "step-variable-dropped"
    assert (error.value.facts["variable"], error.value.facts["dropped_by"]) == ("edad", "fuera")


@pytest.mark.parametrize(
    ("text", "error", "code"),
    [
        ("scenarios: {e: [sexo]}", RoleError, "file-kind-missing"),
        ("kind: sample\nscenarios: {e: [sexo]}", RoleError, "weight-missing-role"),
        ("kind: register-sample\nscenarios: {e: [sexo]}", RoleError, "weight-missing-role"),
        ("kind: census\nscenarios: {e: [nada]}", RoleError, "variable-unknown"),
        ("kind: census\nroles: {weight: nada}\nscenarios: {e: [sexo]}", RoleError, "variable-unknown"),
    ],
)
def test_roles_that_do_not_fit(text, error, code):
    with pytest.raises(error) as caught:
        Study.of(pl.DataFrame({"sexo": [1, 2]}), Plan.parse(text))
    assert caught.value.code == code


def test_no_records_no_study():
    with pytest.raises(DataError) as error:
        Study.of(pl.DataFrame({"sexo": []}, schema={"sexo": pl.Int64}), Plan.parse("kind: census"))
    assert error.value.code == "no-records"


def test_a_study_without_scenario_or_policy_cannot_be_judged(data):
    with pytest.raises(PlanError) as error:
        Study.of(data, Plan.parse("kind: sample\nscenarios: {e: [sexo]}")).check()
    assert error.value.code == "plan-without-policy"
    with pytest.raises(RoleError) as error:
        Study.of(data, Plan.parse("kind: sample\npolicy: ine-hogares")).check()
    assert error.value.code == "scenario-missing"
    with pytest.raises(PlanError) as error:
        Study.of(data, Plan.parse("kind: sample\nscenarios: {e: [sexo]}")).risk("nada")
    assert error.value.code == "scenario-unknown"


def test_a_key_that_all_but_identifies_is_warned_of_with_its_share():
    frame = pl.DataFrame({"casi": [*range(90), *([0] * 10)], "sexo": [1, 2] * 50})
    with pytest.warns(match="«casi».*90\u202f%"):
        Study.of(frame, Plan.parse("kind: census\nscenarios: {e: [casi, sexo]}"))
    with warnings.catch_warnings(action="error"):
        Study.of(frame, Plan.parse("kind: census\nscenarios: {e: [sexo]}"))


def test_an_id_declared_in_the_plan_makes_the_draws_independent_of_the_order(tmp_path):
    frame = pl.DataFrame({"persona": range(100, 200), "sexo": [1, 2] * 50})
    text = "source: d.csv\nkind: census\nroles: {id: persona}\nsteps: [{do: sample, share: 0.3, new_weight: w}]\n"
    kept = []
    for rows in (frame, frame.reverse()):
        rows.write_csv(tmp_path / "d.csv")
        plan = Plan.parse(text, tmp_path / "plan.yaml")
        done = Study.open(plan, Run(key=4)).replay(plan)
        kept.append(sorted(done.data.column("persona").to_list()))
    assert kept[0] == kept[1]


# -- households -------------------------------------------------------------------------------------


def test_the_household_level_holds_one_record_a_household(root, data):
    homes = root.household_level()
    assert homes.data.height == data.column("id_hogar").n_unique()
    done = homes.apply(MERGED)
    assert done.plan.steps[-1].level == "household" and done.data.height == data.height
    assert done.data.column("region").n_unique() == data.column("region").n_unique() - 1
    assert done.undo() is root


def test_no_household_no_household_level():
    with pytest.raises(RoleError) as error:
        Study.of(Microdata(pl.DataFrame({"a": [1]})), Plan.parse("kind: census")).household_level()
    assert error.value.code == "household-missing"
