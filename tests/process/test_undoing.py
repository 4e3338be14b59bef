"""A study tries to undo its own suppression: with the plan's rules in the original codes, on the file as it is."""

import numpy as np
import polars as pl
import pytest

from celosia import Dictionary, Microdata, Plan, Run, Study, Variable
from celosia.cli import main
from celosia.core.errors import CelosiaError, PlanError
from celosia.core.language import speaking
from celosia.core.method import Method, Protected
from celosia.io import read
from celosia.methods import RecodeIntervals
from celosia.process.release import confirm, decide, public_file, publish
from celosia.process.undoing import undone
from celosia.report import summary

RULES = """\
kind: census
roles: {household: hogar}
hierarchies:
  lugares: [["101", "1"], ["102", "1"], ["201", "2"]]
rules:
  - {given: edad < 12, then: 'civil == 7 or not_applicable(civil)'}
  - {asked: [civil, oficio], where: edad >= 15}
  - {of: comuna, gives: region, hierarchy: lugares, to_level: 1}
  - {household: hogar, size: personas}
  - {household: hogar, where: kin == 1, exactly: 1}
  - {household: hogar, parents: kin == 1, children: kin == 2, age: edad, gap: 15}
  - {household: hogar, part: sueldo, total: ingreso}
  - {total: ingreso2, parts: [sueldo, otros]}
scenarios:
  vecina: [region, edad]
"""


LENIENT = "name: todo\nthresholds:\n  - {measure: global_risk, below: '<100 %'}\n"


def family_file(homes=40):
    """A head of 20 to 34 years, a child below 15 and a partner, home after home."""
    chance = np.random.Generator(np.random.PCG64(4))
    head = chance.integers(20, 35, homes)
    child = chance.integers(0, 5, homes)
    edad = np.stack([head, child, head], axis=1).ravel()
    comuna = np.repeat(np.array([101, 102, 201])[np.arange(homes) % 3], 3)
    sueldo = np.where(edad >= 15, chance.integers(1, 90, 3 * homes), 0)
    otros = chance.integers(0, 9, 3 * homes)
    frame = pl.DataFrame(
        {
            "hogar": np.repeat(np.arange(homes), 3),
            "kin": np.tile([1, 2, 3], homes),
            "edad": edad,
            "civil": np.where(edad < 15, -1, chance.integers(1, 8, 3 * homes)),
            "oficio": np.where(edad < 15, -1, chance.integers(1, 9, 3 * homes)),
            "comuna": comuna,
            "region": comuna // 100,
            "personas": np.full(3 * homes, 3),
            "sueldo": sueldo,
            "otros": otros,
            "ingreso": np.repeat(sueldo.reshape(homes, 3).sum(axis=1), 3),
            "ingreso2": sueldo + otros,
        }
    )
    skip = {"missing": {-1: "not_applicable"}}
    book = Dictionary.of(
        Variable(name="civil", values={i: str(i) for i in range(1, 8)}, **skip),
        Variable(name="oficio", values={i: str(i) for i in range(1, 9)}, **skip),
        Variable(name="kin", values={1: "jefe", 2: "hijo", 3: "pareja"}),
    )
    return Microdata(frame, book)


class Empty(Method):
    """A suppressing method, for these tests: some cells of a variable."""

    do = "empty"
    suppresses = True
    variable: str
    rows: tuple[int, ...]

    def _transform(self, data, run):
        return Protected(
            data.suppress({self.variable: np.isin(np.arange(data.height), self.rows)}), method=self, run=run
        )

    def promises(self, before):
        return ()


class Noise(Method):
    """A perturbing method, for these tests."""

    do = "noise"
    perturbs = True
    variable: str

    def _transform(self, data, run):
        return Protected(data.with_columns({self.variable: data.column(self.variable) + 1}), method=self, run=run)

    def promises(self, before):
        return ()


