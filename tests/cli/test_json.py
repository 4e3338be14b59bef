"""``--json`` prints one object of a known shape, whatever happens; snapshots hold what it says of known data."""

import json
import os
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest
from typer.main import get_command

from celosia.cli.app import app

SNAPSHOTS = Path(__file__).parent / "snapshots"
COMMANDS = {
    "inspect": ("inspect", "encuesta.csv"),
    "risk": ("risk", "encuesta.csv", "--keys", "region,sexo,edad", "--weight", "factor", "--household", "id_hogar"),
    "run": ("run", "plan.yaml"),
    "check": ("check", "plan.yaml"),
}
FORBIDDEN = ("risk", "encuesta.csv", "--keys", "region", "--weight", "nada")


def rounded(value):
    """Numbers to 12 digits, so that another processor's last bit is no difference."""
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return {name: rounded(item) for name, item in value.items()}
    return [rounded(item) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", COMMANDS)
def test_snapshot(name, celosia, folder):
    if name == "check":
        celosia("run", "plan.yaml")
    found = rounded(celosia(*COMMANDS[name], "--json").json)
    file = SNAPSHOTS / f"{name}.json"
    if os.environ.get("CELOSIA_SNAPSHOTS") == "write":
        file.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", "utf-8")
    assert found == json.loads(file.read_text("utf-8"))


def test_snapshot_of_the_demo(celosia, tmp_path, monkeypatch):
    """The plan of the demonstration may change: its shape and its verdict may not."""
    monkeypatch.chdir(tmp_path)
    found = celosia("demo", "--folder", "d", "--json").json
    shape = {name: found[name] for name in ("schema", "version", "status", "errors")}
    shape["results"] = {name: type(value).__name__ for name, value in sorted(found["results"].items())}
    file = SNAPSHOTS / "demo.json"
    if os.environ.get("CELOSIA_SNAPSHOTS") == "write":
        file.write_text(json.dumps(shape, indent=1) + "\n", "utf-8")
    assert shape == json.loads(file.read_text("utf-8"))


def test_every_command_has_a_schema_and_no_other_has():
    commands = {"celosia", *get_command(app).commands}
    assert {file.name.removesuffix(".json") for file in files("celosia.cli").joinpath("schemas").iterdir()} == commands


@pytest.mark.parametrize("name", ["plan-schema", "census-schema"])
def test_the_schema_of_a_plan_alone_or_in_the_object(name, celosia):
    alone, held = celosia(name), celosia(name, "--json")
    assert (alone.code, held.code) == (0, 0)
    assert json.loads(alone.out) == held.json["results"]
    shape = {part: type(value).__name__ for part, value in sorted(held.json["results"].items())}
    assert shape == json.loads((SNAPSHOTS / f"{name}.json").read_text("utf-8"))


@pytest.mark.parametrize("name", ["celosia", *get_command(app).commands])
def test_every_schema_is_one_and_refuses_less(name, schema):
    found = schema(name)
    jsonschema.Draft202012Validator.check_schema(found)
    broken = {
        "schema": "celosia" if name == "celosia" else f"celosia.{name}",
        "version": 1,
        "status": "failed",
        "results": {},
        "warnings": [],
        "errors": [],
    }
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(broken, found)


@pytest.mark.parametrize(
    ("arguments", "code", "name"),
    [
        (("risk", "--json"), "usage-file-missing", "celosia.risk"),
        (("risk", "encuesta.csv", "--json"), "usage-option-missing", "celosia.risk"),
        (("run", "--json"), "usage-plan-missing", "celosia.run"),
        (("anonymity", "--json"), "usage-counts-missing", "celosia.anonymity"),
        (("anonymity", "nada.csv", "--json"), "file-missing", "celosia.anonymity"),
        (("run", "a", "b", "--json"), "usage-too-many", "celosia.run"),
        (("run", "plan.yaml", "--nada", "--json"), "usage-option-unknown", "celosia.run"),
        (("run", "plan.yaml", "--json", "--lang"), "option-unknown", "celosia.run"),
        (("nada", "--json"), "usage-command-unknown", "celosia"),
        (("--json",), "usage-option-unknown", "celosia"),
        (("inspect", "nada.csv", "--json", "--lang", "fr"), "option-unknown", "celosia.inspect"),
        (("inspect", "nada.csv", "--json", "--lang=en"), "file-missing", "celosia.inspect"),
        ((*FORBIDDEN, "--json"), "variable-unknown", "celosia.risk"),
        (("risk", "encuesta.csv", "--keys", ",", "--json"), "keys-none", "celosia.risk"),
        (("risk", "encuesta.csv", "--keys", "sexo", "--missing", "nada", "--json"), "option-unknown", "celosia.risk"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_one_object_on_failure(arguments, code, name, celosia, folder):
    ran = celosia(*arguments)
    found = ran.json
    assert (ran.code, ran.err) == (2, "")
    assert (found["schema"], found["status"], found["results"]) == (name, "failed", None)
    assert [error["code"] for error in found["errors"]] == [code]


@pytest.mark.parametrize(
    "arguments",
    [
        ("risk", "encuesta.csv", "--keys", "--json"),
        ("risk", "encuesta.csv", "--keys=--json"),
        ("risk", "encuesta.csv", "-k", "--json"),
        ("inspect", "--", "--json"),
    ],
)
def test_a_value_that_reads_like_the_option_is_a_value(arguments, celosia, folder):
    ran = celosia(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Error: ")


def test_only_messages_are_translated(celosia, folder):
    def untold(value):
        if isinstance(value, dict):
            return {name: untold(item) for name, item in value.items() if name != "message"}
        return [untold(item) for item in value] if isinstance(value, list) else value

    for arguments in (COMMANDS["risk"], COMMANDS["inspect"], FORBIDDEN, ("run", "--nada")):
        es, en = (celosia(*arguments, "--json", "--lang", lang).json for lang in ("es", "en"))
        assert untold(es) == untold(en)
        if es["errors"]:
            assert es["errors"][0]["message"] != en["errors"][0]["message"]


def test_warnings_are_part_of_the_object(celosia, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("datos.csv").write_text("sexo,zona\n1,u\n,r\n2,u\n1,u\n2,r\n")
    found = celosia("risk", "datos.csv", "--keys", "sexo,zona", "--json").json
    assert "null-untyped" in [warning["code"] for warning in found["warnings"]]


def test_the_unexpected_is_told_without_its_text(celosia, folder, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("ZZSECRETZZ")

    monkeypatch.setattr("celosia.risk.scenarios", fail)
    ran = celosia(*COMMANDS["risk"], "--json")
    assert ran.code == 2 and ran.json["errors"][0]["facts"] == {"type": "RuntimeError"}
    assert "ZZSECRETZZ" not in ran.out + ran.err


def test_ctrl_c_is_an_object_too(celosia, folder, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("celosia.risk.scenarios", stop)
    ran = celosia(*COMMANDS["risk"], "--json")
    assert (ran.code, ran.json["status"]) == (130, "cancelled")
