"""Plans that ask published counts: verdicts, steps and records; the file as it is, and as its steps make it."""

import json

import jsonschema
import numpy as np
import polars as pl
import pytest
from ruamel.yaml import YAML

import celosia
from celosia import Plan, Run, Study
from celosia.core.errors import CelosiaError, DataError, OptionError, PlanError, RoleError
from celosia.core.language import speaking
from celosia.demography import expected_anonymity
from celosia.process.release import decide
from celosia.report.summary import blocks, summary

PLAN = """\
celosia: 1
source: encuesta.csv
kind: sample
policy: ine-censo-poblacion
roles: {weight: w}
scenarios:
  vecina: [zona, sexo, edad]
anonymity:
  counts: {file: padron.csv, count: personas}
  births: {date: 2024-12-31}
  match: {zona: lugar, edad: grupo_edad}
  questions:
    mes: {detail: month, below: 50 %}
    fecha: {variable: nac, below: 10 %, in_each: [lugar]}
steps:
  # hasta donde dejan los recuentos
  - do: coarsen_birth
    variable: nac
    counts: {file: padron.csv, count: personas}
    limit: {below: 10 %, in_each: [lugar]}
release: {folder: salida, data: publica.csv}
"""
AGES = (*(f"{age}-{age + 4}" for age in range(0, 85, 5)), "85+")


@pytest.fixture
def folder(tmp_path):
    """A survey of 300 people, the counts of their population, and a plan, in a folder that is not the working one."""
    rng = np.random.default_rng(3)
    ages = rng.integers(0, 90, 300)
    survey = pl.DataFrame(
        {
            "zona": rng.choice(["01", "02"], 300),
            "sexo": rng.integers(1, 3, 300),
            "edad": ages,
            "nac": [f"{2024 - age}-{month:02}-15" for age, month in zip(ages, rng.integers(1, 13, 300), strict=True)],
            "civil": rng.choice(["c", "s"], 300),
            "w": np.full(300, 400.0),
        }
    )
    celosia.write(survey, tmp_path / "encuesta.csv")
    rows = [(place, str(sex), age, 500) for place in ("01", "02") for sex in (1, 2) for age in AGES]
    counts = pl.DataFrame(rows, schema=["lugar", "sexo", "grupo_edad", "personas"], orient="row")
    counts.write_csv(tmp_path / "padron.csv")
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    return tmp_path


def study(folder, text=None, steps=True):
    path = folder / "plan.yaml"
    if text is not None:
        path.write_text(text, "utf-8")
    opened = Study.open(path, Run(key=1))
    return opened.replay(Plan.load(path)) if steps else opened


def test_questions_are_answered_before_and_after(folder):
    done = study(folder)
    asked = {(one.question, one.file): one for one in done.asked}
    assert set(asked) == {("mes", "after"), ("fecha", "before"), ("fecha", "after")}
    assert asked["mes", "after"].answer.detail == "month"
    assert [asked["fecha", file].answer.detail for file in ("before", "after")] == ["day", "month"]
    assert [asked["fecha", file].passes for file in ("before", "after")] == [False, True]
    assert done.result.detail == "month" and done.data.column("nac").str.len_chars().max() == 7
    counts = done.inquiry.counts
    share = expected_anonymity(counts, "month", births=done.inquiry.section.births).share_at_most("month", 1)
    assert asked["mes", "after"].answer.share == pytest.approx(share)


def test_a_question_that_is_not_met_fails_the_verdict(folder):
    open_policy = "name: laxa\nthresholds: [{measure: global_risk, below: 100 %}]\n"
    (folder / "laxa.yaml").write_text(open_policy)
    text = PLAN.replace("ine-censo-poblacion", "laxa.yaml")
    assert study(folder, text).check().passes
    strict = text.replace("mes: {detail: month, below: 50 %}", "mes: {detail: month, below: 0.01 %}")
    verdict = study(folder, strict).check()
    assert not verdict.passes and all(row.passes for row in verdict.rows if row.file == "after")
    assert not decide(study(folder, strict)).passes
    untreated = study(folder, text, steps=False)
    assert not untreated.check().passes, "the day is still there"
    assert verdict.to_dict()["anonymity"][0]["question"] == "mes"


def test_a_date_that_was_dropped_tells_nothing(folder):
    steps = PLAN[: PLAN.index("  # hasta")] + "  - {do: drop_variables, variables: [nac]}\n"
    asked = study(folder, steps).asked
    after = next(one for one in asked if one.question == "fecha" and one.file == "after")
    assert (after.answer.detail, after.answer.share, after.passes) == ("none", 0.0, True)


def test_a_date_that_cannot_be_read_stops(folder):
    data = pl.read_csv(folder / "encuesta.csv", schema_overrides={"zona": pl.String})
    celosia.write(data.with_columns(nac=pl.lit("ZZSECRETZZ")), folder / "encuesta.csv")
    with pytest.raises(DataError) as error:
        _ = study(folder, steps=False).asked
    assert error.value.code == "birth-unreadable" and "ZZSECRETZZ" not in str(error.value)


def test_records_are_looked_up_in_the_counts(folder):
    found = study(folder).record_anonymity()
    assert found.frequencies.keys.names == ("zona", "sexo", "edad") and found.frequencies.weighted
    assert found.finer and found.unmatched == 0
    assert (found.cell == 500).all() and found.chance.max() == 0.2
    assert found.mean == pytest.approx(1 + 499 / 5)


