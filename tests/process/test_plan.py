"""A plan is text that keeps its comments, its codes in their spelling, and the names of its steps."""

import json
import re
from importlib.resources import files

import jsonschema
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from celosia import Plan, Run, Study
from celosia.core.errors import DataError, FileError, OptionError, PlanError, RoleError
from celosia.methods import LocalSuppression, RecodeCategories, Rounding
from celosia.process import Step

TEXT = """\
# Protección de la encuesta
celosia: 1
title: Encuesta   # de prueba
source: datos.csv
kind: census

scenarios:
  # quien vive al lado
  vecina: [comuna, sexo]

steps:
  # la comuna 01101 es Iquique
  - do: recode_categories
    name: comunas
    variables: [comuna]
    mapping: {01101: 01107, "01401": 01405}   # Alto Hospicio

  # sin nombre todavía
  - do: local_suppression
    keys: [comuna, sexo]
    k: 3

# lo que sale
release: {data: publica.csv}
"""
DEMO = files("celosia.cli").joinpath("demo_plan.yaml").read_text("utf-8")


@pytest.fixture
def frame():
    return pl.DataFrame(
        {"comuna": ["01101", "01107", "01401", "01405"] * 5, "sexo": ["1", "2"] * 10, "edad": list(range(20))}
    )


def test_codes_keep_their_source_spelling(frame):
    plan = Plan.parse(TEXT)
    assert dict(plan.steps[0].method.mapping) == {"01101": "01107", "01401": "01405"}
    done = Study.of(frame, plan, Run(key=1)).replay(plan)
    assert set(done.data.column("comuna")) == {"01107", "01405"}
    spelled = Plan.parse("scenarios: {e: [1e3, yes, 0x1F, 2024-01-01, 1.50]}").scenario().keys
    assert spelled == ("1e3", "yes", "0x1F", "2024-01-01", "1.50")


def test_rendering_a_plan_as_it_is_only_names_its_steps():
    rendered = Plan.parse(TEXT).render()
    expected = TEXT.replace("  - do: local_suppression\n", "  - do: local_suppression\n    name: local_suppression\n")
    assert rendered == expected
    assert Plan.parse(rendered).render() == rendered


def test_comments_survive_apply_and_undo(frame):
    plan = Plan.parse(TEXT)
    done = Study.of(frame, plan, Run(key=1)).replay(plan)
    more = done.apply(Rounding(variables=("edad",), base=5), name="edades")
    rendered = more.plan.render()
    for line in TEXT.splitlines():
        if "#" in line:
            assert line in rendered
    assert Plan.parse(rendered).step_names == ("comunas", "local_suppression", "edades")
    assert rendered.index("edades") < rendered.index("# lo que sale")
    assert Plan.parse(rendered).steps == more.plan.steps
    less = done.undo().plan.render()
    assert "local_suppression" not in less and "# sin nombre todavía" not in less
    assert "# la comuna 01101 es Iquique" in less and "# lo que sale" in less
    assert Plan.parse(less).step_names == ("comunas",)
    assert more.undo().plan.render() == plan.render()


def test_undo_to_nothing_and_begin_again(frame):
    plan = Plan.parse(TEXT)
    root = Study.of(frame, plan, Run(key=1))
    empty = root.plan.render()
    assert Plan.parse(empty).steps == () and "# quien vive al lado" in empty
    again = root.apply(LocalSuppression(keys=("comuna", "sexo"), k=3, importance={"sexo": 1}), name="otra").plan
    assert Plan.parse(again.render()).steps == again.steps


@pytest.mark.parametrize("flow", ["steps: []\n", "", "steps:\n"])
def test_a_plan_without_steps_gets_its_first(flow):
    plan = Plan.parse("source: d.csv\nkind: census\n" + flow + "release: {data: p.csv}\n")
    frame = pl.DataFrame({"a": ["1", "2"]})
    done = Study.of(frame, plan).apply(RecodeCategories(variables=("a",), mapping={"1": "2"}), name="uno")
    rendered = done.plan.render()
    assert Plan.parse(rendered).steps == done.plan.steps and "release: {data: p.csv}" in rendered


