"""Outliers, and those that treatment leaves where they were."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia.core.errors import CelosiaError
from celosia.risk.outliers import outliers

FRAME = pl.DataFrame({"a": [*range(99), 10_000]}, schema={"a": pl.Float64})


def test_an_outlier_left_alone_is_unsafe_and_a_moved_one_is_not():
    alone = outliers(FRAME, FRAME)
    assert alone.outlying_records == 1 and alone.unsafe_records == 1 and alone.share == 1
    moved = FRAME.with_columns(pl.when(pl.col("a") > 5000).then(200.0).otherwise("a").alias("a"))
    assert outliers(FRAME, moved).unsafe_records == 0


def test_before_treatment_every_outlier_is_unsafe():
    found = outliers(FRAME)
    assert found.outlying_records == found.unsafe_records == 1


def test_a_suppressed_outlier_is_safe():
    emptied = FRAME.with_columns(pl.when(pl.col("a") < 5000).then("a").alias("a"))
    assert outliers(FRAME, emptied).to_dict()["unsafe_records"] == 0


@given(
    st.lists(st.one_of(st.none(), st.integers(-50, 50)), min_size=3, max_size=40),
    st.sampled_from(["upper", "lower", "both"]),
    st.sampled_from([0.5, 0.8, 0.95]),
)
def test_outliers_are_those_beyond_the_percentile(values, tail, percentile):
    frame = pl.DataFrame({"a": pl.Series([*values, 60, -60], dtype=pl.Float64)})
    found = outliers(frame, frame, percentile=percentile, tail=tail)
    column = frame["a"].to_numpy()
    known = column[~np.isnan(column)]
    high, low = np.quantile(known, percentile), np.quantile(known, 1 - percentile)
    want = [(tail != "lower" and v > high) or (tail != "upper" and v < low) for v in column]
    assert found.outlying[:, 0].tolist() == want
    assert (found.unsafe == found.outlying).all()


def test_no_threshold_is_shown():
    found = outliers(FRAME, FRAME)
    assert found.table().columns == ["variable", "outliers", "unsafe", "share"]
    assert "98" not in repr(found) and found.picture().svg().startswith("<svg")


@pytest.mark.parametrize("options", [{"percentile": 1.0}, {"percentile": 0.2}, {"k": 0}, {"tail": "left"}])
def test_wrong_options_are_refused(options):
    with pytest.raises(CelosiaError) as refused:
        outliers(FRAME, FRAME, **options)
    assert refused.value.code in ("option-range", "option-unknown")
