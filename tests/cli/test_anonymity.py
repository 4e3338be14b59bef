"""``celosia anonymity``: tables, CSV, JSON, picture and page; verdicts by exit code; refusals in both languages."""

import json
import os
from pathlib import Path

import polars as pl
import pytest

from celosia import Run
from celosia.datasets import register_counts
from celosia.demography import Counts, expected_anonymity, simulate_anonymity

SNAPSHOT = Path(__file__).parent / "snapshots" / "anonymity.json"
SECRET = "987654321"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Counts of thirty places, a survey of three records, and a wrong table or two, as the working folder."""
    monkeypatch.chdir(tmp_path)
    counts = register_counts(30, 60_000)
    counts.write_csv("padron.csv")
    counts.rename({"count": "personas", "age_group": "tramo"}).write_csv("otro.csv", separator=";")
    survey = pl.DataFrame(
        {"lugar": counts["place"][:3], "sex": [1, 2, 2], "edad": [3, 37, 90], "w": [10.0, 20.0, 30.0]}
    )
    survey.write_csv("encuesta.csv")
    return tmp_path


def test_the_table_of_the_paper(celosia, here):
    ran = celosia("anonymity", "padron.csv", "--lang", "es")
    assert (ran.code, ran.err) == (0, "")
    for said in ("60.000 personas en 1.080 celdas", "«85+»", "85 a 89 años", "Día: %", ">50", "21-50"):
        assert said in ran.out, said
    share = expected_anonymity(pl.read_csv("padron.csv"), "day").share_at_most("day", 1)
    assert f"{100 * share:.3f}".replace(".", ",") in ran.out
    english = celosia("anonymity", "padron.csv", "--lang", "en").out
    assert "60,000 people in 1,080 cells" in english and "85 to 89 years" in english


def test_snapshot(celosia, here):
    arguments = ("--by", "province", "--periods", "day,year,12", "--simulations", "20", "--seed", "1", "--below", "99%")
    looked = ("--survey", "encuesta.csv", "--keys", "lugar,sex,edad", "-w", "w", "--match", "lugar=place")
    more = ("--match", "edad=age_group", "--date", "2010-01-01", "--at-most", "3")
    found = celosia("anonymity", "padron.csv", *arguments, *looked, *more, "--json").json
    told = json.loads(json.dumps(found), parse_float=lambda value: float(f"{float(value):.9g}"))
    told["results"]["rows"] = told["results"]["rows"][:20]
    if os.environ.get("CELOSIA_SNAPSHOTS") == "write":
        SNAPSHOT.write_text(json.dumps(told, ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert told == json.loads(SNAPSHOT.read_text("utf-8"))


def test_the_command_says_what_the_library_says(celosia, here):
    found = celosia("anonymity", "padron.csv", "-p", "month", "--simulations", "30", "--seed", "4", "--json").json
    counts = Counts.of(pl.read_csv("padron.csv", schema_overrides={"place": pl.String, "province": pl.String}))
    assert found["results"]["expected"] == expected_anonymity(counts, "month").to_dict()
    drawn = simulate_anonymity(counts, "month", simulations=30, run=Run(key=4)).to_dict()
    assert found["results"]["simulated"] == json.loads(json.dumps(drawn))


def test_a_limit_is_judged_by_the_exit_code(celosia, here):
    ran = celosia("anonymity", "padron.csv", "--below", "10 %", "--lang", "es")
    assert ran.code == 1 and "NO puede mostrarse hasta el día" in ran.out and "puede mostrarse hasta el año" in ran.out
    found = celosia("anonymity", "padron.csv", "--below", "10 %", "--json").json
    assert (found["status"], found["results"]["finest"]) == ("does-not-pass", "year")
    assert [answer["passes"] for answer in found["results"]["answers"]] == [False, False, True]
    passing = celosia("anonymity", "padron.csv", "--periods", "year", "--below", "20 %", "--json")
    assert (passing.code, passing.json["status"]) == (0, "passes")
    each = celosia("anonymity", "padron.csv", "--periods", "year", "--below", "20 %", "--in-each", "place", "--json")
    assert each.code == 1 and each.json["results"]["answers"][0]["beyond"] > 0
    less = ("--shows", "province,sex,age_group", "--periods", "month", "--below", "13 %")
    assert celosia("anonymity", "padron.csv", *less, "--json").code == 0
    assert celosia("anonymity", "padron.csv", *less[2:], "--json").code == 1, "the place tells more"


def test_every_output_is_written(celosia, here):
    files = ("--table", "t.csv", "--picture", "f.svg", "--page", "p.html")
    ran = celosia("anonymity", "padron.csv", "--by", "place", "--simulations", "10", *files, "--lang", "es")
    assert ran.code == 0 and all(f"Escrito: {name}" in ran.out for name in ("t.csv", "f.svg", "p.html"))
    table = pl.read_csv("t.csv", schema_overrides={"place": pl.String})
    assert table.height == 30 * 3 * 9 and {"median", "low", "high", "people", "share"} <= set(table.columns)
    assert table["people"].sum() == pytest.approx(3 * 60_000)
    assert Path("f.svg").read_text("utf-8").startswith("<svg")
    page = Path("p.html").read_text("utf-8")
    assert page.startswith("<!doctype html>") and "Anonimato demográfico" in page and "Demographic anonymity" in page
    assert "column." not in page and "anonymity." not in page and "<script" not in page
    assert celosia("anonymity", "padron.csv", "--picture", "f.json").code == 0
    assert json.loads(Path("f.json").read_text("utf-8"))["mark"] == "bar"


def test_records_are_looked_up(celosia, here):
    keys = ("--keys", "lugar,sex,edad", "--match", "lugar=place", "--match", "edad=age_group")
    ran = celosia("anonymity", "padron.csv", "--survey", "encuesta.csv", *keys, "--lang", "es")
    assert ran.code == 0 and "1 + Binomial(n − 1, p)" in ran.out and "Según los recuentos" in ran.out
    assert "Estimado" not in ran.out, "without weights nothing is estimated"
    found = celosia("anonymity", "padron.csv", "--survey", "encuesta.csv", *keys, "-w", "w", "--json").json
    assert found["results"]["records"]["records"] == 3 and found["results"]["records"]["finer"]


def test_another_layout(celosia, here):
    found = celosia("anonymity", "otro.csv", "--count", "personas", "--age", "tramo", "--open-width", "20", "--json")
    assert found.code == 0 and found.json["results"]["expected"]["people"] == 60_000
    profile = (
        "--weekdays",
        "1.1,1.1,1.1,1.1,1.1,0.8,0.7",
        "--months",
        "1,1,1,1,1,1,1,1,1,1,1,1.2",
        "--date",
        "2010-01-01",
    )
    told = celosia("anonymity", "padron.csv", "-p", "day", *profile, "--lang", "en")
    assert told.code == 0 and "2010-01-01" in told.out and "as declared" in told.out
    assert "calendar at" in celosia("anonymity", "padron.csv", "--date", "2010-01-01", "--lang", "en").out


HEAD = "place,sex,age,count\n"
WRONG = {
    "negative": (HEAD + f"a,1,0-4,-{SECRET}\na,1,5+,3\n", (), "counts-negative", "negativo", "negative"),
    "fractional": (HEAD + f"a,1,0-4,{SECRET}.5\na,1,5+,3\n", (), "counts-fractional", "decimales", "decimals"),
    "text": (HEAD + f"a,1,0-4,*\na,1,5+,{SECRET}\n", (), "counts-text", "no es numérica", "not numeric"),
    "empty count": (HEAD + f"a,1,0-4,\na,1,5+,{SECRET}\n", (), "counts-null", "vacío", "empty"),
    "missing groups": (HEAD + f"a,1,0-4,3\na,1,10+,{SECRET}\n", (), "ages-missing", "entre 5 y 9", "from 5 to 9"),
    "absent cells": (HEAD + "a,1,0-4,3\na,1,5+,4\nb,1,0-4,3\n", (), "counts-absent", "Falta 1 celda", "1 cell"),
    "no width": (HEAD + f"a,1,joven,3\na,1,mayor,{SECRET}\n", (), "age-without-width", "cuántos", "how many years"),
    "no width between": (
        HEAD + "a,1,0-4,3\na,1,joven,3\na,1,10+,3\n", (), "age-without-width", "fila 2", "row 2",
    ),
    "repeated": (HEAD + "a,1,0-4,3\na,1,0-4,4\n", (), "counts-repeated", "1 celda repetida", "1 cell is repeated"),
    "totals": (
        HEAD + f"a,1,0-4,3\na,2,0-4,4\na,Total,0-4,{SECRET}\n", (),
        "totals-disagree", "1 fila de totales", "1 row of totals",
    ),
    "no rows": (HEAD, (), "counts-empty", "no tiene filas", "no rows"),
    "empty file": ("", (), "file-empty", "está vacío", "empty"),
    "no such column": (HEAD + "a,1,0-4,3\n", ("--count", "n"), "counts-column", "«n»", "'n'"),
    "no such group": (HEAD + "a,1,0-4,3\n", ("--by", "x"), "counts-column", "«x»", "'x'"),
    "unknown period": (HEAD + "a,1,0-4,3\n", ("--periods", "week"), "option-unknown", "periods", "periods"),
    "no period": (HEAD + "a,1,0-4,3\n", ("--periods", ","), "option-unknown", "periods", "periods"),
    "no date": (HEAD + "a,1,0-4,3\n", ("--date", "ayer"), "field-invalid", "--date: una fecha", "--date: a date"),
    "six weekdays": (
        HEAD + "a,1,0-4,3\n", ("--date", "2020-01-01", "--weekdays", "1,1,1,1,1,1"),
        "field-invalid", "--weekdays: siete", "--weekdays: seven",
    ),
    "weekdays alone": (HEAD + "a,1,0-4,3\n", ("--weekdays", "1,1,1,1,1,1,1"), "option-needs", "date", "date"),
    "absent": (HEAD + "a,1,0-4,3\n", ("--absent", "x"), "field-invalid", "--absent: error o", "--absent: error or"),
    "width": (HEAD + "a,1,0-4,3\n", ("--open-width", "0"), "field-invalid", "--open-width: años", "--open-width: w"),
    "limit": (HEAD + "a,1,0-4,3\n", ("--below", "mucho"), "field-invalid", "--below: un", "--below: a per"),
    "limit above all": (HEAD + "a,1,0-4,3\n", ("--below", "200 %"), "field-invalid", "below", "below"),
    "nobody like them": (
        HEAD + "a,1,0-4,3\n", ("--below", "5 %", "--at-most", "0"),
        "field-invalid", "--at-most: un número", "--at-most: a whole",
    ),
    "k alone": (HEAD + "a,1,0-4,3\n", ("--at-most", "2"), "option-needs", "--below", "--below"),
    "seed alone": (HEAD + "a,1,0-4,3\n", ("--seed", "2"), "option-needs", "--simulations", "--simulations"),
    "one simulation": (HEAD + "a,1,0-4,3\n", ("--simulations", "1"), "option-whole", "simulations", "simulations"),
    "keys alone": (HEAD + "a,1,0-4,3\n", ("--keys", "a"), "option-needs", "--survey", "--survey"),
    "survey alone": (HEAD + "a,1,0-4,3\n", ("--survey", "encuesta.csv"), "option-needs", "--keys", "--keys"),
    "picture": (HEAD + "a,1,0-4,3\n", ("--picture", "f.png"), "picture-suffix", ".svg, .json", ".svg, .json"),
    "same file": (
        HEAD + "a,1,0-4,3\n", ("--table", "x.html", "--page", "x.html"), "outputs-same", "mismo archivo", "same file",
    ),
    "no folder": (HEAD + "a,1,0-4,3\n", ("--table", "nada/x.csv"), "folder-missing", "nada", "nada"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input(name, celosia, here):
    content, options, code, es, en = WRONG[name]
    Path("malo.csv").write_text(content, "utf-8")
    before = sorted(here.iterdir())
    for lang, said in (("es", es), ("en", en)):
        ran = celosia("anonymity", "malo.csv", *options, "--lang", lang)
        assert (ran.code, ran.out) == (2, ""), ran
        assert said in ran.err, ran.err
        assert SECRET not in ran.err and "error." not in ran.err
    found = celosia("anonymity", "malo.csv", *options, "--json")
    assert [error["code"] for error in found.json["errors"]] == [code] and SECRET not in found.out
    assert sorted(here.iterdir()) == before, "nothing is left behind"
