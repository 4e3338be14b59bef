"""What a study shows: scenarios, groups, panels, the intruder's count, perturbed keys."""

import warnings

import jsonschema
import numpy as np
import polars as pl
import pytest
from ruamel.yaml import YAML

from celosia import Dictionary, Microdata, Plan, Policy, Run, Study, Variable, risk
from celosia.core.errors import CelosiaError, CelosiaWarning, PlanError
from celosia.core.method import Method, Protected
from celosia.methods import DropVariables, LocalSuppression, RecodeCategories
from celosia.process.inventory import inventory

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
    table = found.table()
    assert table["counting"].to_list() == ["wildcard", "strict", "intruder"] * 2
    assert table.filter("prioritised")["scenario"].unique().to_list() == ["vecino"] and not table["counts_only"].any()
    assert table["above_5"].to_list() == [found[s, m].share_above(0.05) for s, m in found.risks]


PUBLISHED = """\
kind: census
roles: {household: hogar}
rules:
  - {given: trabaja == "no", then: horas == 0}
  - {total: total, parts: [horas, extra]}
scenarios:
  vecino: [region, personas, trabaja]
  jefe: [region, horas]
"""


def homes():
    """Every home of a region has as many people; who has no work has no hours."""
    chance = np.random.Generator(np.random.PCG64(8))
    size = chance.integers(1, 6, 60)
    home = np.repeat(np.arange(60), size)
    works = chance.random(home.size) < 0.5
    hours, extra = np.where(works, chance.integers(1, 4, home.size) * 10, 0), chance.integers(0, 2, home.size)
    return pl.DataFrame(
        {
            "hogar": home,
            "estrato": home % 6,
            "region": pl.Series(home % 6 // 2),
            "personas": size[home],
            "trabaja": np.where(works, "si", "no"),
            "horas": hours,
            "extra": extra,
            "total": hours + extra,
        }
    )


class Empty(Method):
    """A suppressing method, for these tests: every seventh cell of a variable."""

    do = "empty"
    suppresses = True
    variable: str

    def _transform(self, data, run):
        return Protected(data.suppress({self.variable: np.arange(data.height) % 7 == 0}), method=self, run=run)

    def promises(self, before):
        return ()


@pytest.mark.parametrize("variable", ["region", "personas", "trabaja", "horas"])
def test_what_can_be_deduced_is_suppressed_for_nobody(variable):
    root = Study.of(homes(), Plan.parse(PUBLISHED))
    done = root.apply(Empty(variable=variable))
    scenario = "jefe" if variable == "horas" else "vecino"
    plain = root.risk(scenario, missing="strict").frequencies.sample
    assert done.risk(scenario, missing="intruder").frequencies.sample.tolist() == plain.tolist()
    keys = root.plan.scenario(scenario).keys
    naive = risk.frequencies(done.data, keys, missing="intruder", truth=root.data)
    assert (naive.sample > plain).any()


def test_recodes_after_a_suppression_are_those_of_the_file(root):
    done = root.apply(LocalSuppression(keys=("zona", "edad", "sexo"), k=4))
    merged = done.apply(RecodeCategories(variables=("zona",), mapping={"2": "1"}))
    before = root.apply(RecodeCategories(variables=("zona",), mapping={"2": "1"}))
    assert merged.truth.frame.equals(before.data.frame)
    assert (merged.risk(missing="intruder").frequencies.sample >= 1).all()


def emptied(*later):
    """All ages but one are held by many; the one of 104 is suppressed before the steps that follow."""
    chance = np.random.Generator(np.random.PCG64(1))
    frame = pl.DataFrame({"edad": [*chance.choice([20, 40, 60, 95], 79), 104], "sexo": chance.integers(1, 3, 80)})
    study = Study.of(frame, Plan.parse("kind: census\nscenarios: {e: [edad, sexo]}"), Run(key=1))
    study = study.apply(LocalSuppression(keys=("edad", "sexo"), k=3, counting="wildcard", importance={"sexo": 9}))
    assert study.data.suppressed("edad").sum() and study.data.column("edad").max() < 104
    for step in later:
        study = study.apply(step)
    return study


INTERVALS = {"do": "recode_intervals", "variable": "edad", "breaks": [0, 25, 100]}


@pytest.mark.parametrize(
    "later",
    [
        [{"do": "drop_records", "where": "edad > 100"}],
        [INTERVALS],
        [{"do": "drop_records", "where": "edad > 100"}, INTERVALS],
        [INTERVALS, {"do": "recode_categories", "variables": ["sexo"], "mapping": {"2": "1"}}],
        [{"do": "drop_variables", "variables": ["sexo"]}],
    ],
)
def test_steps_after_a_suppression_are_judged_whatever_the_true_records_hold(later):
    """The true records are all there, their cells as the file has them wherever it holds them."""
    study = emptied(*later)
    assert study.truth.ids.tolist() == study.data.ids.tolist() and study.truth.variables == study.data.variables
    for name in study.data.variables:
        held = ~study.data.suppressed(name)
        assert (study.truth.column(name).cast(str) == study.data.column(name).cast(str)).filter(held).all()
    policy = Policy.parse("name: x\nthresholds: [{measure: global_risk, below: 100 %}]", "x")
    with warnings.catch_warnings(action="ignore", category=CelosiaWarning):
        assert {row.file for row in study.check(policy).rows} == {"before", "after"}


def test_a_true_code_is_coded_as_the_file_coded_it():
    """Not as the step would have done without the suppression: its groups depend on what it saw."""
    done = emptied({"do": "top_bottom_coding", "variable": "edad", "top": [{"beyond": 50, "by": "mean"}]})
    seen = pl.DataFrame({"was": done.root.data.column("edad"), "now": done.truth.column("edad")}).unique()
    assert seen.filter(pl.col("was") < 100)["was"].is_unique().all()


FULL = {"do": "rounding", "variables": ["w"], "base": 1000, "mode": "up"}


@pytest.mark.parametrize(
    "step",
    [
        FULL,
        {"do": "recode_categories", "variables": ["w"], "mapping": {"3": "9000"}},
        {"do": "top_bottom_coding", "variable": "w", "bottom": [{"beyond": 4, "value": 900}]},
        {"do": "drop_records", "where": "zona > 20", "weight": "w", "recalibrate": True},
    ],
)
def test_another_weight_in_the_file_does_not_make_people_share_a_key(step):
    frame = pl.DataFrame({"zona": [i % 90 for i in range(200)], "w": [3] * 100 + [5] * 100})
    root = Study.of(frame, Plan.parse("kind: sample\nroles: {weight: w}\nscenarios: {e: [zona]}"), Run(key=1))
    done = root.apply(step)
    assert not done.data.column("w").equals(root.data.in_order_of(done.data.ids).column("w"))
    before = pl.DataFrame({"id": root.data.ids, "risk": root.risk().risk})
    after = pl.DataFrame({"id": done.data.ids, "now": done.risk().risk}).join(before, on="id")
    assert (after["now"] - after["risk"]).abs().max() < 1e-12


def test_a_sample_alone_changes_what_a_record_stands_for():
    frame = pl.DataFrame({"zona": [i % 4 for i in range(400)], "w": [10] * 400})
    root = Study.of(frame, Plan.parse("kind: sample\nroles: {weight: w}\nscenarios: {e: [zona]}"), Run(key=1))
    drawn = root.apply({"do": "sample", "share": 0.25, "weight": "w"})
    expected = risk.individual(drawn.data.frame, ["zona"], "w").risk
    rounded = drawn.apply(FULL)
    assert drawn.risk().risk.tolist() == expected.tolist() == rounded.risk().risk.tolist()
    assert root.apply(FULL).apply({"do": "sample", "share": 0.25, "weight": "w"}).risk().risk.size == 100


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


def test_a_measure_by_name_has_what_it_asks_for(protected):
    """The guess compares with the truth in the coding of the file; the intruder's way has its truth."""
    keys = list(protected.plan.scenario("registro").keys)
    true = protected.undo().data
    guess = protected.measure("best_guess", scenario="registro")
    assert guess.share == risk.best_guess(true, protected.data, keys).share
    assert guess.share != risk.best_guess(protected.root.data, protected.data, keys).share
    found = protected.measure("k_anonymity", "registro", k=4, missing="intruder")
    assert found.violations == protected.risk("registro", "intruder").frequencies.below(4)
    seen = protected.measure("attackers", "registro", missing="intruder")
    assert seen.prosecutor.tolist() == (1 / found.frequencies.sample).tolist()
    same = protected.measure("transition_risk", "registro", matrices={})
    np.testing.assert_array_equal(same.posterior, risk.transition_risk(true, protected.data, keys, {}).posterior)
    assert protected.measure("interval", variables=["edad"]).share == 1.0


def test_a_census_is_its_population():
    study = Study.of(homes(), Plan.parse(PUBLISHED))
    alone = study.risk("vecino").frequencies.below(2)
    assert study.measure("log_linear", "vecino").tau1 == alone
    assert study.measure("population_uniqueness", "vecino").uniques == alone


REGISTER = """\
source: datos.csv
kind: sample
roles: {weight: w}
sources:
  vista: [sexo]
  padron: {keys: [edad, sexo], file: padron.csv}
scenarios:
  vecino: {sources: [vista]}
  registro: {sources: [vista, padron]}
"""


@pytest.fixture
def registered(tmp_path):
    sample = pl.DataFrame({"edad": [20, 25, 31, 39, 64], "sexo": [1, 1, 2, 2, 1], "w": [9.0] * 5})
    people = pl.DataFrame({"edad": [20, 25, 25, 31, 39, 39, 64, 33], "sexo": [1, 1, 1, 2, 2, 2, 1, 2]})
    sample.write_csv(tmp_path / "datos.csv")
    people.write_csv(tmp_path / "padron.csv")
    return Study.open(Plan.parse(REGISTER, tmp_path / "plan.yaml"), Run(key=1))


def test_the_register_of_a_scenario_is_counted_in(registered):
    assert registered.measure("k_map", "registro").matches.tolist() == [1, 2, 1, 2, 1]
    assert registered.measure("attackers", "registro").journalist.tolist() == [1, 1 / 2, 1, 1 / 2, 1]
    assert registered.measure("exact_linkage", "registro").linked == 8 - 1
    assert (registered.measure("attackers", "vecino").journalist <= 1 / 9).all(), "by weights: sight has no file"
    with pytest.raises(CelosiaError) as error:
        registered.measure("k_map", "vecino")
    assert error.value.code == "measure-needs"
    given = registered.measure("k_map", "registro", register=registered.data)
    assert given.matches.tolist() == [1] * 5


def test_the_register_is_recoded_as_the_file_was(registered):
    ages = {"20": "joven", "25": "joven", "31": "adulto", "39": "adulto"}
    done = registered.apply(RecodeCategories(variables=("edad",), mapping=ages, others="mayor"))
    with pytest.warns(CelosiaWarning) as told:
        found = done.measure("k_map", "registro")
    # 33 is nobody's age in the file: what it would have been recoded to is not known, and it hides nobody
    assert found.matches.tolist() == [3, 3, 3, 3, 1]
    assert [(w.message.code, w.message.facts["count"]) for w in told] == [("register-unmapped", 1)]
    emptied = done.apply(Empty(variable="sexo"))
    with pytest.warns(CelosiaWarning):
        assert emptied.measure("k_map", "registro").matches.tolist()[0] == 3


def test_a_measure_of_single_records_is_not_taken_of_a_panel():
    frame = pl.DataFrame({"id": [1, 2, 1, 2], "ola": [1, 1, 2, 2], "z": [1, 1, 1, 2]})
    plan = Plan.parse("kind: census\nscenarios:\n  panel: {keys: [z], person: id, round: ola}\n")
    study = Study.of(frame, plan)
    assert study.measure("panel").table()["uniques"].to_list() == study.panel().table()["uniques"].to_list()
    with pytest.raises(PlanError) as error:
        study.measure("suda2")
    assert error.value.code == "measure-of-panel"


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
    together = done.scenarios().table()
    assert together["counts_only"].all() and "intruder" not in together["counting"].to_list()
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


PANEL = """\
kind: sample
policy: ine-hogares
roles: {weight: w, household: h}
scenarios:
  cadena: {keys: [z, s], person: id, round: ola}
  suelto: [z]
groups: {primeros: h == "1"}
"""


def test_a_panel_in_households_is_judged_and_dropping_its_ids_hides_nobody():
    frame = pl.DataFrame(
        {
            "id": [1, 2, 3, 4] * 2,
            "ola": [1] * 4 + [2] * 4,
            "h": [1, 1, 2, 2] * 2,
            "z": [1, 1, 1, 1, 1, 1, 2, 2],
            "s": [1, 1, 2, 2, 1, 1, 2, 1],
            "w": [9.0] * 8,
        }
    )
    study = Study.of(frame, Plan.parse(PANEL))
    verdict = study.check()
    of_the_chain = [row for row in verdict.rows if row.scenario == "cadena" and row.file == "after"]
    assert {row.level for row in of_the_chain} == {"individual", "household"}
    mean = next(row for row in of_the_chain if row.measure == "global_risk" and row.level == "household")
    assert mean.value == pytest.approx(study.panel("cadena").chain.household_global_risk)
    gone = study.apply(DropVariables(variables=("id", "ola", "h")))
    assert gone.risk("cadena").household_risk.tolist() == study.risk("cadena").household_risk.tolist()
    assert gone.by_group("cadena").table().rows() == study.by_group("cadena").table().rows()
    assert gone.check().rows == verdict.rows
    fewer = study.apply(DropVariables(variables=("s",)))
    assert fewer.panel("cadena").table()["uniques"].to_list() == [0, 0, 0]
    assert study.apply(DropVariables(variables=("z", "s"))).risk("cadena").frequencies.below(2) == 0


@pytest.mark.parametrize(
    "text",
    [
        "scenarios: {a: [x], b: [x], c: [x], d: [x], e: [x], f: [x]}",
        "scenarios: {a: {keys: [x], prioritised: true}, b: {keys: [x], prioritised: true}}",
        "scenarios: {a: {keys: [x], person: id}}",
        "groups: {a: 'x =='}",
        "groups: [a]",
        "rules: {a: b}",
        "rules: [{x: a}]",
        "rules: ['a ==']",
        "rules: [{total: a, parts: []}]",
        "rules: [{then: a == 1, parts: [b]}]",
        "{sources: {padron: [x]}, scenarios: {a: {keys: [x], sources: [otro]}}}",
        "{sources: {padron: {keys: [x], nada: 1}}}",
        "{sources: {padron: {name: a, keys: [x]}}}",
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


def test_the_inventory_of_sources_gives_scenarios_their_keys_and_survives_the_writer():
    text = """\
sources:
  padron: {keys: [zona, edad], title: Padrón electoral, holders: [partidos, prensa], file: padron.csv}
  vista: [sexo]
scenarios:
  vecino: {sources: [vista, padron], prioritised: true, reason: es el más probable}
  prensa: {keys: [zona], sources: [padron]}
rules:
  - edad >= 0
  - {of: zona, gives: edad}
  - {household: h, size: n, top: 6}
"""
    plan = Plan.parse(text)
    assert plan.scenario("vecino").keys == ("sexo", "zona", "edad") and plan.scenario("prensa").keys == ("zona",)
    again = Plan.parse(plan.model_copy(update={"text": ""}).render())
    assert (again.sources, again.scenarios, again.rules) == (plan.sources, plan.scenarios, plan.rules)
    schema = Plan.json_schema()
    jsonschema.validate(YAML(typ="safe").load(text), schema)


def test_the_inventory_says_who_knows_what_from_where_and_what_is_asked_of_it():
    plan = Plan.parse(
        """\
policy: ine-hogares
sources:
  padron: {keys: [zona, edad], title: Padrón electoral, holders: [partidos, prensa]}
scenarios:
  vecino: {keys: [zona, sexo], intruder: una vecina, sources: [padron]}
  prensa: {sources: [padron], prioritised: true, reason: ya ocurrió, policy: ine-registros}
  panel: {keys: [zona], person: id, round: ola}
"""
    )
    first, second, third = inventory(plan).iter_rows(named=True)
    assert first == {
        "scenario": "prensa",
        "prioritised": True,
        "intruder": None,
        "known": "zona, edad",
        "sources": "Padrón electoral (partidos, prensa)",
        "policy": "ine-registros",
        "reason": "ya ocurrió",
    }
    assert second["intruder"] == "una vecina" and second["policy"] == "ine-hogares"
    assert third["known"] == "zona, id, ola" and third["sources"] is None


def test_a_panel_is_counted_in_each_way():
    frame = pl.DataFrame(
        {"id": [1, 2, 3, 4] * 2, "ola": [1] * 4 + [2] * 4, "z": [1, 1, 1, 1, 1, 1, 2, 2], "s": [1, 1, 2, 2] * 2}
    )
    plan = Plan.parse("kind: census\nscenarios:\n  panel: {keys: [z, s], person: id, round: ola}\n")
    study = Study.of(frame, plan).apply(Empty(variable="s"))
    chains = {way: study.risk(missing=way).frequencies.sample.tolist() for way in ("wildcard", "strict", "intruder")}
    assert chains == {"wildcard": [2, 2, 2, 2], "strict": [1, 1, 1, 1], "intruder": [2, 2, 2, 2]}
    wide = pl.DataFrame({"z": [1, 1, 1, 1], "t": [1, 1, 2, 2], "s": [None, 1, 2, 2], "u": [1, 1, 2, None]})
    gone = Microdata(wide.fill_null(9)).suppress({k: wide[k].is_null().to_numpy() for k in ("s", "u")})
    for way in ("wildcard", "strict"):
        assert risk.frequencies(gone, wide.columns, missing=way).sample.tolist() == chains[way]


def test_a_key_that_a_step_derives_is_looked_at_before_and_after():
    """The size of a household is known to whoever sees the household, whether the file tells it or not."""
    frame = pl.DataFrame({"hogar": [1, 1, 2, 3, 4, 4, 4], "sexo": [1, 2, 1, 1, 1, 2, 2]})
    size = "{do: household_size, household: hogar, new_variable: miembros}"
    text = f"kind: census\nroles: {{household: hogar}}\nscenarios: {{v: [sexo, miembros]}}\nsteps: [{size}]"
    root = Study.of(frame, Plan.parse(text))
    done = root.replay(Plan.parse(text))
    for study in (root, done):
        found = study.risk(missing="strict").frequencies.sample
        assert found.tolist() == [1, 1, 2, 2, 1, 2, 2]
    assert "miembros" not in root.data and "miembros" in done.data
    dropped = done.apply({"do": "drop_variables", "variables": ["miembros"]})
    assert dropped.risk(missing="strict").frequencies.sample.tolist() == [4, 3, 4, 4, 4, 3, 3]
