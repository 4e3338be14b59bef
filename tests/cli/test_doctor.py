"""``celosia doctor``: what it says of a machine, and that nothing is compiled after it has warmed."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from celosia import kernels
from celosia.process import rehearsal

SNAPSHOT = Path(__file__).parent / "snapshots" / "doctor.json"
COLD = """
import importlib, pkgutil
import celosia.kernels as kernels
from numba.core.registry import CPUDispatcher

kept = {file.name for file in kernels.cache_folder().rglob("*.nbi")}
for module in pkgutil.iter_modules(kernels.__path__):
    for name, part in vars(importlib.import_module(f"celosia.kernels.{module.name}")).items():
        own = isinstance(part, CPUDispatcher) and part.py_func.__module__.endswith(f".{module.name}")
        woven = own and part.targetoptions.get("inline") == "always"
        if own and not woven and not any(file.startswith(f"{module.name}.{name}-") for file in kept):
            print(f"{module.name}.{name}")
"""
NOT_CALLED_YET = {"chance.uniforms"}
"""The draws of a record in compiled loops: the methods that perturb call them."""


def test_it_says_what_there_is(celosia):
    ran = celosia("doctor", "--json")
    assert ran.code == 0
    found = ran.json["results"]
    shape = {name: type(value).__name__ for name, value in sorted(found.items())}
    assert shape == json.loads(SNAPSHOT.read_text("utf-8"))
    assert found["compiled"]["kept"] and None not in found["libraries"].values()
    assert set(found["extras"]) == {"attack", "dp", "reports"}
    assert found["libraries"]["numba"] in celosia("doctor").out


def test_a_library_that_is_not_there(celosia, monkeypatch):
    monkeypatch.setattr("celosia.cli.doctor.requires", lambda name: ["polars>=2", "nada[x]>=1; python_version > '3'"])
    ran = celosia("doctor")
    assert ran.code == 1 and "nada (no está)" in ran.out


def test_warming_reports_each_piece_and_is_remembered(celosia, monkeypatch, tmp_path):
    done = []

    def piece(run):
        done.append(run)

    monkeypatch.setattr(rehearsal, "PIECES", (piece,))
    monkeypatch.setattr(rehearsal, "cache_folder", lambda: tmp_path)
    assert not celosia("doctor", "--json").json["results"]["compiled"]["complete"]
    assert celosia("doctor", "--warm", "--json").json["results"]["compiled"]["complete"]
    assert len(done) == 1


def test_what_cannot_be_kept(celosia, monkeypatch):
    monkeypatch.setattr(rehearsal, "PIECES", ())
    monkeypatch.setattr(rehearsal, "cache_folder", lambda: None)
    monkeypatch.setattr(kernels, "cache_folder", lambda: None)
    assert celosia("doctor").code == 0
    warmed = celosia("doctor", "--warm")
    assert warmed.code == 1 and "CELOSIA_CACHE" in warmed.out


@pytest.mark.long
def test_after_warming_nothing_is_compiled(tmp_path):
    def call(*arguments):
        return subprocess.run(
            [sys.executable, *arguments],
            check=True,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "CELOSIA_CACHE": str(tmp_path / "cache")},
        ).stdout

    def kept():
        return {file.relative_to(tmp_path) for file in (tmp_path / "cache").rglob("*.nb?")}

    program = ("-c", "import sys; from celosia.cli import main; sys.exit(main())")
    call(*program, "doctor", "--warm")
    assert set(call("-c", COLD).split()) <= NOT_CALLED_YET
    before = kept()
    call(*program, "demo", "--folder", "demo")
    assert kept() == before
