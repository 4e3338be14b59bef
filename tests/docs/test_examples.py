"""The examples of the pages, run as they are printed; the tutorial, from its first command to its last."""

import doctest
import re
import shlex
from importlib.resources import files
from io import StringIO
from pathlib import Path

import polars as pl
import pytest
from ruamel.yaml import YAML

import celosia
from celosia import Plan, Policy
from celosia.cli import main
from celosia.core.language import speaking
from celosia.io import read_dictionary
from celosia.process import Step
from celosia.process.census import CensusPlan
from celosia.process.yaml import load_text

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [page for language in ("es", "en") for page in sorted((DOCS / language).rglob("*.md"))]
NAMES = [str(page.relative_to(DOCS)) for page in PAGES]


def blocks(page: Path, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "pycon")], ids=lambda p: str(p.relative_to(DOCS))
)
def test_what_a_page_prints_is_what_comes_out(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    session = doctest.DocTestParser().get_doctest("\n".join(blocks(page, "pycon")), {}, page.name, str(page), 0)
    complaints: list[str] = []
    with speaking(page.relative_to(DOCS).parts[0]):
        results = doctest.DocTestRunner(verbose=False).run(session, out=complaints.append)
    assert results.attempted and not results.failed, "".join(complaints)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if blocks(page, "yaml")], ids=lambda p: str(p.relative_to(DOCS))
)
def test_the_yaml_of_a_page_is_read_without_complaint(page, tmp_path):
    for block in blocks(page, "yaml"):
        if block.startswith("celosia:"):
            assert Plan.parse(block).steps
        elif block.startswith("census:"):
            assert CensusPlan.parse(block).tables
        elif page.parent.name == "census":
            assert CensusPlan.parse(_in_the_example(block, page.parts[-3])).tables
        elif block.startswith("sources:"):
            read = Plan.parse(block)
            assert read.sources and read.rules and read.groups and read.scenario().prioritised
        elif block.startswith("name:"):
            assert Policy.parse(block, page.name).thresholds
        elif block.startswith("variables:"):
            book = tmp_path / "book.yaml"
            book.write_text(block, "utf-8")
            assert len(read_dictionary(book)) == 3
        else:
            steps = load_text(f"steps:\n{block}", page.name)["steps"]
            assert all(Step.parse(step, "step").method for step in steps)


def _in_the_example(block: str, language: str) -> str:
    """The plan of the example with what a page says of some of its sections."""
    whole = files("celosia.cli").joinpath(f"census_plan.{language}.yaml").read_text("utf-8")
    out = StringIO()
    YAML().dump(_merged(load_text(whole, "example"), load_text(block, "page")), out)
    return out.getvalue()


def _merged(whole, part):
    if not isinstance(whole, dict) or not isinstance(part, dict):
        return part
    return whole | {name: _merged(whole.get(name), value) for name, value in part.items()}


@pytest.mark.parametrize("language", ["es", "en"])
def test_a_census_goes_as_it_is_told(language, tmp_path, monkeypatch, capsys):
    page = DOCS / language / "census" / "tutorial.md"
    monkeypatch.chdir(tmp_path)
    commands = [shlex.split(line)[1:] for block in blocks(page, "sh") for line in block.splitlines()]
    assert [command[0] for command in commands] == ["census-example", "census", "census", "census-check"]
    codes, printed = [], []
    for command in commands:
        codes.append(main(command))
        printed += [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
        if command[0] == "census-example":  # without the zones and the curve, which take the longest
            plan = Path("censo/plan.yaml")
            text = plan.read_text("utf-8").replace("    curve: [1/10, 1/2, 1, 2, 4]\n", "")
            shorter = text.replace(", ID_ZONA_LOC]", "]").replace("DC: 5/20, ID_ZONA_LOC: 5/20", "DC: 10/20")
            plan.write_text(shorter.replace("area: ID_ZONA_LOC, parent: DC", "area: DC"), "utf-8")
    assert codes == [0, 1, 0, 0]
    told = [" ".join(line.split()) for block in blocks(page, "text") for line in block.splitlines()]
    assert not set(told) - set(printed)
    named = re.findall(r"`[\w….]*?([.\w]+\.(?:csv|parquet|json|html))`", page.read_text("utf-8"))
    there = [path.name for path in Path("censo").rglob("*")]
    assert len(named) > 10 and all(any(path.endswith(name) for path in there) for name in named)


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_commands_that_measure_risk_work(language, tmp_path, monkeypatch, capsys):
    page = DOCS / language / "how-to" / "measure-risk.md"
    monkeypatch.chdir(tmp_path)
    (plan,) = blocks(page, "yaml")
    Path("plan.yaml").write_text(plan, "utf-8")
    celosia.write(celosia.datasets.survey(n=500), str(Plan.parse(plan).source))
    commands = [shlex.split(line)[1:] for block in blocks(page, "sh") for line in block.splitlines()]
    assert [main(command) for command in commands] == [0] * 8
    assert "scenario" in " ".join(commands[-1]) and capsys.readouterr().out


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_commands_on_published_counts_work_and_print_what_the_page_says(language, tmp_path, monkeypatch, capsys):
    page = DOCS / language / "how-to" / "birth-dates.md"
    monkeypatch.chdir(tmp_path)
    lines = [shlex.split(line) for block in blocks(page, "sh") for line in block.splitlines()]
    (maker,) = (line[2] for line in lines if line[0] == "python")
    exec(maker, {})
    counts = celosia.read("padron.csv" if language == "es" else "register.csv").frame
    age = "edad" if language == "es" else "age"
    survey = counts.head(5).select("place", "sex").with_columns(pl.Series(age, [3, 7, 12, 30, 90]))
    survey.write_csv("encuesta.csv" if language == "es" else "survey.csv")
    codes = [main(line[1:]) for line in lines if line[0] == "celosia"]
    assert codes == [0, 1, 1, 1, 0], "only the year; the month without the place; not in each province"
    printed = {" ".join(line.split()) for line in capsys.readouterr().out.splitlines()}
    told = [line for block in blocks(page, "text") for line in block.splitlines() if not line.startswith("─")]
    assert not {" ".join(line.split()) for line in told} - printed


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_first_hour_goes_as_it_is_told(language, tmp_path, monkeypatch, capsys):
    page = DOCS / language / "tutorial" / "first-hour.md"
    monkeypatch.chdir(tmp_path)
    plans, told = blocks(page, "yaml"), [line for block in blocks(page, "text") for line in block.splitlines()]
    celosia.write(celosia.datasets.survey(), str(Plan.parse(plans[0]).source))

    commands = [
        line.split()[1:] for block in blocks(page, "sh") for line in block.splitlines() if line.startswith("celosia")
    ]
    printed = ""
    codes = []
    for command in commands:
        if command[0] == "run":
            Path("plan.yaml").write_text(plans.pop(0), "utf-8")
        codes.append(main(command))
        printed += capsys.readouterr().out
    assert [command[0] for command in commands] == ["inspect", "risk", "run", "run", "check"]
    assert codes == [0, 0, 1, 0, 0]

    said = {" ".join(line.split()) for line in printed.splitlines()}
    wanted = {" ".join(line.split()) for line in told if line.strip() and not line.startswith("─")}
    assert not wanted - said
    for figure in ("21.46", "25.66"):
        assert (figure if language == "en" else figure.replace(".", ",")) in printed
