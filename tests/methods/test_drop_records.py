"""Records leave where a condition holds; what the totals lose is told, or made good."""

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.language import speaking
from celosia.core.microdata import Microdata
from celosia.methods import DropRecords

FRAME = pl.DataFrame(
    {"edad": [4, 30, 104, 50, 20], "zona": ["a", "a", "a", "b", None], "w": [10.0, 10.0, 5.5, 25.0, 2.0]}
)


def test_what_leaves_is_reported():
    result = DropRecords(where="edad > 100 or zona == 'b'", weight="w").apply(FRAME)
    assert result.data["edad"].to_list() == [4, 30, 20]
    assert (result.records, result.lost_records, result.lost_share) == (5, 2, 0.4)
    assert (result.weight_total, result.lost_weight) == (52.5, 30.5)
    assert result.lost_weight_share == pytest.approx(30.5 / 52.5)
    assert result.to_dict()["lost_records"] == 2


def test_without_a_weight_only_records_are_counted():
    result = DropRecords(where="edad > 100").apply(FRAME)
    assert result.lost_weight is None
    assert result.lost_weight_share is None
    assert result.data["w"].to_list() == [10, 10, 25, 2]


def test_the_weight_that_the_file_declares_reports_the_loss_unless_it_is_not_in_order():
    frame = pl.DataFrame({"edad": [4, 30, 104, 50], "factor": [10.0, 10.0, 5.0, 25.0]})
    book = Dictionary.of(Variable(name="factor", role="weight"))
    result = DropRecords(where="edad > 100").apply(Microdata(frame, book))
    assert (result.lost_weight, result.weight_total) == (5.0, 50.0)
    holed = frame.with_columns(factor=pl.Series([10.0, None, 5.0, 25.0]))
    result = DropRecords(where="missing(factor)").apply(Microdata(holed, book))
    assert (result.lost_records, result.lost_weight) == (1, None)


def test_a_condition_that_never_holds_changes_nothing():
    result = DropRecords(where="edad > 1000", weight="w", recalibrate=True).apply(FRAME)
    assert result.data.equals(FRAME)
    assert result.lost_records == 0


def test_recalibration_overall():
    result = DropRecords(where="edad > 100", weight="w", recalibrate=True).apply(FRAME)
    assert result.data["w"].sum() == pytest.approx(52.5, abs=1e-5)
    assert result.data["w"][0] / result.data["w"][2] == pytest.approx(10 / 25)


def test_recalibration_by_groups():
    result = DropRecords(where="edad > 100", weight="w", recalibrate=True, by=("zona",)).apply(FRAME)
    assert result.data["w"].to_list() == [12.75, 12.75, 25, 2]


def test_declared_decimals_do_not_round_the_new_weights():
    data = Microdata(FRAME, Dictionary.of(Variable(name="w", decimals=1, role="weight")))
    left = DropRecords(where="edad > 100", weight="w", recalibrate=True).apply(data).data
    assert left.dictionary["w"].decimals == 6
    assert left.column("w").sum() == pytest.approx(52.5, abs=1e-5)


@pytest.mark.parametrize("language", ["es", "en"])
def test_a_group_that_would_lose_everybody(language):
    with pytest.raises(DataError) as caught:
        DropRecords(where="edad in (50, 20)", weight="w", recalibrate=True, by=("zona",)).apply(FRAME)
    assert caught.value.facts["count"] == 2
    with speaking(language):
        assert "zona" in str(caught.value)


def test_a_file_without_records():
    method = DropRecords(where="edad > 3", weight="w", recalibrate=True, by=("zona",))
    assert method.apply(FRAME.clear()).data.height == 0


def test_all_records_may_not_leave():
    with pytest.raises(DataError) as caught:
        DropRecords(where="edad > 0").apply(FRAME)
    assert caught.value.code == "drop-all-records"


@pytest.mark.parametrize("options", [{"recalibrate": True}, {"by": ("zona",), "weight": "w"}])
def test_options_that_do_not_go_together(options):
    with pytest.raises(OptionError):
        DropRecords(where="edad > 3", **options)


def test_wrong_inputs():
    with pytest.raises(OptionError):
        DropRecords(where="edad > 3", foo=1)
    with pytest.raises(OptionError):
        DropRecords(where="edad >")
    with pytest.raises(RoleError):
        DropRecords(where="nada > 3").apply(FRAME)
    with pytest.raises(RoleError):
        DropRecords(where="edad > 100", weight="zona").apply(FRAME)


def test_pandas():
    frame = pd.DataFrame({"edad": [1, 200], "w": [1, 3]}, index=["a", "b"])
    result = DropRecords(where="edad > 100", weight="w", recalibrate=True).apply(frame).data
    assert result.index.tolist() == ["a"]
    assert result["w"].tolist() == [4.0]


people = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(1, 10**6)), min_size=1, max_size=40)


@settings(deadline=None, max_examples=50)
@given(people, st.integers(1, 9))
def test_totals_stand_within_rounding(records, cut):
    frame = pl.DataFrame(records, schema=["zona", "x", "w"], orient="row").with_columns(pl.col("w") / 1000)
    method = DropRecords(where=f"x >= {cut}", weight="w", recalibrate=True, by=("zona",))
    kept = frame.filter(pl.col("x") < cut)
    if kept["zona"].n_unique() < frame["zona"].n_unique() or kept.is_empty():
        with pytest.raises(DataError):
            method.apply(frame)
        return
    result = method.apply(frame).data
    assert result.select("zona", "x").equals(kept.select("zona", "x"))
    totals = [f.group_by("zona").agg(pl.col("w").sum()).sort("zona")["w"].to_list() for f in (frame, result)]
    assert totals[1] == pytest.approx(totals[0], abs=1e-6 * (frame.height + 1))