def study(without=(), only=None):
    plan = Plan.parse(RULES)
    rules = plan.rules if only is None else tuple(plan.rules[i] for i in only)
    return Study.of(family_file().drop(*without), plan.model_copy(update={"rules": rules}), Run(key=1))


BANDS = RecodeIntervals(variable="edad", breaks=(0, 15, 30, 60), open_high=True)


@pytest.mark.parametrize(
    ("variable", "rows", "rule", "only", "without"),
    [
        ("civil", (1, 4), "civil: edad >= 15", (1,), ()),
        ("region", (0, 1, 2), "comuna → region", (2,), ("hogar",)),
        ("personas", (0, 5), "#hogar = personas", (3,), ()),
        ("kin", (0, 9), "#hogar[kin == 1] = 1", (4,), ()),
        ("sueldo", (0, 3), "Σ sueldo / hogar = ingreso", (6,), ("ingreso2",)),
        ("sueldo", (0, 1), "sueldo + otros = ingreso2", (7,), ("ingreso",)),
    ],
)
def test_each_kind_of_rule_gives_cells_away_and_only_it(variable, rows, rule, only, without):
    """The rule of the plan; without it, and where the file does not show it, the cells stay hidden."""
    without = tuple(name for name in without if name != "hogar")
    done = study(without, only).apply(Empty(variable=variable, rows=rows))
    found = done.deduced
    assert found.cells == {variable: len(rows)}
    assert found.table()["rule"].to_list() == [rule] and found.table()["known_from"].to_list() == ["given"]
    assert done.filled.column(variable).equals(done.root.data.column(variable))


def test_without_a_rule_of_the_plan_only_what_the_file_shows_is_found():
    found = study(only=()).apply(Empty(variable="civil", rows=(1, 4))).deduced
    assert found.cells == {} and found.emptied == {"civil": 2}
    shown = study(only=()).apply(Empty(variable="region", rows=(0, 1))).deduced
    assert shown.cells == {"region": 2} and shown.table()["known_from"].to_list() == ["shown"]


def test_rules_in_years_hold_of_ages_in_intervals():
    """A head of 15 to 29 has no child of 15 or more, and who is below 15 was not asked."""
    banded = study(only=(1, 5)).apply(BANDS)
    young = np.flatnonzero((banded.data.column("edad") == "[15, 30)") & (banded.data.column("kin") == 1))
    done = banded.apply(Empty(variable="edad", rows=(int(young[0]) + 1,))).apply(
        Empty(variable="civil", rows=(int(young[0]) + 1, int(young[1]) + 1)), name="otro"
    )
    assert done.deduced.cells == {"edad": 1, "civil": 2} and not done.deduced.broken
    assert done.filled.column("edad").equals(banded.data.column("edad"))
    coarse = study(only=(1,)).apply(RecodeIntervals(variable="edad", breaks=(0, 10, 30), open_high=True))
    hidden = coarse.apply(Empty(variable="oficio", rows=(1,)))
    assert hidden.deduced.cells == {"oficio": 1}  # [0, 10): not asked
    older = coarse.apply(Empty(variable="oficio", rows=(0,)))
    assert older.deduced.cells == {}


def test_a_rule_of_false_values_is_not_tried():
    done = study(only=(1,)).apply(Noise(variable="edad")).apply(Empty(variable="civil", rows=(1,)))
    assert done.deduced.cells == {} and done.deduced.untried == ("civil: edad >= 15", "oficio: edad >= 15")


def test_a_rule_that_the_data_contradict_is_named():
    plan = Plan.parse(RULES.replace("gap: 15", "gap: 40"))
    done = Study.of(family_file(), plan, Run(key=1)).apply(Empty(variable="civil", rows=(1,)))
    assert done.deduced.broken == {"edad[kin == 1] ≥ edad[kin == 2] + 40": 40} and done.deduced.cells == {"civil": 1}


