"""The public file is written aside, read back, confirmed, and only then takes its place."""

import polars as pl
import pytest

from celosia import Plan, Run, Study, read, write
from celosia.core.errors import FileError, PromiseError, RoleError
from celosia.process import release as module
from celosia.process.release import confirm, decide, public_file, publish, release

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")
TEXT = """\
kind: census
policy: propia.yaml
scenarios: {e: [zona]}
release: {data: NAME}
steps:
  - {do: local_suppression, name: k, keys: [zona], k: 2, max_share: 1}
"""
POLICY = "name: propia\nthresholds: [{measure: k_anonymity, k: 2, below: 0 %}]\n"


@pytest.fixture
def made(tmp_path):
    """A treated study of 12 records, in the folder of a test."""

    def study(name="p.csv", zones="aaaabbbbcccd", text=TEXT):
        (tmp_path / "propia.yaml").write_text(POLICY)
        plan = Plan.parse(text.replace("NAME", name), tmp_path / "plan.yaml")
        frame = pl.DataFrame({"zona": list(zones), "valor": range(len(zones))})
        return Study.of(frame, plan, Run(key=1)).replay(plan)

    return study


@pytest.mark.parametrize("name", ["p.csv", "p.parquet", "p.sav", "p.dta", "p.xlsx"])
def test_every_format_is_confirmed(name, made):
    study = made(name, zones="aaaabbbbcccc")
    outcome = release(study)
    assert outcome.passes and outcome.data == public_file(study)
    assert read(outcome.data).column("zona").to_list() == study.data.column("zona").to_list()
    confirm(study, outcome.data)
    assert not [p for p in outcome.data.parent.parent.iterdir() if p.name.startswith(".")], "no litter"


def test_suppressed_cells_are_told_from_empty_ones(made):
    study = made(zones="aaaabbbbccde")
    outcome = release(study)
    back = read(outcome.data)
    assert back.suppressed("zona").to_list() == study.data.suppressed("zona").to_list()
    assert back.suppressed("zona").sum() > 0


def test_nothing_is_written_before_it_is_decided(made, tmp_path):
    outcome = decide(made())
    assert outcome.passes and not outcome.data.exists()
    publish(outcome)
    assert outcome.data.exists()


def test_a_study_that_does_not_pass_publishes_nothing(made, tmp_path):
    outcome = release(made(text=TEXT.split("steps:")[0]))
    assert (outcome.passes, outcome.data) == (False, None) and not (tmp_path / "salida").exists()
    assert outcome.to_dict()["passes"] is False and outcome.to_dict()["data"] is None


@pytest.mark.parametrize("change", ["value", "row", "column"])
def test_a_file_that_is_not_what_was_meant_is_refused(change, made):
    study = made(zones="aaaabbbbcccc")
    path = release(study).data
    frame = study.data.frame
    other = {
        "value": frame.with_columns(pl.col("valor") + 1),
        "row": frame.head(11),
        "column": frame.drop("valor"),
    }[change]
    write(other, path)
    with pytest.raises(PromiseError):
        confirm(study, path)


def test_a_broken_writer_never_reaches_the_public_folder(made, monkeypatch):
    good = release(made(zones="aaaabbbbcccc")).data
    before = good.read_bytes()
    monkeypatch.setattr("celosia.io.write", lambda data, path: write(data.frame.reverse(), path))
    with pytest.raises(PromiseError):
        release(made(zones="aaaabbbbbbbb"))
    assert good.read_bytes() == before


def test_an_old_side_dictionary_does_not_stay_beside_a_new_file(made):
    path = release(made("p.sav", zones="aaaabbbbcccc")).data
    beside = path.with_name(path.name + ".dictionary.yaml")
    beside.write_text("variables: {otra: {label: x}}\n")
    assert module.release(made("p.sav", zones="aaaabbbbcccc")).passes
    assert read(path).variables == ("zona", "valor")


def test_a_folder_that_cannot_be_made(made, tmp_path):
    (tmp_path / "salida").write_text("un archivo")
    with pytest.raises(FileError) as error:
        release(made(zones="aaaabbbbcccc"))
    assert error.value.code == "folder-unwritable"


def test_a_promise_of_a_variable_that_a_later_step_dropped_names_both_steps(made):
    text = (
        TEXT.replace("keys: [zona]", "keys: [zona, valor]") + "  - {do: drop_variables, name: q, variables: [valor]}\n"
    )
    with pytest.raises(RoleError) as error:
        release(made(zones="aaaabbbbcccc", text=text))
    assert error.value.code == "promise-variable-dropped"
    assert error.value.facts == {"step": "k", "variable": "valor", "dropped_by": "q"}
