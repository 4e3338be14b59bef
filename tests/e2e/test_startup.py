"""What it costs to begin: the package brings in little, and help comes at once."""

import os
import statistics
import subprocess
import sys
import time

import pytest

HEAVY = ("numba", "scipy", "pyarrow", "pandas", "pyreadstat", "fastexcel", "xlsxwriter", "altair", "vl_convert")
PEERS = "import polars, pydantic"
PACKAGE = "import celosia"
HELP = "import sys; sys.argv = ['celosia', '--help']; from celosia.cli import main; sys.exit(main())"
ROUNDS, TRIES = 5, 4


def seconds(program):
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    return time.perf_counter() - start


def ratio(program):
    """Median time over that of the peers, alternated so that a busy machine slows both."""
    pairs = [(seconds(program), seconds(PEERS)) for _ in range(ROUNDS)]
    ours, peers = (statistics.median(column) for column in zip(*pairs, strict=True))
    return ours / peers


@pytest.mark.parametrize(("program", "most"), [(PACKAGE, 1.5), (HELP, 2.5)], ids=["import", "help"])
def test_start(program, most):
    seconds(program), seconds(PEERS)
    found = []
    for _ in range(TRIES):
        found.append(ratio(program))
        if found[-1] <= most:
            return
    pytest.fail(f"{min(found):.2f} times `{PEERS}`, allowed {most}")


@pytest.mark.parametrize("program", [PACKAGE, HELP], ids=["import", "help"])
def test_nothing_heavy_is_imported(program):
    report = "import atexit, sys\natexit.register(lambda: print("
    report += f"[m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr))\n{program}"
    done = subprocess.run([sys.executable, "-c", report], capture_output=True, text=True, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    ("arguments", "code"), [(("--version",), 0), (("nada",), 2), (("risk", "nada.csv", "--keys", "a"), 2)]
)
def test_exit_codes_reach_the_shell(arguments, code, tmp_path):
    program = "import sys; from celosia.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, cwd=tmp_path, env={**os.environ}
    )
    assert done.returncode == code
