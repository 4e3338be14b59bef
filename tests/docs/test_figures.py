"""The figures of the calibration page: measured again in part, and the tables printed from the samples kept."""

import importlib.util
import re
from pathlib import Path

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from celosia.core.language import LANGUAGES

DOCS = Path(__file__).parents[2] / "docs"
FIGURES = DOCS / "figures"


@pytest.fixture(scope="module")
def script():
    spec = importlib.util.spec_from_file_location("celosia_docs_calibration", FIGURES / "calibration.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
