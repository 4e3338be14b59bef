"""The command line called in the process, small surveys on disk, and the schema that every JSON must keep."""

import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from celosia.cli import main
from celosia.datasets import survey
from celosia.io import write

PLAN = """\
# Un plan pequeño
source: encuesta.csv
kind: sample
policy: ine-hogares
roles: {weight: factor, household: id_hogar}
scenarios:
  vecina: [region, sexo]
steps:
  - do: drop_variables
    name: identificadores
    variables: [nombre, rut, id_persona, fecha_entrevista, comuna, provincia, estrato]
  - do: recode_categories
    variables: [region]
    mapping: {13: 13}
    others: "0"
release: {folder: salida, data: publica.csv}
"""
KEY = bytes(range(32)).hex() + "\n"


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str

    @property
    def json(self):
        """The one object on stdout; anything else beside it is a failure of the test."""
        whole = json.loads(self.out)
        jsonschema.Draft202012Validator(schema(whole["schema"].removeprefix("celosia."))).validate(whole)
        return whole


def schema(command):
    return json.loads(files("celosia.cli").joinpath("schemas", f"{command}.json").read_text("utf-8"))


def hashes(folder: Path):
    """Every file of a folder, by content."""
    return {
        str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(folder.rglob("*"))
        if file.is_file()
    }


@pytest.fixture(name="hashes")
def _hashes():
    return hashes


@pytest.fixture(name="schema")
def _schema():
    return schema


@pytest.fixture
def celosia(capfd):
    """Run a command line; out and err are what the process wrote, whoever wrote it."""

    def run(*arguments):
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Ran(code, out, err)

    return run


@pytest.fixture(scope="session")
def _survey_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("encuesta")
    write(survey(n=400), folder / "encuesta.csv")
    return folder


@pytest.fixture
def folder(_survey_folder, tmp_path, monkeypatch):
    """A folder with a survey of 400 persons, a plan that passes, and a known key, as the working folder."""
    for file in _survey_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "plan.yaml").write_text(PLAN, "utf-8")
    (tmp_path / "salida" / "interno").mkdir(parents=True)
    (tmp_path / "salida" / "interno" / "clave").write_text(KEY)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def plan_text():
    return PLAN
