"""Calibration: its truths, keyed draws, failures that count as such, and what it shows."""

import polars as pl
import pytest

from celosia.core.errors import CelosiaError
from celosia.core.language import LANGUAGES, speaking
from celosia.core.run import Run
from celosia.datasets import bench_population
from celosia.risk.calibration import ALL_ESTIMATORS, calibration

KEYS = ["region", "sex", "ageg", "marital"]
POPULATION = bench_population(8_000).with_columns(ageg=(pl.col("age") // 10).clip(0, 8))


@pytest.fixture(scope="module")
def found():
    return calibration(POPULATION, KEYS, (0.1, 0.5), repeats=3, run=Run(key=1))


def test_every_estimator_is_set_against_its_truth(found):
    table = found.table()
    assert table["estimator"].unique().sort().to_list() == sorted(ALL_ESTIMATORS)
    alone = POPULATION.group_by(KEYS).len().filter(pl.col("len") == 1).height
    assert table.filter(pl.col("target") == "population_uniques")["truth"].unique().to_list() == [alone]
    assert found.samples.height == 2 * 3 * (5 + 3 * 2 + 1)


def test_bias_falls_as_the_sample_grows_and_a_census_has_none(found):
    for estimator in ("zayatz", "individual"):
        bias = found.table().filter(pl.col("estimator") == estimator)["bias"].abs().to_list()
        assert bias[0] > bias[1]
    census = calibration(POPULATION, KEYS, [1.0], ["dankar", "main", "individual"], repeats=1, run=Run(key=1)).table()
    assert census["bias"].to_list() == pytest.approx([0.0] * 4)
    assert census["error"].to_list() == pytest.approx([0.0] * 4)


def test_the_key_decides_the_samples_and_threads_do_not():
    options = {"fractions": [0.2], "estimators": ["zayatz", "main"], "repeats": 3}
    first = calibration(POPULATION, KEYS, **options, run=Run(key=1, threads=1)).samples
    assert calibration(POPULATION, KEYS, **options, run=Run(key=1, threads=3)).samples.equals(first)
    assert not calibration(POPULATION, KEYS, **options, run=Run(key=2)).samples.equals(first)


def test_an_estimator_without_an_estimate_counts_as_failed_not_as_zero():
    frame = pl.DataFrame({"k": [i // 40 for i in range(2_000)]})
    table = calibration(frame, ["k"], [0.2], ["pitman", "snb"], repeats=2, run=Run(key=1)).table()
    assert table["failed"].to_list() == [2, 2] and table["estimate"].null_count() == 2


def test_it_tells(found):
    for target in ("population_uniques", "tau2", "global_risk"):
        picture = found.picture(target)
        assert "%" in picture.alternative and picture.svg().startswith("<svg")
    assert found.to_dict()["population"] == 8_000 and "<table>" in found._repr_html_()


def test_wrong_input_is_refused():
    for language in LANGUAGES:
        with speaking(language):
            for options in ({"fractions": [0.0]}, {"fractions": []}, {"repeats": 0}, {"estimators": ["guess"]}):
                with pytest.raises(CelosiaError) as error:
                    calibration(POPULATION, KEYS, **options)
                assert error.value.code in ("option-range", "option-whole", "option-unknown")


def test_progress_is_told_and_it_can_be_stopped():
    seen = []
    run = Run(key=1, progress=lambda step, done: seen.append(done))
    calibration(POPULATION, KEYS, [0.5], ["zayatz"], repeats=2, run=run)
    assert seen == [0.5, 1.0]
    run.cancel()
    with pytest.raises(CelosiaError):
        calibration(POPULATION, KEYS, [0.5], ["zayatz"], repeats=2, run=run)
