"""Hierarchies in plans: one mechanism for every step, by name, in place, by rule, from a file."""

import jsonschema
import polars as pl
import pytest
from ruamel.yaml import YAML

from celosia import Microdata, Plan, Study
from celosia.core.errors import CelosiaError, DataError, FileError, OptionError, PlanError
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_rules import RULES, HierarchyRule
from celosia.core.language import speaking

PLAN = """\
kind: census
dictionary:
  ocupacion: {hierarchy: oficios}
hierarchies:
  comuna: {comunas: {}}
  edad: {intervals: {low: 0, high: 110, levels: [5, 10, [0, 20, 40, 60]], open_high: true}}
  oficios: {isco: {}}
  zona: {csv: zonas.csv, header: true, columns: [comuna, zona], labels: [nombre, nombre_zona]}
  sexo: {"1": "*", "2": "*"}
steps:
  - do: recode_categories
    variables: [comuna]
    hierarchy: comuna
    to_level: 1
  - do: local_recoding
    hierarchies: [edad, ocupacion]
    k: 2
  - do: generalization
    hierarchies: {sexo: sexo, area: [["1", "*"], ["2", "*"]]}
    k: 2
    models:
      - {model: t_closeness, sensitive: region, t: 1, distance: hierarchical, hierarchy: {parents: {variables: [pais]}}}
"""
FRAME = pl.DataFrame(
    {
        "comuna": ["01101", "01107", "13101", "13110", None],
        "ocupacion": ["2511", "2512", "5111", "5112", "5112"],
        "edad": [31, 33, 52, 58, 58],
        "sexo": [1, 2, 1, 2, 1],
        "area": [1, 1, 2, 2, 2],
        "region": ["a", "b", "a", "b", None],
        "pais": ["x", "y", "x", "y", None],
    }
)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "zonas.csv").write_text(
        "nombre,comuna,nombre_zona,zona\nIquique,01101,Norte,N\nAlto Hospicio,01107,Norte,N\nSantiago,13101,Centro,C\n"
    )
    return tmp_path


def test_a_plan_uses_them_by_name_and_in_place(folder):
    plan = Plan.parse(PLAN, folder / "plan.yaml")
    local, general = plan.steps[1].method, plan.steps[2].method
    assert local.hierarchies["ocupacion"] == HierarchyRule(isco={})
    assert general.hierarchies["sexo"].rows == (("1", "*"), ("2", "*"))
    assert (
        plan.hierarchies["zona"].label(1, "N") == "Norte" and plan.hierarchies["zona"].label(0, "13101") == "Santiago"
    )
    done = Study.of(FRAME, plan).replay(plan).data
    assert done.column("comuna").to_list() == ["011", "011", "131", "131", None]
    assert done.column("ocupacion").to_list()[:2] == ["251", "251"]


def test_a_plan_with_them_is_written_and_read_again(folder):
    plan = Plan.parse(PLAN, folder / "plan.yaml")
    again = Plan.parse(plan.render(), folder / "plan.yaml")
    assert again.steps == plan.steps and again.hierarchies == plan.hierarchies
    anew = Plan.parse(plan.model_copy(update={"text": ""}).render(), folder / "other.yaml")
    assert anew.steps == plan.steps and anew.hierarchies == plan.hierarchies


def test_the_schema_knows_all_its_forms(folder):
    reader = YAML(typ="safe")
    jsonschema.validate(reader.load(PLAN), Plan.json_schema())
    wrong = reader.load(PLAN.replace("{comunas: {}}", "{comunas: {nivel: 3}}"))
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, Plan.json_schema())


