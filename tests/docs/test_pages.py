"""The pages: complete, the same in both languages, self-contained, and true of the code."""

import inspect
import re
import tomllib
import types
from functools import cache
from pathlib import Path

import pytest

import celosia
from celosia import demography, risk
from celosia.io import support
from celosia.methods import REGISTRY, method

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
LANGUAGES = ("es", "en")
MEASURES = tuple(name for name in risk.__all__ if inspect.isfunction(getattr(risk, name)))
PAGES = [*sorted(DOCS.rglob("*.md")), ROOT / "README.md", ROOT / "README.es.md"]


def tree(language: str) -> set[str]:
    return {str(page.relative_to(DOCS / language)) for page in (DOCS / language).rglob("*.md")}


def read(language: str, page: str) -> str:
    return (DOCS / language / page).read_text("utf-8")


def headings(text: str) -> list[int]:
    prose = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    return [len(marks) for marks in re.findall(r"^(#+) ", prose, re.MULTILINE)]


def test_both_languages_have_the_same_pages():
    assert tree("es") == tree("en") != set()


@pytest.mark.parametrize("page", sorted(tree("en")))
def test_a_page_has_the_same_sections_and_formulas_in_both_languages(page):
    spanish, english = read("es", page), read("en", page)
    assert headings(spanish) == headings(english)
    assert spanish.count("\\[\n") == english.count("\\[\n")
    assert len(re.findall(r"^```(\w+)", spanish, re.MULTILINE)) == len(re.findall(r"^```(\w+)", english, re.MULTILINE))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", celosia.__all__)
def test_every_public_name_is_on_the_page_of_names(name, language):
    assert f"`celosia.{name}`" in read(language, "reference.md")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("do", REGISTRY)
def test_every_method_has_a_page_with_all_its_fields(do, language):
    page = read(language, f"methods/{do}.md")
    assert f"`{do}` · `celosia.methods.{REGISTRY[do]}`" in page
    missing = [field for field in method(do).model_fields if f"`{field}`" not in page]
    assert not missing, "a field of the method is not on its page"
    assert f"({do}.md)" in read(language, "methods/index.md")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_has_a_page_with_all_its_parameters(name, language):
    page = read(language, f"measures/{name}.md")
    assert f"`celosia.risk.{name}`" in page
    missing = [field for field in inspect.signature(getattr(risk, name)).parameters if f"`{field}`" not in page]
    assert not missing, "a parameter of the measure is not on its page"


DRAWN_ELSEWHERE = {"calibration", "probabilistic_linkage"}
"""Its own figures; an extra that the documentation does without."""


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", sorted(set(MEASURES) - DRAWN_ELSEWHERE))
def test_every_measure_shows_its_table_and_its_picture(name, language):
    pytest.importorskip("mkdocs", reason="the packages of the documentation are not installed: make docs")
    hook = _hook("pictures")
    assert f"<!-- shows: {name} -->" in read(language, f"measures/{name}.md")
    shown = hook.block(name, language)
    assert "<table>" in shown and '<svg role="img"' in shown and "aria-label" in shown


def test_a_page_that_asks_for_an_unknown_measure_stops_the_build():
    exceptions = pytest.importorskip("mkdocs.exceptions", reason="the packages of the documentation: make docs")
    page = types.SimpleNamespace(file=types.SimpleNamespace(src_uri="es/x.md"))
    with pytest.raises(exceptions.PluginError):
        _hook("pictures").on_page_content("<!-- shows: nothing -->", page)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in demography.__all__ if name.endswith("_anonymity")])
def test_every_measure_of_counts_has_a_page_with_all_its_parameters(name, language):
    page = read(language, f"demography/{name}.md")
    assert f"`celosia.demography.{name}`" in page
    missing = [field for field in inspect.signature(getattr(demography, name)).parameters if f"`{field}`" not in page]
    assert not missing, "a parameter of the measure is not on its page"


def test_every_page_is_in_the_navigation():
    nav = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert not [page for page in DOCS.rglob("*.md") if str(page.relative_to(DOCS)) not in nav]


def test_the_decisions_are_numbered_and_listed():
    names = sorted(page.name for page in (DOCS / "decisions").glob("[0-9]*.md"))
    assert [name[:4] for name in names] == [f"{number:04}" for number in range(1, len(names) + 1)]
    listed = (DOCS / "decisions" / "index.md").read_text("utf-8")
    for name in names:
        text = (DOCS / "decisions" / name).read_text("utf-8")
        assert f"({name})" in listed
        assert text.startswith(f"# {name[:4]} ")
        assert [part in text for part in ("**Context.**", "**Decision.**", "**Consequences.**")] == [True] * 3


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_no_page_holds_a_path_of_a_machine_or_an_address_of_packages(page):
    text = page.read_text("utf-8")
    found = re.findall(r"/(?:home|root|Users|work|tmp|var|opt|mnt)/\S*|[A-Z]:\\\S+|https?://\S+", text)
    assert not found
    assert not re.search(r"index-url|pypi|find-links", text, re.IGNORECASE)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_of_formats_asks_for_the_table_and_the_table_has_every_format(language):
    pytest.importorskip("mkdocs", reason="the packages of the documentation are not installed: make docs")
    hook = _hook("format_table")
    assert hook.MARK in read(language, "how-to/formats.md")
    table = hook.format_table(language).splitlines()
    assert len(table) == len(support()) + 2
    for row, line in zip(support(), table[2:], strict=True):
        assert line.startswith(f"| {row.format} |")
        assert all(f"`{suffix}`" in line for suffix in row.suffixes)
        assert ("| no |" in line) or row.writes


def test_formulas_of_pages_and_docstrings_become_mathml():
    pytest.importorskip("latex2mathml", reason="the packages of the documentation are not installed: make docs")
    made = _hook("mathml").on_page_content('<p><span class="arithmatex">\\(f \\ge k\\)</span></p>')
    assert "<math" in made and "arithmatex" not in made
    text = "Where :math:`f < k`,\n\n.. math::\n    V = \\sum_i f_i\n\nand so on."
    assert _hook("docstring_math").as_markdown(text) == "Where \\(f < k\\),\n\n\\[\nV = \\sum_i f_i\n\\]\n\nand so on."


def test_the_site_is_configured_to_fetch_nothing():
    text = (ROOT / "mkdocs.yml").read_text("utf-8")
    assert "font: false" in text and "self_contained.py" in text and "extra_javascript" not in text


def test_the_documentation_names_the_version_that_python_needs():
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["requires-python"].strip(">=")
    for page in ("README.md", "README.es.md"):
        assert f"Python {needed}" in (ROOT / page).read_text("utf-8")


@cache
def _hook(name):
    import importlib.util

    spec = importlib.util.spec_from_file_location(f"celosia_docs_{name}", DOCS / "hooks" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