WRITTEN = {
    "blocks": "steps:\n  # uno\n  - do: drop_variables # dos\n    variables: [w] # tres\n  # cuatro\n",
    "no indent": "steps:\n- do: drop_variables # a\n  variables:\n  - w # b\n# c\n",
    "braces": "steps:\n  # uno\n  - {do: drop_variables, variables: [w]} # dos\n  # tres\n",
    "braces over lines": "steps:\n  - {do: drop_variables,   # uno\n     variables: [w]}  # dos\n",
    "brackets": "steps: [\n  {do: drop_variables, variables: [w]}, # uno\n  # dos\n ] # tres\n",
    "brackets in a line": "steps: [{do: drop_variables, variables: [w]}] # uno\n",
    "dash alone": "steps:\n  - # uno\n    do: drop_variables # dos\n    variables: [w]\n  -\n    do: shuffle_order\n",
    "do at the end": "steps:\n  - variables: [w] # uno\n    # dos\n    do: drop_variables # tres\n",
    "windows": "steps:\r\n  # uno\r\n  - do: drop_variables # dos\r\n    variables: [w]\r\n",
    "cut short": "steps:\n  - do: drop_variables\n    variables: [w] # uno",
    "signs in quotes": "steps:\n  - {variables: [a], mapping: {'1': 'x #1'}, do: recode_categories} # uno\n",
    "codes alike": "steps:\n  - {do: recode_categories, variables: [a], mapping: {01: x, 1: 2024-02-31}} # uno\n",
}


@pytest.mark.parametrize("form", WRITTEN)
def test_no_comment_is_lost_however_the_steps_are_written(form):
    plan = Plan.parse("# arriba\nkind: census # clase\n" + WRITTEN[form])
    frame = pl.DataFrame({"a": ["1", "2"], "b": [1, 2], "w": [1.0, 2.0]})
    done = Study.of(frame, plan).replay(plan).apply({"do": "rounding", "variables": ["b"], "base": 2}, name="nuevo")
    rendered = done.plan.render()
    again = Plan.parse(rendered)
    assert again.steps == done.plan.steps and again.render() == rendered
    said = re.findall(r"# (\w+)\r?$", plan.text, re.MULTILINE)
    assert sorted(re.findall(r"# (\w+)$", rendered, re.MULTILINE)) == sorted(said)


def test_a_plan_made_in_code_is_written_whole(frame):
    plan = Plan(kind="census", source="datos.csv", title="Año 2024", policy="ine-censo-poblacion")
    plan = plan.with_role("comuna", "key")
    done = Study.of(frame, plan).apply(
        {"do": "rounding", "name": "edades", "variables": ["edad"], "base": 5, "where": "sexo == '1'"}
    )
    read = Plan.parse(done.plan.render())
    assert (read.steps, read.kind, read.source, read.title) == (done.plan.steps, plan.kind, "datos.csv", "Año 2024")
    assert read.dictionary["comuna"].role == "key" and read.policy == "ine-censo-poblacion"


codes = st.text(st.sampled_from("0123456789abñ:#-'\" {}[],&*%@!|>?"), min_size=1, max_size=6)


@given(st.dictionaries(codes, codes, min_size=1, max_size=4))
def test_any_mapping_survives_a_round_trip(mapping):
    plan = Plan.parse(TEXT)
    step = {"do": "recode_categories", "name": "nuevo", "variables": ["sexo"], "mapping": mapping}
    more = plan.with_step(Step.parse(step, "nuevo"))
    again = Plan.parse(more.render())
    assert dict(again.steps[-1].method.mapping) == mapping
    assert again.steps == more.steps


def test_the_demo_plan_is_its_own_rendering():
    assert Plan.parse(DEMO).render() == DEMO


# -- strictness -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "error", "code"),
    [
        ("politica: x", PlanError, "plan-field-unknown"),
        ("celosia: 2", PlanError, "plan-version"),
        ("kind: register", PlanError, "register-undeclared"),
        ("kind: otro", PlanError, "kind-unknown"),
        ("scenarios: [a]", PlanError, "plan-not-mapping"),
        ("scenarios: {e: a}", PlanError, "plan-not-mapping"),
        ("scenarios: {e: {keys: []}}", PlanError, "field-invalid"),
        ("scenarios: {e: {name: x, keys: [a]}}", PlanError, "field-unknown"),
        ("roles: [a]", PlanError, "plan-not-mapping"),
        ("roles: {weight: [a, b]}", RoleError, "role-taken-twice"),
        ("roles: {weight: {a: b}}", PlanError, "plan-field-form"),
        ("dictionary: {a: {etiketa: x}}", FileError, "codebook-field"),
        ("dictionary: {a: x}", PlanError, "plan-not-mapping"),
        ("hierarchies: {h: {csv: nada.csv}}", FileError, "file-missing"),
        ("hierarchies: {h: x}", PlanError, "hierarchy-form"),
        ("hierarchies: {h: [[a, b], [a, c]]}", DataError, "hierarchy-two-parents"),
        ("steps: {do: x}", PlanError, "plan-not-list"),
        ("steps: [x]", PlanError, "step-without-do"),
        ("steps: [{do: shuffle_order, within: quizás}]", OptionError, "field-invalid"),
        ("steps: [{do: shuffle_order, within: false}]", OptionError, "option-needs"),
        ("release: {carpeta: x}", PlanError, "field-unknown"),
        ("a: b: c", PlanError, "yaml-syntax"),
        ("a: 1\na: 2", PlanError, "yaml-syntax"),
        ("- a", PlanError, "yaml-not-mapping"),
        ("", PlanError, "yaml-not-mapping"),
    ],
)
def test_what_is_not_understood_is_refused(text, error, code, tmp_path):
    with pytest.raises(error) as caught:
        Plan.parse(text, tmp_path / "plan.yaml")
    assert caught.value.code == code


