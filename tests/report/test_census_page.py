"""The pages of a census: whole in both languages, every word in the catalogue, no count that is confidential."""

import re

import pytest
from censuses import PLAN, folder_with_a_census

from celosia.core.language import speaking
from celosia.process.census import CensusPlan, run
from celosia.process.census.certificate import Certificate
from celosia.report import Details, Note, Table, Title
from celosia.report.census import blocks, census_summary
from celosia.report.certificate import certificate_page

ASKED = """\
    curve: [1/10, 2]
    compare:
      keys: [COMUNA, P08, P09]
      sensitive: P17
      protections:
        k = 3: [{do: local_suppression, keys: [COMUNA, P08, P09], k: 3, max_share: 1}]
        sin edad: [{do: drop_variables, variables: [P09]}]
"""
PERSONS = PLAN[: PLAN.index("  dwellings:\n    variables")] + ASKED


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return folder_with_a_census(tmp_path_factory.mktemp("censo"), persons=6000)


def carried_out(folder, text):
    (folder / "plan.yaml").write_text(text, "utf-8")
    return run(CensusPlan.load(folder / "plan.yaml"), seed=1)


@pytest.fixture(scope="module")
def public(folder):
    return carried_out(folder, PERSONS)


@pytest.fixture(scope="module")
def confidential(folder):
    return carried_out(folder, PERSONS.replace("public: true", "public: false"))


def flat(made):
    """The blocks, those that are folded away among them."""
    return [inner for one in made for inner in ([one, *flat(one.blocks)] if isinstance(one, Details) else [one])]


def captions(outcome, lang):
    with speaking(lang):
        return [one.caption for one in flat(blocks(outcome)) if isinstance(one, Table)]


@pytest.mark.parametrize("page", [census_summary, lambda one: certificate_page(Certificate.of(one, {}))])
def test_pages_are_whole_in_both_languages(public, page):
    text = page(public)
    assert text.count("<details>") == text.count("</details>") and text.count("<table>") == text.count("</table>")
    assert "<script" not in text and "http" not in re.sub(r"xmlns(:\w+)?=\"[^\"]+\"", "", text)
    told = re.sub(r"<style>.*?</style>|<svg.*?</svg>", "", text, flags=re.DOTALL)
    assert not re.search(r"\b(census|column|certificate|figure|query|sign|protection)\.[a-z]|{", told)


def test_what_matters_comes_first_and_the_rest_is_folded(public):
    with speaking("en"):
        made = blocks(public)
    assert isinstance(made[0], Title) and isinstance(made[1], Note)
    shown = [one.caption for one in made if isinstance(one, Table)]
    assert shown[0] == "What is published" and len(shown) < 12
    folded = [one for one in made if isinstance(one, Details)]
    assert len(folded) == 5 and all(one.blocks for one in folded)


def test_protections_stand_side_by_side_with_the_worst_group(public):
    with speaking("es"):
        tables = [one for one in blocks(public) if isinstance(one, Table)]
    errors = next(one for one in tables if one.caption.startswith("Lo que pierden"))
    assert errors.rows.columns == ["question", "sin tratar", "k = 3", "sin edad", "TopDown"]
    assert errors.rows["sin tratar"].to_list() == ["0,0\u202f%"] * errors.rows.height
    risks = next(one for one in tables if one.caption.startswith("Lo que gana"))
    assert "registros únicos" in risks.rows["figure"].to_list()
    worst = [one for one in tables if one.caption.startswith("Lo mismo para el peor grupo")]
    assert "(mayores)" in worst[0].rows["TopDown"][0] or "(comunas pequeñas)" in worst[0].rows["TopDown"][0]


def test_what_a_protection_does_not_answer_is_said(public):
    with speaking("en"):
        said = [one.text for one in blocks(public) if isinstance(one, Note)]
    assert any("does not give up to" in line for line in said)


def test_true_counts_are_shown_only_of_public_data(public, confidential):
    assert any("farthest from the truth" in caption for caption in captions(public, "en"))
    assert not any("farthest from the truth" in caption for caption in captions(confidential, "en"))
    with speaking("es"):
        assert "no se publican" in blocks(confidential)[1].text


def test_invariants_are_told_table_by_table(public):
    text = certificate_page(Certificate.of(public, {}))
    assert "personas, total (exacta): REGION" in text and "persons, total (exact): REGION" in text
