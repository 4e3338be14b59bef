"""A full disk or Ctrl-C in the middle of a run: the last good release is still there, whole."""

import errno
import os
from pathlib import Path

import pytest

from celosia.io.lock import alone

MESSAGES = {"es": "No queda espacio en el disco", "en": "no space left on the disk"}
STOPPED = {"es": "se detuvo", "en": "stopped"}


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def stop(*_, **__):
    raise KeyboardInterrupt


def nth(number, act, real):
    """The real function, except that its call of this number fails."""
    calls = iter(range(1, 1000))

    def call(*arguments, **options):
        return act() if next(calls) == number else real(*arguments, **options)

    return call


@pytest.fixture
def released(folder, celosia, hashes, plan_text):
    """A folder with a good release, and a plan that would change it."""
    assert celosia("run", "plan.yaml").code == 0
    good = hashes(folder / "salida")
    assert "publico/publica.csv" in good
    (folder / "plan.yaml").write_text(plan_text.replace('others: "0"', 'others: "99"'), "utf-8")
    return good


@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize(("where", "call"), [("fsync", 1), ("fsync", 2), ("replace", 1), ("replace", 2)])
def test_full_disk(where, call, lang, released, folder, celosia, hashes, monkeypatch):
    monkeypatch.setattr(os, where, nth(call, full, getattr(os, where)))
    ran = celosia("run", "plan.yaml", "--lang", lang)
    assert (ran.code, ran.out) == (2, "")
    assert MESSAGES[lang] in ran.err
    assert hashes(folder / "salida") == released


@pytest.mark.parametrize("call", [3, 4, 5, 6, 7])
def test_full_disk_while_files_take_their_places(call, released, folder, celosia, hashes, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", nth(call, full, os.replace))
        ran = celosia("run", "plan.yaml", "--json")
    if ran.code == 0:
        pytest.skip("fewer files than that")
    assert [error["code"] for error in ran.json["errors"]] == ["disk-full"]
    after = hashes(folder / "salida")
    public = {name: after[name] for name in after if name.startswith("publico/")}
    whole = {name: released[name] for name in released if name.startswith("publico/")}
    assert set(public) == set(whole)
    assert public == whole or celosia("check", "plan.yaml").code == 0, "half of one release and half of another"


@pytest.mark.parametrize("lang", ["es", "en"])
@pytest.mark.parametrize(
    "place",
    [
        "celosia.io.csv_table.write_csv",
        "celosia.process.release.confirm",
        "celosia.report.summary",
        "celosia.process.step.Step.apply",
    ],
)
def test_ctrl_c(place, lang, released, folder, celosia, hashes, monkeypatch):
    monkeypatch.setattr(place, stop)
    ran = celosia("run", "plan.yaml", "--lang", lang)
    assert (ran.code, ran.out) == (130, "")
    assert STOPPED[lang] in ran.err
    assert hashes(folder / "salida") == released


def test_ctrl_c_in_the_middle_of_a_write_leaves_no_litter(released, folder, celosia, hashes, monkeypatch):
    import polars as pl

    real = pl.DataFrame.write_csv

    def half(self, path, **options):
        real(self.head(10), path, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(pl.DataFrame, "write_csv", half)
    assert celosia("run", "plan.yaml", "--json").json["status"] == "cancelled"
    assert hashes(folder / "salida") == released


def test_a_run_that_does_not_pass_keeps_the_last_release(released, folder, celosia, hashes, plan_text):
    text = plan_text.replace("nombre, rut,", "rut,")
    Path("plan.yaml").write_text(text, "utf-8")
    ran = celosia("run", "plan.yaml")
    assert ran.code == 1 and "nombre" in ran.out
    after = hashes(folder / "salida")
    assert {n: h for n, h in after.items() if n.startswith("publico")} == {
        n: h for n, h in released.items() if n.startswith("publico")
    }


def test_check_tells_a_changed_file_from_the_released_one(folder, celosia):
    assert celosia("run", "plan.yaml").code == 0
    assert celosia("check", "plan.yaml").code == 0
    file = folder / "salida" / "publico" / "publica.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([lines[0], lines[2], lines[1], *lines[3:]]) + "\n")
    ran = celosia("check", "plan.yaml", "--json")
    assert (ran.code, ran.json["status"], ran.json["results"]["file"]) == (1, "does-not-pass", "not-the-file")
    file.unlink()
    ran = celosia("check", "plan.yaml", "--json")
    assert (ran.code, ran.json["results"]["file"]) == (1, "no-file")


def test_what_a_killed_run_left_is_taken_away(released, folder, celosia):
    """A process that is killed cannot clean up; the next run does, and touches nothing else that is hidden."""
    results = folder / "salida"
    left = [results / ".publico.0123456789ab.partx9", results / "interno" / ".resumen.0123456789ab.part.html"]
    left[0].mkdir()
    (left[0] / "publica.csv").touch()
    left[1].touch()
    (results / "publico" / ".mine").touch()
    assert celosia("run", "plan.yaml").code == 0
    assert not any(path.exists() for path in left)
    assert (results / "publico" / ".mine").exists()


def test_two_processes_never_carry_out_one_plan_at_once(released, folder, celosia, hashes):
    with alone(folder / "salida" / "interno" / ".candado", "run-busy"):
        ran = celosia("run", "plan.yaml", "--json")
    assert (ran.code, [error["code"] for error in ran.json["errors"]]) == (2, ["run-busy"])
    assert hashes(folder / "salida") == released