def test_a_plan_cannot_be_changed():
    plan = Plan.parse(TEXT)
    with pytest.raises(ValueError, match="frozen"):
        plan.title = "x"
    with pytest.raises(TypeError):
        plan.steps[0].method.mapping["x"] = "y"


# -- the schema for editors -------------------------------------------------------------------------


def problems(text):
    """What an editor would mark; YAML as editors read it."""
    validator = jsonschema.Draft202012Validator(Plan.json_schema())
    return list(validator.iter_errors(json.loads(json.dumps(YAML(typ="safe", pure=True).load(text), default=str))))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(Plan.json_schema())
    json.dumps(Plan.json_schema())


@pytest.mark.parametrize("text", [TEXT, DEMO], ids=["small", "demo"])
def test_good_plans_are_good_for_an_editor(text):
    assert problems(text) == []


@pytest.mark.parametrize(
    "wrong",
    [
        "politica: x",
        "kind: register",
        "celosia: 2",
        "roles: {peso: factor}",
        "scenarios: {e: {keys: [a], claves: [b]}}",
        "steps: [{do: nada}]",
        "steps: [{do: drop_variables}]",
        "steps: [{do: drop_variables, variables: [a], borrar: true}]",
        "steps: [{do: local_suppression, keys: [a], k: 1}]",
        "steps: [{do: rounding, variables: [a], base: 5, level: casa}]",
        "dictionary: {a: {etiqueta: x}}",
        "release: {carpeta: x}",
    ],
)
def test_wrong_plans_are_marked_by_an_editor(wrong):
    assert problems(wrong)


FORMS = {
    "at the margin": "steps:\n- do: shuffle_order\n- {do: shuffle_order, name: dos}  # otra\n",
    "in braces": "steps:\n  - {do: shuffle_order}\n\n  # dos veces\n  - {do: shuffle_order, name: dos}\n",
    "in brackets": "steps: [{do: shuffle_order},\n  {do: shuffle_order, name: dos}]\n",
    "far in": "steps:\n      -   do: shuffle_order\n      -   name: dos\n          do: shuffle_order\n",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("after", ["", "# fin\nrelease: {data: p.csv}\n"])
def test_however_steps_are_written_they_are_named_and_grow(form, after):
    plan = Plan.parse("kind: census  # entero\n" + FORMS[form] + after)
    again = Plan.parse(plan.render())
    assert again.steps == plan.steps and again.step_names == ("shuffle_order", "dos")
    assert "name: shuffle_order" in plan.render() and "kind: census  # entero" in plan.render()
    done = Study.of(pl.DataFrame({"a": ["1", "1"]}), plan).replay(plan).apply({"do": "shuffle_order", "name": "tres"})
    grown = done.plan.render()
    assert Plan.parse(grown).step_names == ("shuffle_order", "dos", "tres")
    assert grown.endswith(after)


def test_a_plan_within_braces_is_written_anew():
    plan = Plan.parse("{kind: census, steps: [{do: shuffle_order}]}")
    assert Plan.parse(plan.render()).steps == plan.steps


@pytest.mark.parametrize(
    "text",
    [
        "roles: {household: folio, weight: w, key: [edad, folio]}",
        "dictionary: {folio: {role: household}}\nroles: {stratum: folio}",
    ],
)
def test_a_variable_has_one_role(text):
    with pytest.raises(PlanError) as error:
        Plan.parse(text)
    assert error.value.code == "variable-two-roles"
    assert error.value.facts["variable"] == "folio" and error.value.facts["roles"][0] == "household"


def test_a_role_may_be_said_twice():
    plan = Plan.parse("dictionary: {folio: {role: household}}\nroles: {household: folio}")
    assert plan.dictionary.with_role("household") == ("folio",)


@pytest.mark.parametrize(
    "head",
    [
        "roles: {weight: w}",
        "dictionary: libro.csv\nroles: {weight: w}",
        "dictionary: {w: {role: weight, label: Factor}}",
    ],
)
def test_a_role_declared_later_is_written(head):
    text = f"# de la oficina\nkind: sample\n{head}\nscenarios:\n  e: [zona]  # del vecino\nsteps: []\n"
    plan = Plan.parse(text).with_role("folio", "household")
    again = Plan.parse(plan.render())
    assert again.dictionary == plan.dictionary and again.scenarios == plan.scenarios
    assert again.dictionary_file == plan.dictionary_file
    assert "# de la oficina" in plan.render() and "# del vecino" in plan.render()
    assert again.render() == plan.render()
