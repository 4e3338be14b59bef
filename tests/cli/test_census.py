"""``celosia census``: exit codes, one JSON object, stopping and going on, and errors in both languages."""

import json
import os
import shutil
from pathlib import Path

import jsonschema
import polars as pl
import pytest
from censuses import PLAN, folder_with_a_census
from ruamel.yaml import YAML

from celosia.census import epsilon
from celosia.io.lock import alone

SNAPSHOTS = Path(__file__).parent / "snapshots"
PERSONS_ONLY = PLAN[: PLAN.index("  dwellings:\n    variables")]


@pytest.fixture(scope="session")
def _census_folder(tmp_path_factory):
    return folder_with_a_census(tmp_path_factory.mktemp("censo"))


@pytest.fixture
def folder(_census_folder, tmp_path, monkeypatch):
    """The files of a small census and the plan of its persons, as the working folder."""
    shutil.copytree(_census_folder, tmp_path, dirs_exist_ok=True)
    (tmp_path / "plan.yaml").write_text(PERSONS_ONLY, "utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def told(found):
    """What does not depend on the noise: totals, budgets and names; of the rest, that it is there."""
    results = found["results"]
    for one in results["errors"]:
        one["rows"] = [{"level": row["level"], "query": row["query"], "answers": row["answers"]} for row in one["rows"]]
    results["files"] = sorted(results["files"])
    return json.loads(json.dumps(found), parse_float=lambda value: float(f"{float(value):.10g}"))


def same_as_kept(name, found):
    """Compare with the snapshot of a command, or write it where that was asked for."""
    file = SNAPSHOTS / f"{name}.json"
    if os.environ.get("CELOSIA_SNAPSHOTS") == "write":
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert found == json.loads(file.read_text("utf-8"))


def test_a_release(celosia, folder):
    ran = celosia("census", "plan.yaml", "--lang", "es")
    assert (ran.code, ran.err) == (0, "")
    loss = f"{epsilon(2, 1e-10):.4f}".replace(".", ",")
    for said in ("Libro de cuentas", loss, "P08 * tramo", "Carpeta pública: salida/publico", "puede publicarse"):
        assert said in ran.out
    assert (folder / "salida" / "interno" / "ejecucion-1" / "resumen.html").exists()
    html = (folder / "salida" / "interno" / "ejecucion-1" / "resumen.html").read_text("utf-8")
    assert "La curva" not in html and "Errores: personas" in html and "column." not in html
    again = celosia("census", "plan.yaml", "--lang", "en")
    assert again.code == 0 and "Public folder" in again.out


def test_snapshot(celosia, folder):
    same_as_kept("census", told(celosia("census", "plan.yaml", "--json").json))
    same_as_kept("census-check", celosia("census-check", "plan.yaml", "--json").json)


def test_snapshot_of_the_example(celosia, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    same_as_kept("census-example", celosia("census-example", "--folder", "c", "--json").json)


def test_a_test_with_a_seed_does_not_pass(celosia, folder):
    ran = celosia("census", "plan.yaml", "--test-seed", "3", "--json")
    assert (ran.code, ran.json["status"], ran.json["results"]["releasable"]) == (1, "does-not-pass", False)
    assert all(name.startswith("NO-PUBLICABLE-") for name in ran.json["results"]["files"])
    assert not (folder / "salida" / "publico").exists() and not (folder / "libro.json").exists()
    ran = celosia("census", "plan.yaml", "--test-seed=3", "--lang", "en")
    assert ran.code == 1 and "NOT RELEASABLE" in ran.out


@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize(
    "place",
    [
        "celosia.census.measuring.Measurer.measure",
        "celosia.census.descent.Descent._level",
        "celosia.report.census.census_summary",
        "celosia.process.census.files.histograms",
    ],
)
def test_ctrl_c_and_go_on(place, lang, celosia, folder, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(place, stop)
        ran = celosia("census", "plan.yaml", "--lang", lang)
    assert (ran.code, ran.out) == (130, "")
    assert {"es": "se detuvo", "en": "stopped"}[lang] in ran.err
    assert {"es": "repita la misma orden", "en": "give the same command"}[lang] in ran.err
    assert not (folder / "salida" / "publico").exists()
    spent = (folder / "libro.json").read_bytes()
    ran = celosia("census", "plan.yaml")
    assert ran.code == 0 and (folder / "libro.json").read_bytes() == spent, "nothing is paid twice"


def test_ctrl_c_before_anything_is_paid_says_that_nothing_was_written(celosia, folder, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("celosia.census.geography.Geography.place", stop)
    ran = celosia("census", "plan.yaml", "--lang", "es")
    assert ran.code == 130 and "no se escribió nada" in ran.err and not (folder / "libro.json").exists()


def test_progress_is_told_by_level(folder):
    from celosia.core.language import speaking
    from celosia.core.run import Run
    from celosia.process.census import CensusPlan, run

    said = []
    with speaking("en"):
        run(CensusPlan.load("plan.yaml"), Run(progress=lambda step, done: said.append((step, done))), seed=1)
    steps = list(dict.fromkeys(step for step, _ in said))
    levels = ("NORTE", "REGION", "PROVINCIA", "COMUNA")
    assert steps == [f"persons · {step}" for step in ("measurement", *levels, "evaluation")]
    assert all(0 <= done <= 1 for _, done in said)


def test_the_stop_button_is_obeyed(celosia, folder):
    from celosia.core.errors import CancelledError
    from celosia.core.run import Run
    from celosia.process.census import CensusPlan, run

    stopping = Run(progress=lambda step, done: stopping.cancel() if "REGION" in step else None)
    with pytest.raises(CancelledError):
        run(CensusPlan.load("plan.yaml"), stopping)
    assert celosia("census", "plan.yaml").code == 0


ERRORS = [
    ("census: 1", "celosia: 1", "no es un plan de censo", "is not a census plan"),
    ("rho: 2", "rho: 9", "no alcanza", "budget"),
    ("levels: [REGION]}]", "levels: [REGION]}]\n      limits: [{level: COMUNA, at_most: 1}]", "solución", "fix"),
    ("P17:\n", "P17: [1, 98]\n", "dominio", "domain"),
    ("file: lugares.csv", "file: nada.csv", "nada.csv", "nada.csv"),
    ("detailed: 1/2", "detailed: 1/4", "sumar exactamente 1", "exactly 1"),
]


@pytest.mark.parametrize(("old", "new", "es", "en"), ERRORS, ids=[new.strip()[:30] for _, new, _, _ in ERRORS])
def test_errors_in_both_languages_release_nothing(old, new, es, en, celosia, folder):
    (folder / "plan.yaml").write_text(PERSONS_ONLY.replace(old, new), "utf-8")
    for lang, said in (("es", es), ("en", en)):
        ran = celosia("census", "plan.yaml", "--lang", lang)
        assert (ran.code, ran.out) == (2, "")
        assert said in ran.err, ran.err
        assert [error["code"] for error in celosia("census", "plan.yaml", "--json").json["errors"]]
    assert not (folder / "salida" / "publico").exists() and not (folder / "libro.json").exists()


def test_what_a_killed_run_left_is_taken_away_and_two_never_run_at_once(celosia, folder):
    results = folder / "salida"
    assert celosia("census", "plan.yaml").code == 0
    left = [
        results / ".publico.0123456789ab.part",
        results / "interno" / "ejecucion-1" / ".resumen.0123456789ab.part.html",
    ]
    left[0].mkdir()
    left[1].touch()
    with alone(results / "interno" / ".candado", "run-busy"):
        ran = celosia("census", "plan.yaml", "--json")
    assert (ran.code, ran.json["errors"][0]["code"]) == (2, "run-busy") and left[1].exists()
    assert celosia("census", "plan.yaml").code == 0
    assert not any(path.exists() for path in left)


def test_another_configuration_and_a_spent_budget(celosia, folder):
    assert celosia("census", "plan.yaml").code == 0
    good = sorted((folder / "salida" / "publico").iterdir())
    (folder / "plan.yaml").write_text(PERSONS_ONLY.replace("P08 * tramo: 1/2", "P08: 1/2"), "utf-8")
    for lang, said in (("es", "configuración"), ("en", "configuration")):
        ran = celosia("census", "plan.yaml", "--lang", lang)
        assert ran.code == 2 and said in ran.err
    other = PERSONS_ONLY.replace("title:", "run: b\ntitle:").replace("rho: 2", "rho: 5")
    (folder / "plan.yaml").write_text(other, "utf-8")
    ran = celosia("census", "plan.yaml", "--json")
    assert [error["code"] for error in ran.json["errors"]] == ["budget-overspent"]
    assert sorted((folder / "salida" / "publico").iterdir()) == good


def test_the_schema_is_printed_and_takes_the_plan(celosia):
    ran = celosia("census-schema")
    assert ran.code == 0
    jsonschema.validate(YAML(typ="safe").load(PLAN), json.loads(ran.out))


def test_a_published_folder_is_checked(celosia, folder):
    assert celosia("census-check", "plan.yaml").code == 2, "nothing was published yet"
    celosia("census", "plan.yaml")
    for asked in ("plan.yaml", "salida/publico"):
        ran = celosia("census-check", asked, "--lang", "es")
        assert ran.code == 0 and "Todo lo que dice el certificado se cumple" in ran.out
    assert celosia("census-check", "plan.yaml", "--json").json["results"]["passes"] is True
    with (folder / "salida" / "publico" / "personas.csv").open("a") as file:
        file.write("\n")
    ran = celosia("census-check", "plan.yaml", "--lang", "en")
    assert ran.code == 1 and "do not publish it" in ran.out
    assert celosia("census-check", "plan.yaml", "--json").json["status"] == "does-not-pass"
    celosia("census", "plan.yaml", "--test-seed", "1")
    ran = celosia("census-check", "salida/no-publicable", "--lang", "en")
    assert ran.code == 1 and "NOT RELEASABLE" in ran.out


def test_a_plan_of_a_census_is_no_plan_of_a_file(celosia, folder):
    for command in ("run", "check", "risk"):
        for lang, said in (("es", "celosia census plan.yaml"), ("en", "is the plan of a census")):
            ran = celosia(command, "plan.yaml", "--lang", lang)
            assert ran.code == 2 and said in ran.err


@pytest.mark.parametrize("lang", ["es", "en"])
def test_the_example_is_written_once_and_its_plan_is_read(celosia, tmp_path, monkeypatch, lang):
    monkeypatch.chdir(tmp_path)
    ran = celosia("census-example", "--lang", lang)
    assert ran.code == 0 and str(Path("censo") / "plan.yaml") in ran.out
    assert {path.name for path in Path("censo").iterdir()} >= {"personas.parquet", "viviendas.parquet", "lugares.csv"}
    plan = Path("censo/plan.yaml").read_text("utf-8")
    assert {"es": "Otro país", "en": "Another country"}[lang] in plan
    jsonschema.validate(YAML(typ="safe").load(plan), json.loads(celosia("census-schema").out))
    again = celosia("census-example", "--lang", lang, "--json")
    assert again.code == 2 and again.json["errors"][0]["code"] == "example-there"


def test_both_examples_are_the_same_plan():
    from importlib.resources import files

    from celosia.process.census import CensusPlan

    texts = [files("celosia.cli").joinpath(f"census_plan.{lang}.yaml").read_text("utf-8") for lang in ("es", "en")]
    es, en = (CensusPlan.parse(text) for text in texts)
    assert [line.split(":")[0] for line in texts[0].splitlines() if line.strip()[:1] not in ("#", "")][:12] == [
        line.split(":")[0] for line in texts[1].splitlines() if line.strip()[:1] not in ("#", "")
    ][:12]
    for table in es.tables:
        one, other = es.tables[table], en.tables[table]
        assert one.variables == other.variables and one.rules == other.rules
        assert list(one.budget.queries.values()) == list(other.budget.queries.values())
        assert [group.where for group in one.groups] == [group.where for group in other.groups]
    assert es.limits == en.limits and es.places == en.places and es.protection == en.protection


def test_the_example_gives_what_the_thesis_asks(celosia, tmp_path, monkeypatch):
    """Population, schooling and nationality by comuna, with their errors, of every comuna."""
    monkeypatch.chdir(tmp_path)
    celosia("census-example", "--lang", "es")
    plan = Path("censo/plan.yaml")
    text = plan.read_text("utf-8").replace("    curve: [1/10, 1/2, 1, 2, 4]\n", "")
    text = text[: text.index("  # Viviendas con su")]
    plan.write_text(text.replace(", ID_ZONA_LOC]", "]").replace("DC: 5/20, ID_ZONA_LOC: 5/20", "DC: 10/20"), "utf-8")
    ran = celosia("census", "censo/plan.yaml", "--json")
    assert (ran.code, ran.json["status"]) == (0, "passes")
    rows = {row["query"]: row for row in ran.json["results"]["errors"][0]["rows"] if row["level"] == "COMUNA"}
    assert rows["total"]["mae"] == 0, "the population of comunas is exact"
    for query in ("P15", "P12", "P16", "P08 * tramo"):
        assert rows[query]["relative"] < 0.05 and rows[query]["rmse"] >= rows[query]["mae"] > 0
    answers = pl.read_parquet(tmp_path / ran.json["results"]["answers"][0])
    assert answers.filter(query="P12")["place"].n_unique() == 11
    published = pl.read_csv("censo/salida/publico/personas.csv", infer_schema=False)
    counted = published.group_by("COMUNA", "P12").len()
    told = answers.filter(query="P12").select(COMUNA="place", P12="answer", len=pl.col("published").cast(pl.UInt32))
    assert counted.join(told.filter(pl.col("len") > 0), on=["COMUNA", "P12", "len"], how="anti").is_empty()
    assert celosia("census-check", "censo/plan.yaml").code == 0
