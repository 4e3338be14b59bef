"""A published folder held against its certificate, and every way in which it may not be what it says."""

import hashlib
import json
import shutil

import polars as pl
import pytest
from censuses import PLAN, folder_with_a_census
from refusal import refused

from celosia.process.census import CensusPlan, run
from celosia.process.census.checking import check
from celosia.process.census.files import publish
from celosia.report.certificate import certificate_page


@pytest.fixture(scope="module")
def _public(tmp_path_factory):
    folder = folder_with_a_census(tmp_path_factory.mktemp("censo"))
    grouped = PLAN.replace("root: NORTE}", "root: NORTE, gathered: [{under: REGION, name: GRUPO, most: 2}]}")
    (folder / "plan.yaml").write_text(grouped, "utf-8")
    publish(run(CensusPlan.load(folder / "plan.yaml")), certificate_page)
    return folder / "salida" / "publico"


@pytest.fixture
def public(_public, tmp_path):
    """The public folder of a census of three tables, with a level of groups."""
    return shutil.copytree(_public, tmp_path / "publico")


def failing(found):
    return {(row.file, row.check) for row in found.rows if not row.holds}


def rewritten(public, name, change):
    """Somebody changes a file and its digest in the certificate with it."""
    file, certificate = public / name, public / "certificado.json"
    change(file)
    said = json.loads(certificate.read_text("utf-8"))
    said["files"][name]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    certificate.write_text(json.dumps(said), "utf-8")


def edited(old, new):
    def change(file):
        text = file.read_text("utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), "utf-8")

    return change


def test_a_folder_as_it_was_published_holds(public):
    found = check(public)
    assert found.passes and found.releasable and not failing(found)
    assert {row.check for row in found.rows} == {"digest", "adds-up", "counts", "measured"}
    assert found.table().height == len(found.rows) and found.to_dict()["passes"] is True


def test_groups_of_places_are_in_the_list_and_in_no_other_file(public):
    assert "GRUPO" in pl.read_csv(public / "lugares.csv").columns
    assert "GRUPO" not in pl.read_csv(public / "personas.csv").columns
    levels = pl.read_parquet(public / "personas.histograma.parquet")["level"].unique().to_list()
    assert sorted(levels) == ["COMUNA", "NORTE", "PROVINCIA", "REGION"]


def test_a_changed_a_lost_and_a_strange_file_are_told(public):
    with (public / "personas.csv").open("a") as file:
        file.write("01,011,01101,1,30,1\n")
    (public / "viviendas.csv").unlink()
    (public / "originales.csv").write_text("rut\n")
    found = check(public)
    assert not found.passes
    wrong = {("personas.csv", "digest"), ("viviendas.csv", "digest"), ("originales.csv", "named")}
    assert failing(found) == wrong


def with_a_record_more(file):
    text = file.read_text("utf-8")
    file.write_text(text + text.splitlines()[1] + "\n", "utf-8")


def with_the_link(file):
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join(f"{line},{i}" for i, line in enumerate(lines)) + "\n", "utf-8")


def with_a_place_less(file):
    content = pl.read_parquet(file)
    about = pl.read_parquet_metadata(file)["celosia"]
    content.filter(pl.col("place") != "01101").write_parquet(file, metadata={"celosia": about})


def with_half_the_variance(file):
    about = json.loads(pl.read_parquet_metadata(file)["celosia"])
    about["measurements"][0]["variance"] = "1"
    pl.read_parquet(file).write_parquet(file, metadata={"celosia": json.dumps(about)})


@pytest.mark.parametrize(
    ("name", "change", "check_of", "fails"),
    [
        ("personas.csv", with_a_record_more, "personas.histograma.parquet", "counts"),
        ("personas.csv", with_the_link, "personas.histograma.parquet", "counts"),
        ("personas.mediciones.parquet", with_a_place_less, "personas.mediciones.parquet", "measured"),
        ("personas.mediciones.parquet", with_half_the_variance, "personas.mediciones.parquet", "measured"),
        ("libro.json", edited('"parameter": "5"', '"parameter": "9"'), "libro.json", "adds-up"),
        ("libro.json", edited('"neighbours": "bounded"', '"neighbours": "unbounded"'), "libro.json", "adds-up"),
        ("libro.json", edited("{", "["), "libro.json", "adds-up"),
        ("viviendas.dominio.json", edited('"P01"', '"P99"'), "viviendas.mediciones.parquet", "measured"),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_files_that_disagree_are_told_even_where_their_digests_were_changed(public, name, change, check_of, fails):
    rewritten(public, name, change)
    assert (check_of, fails) in failing(check(public))


def test_a_certificate_that_says_less_than_was_charged_does_not_hold(public):
    file = public / "certificado.json"
    said = json.loads(file.read_text("utf-8"))
    said["ledger"]["losses"][0]["epsilon"] = 1.0
    file.write_text(json.dumps(said), "utf-8")
    assert failing(check(public)) == {("libro.json", "adds-up")}


def test_what_is_no_certificate_is_refused(public, tmp_path):
    with refused("file-missing"):
        check(tmp_path)
    (public / "certificado.json").write_text("{", "utf-8")
    with refused("file-broken"):
        check(public)
    (public / "certificado.json").write_text("{}", "utf-8")
    with refused("certificate-other"):
        check(public)


def test_a_test_with_a_seed_holds_and_does_not_pass(tmp_path):
    folder = folder_with_a_census(tmp_path, persons=3000)
    publish(run(CensusPlan.load(folder / "plan.yaml"), seed=1), certificate_page)
    found = check(folder / "salida" / "no-publicable")
    assert not failing(found) and not found.releasable and not found.passes