def test_the_file_as_read_back_says_the_same(tmp_path):
    plan = Plan.parse(RULES + "policy: todo.yaml\nrelease: {data: publica.csv}\n", tmp_path / "plan.yaml")
    (tmp_path / "todo.yaml").write_text(LENIENT, "utf-8")
    done = Study.of(family_file(), plan, Run(key=1)).apply(BANDS)
    done = done.apply(Empty(variable="civil", rows=(1, 3))).apply(Empty(variable="region", rows=(5,)), name="otro")
    outcome = decide(done)
    publish(outcome)
    written = read(public_file(done))
    assert undone(done, written).to_dict() == done.deduced.to_dict() == outcome.to_dict()["deduced"]
    assert undone(done, confirm(done, public_file(done))).cells == {"civil": 1, "region": 1}
    for language in ("es", "en"):
        with speaking(language):
            page = summary(outcome)
        assert "¿Se puede deshacer la supresión?" in page and "Can the suppression be undone?" in page
        assert "civil: edad &gt;= 15" in page


PLAN = """\
celosia: 1
source: datos.csv
kind: census
policy: todo.yaml
roles: {household: hogar}
rules:
  - {asked: [civil], where: edad >= 15}
scenarios:
  vecina: [zona, civil]
steps:
  - do: blank_small_areas
    area: zona
    variables: [civil, region]
    at_most: 6
"""


@pytest.mark.parametrize("language", ["es", "en"])
def test_run_and_check_say_it(language, tmp_path, monkeypatch, capsys):
    import json

    monkeypatch.chdir(tmp_path)
    frame = family_file().frame.with_columns(zona=pl.Series([1] * 6 + [2] * 114), civil=pl.col("civil").replace(7, 6))
    frame.select("zona", "hogar", "edad", "civil", "comuna", "region").write_csv("datos.csv")
    (tmp_path / "plan.yaml").write_text(
        PLAN + "dictionary:\n  civil: {values: {1: uno, 2: dos, 3: tres, 4: cuatro, 5: cinco, 6: seis}, "
        "missing: {-1: not_applicable}}\n",
        "utf-8",
    )
    (tmp_path / "todo.yaml").write_text(
        "name: todo\nthresholds:\n  - {measure: global_risk, below: '<100 %'}\n", "utf-8"
    )
    for command in ("run", "check"):
        assert main([command, "plan.yaml", "--lang", language]) == 0
        printed = capsys.readouterr().out
        assert ("8 de 12 celdas" if language == "es" else "8 of 12 emptied cells") in printed
        assert "comuna[:-2] → region" in printed and "civil: edad >= 15" in printed
        assert main([command, "plan.yaml", "--json", "--lang", language]) == 0
        found = json.loads(capsys.readouterr().out)["results"]["deduced"]
        assert found["cells"] == {"civil": 2, "region": 6} and found["total"] == 8


@pytest.mark.parametrize(
    "rule",
    [
        "{asked: [a]}",
        "{asked: [a], where: 'b =='}",
        "{household: h}",
        "{household: h, size: s, exactly: 1}",
        "{household: h, exactly: -1}",
        "{household: h, parents: a == 1, children: a == 2, age: b}",
        "{household: h, part: a}",
        "{of: a, gives: b, hierarchy: nada, to_level: 1}",
        "{of: a, gives: b, to_level: 1}",
        "{of: [a, c], gives: b, drop: 2}",
        "{of: a, gives: b, drop: 0}",
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_rules_that_are_wrong(rule, language):
    with pytest.raises(CelosiaError) as caught, speaking(language):
        Plan.parse(f"rules:\n  - {rule}\n")
    assert str(caught.value) and (isinstance(caught.value, PlanError) or caught.value.facts)


def test_the_schema_takes_every_form():
    import jsonschema
    from ruamel.yaml import YAML

    jsonschema.Draft202012Validator(Plan.json_schema()).validate(YAML(typ="safe").load(RULES))
    plan = Plan.parse(RULES)
    again = Plan.parse(plan.model_copy(update={"text": ""}).render())
    assert again.rules == plan.rules
