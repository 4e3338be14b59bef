"""The examples of both READMEs, run as they are printed."""

import re
import runpy
from pathlib import Path

import pytest

from celosia import Plan, Study
from celosia.process.release import release

ROOT = Path(__file__).parents[2]
READMES = ("README.md", "README.es.md")


def block(readme: str, kind: str) -> str:
    """The one fenced block of this kind."""
    found = re.findall(rf"^```{kind}\n(.*?)^```", (ROOT / readme).read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(found) == 1
    return found[0]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("readme", READMES)
def test_the_python_and_the_plan_run_and_pass(readme, here, capsys):
    (here / "example.py").write_text(block(readme, "python"), "utf-8")
    runpy.run_path("example.py")
    assert capsys.readouterr().out.rstrip().endswith("} 0"), "k is reached, counted strictly"

    (here / "plan.yaml").write_text(block(readme, "yaml"), "utf-8")
    outcome = release(Study.open("plan.yaml").replay(Plan.load("plan.yaml")))
    assert outcome.passes
    assert outcome.data is not None
    assert outcome.data.read_text("utf-8").count("\n") == 2001


@pytest.mark.parametrize("kind", ["python", "yaml"])
@pytest.mark.parametrize("readme", READMES)
def test_the_examples_are_about_ten_lines(readme, kind):
    assert 8 <= len([line for line in block(readme, kind).splitlines() if line.strip()]) <= 11


def test_both_languages_run_the_same_steps():
    english, spanish = (Plan.parse(block(readme, "yaml")) for readme in READMES)
    assert english.steps == spanish.steps
    assert english.policy == spanish.policy


@pytest.mark.parametrize("readme", READMES)
def test_the_folders_named_are_the_folders_written(readme):
    text, plan = (ROOT / readme).read_text("utf-8"), Plan.parse(block(readme, "yaml"))
    assert f"`{plan.release.folder}/publico/{plan.release.data}`" in text
    assert f"`{plan.release.folder}/interno/resumen.html`" in text
