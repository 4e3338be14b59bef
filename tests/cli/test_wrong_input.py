"""Wrong input gets a clear error in both languages, exit code 2, and loses nothing; no record's value is told."""

from pathlib import Path

import polars as pl
import pytest

SECRET, NUMBER = "ZZSECRETZZ", "987654321"


def rows(n=60, **columns):
    """A table with planted values that no message may repeat."""
    base = {
        "hogar": [i // 2 for i in range(n)],
        "sexo": [1 + i % 2 for i in range(n)],
        "zona": [SECRET if i == 7 else "u" for i in range(n)],
        "ingreso": [int(NUMBER) if i == 3 else 1000 + i % 5 for i in range(n)],
        "factor": [100.0] * n,
    }
    return pl.DataFrame(base | columns)


def plan(**changes):
    """A plan over ``datos.csv`` as text; a field given as ``None`` is left out."""
    fields = {
        "source": "datos.csv",
        "kind": "sample",
        "policy": "ine-hogares",
        "roles": "{weight: factor, household: hogar}",
        "scenarios": "{vecina: [sexo]}",
        "steps": "[{do: drop_variables, variables: [ingreso, zona]}]",
    } | changes
    return "".join(f"{name}: {value}\n" for name, value in fields.items() if value is not None)


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows().write_csv("datos.csv")
    Path("plan.yaml").write_text(plan())
    return tmp_path


@pytest.fixture
def refused(celosia, here, hashes):
    """Check a failing command: messages, code, and that no file of before was touched."""

    def check(arguments, code, es, en):
        before = hashes(here)
        for lang, said in (("es", es), ("en", en)):
            ran = celosia(*arguments, "--lang", lang)
            assert (ran.code, ran.out) == (2, ""), ran
            assert said in ran.err, ran.err
            found = celosia(*arguments, "--lang", lang, "--json")
            assert found.code == 2
            assert [error["code"] for error in found.json["errors"]] == [code]
            for told in (ran.err, found.out, found.err):
                assert SECRET not in told and NUMBER not in told
        after = hashes(here)
        assert {name: after.get(name) for name in before} == before
        assert not [name for name in after if "publico" in name], "nothing may be published"

    return check


RISK = ("risk", "datos.csv", "--keys", "sexo,zona")

FILES = {
    "missing file": (("inspect", "nada.csv"), None, "file-missing", "No se encuentra el archivo", "nada.csv"),
    "empty file": (("inspect", "datos.csv"), "", "file-empty", "está vacío", "empty"),
    "no records": ((*RISK,), "sexo,zona\n", "no-records", "no tienen registros", "no records"),
    "folder": (("inspect", "."), None, "format-unknown", "formato", "format"),
    "duplicate columns": (
        (*RISK,),
        f"sexo,zona,Sexo\n1,{SECRET},2\n",
        "duplicate-column",
        "dos columnas llamadas",
        "two columns",
    ),
    "cut in the last row": (
        (*RISK,),
        f"sexo,zona,factor\n1,u,{NUMBER}\n2,{SECRET}\n",
        "csv-last-row",
        "parece cortado",
        "cut",
    ),
    "cut in quotes": ((*RISK,), f'sexo,zona\n1,"u"\n2,"{SECRET}', "file-cut", "cortado", "cut"),
    "key unknown": (
        ("risk", "datos.csv", "--keys", "sexo,nada"),
        None,
        "variable-unknown",
        "«nada» no está en los datos",
        "'nada' is not in the data",
    ),
    "weight unknown": ((*RISK, "-w", "nada"), None, "variable-unknown", "«nada»", "'nada'"),
    "household unknown": ((*RISK, "--household", "nada"), None, "variable-unknown", "«nada»", "'nada'"),
    "text weight": (
        ("risk", "datos.csv", "--keys", "sexo", "-w", "zona"),
        None,
        "weight-text",
        "no es numérico",
        "not numeric",
    ),
}


@pytest.mark.parametrize("name", FILES)
def test_files_and_roles(name, refused):
    arguments, content, code, es, en = FILES[name]
    if content is not None:
        Path("datos.csv").write_text(content)
    refused(arguments, code, es, en)


def test_a_parquet_file_cut_in_the_middle(refused):
    rows().write_parquet("datos.parquet")
    whole = Path("datos.parquet").read_bytes()
    Path("datos.parquet").write_bytes(whole[: len(whole) // 2])
    refused(("risk", "datos.parquet", "--keys", "sexo"), "file-broken", "está dañado", "damaged")


@pytest.mark.parametrize(
    ("weight", "code", "es", "en"),
    [
        (-1.5, "weight-negative", "negativo en 1", "negative in 1"),
        (None, "weight-missing", "falta en 1", "missing in 1"),
    ],
)
def test_weights(weight, code, es, en, refused):
    rows(factor=[weight if i == 3 else 100.0 for i in range(60)]).write_csv("datos.csv")
    refused((*RISK, "-w", "factor"), code, es, en)
    refused(("run", "plan.yaml"), code, es, en)


PLANS = {
    "unknown field": ({"politica": "ine"}, "plan-field-unknown", "no se conocen: politica", "politica"),
    "unknown field of a step": (
        {"steps": "[{do: drop_variables, variables: [zona], borrar: true}]"},
        "field-unknown",
        "no se conocen: borrar",
        "borrar",
    ),
    "unknown field of a scenario": (
        {"scenarios": "{vecina: {keys: [sexo], claves: [zona]}}"},
        "field-unknown",
        "claves",
        "claves",
    ),
    "unknown field of the release": ({"release": "{carpeta: x}"}, "field-unknown", "carpeta", "carpeta"),
    "unknown method": ({"steps": "[{do: nada}]"}, "method-unknown", "llamado «nada»", "'nada'"),
    "step without do": ({"steps": "[{variables: [zona]}]"}, "step-without-do", "no dice qué hacer", "does not say"),
    "steps not a list": ({"steps": "{do: nada}"}, "plan-not-list", "debe ser una lista", "list"),
    "scenario in the wrong form": ({"scenarios": "{vecina: sexo}"}, "plan-not-mapping", "vecina", "vecina"),
    "dictionary in the wrong form": ({"dictionary": "{sexo: texto}"}, "plan-not-mapping", "sexo", "sexo"),
    "role in the wrong form": ({"roles": "{weight: {a: b}}"}, "plan-field-form", "roles: weight", "roles: weight"),
    "unknown role": ({"roles": "{peso: factor}"}, "field-invalid", "role", "role"),
    "weight that is not there": (
        {"roles": "{weight: nada}"},
        "codebook-unknown-variable",
        "«nada», que no está",
        "'nada'",
    ),
    "key that is not there": ({"scenarios": "{vecina: [nada]}"}, "variable-unknown", "«nada» no está", "'nada' is not"),
    "step on a variable dropped before": (
        {"steps": "[{do: drop_variables, name: fuera, variables: [zona]}, {do: rounding, variables: [zona], base: 5}]"},
        "step-variable-dropped",
        "que el paso «fuera» ya había quitado",
        "which step 'fuera' had already dropped",
    ),
    "step on an unknown variable": (
        {"steps": "[{do: drop_variables, variables: [nada]}]"},
        "variable-unknown",
        "dónde: drop_variables",
        "where: drop_variables",
    ),
    "two steps of one name": (
        {"steps": "[{do: shuffle_order, name: a}, {do: shuffle_order, name: a}]"},
        "step-name-taken",
        "dos pasos llamados «a»",
        "'a'",
    ),
    "register undeclared": ({"kind": "register"}, "register-undeclared", "muestra o a un censo", "sample"),
    "unknown kind": ({"kind": "nada"}, "kind-unknown", "no se conoce", "is unknown"),
    "sample without weight": ({"roles": "{}"}, "weight-missing-role", "ninguna variable es su factor", "weight"),
    "neither weight nor census": ({"kind": None, "roles": "{}"}, "file-kind-missing", "censo", "census"),
    "no scenario": ({"scenarios": None}, "scenario-missing", "no tiene escenarios", "no scenarios"),
    "no source": ({"source": None}, "plan-without-source", "de qué archivo", "file"),
    "no policy": ({"policy": None}, "plan-without-policy", "no nombra una política", "policy"),
    "unknown policy": ({"policy": "ine-nada"}, "policy-unknown", "llamada «ine-nada»", "'ine-nada'"),
    "policy file missing": ({"policy": "nada.yaml"}, "policy-missing", "archivo de política", "policy"),
    "policy file broken": ({"policy": "rota.yaml"}, "yaml-syntax", "no es YAML", "YAML"),
    "policy row without its level": ({"policy": "coja.yaml"}, "field-invalid", "thresholds.0", "thresholds.0"),
    "policy over 100 %": ({"policy": "alta.yaml"}, "field-invalid", "thresholds.0.below", "thresholds.0.below"),
    "policy that is no text": ({"policy": "datos.yaml"}, "file-unreadable", "No se puede leer", "cannot be read"),
    "version": ({"celosia": "9"}, "plan-version", "versión", "version"),
    "hierarchy ragged": ({"hierarchies": "{h: [[a, b], [c]]}"}, "hierarchy-ragged", "fila 2", "Row 2"),
    "hierarchy of no form": ({"hierarchies": "{h: [a, b]}"}, "hierarchy-form", "«h»", "'h'"),
    "hierarchy not in the plan": (
        {"steps": "[{do: recode_categories, variables: [zona], hierarchy: h, to_level: 1}]"},
        "hierarchy-unnamed",
        "«h»",
        "'h'",
    ),
    "condition broken": (
        {"steps": "[{do: rounding, variables: [ingreso], base: 5, where: 'sexo =! 1'}]"},
        "condition-syntax",
        "condición",
        "condition",
    ),
}


@pytest.mark.parametrize("name", PLANS)
def test_plans(name, refused):
    changes, code, es, en = PLANS[name]
    Path("rota.yaml").write_text("name: [\n")
    Path("coja.yaml").write_text("name: x\nthresholds: [{measure: share_above, below: 1 %}]\n")
    Path("alta.yaml").write_text("name: x\nthresholds: [{measure: global_risk, below: 130 %}]\n")
    Path("datos.yaml").write_bytes(b"\xff\xfe\x00\x80")
    Path("plan.yaml").write_text(plan(**changes))
    refused(("run", "plan.yaml"), code, es, en)


def test_a_plan_that_is_missing_or_no_yaml(refused):
    refused(("run", "nada.yaml"), "file-missing", "No se encuentra", "nada.yaml")
    Path("plan.yaml").write_text("source: [")
    refused(("run", "plan.yaml"), "yaml-syntax", "línea 1", "line 1")
    Path("plan.yaml").write_text("hola")
    refused(("run", "plan.yaml"), "yaml-not-mapping", "campos con nombre", "fields")


def test_check_before_any_run(refused):
    refused(("check", "plan.yaml"), "not-run-yet", "no se ha ejecutado", "not been run")


def test_form_options_are_for_csv(refused):
    rows().write_parquet("datos.parquet")
    refused(("inspect", "datos.parquet", "--delimiter", ";"), "csv-option", "solo para archivos CSV", "CSV")


@pytest.mark.parametrize("option", [("--decimal", "x"), ("--delimiter", "::"), ("--encoding", "klingon")])
@pytest.mark.parametrize("command", [("inspect",), ("risk", "--keys", "sexo")])
def test_a_form_that_no_csv_has(command, option, refused):
    name = option[0].removeprefix("--")
    refused((*command, "datos.csv", *option), "csv-option-value", f"«{name}»", f"'{name}'")


def test_a_doubtful_csv_is_read_as_its_user_says(celosia, here):
    Path("duda.csv").write_text("a;b\n1,234;2\n2,345;3\n1,234;3\n")
    doubt = celosia("risk", "duda.csv", "--keys", "a")
    assert doubt.code == 2 and "--decimal" in doubt.err and "csv: {decimal" in doubt.err
    assert celosia("risk", "duda.csv", "--keys", "a", "--decimal", ",").code == 0
    assert celosia("inspect", "duda.csv", "--decimal", ",", "--delimiter", ";").code == 0
    for form, code in ((None, 2), ("{decimal: ','}", 1), ("{decimal: x}", 2), ("{coma: si}", 2), ("si", 2)):
        said = plan(source="duda.csv", csv=form, kind="census", roles=None, scenarios="{v: [a]}", steps="[]")
        Path("duda.yaml").write_text(said)
        assert celosia("run", "duda.yaml").code == code, form


def test_a_tab_can_be_typed(celosia, here):
    Path("tab.csv").write_text("a\tb,c\n1\t2,3\n2\t3,4\n")
    ran = celosia("inspect", "tab.csv", "--delimiter", "tab", "--decimal", ",", "--json")
    assert ran.json["results"]["form"]["delimiter"] == "\t"


def test_a_key_that_all_but_identifies_is_measured_with_a_warning(celosia, here):
    rows(casi=[i if i < 54 else 0 for i in range(60)]).write_csv("datos.csv")
    for lang, said in (
        ("es", "«casi» tiene un valor distinto en el 90\u202f%"),
        ("en", "'casi' has a distinct value for 90\u202f%"),
    ):
        ran = celosia("risk", "datos.csv", "--keys", "sexo,casi", "--lang", lang)
        assert ran.code == 0 and said in ran.err
    (warning,) = celosia("risk", "datos.csv", "--keys", "sexo,casi", "--json").json["warnings"]
    assert (warning["code"], warning["facts"]) == ("key-nearly-unique", {"variable": "casi", "share": 0.9})
    Path("plan.yaml").write_text(plan(scenarios="{vecina: [sexo, casi]}"))
    assert "key-nearly-unique" in [w["code"] for w in celosia("run", "plan.yaml", "--json").json["warnings"]]


def test_300_columns_of_missing(celosia, here):
    rows(**{f"v{i}": pl.Series([None] * 60, dtype=pl.String) for i in range(300)}).write_csv("datos.csv")
    found = celosia("inspect", "datos.csv", "--json").json["results"]
    assert len(found["variables"]) == 305 and found["variables"][-1]["undeclared"] == 60
    keys = ",".join(["sexo", *(f"v{i}" for i in range(300))])
    ran = celosia("risk", "datos.csv", "--keys", keys, "--json")
    assert ran.code == 0 and ran.json["results"]["frequencies"]["distinct"] == 2
    assert "null-untyped" in [warning["code"] for warning in ran.json["warnings"]]


# -- what is read is never written over ----------------------------------------------------------------------------


def plan_with(folder, **changes):
    text = (folder / "plan.yaml").read_text("utf-8")
    for old, new in changes.values():
        assert old in text
        text = text.replace(old, new)
    (folder / "otro.yaml").write_text(text, "utf-8")


@pytest.mark.parametrize("name", ["../../encuesta.csv", "dentro/publica.csv", "publica.pdf", "publica"])
def test_the_public_file_is_a_name_of_a_format(name, celosia, folder, hashes):
    plan_with(folder, data=("publica.csv", name))
    before = hashes(folder)
    ran = celosia("run", "otro.yaml", "--json")
    assert ran.code == 2 and ran.json["errors"][0]["code"] in ("release-name", "format-unknown")
    assert hashes(folder) == before


def test_the_public_file_never_takes_the_place_of_the_source(celosia, folder, hashes):
    (folder / "publico").mkdir()
    for file in ("encuesta.csv", "encuesta.csv.dictionary.yaml"):
        (folder / file).rename(folder / "publico" / file)
    plan_with(
        folder,
        source=("source: encuesta.csv", "source: publico/encuesta.csv"),
        release=("{folder: salida, data: publica.csv}", "{folder: ., data: encuesta.csv}"),
    )
    before = hashes(folder)
    ran = celosia("run", "otro.yaml", "--json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "output-over-input")
    assert hashes(folder) == before


def test_a_dictionary_that_is_there_is_not_lost(celosia, folder, hashes):
    (folder / "libro.yaml").write_text("variables: {}\n", "utf-8")
    before = hashes(folder)
    for target in ("libro.yaml", "encuesta.csv"):
        ran = celosia("inspect", "encuesta.csv", "--write-dictionary", target, "--json")
        assert (ran.code, ran.json["errors"][0]["code"]) == (2, "output-there")
    assert hashes(folder) == before


@pytest.mark.parametrize("option", ["--table", "--page"])
def test_counts_are_not_written_over(option, celosia, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("c.csv").write_text("place,sex,age_group,count\na,1,0-4,3\na,1,5-9,4\n", "utf-8")
    before = Path("c.csv").read_bytes()
    ran = celosia("anonymity", "c.csv", option, "./c.csv", "--json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "output-over-input")
    assert Path("c.csv").read_bytes() == before


def test_the_demonstration_takes_no_place_of_another_plan(celosia, folder, hashes):
    before = hashes(folder)
    ran = celosia("demo", "--folder", ".", "--json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "example-there")
    assert hashes(folder) == before


def test_what_stands_in_the_public_folder_and_is_not_of_this_run_is_told(celosia, folder, plan_text):
    assert celosia("run", "plan.yaml", "--json").json["warnings"] == []
    (folder / "salida" / "publico" / "otra.csv").touch()
    found = celosia("run", "plan.yaml", "--json").json["warnings"]
    assert [(w["code"], w["facts"]["files"]) for w in found] == [("public-folder-others", ["otra.csv"])]
    (folder / "plan.yaml").write_text(plan_text.replace("[nombre, rut,", "[nombre,"), "utf-8")
    ran = celosia("run", "plan.yaml", "--json")
    assert ran.code == 1 and "public-file-earlier" in [w["code"] for w in ran.json["warnings"]]


def test_a_rule_of_a_variable_that_nobody_has_is_refused(celosia, folder):
    with (folder / "plan.yaml").open("a", encoding="utf-8") as plan:
        plan.write("rules: [{given: edda < 15, then: sexo == 1}]\n")
    ran = celosia("run", "plan.yaml", "--json")
    assert (ran.code, ran.json["errors"][0]["code"], ran.json["errors"][0]["facts"]["variable"]) == (
        2,
        "variable-unknown",
        "edda",
    )
