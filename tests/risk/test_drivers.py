"""Drivers: every figure against its definition, and the figures of the other measures."""

from itertools import combinations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Dictionary, Hierarchy, Microdata, Variable, risk
from celosia.core.errors import CelosiaError
from celosia.risk.drivers import drivers

quiet = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")
COUNTING = st.sampled_from(["wildcard", "strict"])


def separation(rows):
    pairs = list(combinations(rows, 2))
    return sum(x != y for x, y in pairs) / len(pairs) if pairs else 1.0


@quiet
@given(key_frames(max_rows=15), COUNTING)
def test_figures_are_their_definitions(frame, missing):
    keys = [name for name in frame.columns if name != "w"]
    weighted = frame.with_columns(w=pl.col("w") + 40)
    found = drivers(weighted, keys, max_size=2, weight="w", missing=missing)
    whole = risk.individual(weighted, keys, weight="w", missing=missing)
    assert (found.uniques, found.global_risk) == (whole.frequencies.below(2), pytest.approx(whole.global_risk))
    assert len(found.sets) == {1: 1, 2: 2, 3: 6, 4: 10}[len(keys)]
    for one in found.sets:
        rows = frame.select(one.variables).rows()
        assert one.distinct == len(set(rows)) and one.distinction == one.distinct / len(rows)
        assert one.separation == pytest.approx(separation(rows))
        alone = risk.frequencies(weighted, one.variables, missing=missing)
        assert one.uniques_alone == alone.below(2)
        rest = [name for name in keys if name not in one.variables]
        if rest:
            without = risk.individual(weighted, rest, weight="w", missing=missing)
            assert one.uniques_without == without.frequencies.below(2)
            assert one.risk_without == pytest.approx(without.global_risk)
        else:
            assert one.uniques_without is None and one.risk_without is None


@quiet
@given(key_frames(min_rows=2), COUNTING)
def test_recoding_one_level_is_measured_as_if_it_were_done(frame, missing):
    keys = [name for name in frame.columns if name != "w"]
    halves = {str(code): "low" if code < 3 else "high" for code in range(1, 5)}
    hierarchies = dict.fromkeys(keys[:2], Hierarchy.from_mapping(halves))
    found = drivers(frame, keys, hierarchies=hierarchies, missing=missing)
    for one in found.sets:
        if not set(one.variables) <= set(hierarchies):
            assert one.risk_recoded is None
            continue
        done = frame.with_columns((pl.col(name) < 3).alias(name) for name in one.variables)
        assert one.risk_recoded == pytest.approx(risk.individual(done, keys, missing=missing).global_risk)


def test_the_most_telling_key_comes_first():
    frame = pl.DataFrame({"same": [1] * 8, "half": [1, 2] * 4, "all": range(8)})
    found = drivers(frame, ["same", "half", "all"])
    table = found.table()
    assert table["variables"].to_list()[:3] == ["all", "half", "same"]
    assert table["uniques_fall"].to_list()[:3] == [8, 0, 0]
    assert table["size"].to_list() == [1, 1, 1, 2, 2, 2]
    assert found.picture().alternative.count("%") >= 3
    assert found.to_dict()["sets"][0]["risk_fall"] == pytest.approx(1 - 2 / 8)


def test_missing_codes_stay_apart_from_groups_of_the_same_name():
    frame = pl.DataFrame({"job": [1, 2, 9, 9], "sex": [1, 1, 1, 2]})
    variables = Variable(name="job", missing={9: "non_response"}), Variable(name="sex")
    groups = {"job": Hierarchy.from_mapping({"1": "9", "2": "9"})}
    data = Microdata(frame, Dictionary.of(*variables))
    recoded = drivers(data, ["job", "sex"], hierarchies=groups, missing="strict").table().row(0, named=True)
    assert recoded["variables"] == "job" and recoded["risk_recoded"] == pytest.approx(3 / 4)


def test_one_key_has_nothing_to_be_without():
    row = drivers(pl.DataFrame({"a": [1, 1, 2]}), "a").table().row(0, named=True)
    assert row["uniques_alone"] == 1 and row["uniques_without"] is None and row["risk_fall"] is None


TWO = Hierarchy.from_mapping({1: "x", 2: "x"})


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"max_size": 0}, "option-whole"),
        ({"weight": "a"}, "weight-is-key"),
        ({"hierarchies": {"w": TWO}}, "hierarchy-not-a-key"),
        ({"hierarchies": {"b": TWO}}, "hierarchy-codes-unknown"),
        ({"hierarchies": {"a": Hierarchy.from_rows([[1], [2]])}}, "hierarchy-one-level"),
        ({"frame": pl.DataFrame({"a": [], "b": []}, schema={"a": pl.Int64, "b": pl.Int64})}, "no-records"),
    ],
)
def test_wrong_input_is_refused(options, code):
    frame = pl.DataFrame({"a": [1, 2], "b": [3, 3], "w": [1, 1]})
    with pytest.raises(CelosiaError) as caught:
        drivers(**{"frame": frame, "keys": ["a", "b"]} | options)
    assert caught.value.code == code