@pytest.mark.parametrize(
    ("written", "error", "code"),
    [
        ("{comunas: {nivel: 1}}", PlanError, "hierarchy-form"),
        ("{comunas: {}, isco: {}}", CelosiaError, "options-one"),
        ("{intervals: {low: 0}}", PlanError, "hierarchy-form"),
        ("{csv: nada.csv}", FileError, "file-missing"),
        ("{csv: zonas.csv, columns: [otra]}", FileError, "hierarchy-columns"),
        ("{intervals: {low: 0, high: 9, levels: [2, 3]}}", OptionError, "hierarchy-not-nested"),
        ("{csv: zonas.csv, otra: 1}", PlanError, "hierarchy-form"),
        ("[[a, b], c]", PlanError, "hierarchy-form"),
        ("{}", CelosiaError, "options-one"),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_a_form_that_is_none_is_refused(written, error, code, language, folder):
    with speaking(language), pytest.raises(error) as caught:
        Plan.parse(f"hierarchies:\n  h: {written}\n", folder / "plan.yaml")
    assert caught.value.code == code
    with speaking(language):
        assert "{" not in str(caught.value)


def test_a_name_that_the_plan_does_not_define():
    for step in ("hierarchies: [edad]", "hierarchies: {edad: edades}"):
        with pytest.raises(PlanError) as caught:
            Plan.parse(f"steps:\n  - do: local_recoding\n    k: 2\n    {step}\n")
        assert caught.value.code == "hierarchy-unnamed"


WAYS = {
    "intervals": ({"low": 0, "high": 99, "levels": [10]}, "edad", "31", ("30-39", "*")),
    "neighbours": ({"levels": [2]}, "sexo", "1", ("1-2", "*")),
    "dates": (
        {"first": "2020-01-01", "last": "2020-12-31", "levels": ["month"]},
        "fecha",
        "2020-03-04",
        ("2020-03", "*"),
    ),
    "prefixes": ({"lengths": [2]}, "comuna", "13101", ("13", "*")),
    "comunas": ({}, "comuna", "13101", ("131", "13", "*")),
    "isco": ({"top": None}, "ocupacion", "5112", ("511", "51", "5")),
    "isic": ({}, "rama", "0111", ("011", "01", "A", "*")),
    "parents": ({"variables": ["pais"]}, "region", "a", ("x", "*")),
}


@pytest.mark.parametrize("way", RULES)
def test_every_rule_covers_the_data_it_is_used_on(way):
    fields, variable, leaf, parents = WAYS[way]
    fecha, rama = pl.Series(["2020-03-04"] * 5).str.to_date(), pl.Series(["0111"] * 5)
    data = Microdata(FRAME.with_columns(fecha=fecha, rama=rama))
    rule = HierarchyRule(**{way: fields})
    tree = rule.on(data, variable)
    assert isinstance(tree, Hierarchy) and tree.parents(leaf) == parents
    assert HierarchyRule(**rule.model_dump(mode="json", exclude_defaults=True)) == rule


@pytest.mark.parametrize(
    ("rule", "variable", "values", "row", "code"),
    [
        ({"comunas": {}}, "comuna", ["01101", "01101", "ZZ", "y"], 3, "hierarchy-code-form"),
        ({"prefixes": {"lengths": [3]}}, "comuna", ["01101", None, "ZZ", "2"], 3, "hierarchy-code-short"),
        ({"intervals": {"low": 0, "high": 9, "levels": [5]}}, "edad", [1, 2, 77, 77], 3, "hierarchy-incomplete"),
        ({"comunas": {"codes": ["01101"]}}, "comuna", ["01101", "13101"], 2, "hierarchy-incomplete"),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_what_does_not_fit_is_named_by_its_row_and_never_shown(rule, variable, values, row, code, language):
    with pytest.raises(DataError) as caught:
        HierarchyRule(**rule).on(Microdata(pl.DataFrame({variable: values})), variable)
    assert (caught.value.code, caught.value.facts["row"]) == (code, row)
    with speaking(language):
        assert str(values[row - 1]) not in str(caught.value)


def test_parents_in_the_data_must_be_one_each():
    frame = pl.DataFrame({"comuna": ["1", "1"], "region": ["a", "b"]})
    with pytest.raises(DataError) as caught:
        HierarchyRule(parents={"variables": ["region"]}).on(Microdata(frame), "comuna")
    assert caught.value.code == "recode-parents"
