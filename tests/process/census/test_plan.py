import jsonschema
import pytest
from censuses import PLAN
from refusal import refused
from ruamel.yaml import YAML

from celosia.census import Budget, PureBudget, Table
from celosia.core.language import LANGUAGES, speaking
from celosia.process.census import CensusPlan


def changed(old, new):
    assert old in PLAN
    return PLAN.replace(old, new)


def test_a_plan_is_read_as_its_authors_wrote_it():
    plan = CensusPlan.parse(PLAN)
    assert plan.text == PLAN and "Los comentarios se conservan" in plan.text
    assert list(plan.tables) == [Table.PERSONS, Table.DWELLINGS, Table.HOUSEHOLDS]
    persons = plan.tables[Table.PERSONS]
    assert persons.variables["P09"].codes[:3] == ("0", "1", "2") and persons.variables["P08"].codes is None
    assert persons.groupings["tramo"].groups["65"] == "65+"
    assert [group.name for group in persons.groups] == ["mayores", "comunas pequeñas"]
    assert plan.opening.measure == "zcdp"
    assert isinstance(persons.budget.budget(plan.protection), Budget)


def test_a_pure_budget():
    plan = CensusPlan.parse(changed("rho:", "epsilon:"))
    assert plan.opening.measure == "pure"
    assert isinstance(plan.tables[Table.PERSONS].budget.budget(plan.protection), PureBudget)


def test_the_schema_takes_the_plan_and_nothing_unknown():
    schema = CensusPlan.json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    read = YAML(typ="safe").load(PLAN)
    jsonschema.validate(read, schema)
    for broken in (
        {**read, "nada": 1},
        {name: value for name, value in read.items() if name != "limits"},
        {**read, "tables": {"persons": {**read["tables"]["persons"], "nada": 1}}},
        {**read, "tables": {"nadie": read["tables"]["persons"]}},
        {**read, "protection": {"unit": "planet", "neighbours": "bounded"}},
    ):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema)


WRONG = [
    ("census: 1", "celosia: 1", "census-not-a-plan"),
    ("census: 1", "census: 2", "field-invalid"),
    ("title:", "titulo:", "field-unknown"),
    ("data: censo-de-prueba\n", "", "field-absent"),
    ("neighbours: bounded", "neighbours: near", "field-invalid"),
    ("rho: 2", "rho: 0", "field-invalid"),
    ("rho: 2", "rho: -1/2", "field-invalid"),
    ("unit: person", "unit: dwelling", "protection-members"),
    ("limits: {person: 6", "limits: {planet: 6", "field-invalid"),
    ("limits: {person: 6", "limits: {person: mucho", "exact-number"),
    ("rho: 2", "rho: 2\n      epsilon: 2", "census-budget-currency"),
    ("rho: 2", "epsilon: 2", "census-budget-currency"),
    ("P08 * tramo: 1/2, detailed: 1/2", "P08 * tramo: 1/2, detailed: 1/3", "budget-shares"),
    ("sources: {persons: personas.parquet, ", "sources: {", "census-source-absent"),
    ("link: ID_VIVIENDA\n", "", "census-link-absent"),
    ("      P17:\n", "      P17:\n      COMUNA:\n", "census-variable-hidden"),
    ("      P17:\n", "      P17:\n      ID_VIVIENDA:\n", "census-variable-hidden"),
    ("tables:\n", "tables: {}\nresto:\n", "field-unknown"),
    ("given: P09 < 15", "given: P09 <", "condition-syntax"),
    ("mayores: P09 >= 65", "mayores: {below: 3}", "census-group-form"),
    ("{from: 0, to: 100}\n", "{de: 0, to: 100}\n", "field-unknown"),
    ("title: Censo", "text: Censo", "field-unknown"),
    ("data: censo-de-prueba", "run: ../fuera\ndata: censo-de-prueba", "field-invalid"),
]


@pytest.mark.parametrize(("old", "new", "code"), WRONG, ids=[f"{n} {code}" for n, (_, _, code) in enumerate(WRONG)])
def test_a_plan_that_does_not_hold_together(old, new, code):
    for language in LANGUAGES:
        with speaking(language), refused(code):
            plan = CensusPlan.parse(changed(old, new))
            for counted in plan.tables.values():
                counted.budget.budget(plan.protection)


def test_no_tables():
    head = PLAN[: PLAN.index("tables:")]
    with refused("census-no-tables"):
        CensusPlan.parse(head + "tables: {}\n")


def test_a_file_that_is_not_there(tmp_path):
    with refused("file-missing"):
        CensusPlan.load(tmp_path / "nada.yaml")
    (tmp_path / "x.yaml").write_text("- a\n")
    with refused("yaml-not-mapping"):
        CensusPlan.load(tmp_path / "x.yaml")
