"""From confidential files to the public folder: what it costs, what it holds, and what it never holds."""

import hashlib
import json
import shutil
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from censuses import PLAN, folder_with_a_census
from refusal import refused

import celosia
from celosia.census import Domain, Geography, SystemBits, Unit, read_measurements
from celosia.core.errors import CelosiaWarning
from celosia.core.language import LANGUAGES, speaking
from celosia.process.census import CensusPlan, files, run
from celosia.process.census.files import publish
from celosia.report.census import census_summary
from celosia.report.certificate import certificate_page

PERSONS_ONLY = PLAN[: PLAN.index("  dwellings:\n    variables")]


@pytest.fixture(scope="session")
def _census_folder(tmp_path_factory):
    return folder_with_a_census(tmp_path_factory.mktemp("censo"))


@pytest.fixture
def folder(_census_folder, tmp_path):
    """A folder with the confidential files of a small census and its plan."""
    shutil.copytree(_census_folder, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture(scope="session")
def done(_census_folder, tmp_path_factory):
    """The census carried out once."""
    folder = tmp_path_factory.mktemp("hecho")
    shutil.copytree(_census_folder, folder, dirs_exist_ok=True)
    outcome = run(CensusPlan.load(folder / "plan.yaml"))
    return outcome, publish(outcome, certificate_page), folder / "salida" / "publico"


def plan(folder, text=PERSONS_ONLY, *changes):
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    (folder / "plan.yaml").write_text(text, "utf-8")
    return CensusPlan.load(folder / "plan.yaml")


def content(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


# -- what it costs and what it holds ------------------------------------------------------------------


def test_all_tables_are_in_one_ledger_and_households_are_charged_to_both(done):
    outcome, _, _ = done
    ledger = outcome.ledger
    assert [spending.table.value for spending in ledger.spendings] == ["persons", "dwellings", "households"]
    # ρ of persons, and 8 / 2 times that of households: a person who is replaced moves two dwellings.
    assert ledger.spent(Unit.PERSON) == 2 + 4 * Fraction(1, 2)
    assert ledger.spent(Unit.DWELLING) == Fraction(1, 2) + Fraction(1, 2)
    assert ledger.whole.rho == 5 and outcome.own == ledger


def test_the_public_folder(done):
    outcome, _, public = done
    stems = ("personas", "viviendas", "hogares")
    kinds = (".csv", ".csv.dictionary.yaml", ".dominio.json", ".histograma.parquet", ".mediciones.parquet")
    wanted = {f"{stem}{kind}" for stem in stems for kind in kinds}
    assert set(content(public)) == wanted | {"lugares.csv", "libro.json", "certificado.json", "certificado.html"}
    persons = celosia.read(public / "personas.csv")
    assert persons.variables == ("REGION", "PROVINCIA", "COMUNA", "P08", "P09", "P17")
    assert persons.dictionary["P08"].values["2"] == "Mujer" and persons.dictionary["P17"].missing
    assert celosia.read(public / "viviendas.csv").variables == ("REGION", "PROVINCIA", "COMUNA", "P01", "P02")
    assert celosia.read(public / "hogares.csv").variables == ("REGION", "PROVINCIA", "COMUNA", "P02", "CANT_PER")
    for one in outcome.tables:
        assert one.release.releasable


def test_invariants_and_rules_hold_in_the_released_records(done):
    outcome, _, public = done
    true = celosia.read(Path(outcome.plan.path).parent / "personas.parquet").frame
    said = celosia.read(public / "personas.csv").frame
    count = lambda frame: sorted(frame.group_by("REGION").len().rows())  # noqa: E731
    assert count(true) == count(said)
    assert said.filter((pl.col("P09") < 15) != (pl.col("P17") == 98)).is_empty()


def test_the_measurements_can_be_processed_anew_by_anybody(done):
    outcome, _, public = done
    domain = Domain.model_validate_json((public / "personas.dominio.json").read_text("utf-8"))
    levels = json.loads((public / "certificado.json").read_text("utf-8"))["tables"][0]["levels"]
    root, *names = (one["level"] for one in levels)
    tree = Geography.of_table(celosia.read(public / "lugares.csv"), tuple(names), root)
    asked = [domain.query(name) for name in ("P08 * tramo", "detailed")]
    read = read_measurements(public / "personas.mediciones.parquet", tree, asked)
    for one, other in zip(read, outcome.tables[0].release.measurements, strict=True):
        assert (one.level, one.query.name, one.variance) == (other.level, other.query.name, other.variance)
        assert np.array_equal(one.values, other.values)
    rows = pl.read_parquet(public / "personas.mediciones.parquet")
    assert rows.columns == ["level", "place", "query", "cell", "value", "variance"]
    assert rows["level"].n_unique() == 4 and (rows["variance"] == 4).all(), "ρ = 2 in eight equal parts"
    assert rows.filter(pl.col("level") == "NORTE", pl.col("query") == "P08 * tramo").height == 6


def test_the_certificate_holds_the_hashes_of_every_other_file(done):
    outcome, certificate, public = done
    said = json.loads((public / "certificado.json").read_text("utf-8"))
    found = content(public)
    assert set(said["files"]) == set(found) - {"certificado.json", "certificado.html"}
    assert all(facts["sha256"] == found[name] for name, facts in said["files"].items())
    assert said["plan"]["sha256"] == hashlib.sha256(outcome.plan.text.encode()).hexdigest()
    assert said["releasable"] is True and said["randomness"] == "operating system"
    assert [loss["account"] for loss in said["this_run"]] == ["person", "dwelling", "all"]
    assert said["this_run"][0]["rho"] == "4" and said["ledger"]["neighbours"] == "bounded"
    assert said["ledger"]["invariants"] == ["total = (REGION)"]
    assert set(said["versions"]) == {"python", "celosia", "numpy", "polars", "numba"}
    assert set(said["summary"]) == set(LANGUAGES) and said == certificate.to_dict()
    html = (public / "certificado.html").read_text("utf-8")
    assert "Certificado de privacidad" in html and "Privacy certificate" in html and "<script" not in html
    for name, facts in said["files"].items():
        assert name in html and facts["sha256"] in html


def test_the_summary_in_words_says_what_is_protected(done):
    outcome, certificate, _ = done
    words = certificate.to_dict()["summary"]
    assert any("Cuenta «persona»: ρ = 4,0000" in line and "22,33" in line for line in words["es"])
    assert any("Account 'person': ρ = 4.0000" in line and "22.33" in line for line in words["en"])
    assert not any("{" in line or "census." in line for lines in words.values() for line in lines)
    page = census_summary(outcome)
    assert "Errores: personas" in page and "Errors: persons" in page and "census.summary" not in page


# -- what it never holds ------------------------------------------------------------------------------


def test_a_canary_outside_the_domain_is_nowhere(folder):
    """Columns outside the domain and the link are in no file, whatever its form; nor is the order of the originals."""
    for name in ("personas", "viviendas"):
        data = celosia.read(folder / f"{name}.parquet")
        canary = pl.Series([f"CANARIO-{i}-XYZZY" for i in range(data.height)])
        data = data.with_columns({"CANARIO": canary})
        strange = data.column("ID_VIVIENDA").cast(pl.Int64) + 987_654_000
        celosia.write(data.with_columns({"ID_VIVIENDA": strange}), folder / f"{name}.parquet")
    outcome = run(CensusPlan.load(folder / "plan.yaml"))
    publish(outcome, certificate_page)
    for path in (folder / "salida" / "publico").iterdir():
        texts = [path.read_bytes().decode("utf-8", "replace")]
        if path.suffix == ".parquet":
            frame = pl.read_parquet(path)
            texts += [frame.write_csv(), json.dumps(pl.read_parquet_metadata(path))]
            assert not {"CANARIO", "ID_VIVIENDA", "PERSONAN"} & set(frame.columns)
        for said in texts:
            assert "CANARIO" not in said and "XYZZY" not in said and "987654" not in said, path.name
            assert "ID_VIVIENDA" not in said and "PERSONAN" not in said, path.name


def test_a_file_that_does_not_say_what_was_meant_is_not_published(folder, monkeypatch):
    real = celosia.io.write

    def short(data, path):
        real(data.take(np.arange(1, data.height)), path)

    outcome = run(plan(folder))
    monkeypatch.setattr("celosia.io.write", short)
    with refused("promise-census-counts"):
        publish(outcome, certificate_page)

    def more(data, path):
        real(data.with_columns({"rut": pl.Series(range(data.height))}), path)

    monkeypatch.setattr("celosia.io.write", more)
    with refused("promise-census-columns", variables=("rut",)):
        publish(outcome, certificate_page)
    assert [path.name for path in (folder / "salida").iterdir()] == ["interno"]


# -- stopping and going on -----------------------------------------------------------------------------


def measured(folder):
    return pl.read_parquet(folder / "salida" / "publico" / "personas.mediciones.parquet")


@pytest.mark.parametrize("table", [0, 1, 2])
@pytest.mark.parametrize("level", [0, 2])
def test_a_stopped_run_goes_on_and_draws_nothing_again(folder, monkeypatch, table, level):
    from celosia.census.descent import Descent

    real, calls = Descent._level, []

    def stopped(self, depth, *arguments):
        calls.append(depth)
        if len(calls) == table * 4 + level + 1:
            raise KeyboardInterrupt
        return real(self, depth, *arguments)

    declared = CensusPlan.load(folder / "plan.yaml")
    monkeypatch.setattr(Descent, "_level", stopped)
    with pytest.raises(KeyboardInterrupt):
        run(declared)
    spent = json.loads((folder / "libro.json").read_text())["spendings"]
    assert len(spent) == table + 1 and not (folder / "salida" / "publico").exists()
    monkeypatch.undo()
    drawn = []
    words = SystemBits.words
    monkeypatch.setattr(SystemBits, "words", lambda self, *a: drawn.append(a) or words(self, *a))
    outcome = run(declared)
    assert len(outcome.ledger.spendings) == 3 and outcome.releasable
    assert bool(drawn) == (table < 2), "only tables that were not measured before draw"
    drawn.clear()
    again = run(declared)
    assert not drawn, "a run that is over is read from its folder"
    assert again.ledger == outcome.ledger
    for one, other in zip(outcome.tables, again.tables, strict=True):
        assert one.microdata.frame.equals(other.microdata.frame)


def test_going_on_under_another_configuration_is_refused(folder):
    publish(run(plan(folder)), certificate_page)
    before, ledger = content(folder / "salida" / "publico"), (folder / "libro.json").read_bytes()
    with refused("checkpoint-other"):
        run(plan(folder, PERSONS_ONLY, ("P08 * tramo: 1/2, detailed: 1/2", "P08 * tramo: 1/3, detailed: 2/3")))
    assert content(folder / "salida" / "publico") == before and (folder / "libro.json").read_bytes() == ledger


def test_another_run_on_the_same_data_is_charged_as_well(folder):
    first = plan(folder)
    publish(run(first), certificate_page)
    before = content(folder / "salida" / "publico")
    second = run(plan(folder, PERSONS_ONLY, ("title:", "run: '2'\ntitle:")))
    assert second.ledger.spent(Unit.PERSON) == 4 and second.own.spent(Unit.PERSON) == 2
    publish(second, certificate_page)
    assert content(folder / "salida" / "publico") != before
    run(plan(folder, PERSONS_ONLY, ("title:", "run: '3'\ntitle:")))
    with refused("budget-overspent", account="person", asked="2", left="0"):
        run(plan(folder, PERSONS_ONLY, ("title:", "run: '4'\ntitle:")))


# -- a test with a seed --------------------------------------------------------------------------------


def test_a_seeded_run_marks_all_its_files_and_leaves_the_ledger_alone(folder):
    declared = plan(folder)
    outcome = run(declared, seed=7)
    assert not outcome.releasable and not outcome.ledger.releasable
    publish(outcome, certificate_page)
    assert not (folder / "libro.json").exists() and not (folder / "salida" / "publico").exists()
    unfit = folder / "salida" / "no-publicable"
    assert all(path.name.startswith("NO-PUBLICABLE-") for path in unfit.iterdir())
    said = json.loads((unfit / "NO-PUBLICABLE-certificado.json").read_text("utf-8"))
    assert said["releasable"] is False and said["randomness"] == "test seed"
    assert "ensayo" in said["summary"]["es"][0] and "trial" in said["summary"]["en"][0]
    assert json.loads((unfit / "NO-PUBLICABLE-libro.json").read_text("utf-8"))["releasable"] is False
    for name in ("histograma", "mediciones"):
        about = json.loads(pl.read_parquet_metadata(unfit / f"NO-PUBLICABLE-personas.{name}.parquet")["celosia"])
        assert about["releasable"] is False
    html = (unfit / "NO-PUBLICABLE-certificado.html").read_text("utf-8")
    assert "NO PUBLICABLE" in html and "NOT RELEASABLE" in html
    again = run(declared, seed=7)
    other = run(declared, seed=8)
    assert again.tables[0].microdata.frame.equals(outcome.tables[0].microdata.frame)
    assert not other.tables[0].microdata.frame.equals(outcome.tables[0].microdata.frame)


def test_a_test_and_a_release_do_not_meet(folder):
    declared = plan(folder)
    publish(run(declared, seed=7), certificate_page)
    released = run(declared)
    assert released.releasable and released.ledger.spent(Unit.PERSON) == 2
    publish(released, certificate_page)
    kept = content(folder / "salida" / "publico")
    publish(run(declared, seed=7), certificate_page)
    assert content(folder / "salida" / "publico") == kept


# -- wrong input: nothing is spent, nothing is released ------------------------------------------------


def without_parent(folder):
    places = pl.read_csv(folder / "lugares.csv", infer_schema=False)
    holed = places.with_columns(PROVINCIA=pl.when(pl.row_index() == 3).then(None).otherwise("PROVINCIA"))
    holed.write_csv(folder / "lugares.csv")


def a_place_less(folder):
    places = pl.read_csv(folder / "lugares.csv", infer_schema=False)
    places.filter(pl.col("COMUNA") != places["COMUNA"][0]).write_csv(folder / "lugares.csv")


def persons(folder, **columns):
    data = celosia.read(folder / "personas.parquet")
    first = {
        name: pl.concat([pl.Series([value], dtype=data.column(name).dtype), data.column(name)[1:]])
        for name, value in columns.items()
    }
    celosia.write(data.with_columns(first), folder / "personas.parquet")


def code_outside(folder):
    persons(folder, P09=101)


def impossible(folder):
    persons(folder, P09=3, P17=1)


LIMIT = "      fixed: [{levels: [REGION]}]\n"
REFUSED = {
    "contradicting invariants": (
        None,
        (LIMIT, LIMIT + "      limits: [{level: REGION, at_most: 5}, {level: COMUNA, at_least: 50}]\n"),
        "invariants-contradict",
    ),
    "limits that the data break": (
        None,
        (LIMIT, LIMIT + "      limits: [{level: COMUNA, at_most: 3}]\n"),
        "invariants-data",
    ),
    "a code outside the domain": (code_outside, None, "domain-code-outside"),
    "a combination that cannot be": (impossible, None, "domain-cell-impossible"),
    "a zone without a parent": (without_parent, None, "place-without-parent"),
    "a place that is not on the list": (a_place_less, None, "place-unknown"),
    "a spent budget": (None, ("limits: {person: 6", "limits: {person: 199/100"), "budget-overspent"),
    "an unknown level": (None, ("      COMUNA: [total, P08]", "      MANZANA: [total, P08]"), "level-unknown"),
    "a grouping of codes that are not there": (
        None,
        ("65+: {from: 65, to: 100}", "65+: {from: 65, to: 110}"),
        "domain-grouping-unknown",
    ),
    "a group that nobody can be in": (None, ("mayores: P09 >= 65", "mayores: P09 > 165"), "census-group-empty"),
    "a group of an unknown level": (None, ("{level: COMUNA, below: 30}", "{level: ISLA, below: 30}"), "level-unknown"),
    "an intruder who knows what is not published": (
        None,
        ("    groups:\n", "    compare: {keys: [COMUNA, P07], sensitive: P17}\n    groups:\n"),
        "census-compare-unknown",
    ),
    "an intruder who wants what is not published": (
        None,
        ("    groups:\n", "    compare: {keys: [COMUNA, P08], sensitive: P07}\n    groups:\n"),
        "census-compare-unknown",
    ),
    "a variable that the file does not have": (None, ("      P17:\n", "      P17:\n      P99:\n"), "variable-unknown"),
    "an unknown query": (None, ("      COMUNA: [total, P08]", "      COMUNA: [P99]"), "domain-variable-unknown"),
    "a budget for an unknown level": (
        None,
        ("      rho: 2\n", "      rho: 2\n      levels: {PAIS: 1}\n"),
        "level-unknown",
    ),
    "rules that contradict": (
        None,
        ("P17 != 98}\n", "P17 != 98}\n      - {given: P09 < 5, then: P17 == 1}\n"),
        "rules-contradict",
    ),
    "a rule that forbids nothing": (None, ("P17 != 98}\n", "P17 != 98}\n      - P09 < 200\n"), "rule-idle"),
    "an absent file": (lambda folder: (folder / "personas.parquet").unlink(), None, "file-missing"),
    "a broken ledger": (lambda folder: (folder / "libro.json").write_text("{}"), None, "field-absent"),
    "a locked ledger": (lambda folder: (folder / "libro.json.lock").touch(), None, "ledger-locked"),
}


WITHOUT_A_PLACE = {"budget-overspent", "file-missing", "ledger-locked"}
"""What is refused of the whole, or names the file itself."""


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_input_spends_nothing_and_releases_nothing(folder, name):
    spoil, change, code = REFUSED[name]
    declared = plan(folder, PERSONS_ONLY, *([change] if change else []))
    if spoil is not None:
        spoil(folder)
    before = (folder / "libro.json").read_bytes() if (folder / "libro.json").exists() else None
    messages = set()
    for language in LANGUAGES:
        with speaking(language), refused(code) as caught:
            run(declared)
        with speaking(language):
            messages.add(str(caught.value))
        assert "where" in caught.value.facts or code in WITHOUT_A_PLACE, "it says where"
    assert len(messages) == len(LANGUAGES), "said in each language"
    assert not (folder / "salida" / "publico").exists()
    after = (folder / "libro.json").read_bytes() if (folder / "libro.json").exists() else None
    assert after == before, "nothing was spent"


def test_a_second_table_that_is_wrong_is_found_before_the_first_is_paid(folder):
    declared = plan(folder, PLAN, ("CANT_PER == 0}", "CANT_PER == 1}"))
    with refused("domain-code-impossible") as _:
        run(declared)
    homes = celosia.read(folder / "viviendas.parquet")
    celosia.write(homes.take(np.arange(10)), folder / "viviendas.parquet")
    with refused("person-without-dwelling"):
        run(plan(folder, PLAN))
    celosia.write(homes.with_columns({"P01": homes.column("P01") + 77}), folder / "viviendas.parquet")
    with refused("domain-code-outside", variable="P01"):
        run(plan(folder, PLAN))
    assert not (folder / "libro.json").exists()


def test_budget_for_what_is_exact_already_is_warned_of(folder):
    text = PERSONS_ONLY.replace("P08 * tramo: 1/2, detailed: 1/2", "total: 1/2, detailed: 1/2")
    with pytest.warns(CelosiaWarning) as caught:
        run(plan(folder, text), seed=1)
    assert [warning.message.code for warning in caught] == ["census-budget-idle"]
    assert caught[0].message.facts["levels"] == ("NORTE", "REGION")


# -- other units and measures ---------------------------------------------------------------------------


def test_dwellings_protected_with_all_their_members(folder):
    text = PERSONS_ONLY.replace(
        "unit: person, neighbours: bounded", "unit: dwelling, neighbours: unbounded, members: 12"
    )
    text = text.replace("limits: {person: 6, dwelling: 1}", "limits: {dwelling: 2}")
    outcome = run(plan(folder, text))
    assert outcome.ledger.spent(Unit.DWELLING) == 2
    assert outcome.tables[0].spending.charges[0].parameter == Fraction(144) / (2 * Fraction(2, 8))
    other = text.replace("members: 12", "members: 2").replace("title:", "run: otra\ntitle:")
    with refused("ledger-other", fields=("protection",)):
        run(plan(folder, other))
    with refused("dwelling-too-large", members=2):
        run(plan(folder, other.replace("libro.json", "otro.json")))
    assert not (folder / "otro.json").exists()


def test_pure_epsilon(folder):
    outcome = run(plan(folder, PERSONS_ONLY.replace("rho: 2", "epsilon: 2")))
    loss = outcome.ledger.loss(Unit.PERSON)
    assert loss.pure == 2 and loss.epsilon <= 2
    assert {charge.noise for charge in outcome.tables[0].spending.charges} == {"laplace"}
    assert outcome.tables[0].to_dict()["measurements"][0]["parameter"] == "8"


def test_a_failure_while_publishing_leaves_the_last_release(folder, monkeypatch):
    declared = plan(folder)
    publish(run(declared), certificate_page)
    kept = content(folder / "salida" / "publico")
    for part in ("write_measurements", "histograms", "_write_json"):
        with monkeypatch.context() as patched:
            patched.setattr(files, part, lambda *_, **__: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                publish(run(declared), certificate_page)
        assert content(folder / "salida" / "publico") == kept
        assert {path.name for path in (folder / "salida").iterdir()} == {"publico", "interno"}


def test_everything_that_a_plan_may_ask_of_the_evaluation(folder):
    asked = "    compare: {keys: [COMUNA, P08, P09], sensitive: P17}\n    curve: [1/10, 2]\n"
    outcome = run(plan(folder, PERSONS_ONLY + asked), seed=1)
    looks = outcome.tables[0].looks
    assert looks.evaluation is not None and not looks.evaluation.confidential
    names = set(looks.comparison.table()["protection"])
    assert names == {"untreated", "TopDown"}
    assert set(looks.comparison.table()["look"]) == {"error", "k-anonymity", "l-diversity", "linkage"}
    assert looks.curve.table()["budget"].unique().sort().to_list() == [0.1, 2.0]
    page = census_summary(outcome)
    for said in ("La curva de privacidad y utilidad: personas", "Comparison with other protections: persons", "<svg"):
        assert said in page