def test_recoded_keys_are_counted_as_recoded(folder):
    """A place of the counts that the survey did not visit is nobody's neighbour, and no reason to warn."""
    more = pl.read_csv(folder / "padron.csv", schema_overrides={"lugar": pl.String})
    pl.concat([more, more.filter(pl.col("lugar") == "01").with_columns(lugar=pl.lit("03"))]).write_csv(
        folder / "padron.csv"
    )
    steps = PLAN.replace(
        "steps:\n",
        "steps:\n  - {do: recode_categories, variables: [zona], mapping: {'01': norte, '02': norte}}\n"
        "  - {do: recode_intervals, variable: edad, breaks: [0, 15, 65], open_high: true}\n",
    )
    found = study(folder, steps).record_anonymity()
    assert not found.finer and found.unmatched == 0
    assert set(found.cell.tolist()) == {2 * 3 * 500, 2 * 10 * 500, 2 * 5 * 500}


def test_emptied_keys_may_be_anything_and_perturbed_ones_are_not_counted(folder):
    steps = PLAN[: PLAN.index("  # hasta")] + (
        "  - {do: local_suppression, keys: [zona, sexo, edad], k: 2, max_share: 1}\n"
    )
    found = study(folder, steps).record_anonymity()
    assert found.cell.max() > 500 and found.unmatched == 0


def test_keys_that_the_counts_do_not_have_are_left_out_and_said(folder):
    text = PLAN.replace("[zona, sexo, edad]", "[zona, sexo, edad, civil]")
    with speaking("es"):
        page = summary(decide(study(folder, text)))
    assert "Los recuentos no tienen estas claves del escenario: civil" in page
    alone = PLAN.replace("[zona, sexo, edad]", "[civil]").replace("match: {zona: lugar, edad: grupo_edad}", "match: {}")
    assert study(folder, alone).record_anonymity() is None


def test_the_summary_has_a_block(folder):
    with speaking("es"):
        page = summary(decide(study(folder)))
        names = [type(block).__name__ for block in blocks(decide(study(folder)))]
    assert "Anonimato demográfico" in page and "Demographic anonymity" in page
    assert "La fecha de nacimiento puede mostrarse hasta el mes" in page
    assert "column." not in page and "anonymity." not in page and names.count("Figure") >= 3
    plain = summary(decide(study(folder, PLAN[: PLAN.index("anonymity:")] + PLAN[PLAN.index("steps:") :])))
    assert "Anonimato demográfico" not in plain


def test_plans_are_written_and_read_again(folder):
    loaded = Plan.load(folder / "plan.yaml")
    assert Plan.parse(loaded.render(), folder / "plan.yaml").anonymity == loaded.anonymity
    assert "# hasta donde dejan los recuentos" in loaded.render()
    fresh = loaded.model_copy(update={"text": ""})
    again = Plan.parse(fresh.render(), folder / "plan.yaml")
    assert again.anonymity == loaded.anonymity and again.steps == loaded.steps
    jsonschema.validate(YAML(typ="safe").load(PLAN.replace("2024-12-31", "'2024-12-31'")), Plan.json_schema())
    named = PLAN.replace("counts: {file: padron.csv, count: personas}", "counts: padron.csv")
    jsonschema.validate(YAML(typ="safe").load(named.replace("2024-12-31", "'2024-12-31'")), Plan.json_schema())
    assert Plan.parse(named).anonymity.counts.file == "padron.csv"
    json.dumps(Plan.json_schema())


def asking(question):
    return f"anonymity: {{counts: x.csv, questions: {{a: {{{question}}}}}}}"


WRONG = {
    "not a mapping": ("anonymity: [1]", PlanError, "plan-not-mapping"),
    "no counts": ("anonymity: {questions: {a: {detail: month, below: 5 %}}}", PlanError, "field-absent"),
    "unknown field": ("anonymity: {counts: x.csv, nada: 1}", PlanError, "field-unknown"),
    "unknown field of the counts": ("anonymity: {counts: {file: x.csv, nada: 1}}", PlanError, "field-unknown"),
    "neither detail nor variable": (asking("below: 5 %"), OptionError, "options-one"),
    "both": (asking("below: 5 %, detail: day, variable: b"), OptionError, "options-one"),
    "no limit": (asking("detail: day"), PlanError, "field-absent"),
    "unknown detail": (asking("detail: week, below: 5 %"), PlanError, "field-invalid"),
    "a name inside": (asking("name: b, detail: day"), PlanError, "field-unknown"),
    "no share": (asking("detail: day, below: mucho"), PlanError, "field-invalid"),
    "questions in a list": ("anonymity: {counts: x.csv, questions: [a]}", PlanError, "plan-not-mapping"),
    "bad date": ("anonymity: {counts: x.csv, births: {date: ayer}}", PlanError, "field-invalid"),
    "profile without date": (
        f"anonymity: {{counts: x.csv, births: {{months: {[1] * 12}}}}}", OptionError, "option-needs",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_sections(name):
    text, kind, code = WRONG[name]
    with pytest.raises(kind) as error:
        Plan.parse(f"kind: census\n{text}\n")
    assert error.value.code == code and "plan.yaml" in str(error.value.facts.get("where"))


def test_counts_that_are_missing_or_wrong(folder):
    with pytest.raises(CelosiaError) as error:
        _ = study(folder, PLAN.replace("{file: padron.csv, count: personas}", "nada.csv"), steps=False).asked
    assert error.value.code == "file-missing"
    with pytest.raises(RoleError) as error:
        _ = study(folder, PLAN.replace("{file: padron.csv, count: personas}", "padron.csv"), steps=False).asked
    assert (error.value.code, error.value.facts["where"]) == ("counts-column", "padron.csv")
    with pytest.raises(RoleError) as error:
        _ = study(folder, PLAN.replace("variable: nac, below", "variable: nada, below"), steps=False).asked
    assert error.value.code == "variable-unknown"
