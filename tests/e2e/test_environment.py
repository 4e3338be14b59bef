"""The environment is made, or nothing is left and both languages say what is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "environment.sh"
OLD = "#!/bin/sh\nexit 1\n"
WITHOUT_VENV = """\
#!/bin/sh
if [ "$1" = -m ]; then mkdir -p "$3/bin"; echo "ensurepip is not available" >&2; exit 1; fi
exec {python} "$@"
"""
pytestmark = pytest.mark.skipif(shutil.which("sh") is None, reason="no sh here")


@pytest.fixture
def make(tmp_path):
    """Run the script with these pythons, and no uv, on the path."""

    def run(*arguments, **pythons):
        tools = tmp_path / "bin"
        tools.mkdir(exist_ok=True)
        for name, body in pythons.items():
            (tools / name).write_text(body.format(python=sys.executable))
            (tools / name).chmod(0o755)
        for tool in ("sh", "rm", "mkdir"):
            if not (tools / tool).exists():
                (tools / tool).symlink_to(shutil.which(tool))
        done = subprocess.run(
            ["sh", SCRIPT, *arguments], cwd=tmp_path, env={**os.environ, "PATH": str(tools)}, capture_output=True
        )
        return done.returncode, done.stderr.decode()

    return run


def test_an_old_python_is_passed_over_for_a_newer_one(make, tmp_path):
    code, told = make("env", python3=OLD, **{"python3.11": '#!/bin/sh\nexec {python} "$@"\n'})
    assert (code, told) == (0, "")
    assert (tmp_path / "env" / "bin" / "python").exists()
    assert make("env") == (0, ""), "what works is kept"


def test_no_python_is_told(make, tmp_path):
    code, told = make("env", python3=OLD)
    assert code == 2 and "Python 3.11 o posterior" in told and "Python 3.11 or newer" in told
    code, told = make("env", "/no/python")
    assert code == 2 and "Python 3.11" in told and not (tmp_path / "env").exists()


def test_a_python_that_makes_no_environment_leaves_none(make, tmp_path):
    code, told = make("env", python3=WITHOUT_VENV)
    assert code == 2 and told.count("python3-venv") == 2
    assert not (tmp_path / "env").exists()


def test_a_folder_that_is_no_environment_is_not_touched(make, tmp_path):
    (tmp_path / "env" / "bin").mkdir(parents=True)
    (tmp_path / "env" / "mine").write_text("x")
    code, told = make("env", python3='#!/bin/sh\nexec {python} "$@"\n')
    assert code == 2 and "bórrelo" in told and "delete it" in told
    assert (tmp_path / "env" / "mine").read_text() == "x"
