"""A reader who leaves, a full disk, a closed stream and an old encoding change no result and no exit code."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import polars as pl
import pytest

from celosia.cli.output import Output

PROGRAM = (sys.executable, "-c", "import sys; from celosia.cli import main; sys.exit(main())")
FULL = "/dev/full"
needs_full = pytest.mark.skipif(not os.path.exists(FULL), reason="no /dev/full here")  # noqa: PTH110


@pytest.fixture
def start(tmp_path):
    (tmp_path / "d.csv").write_text("región,😀\n" + "1,2\n2,2\n1,3\n" * 3)
    wide = ",".join(f"v{i}" for i in range(4000))
    (tmp_path / "ancho.csv").write_text(f"{wide}\n{wide.replace('v', '')}\n")

    def run(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **environment):
        return subprocess.Popen(
            [*PROGRAM, *arguments],
            cwd=tmp_path,
            stdout=stdout,
            stderr=stderr,
            env={**os.environ, "CELOSIA_LANG": "es", **environment},
        )

    return run


@pytest.mark.parametrize("json_wanted", [False, True])
def test_a_reader_who_leaves_changes_nothing(json_wanted, start):
    process = start("inspect", "ancho.csv", *(["--json"] if json_wanted else []))
    process.stdout.readline()
    process.stdout.close()
    assert (process.wait(), process.stderr.read()) == (0, b"")


@needs_full
@pytest.mark.parametrize("json_wanted", [False, True])
def test_an_output_that_cannot_be_written_is_told_on_the_other_stream(json_wanted, start):
    with open(FULL, "w") as full:  # noqa: PTH123
        process = start("inspect", "d.csv", *(["--json"] if json_wanted else []), stdout=full)
        told = process.communicate()[1].decode()
    assert process.returncode == 2
    assert "No se pudo escribir la salida" in told and "Traceback" not in told


@pytest.mark.skipif(os.name == "nt", reason="a shell of Unix")
def test_a_closed_output_is_no_error(start, tmp_path):
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *PROGRAM, "inspect", "d.csv"], cwd=tmp_path, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_letters_that_the_terminal_has_not_are_shown_plainly(encoding, start):
    process = start("risk", "d.csv", "--keys", "región", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert "%" in out.decode(encoding) and "?" not in out.decode(encoding)
    process = start("inspect", "nada.csv", PYTHONIOENCODING=encoding, PYTHONUTF8="0")
    told = process.communicate()[1].decode(encoding)
    assert process.returncode == 2 and "nada.csv" in told


def test_json_loses_no_letter_to_the_encoding(start):
    process = start("inspect", "d.csv", "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    found = json.loads(process.communicate()[0].decode("ascii"))
    assert [row["variable"] for row in found["results"]["variables"]] == ["región", "😀"]


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("wait", [0.15, 0.3, 0.5])
def test_ctrl_c_at_the_start_is_one_object_or_nothing_done(wait, start):
    process = start("risk", "d.csv", "--keys", "región", "--json")
    time.sleep(wait)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate()
    if process.returncode in (0, 130) and out:
        assert json.loads(out)["status"] == ("done" if process.returncode == 0 else "cancelled")
    else:  # python itself had not begun, or had ended
        assert process.returncode in (130, -signal.SIGINT, 1)


def test_ctrl_c_while_the_program_loads(celosia, monkeypatch):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("celosia.cli.app.run", stop)
    ran = celosia("risk", "d.csv", "--keys", "a", "--json")
    assert (ran.code, ran.json["status"], ran.json["schema"]) == (130, "cancelled", "celosia")
    ran = celosia("risk", "d.csv", "--keys", "a")
    assert (ran.code, ran.out) == (130, "") and "se detuvo" in ran.err


@pytest.mark.skipif(os.name == "nt", reason="a terminal of Unix")
def test_long_work_shows_a_bar_on_a_terminal_and_nowhere_else(start):
    import pty

    process = start("risk", "d.csv", "--keys", "región")
    assert "━".encode() not in process.communicate()[1]
    parent, child = pty.openpty()
    process = start("risk", "d.csv", "--keys", "región", stderr=child, TERM="xterm")
    process.communicate()
    os.close(child)
    shown = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while chunk := os.read(parent, 65_536):
            shown += chunk
    os.close(parent)
    assert process.returncode == 0 and "━".encode() in shown


def test_a_narrow_terminal_cuts_no_word(monkeypatch, capsys):
    output = Output(json=False, command="check")
    rows = pl.DataFrame({"scenario": ["vecindario"] * 2, "measure": ["Registros que violan 2-anonimato"] * 2})
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for columns, whole in ((30, False), (80, True)):
        monkeypatch.setenv("COLUMNS", str(columns))
        output.table(rows)
        out = re.sub(r"\x1b\[\d*m", "", capsys.readouterr().out)
        assert {"Escenario", "vecindario", "2-anonimato"} <= set(out.split())
        assert ("Registros que violan 2-anonimato" in out) == whole
        assert max(map(len, out.splitlines())) <= columns
