"""The figures of the pages: measured again, whole or in part, and what the pages print of them."""

import importlib.util
import re
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from celosia.core.language import LANGUAGES, speaking

DOCS = Path(__file__).parents[2] / "docs"
FIGURES = DOCS / "figures"


def script_of(name):
    spec = importlib.util.spec_from_file_location(f"celosia_docs_{name}", FIGURES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def script():
    return script_of("calibration")


@pytest.fixture(scope="module")
def kept():
    return pl.read_csv(FIGURES / "calibration.csv")


def test_a_part_measured_again_gives_the_samples_kept(script, kept):
    part = {"fractions": (0.05,), "repeats": 2, "estimators": ("pitman", "snb", "main", "individual")}
    again = script.measured(**part).samples
    wanted = kept.filter(
        pl.col("fraction").is_in(part["fractions"]),
        pl.col("repeat") < part["repeats"],
        pl.col("estimator").is_in(part["estimators"]),
    )
    columns = ["target", "estimator", "repeat"]
    assert_frame_equal(again.sort(columns), wanted.sort(columns), rel_tol=1e-6)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_prints_the_tables_and_shows_the_pictures(script, kept, language):
    page = (DOCS / language / "measures" / "calibration.md").read_text("utf-8")
    found = script.Calibration(script.KEYS, script.PEOPLE, kept)
    for target in ("population_uniques", "tau2", "global_risk"):
        assert script.bias_table(found, target, language) in page
    shown = re.findall(r"!\[[^\]]+\]\(\.\./\.\./figures/([\w.-]+)\)", page)
    targets = ("population_uniques", "tau2", "tau1", "global_risk")
    assert shown == [f"calibration-{target}.{language}.svg" for target in targets]
    for name in shown:
        svg = (FIGURES / name).read_text("utf-8")
        assert svg.startswith("<svg") and "href" not in svg


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figure_of_demographic_anonymity_is_what_the_script_draws(language):
    with speaking(language):
        drawn = script_of("demography").picture()
    kept = (FIGURES / f"demography.{language}.svg").read_text("utf-8")
    points = drawn.specification["data"]["values"]
    assert kept.count('aria-roledescription="point"') == len(points) > 400
    assert f"../../figures/demography.{language}.svg" in (
        DOCS / language / "demography" / "expected_anonymity.md"
    ).read_text("utf-8")
    assert "href" not in kept


@pytest.fixture(scope="module")
def perturbed():
    return script_of("perturbation"), script_of("perturbation").measured()


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_figure_of_a_file_that_improves_without_protecting(language, perturbed):
    script, found = perturbed
    (first_count, first_share), (last_count, last_share) = found[0], found[-1]
    assert last_count < first_count / 5 and last_share > 0.85 * first_share, "counts fall, the guess hardly moves"
    assert [share for _, share in found] == sorted((share for _, share in found), reverse=True)
    with speaking(language):
        drawn = script.picture(found, language)
    name = f"perturbation.{language}.svg"
    kept = (FIGURES / name).read_text("utf-8")
    page = (DOCS / language / "how-to" / "risk-after-perturbation.md").read_text("utf-8")
    assert f"![{drawn.alternative.rstrip('.')}](../../figures/{name})" in page
    assert kept.startswith("<svg") and "href" not in kept
    assert kept.count('aria-roledescription="point"') == len(drawn.specification["data"]["values"]) == 12


@pytest.mark.parametrize("language", LANGUAGES)
def test_time_against_distinct_keys_is_what_the_script_draws(language):
    with speaking(language):
        drawn = script_of("suppression").picture()
    kept = (FIGURES / f"suppression.{language}.svg").read_text("utf-8")
    points = drawn.specification["data"]["values"]
    assert kept.count('aria-roledescription="point"') == len(points) == 6
    page = (DOCS / language / "methods" / "local_suppression.md").read_text("utf-8")
    assert f"../../figures/suppression.{language}.svg" in page and "href" not in kept
    each = [point["seconds"] / point["distinct_keys"] for point in points]
    assert max(each) < 2 * min(each)
