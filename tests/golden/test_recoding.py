"""Recoding against sdcMicro 5.8.1 (topBotCoding, globalRecode, groupAndRename).

Differences on purpose: where that tool makes the lowest break or what lies outside missing without a word (its
defect 14), ours includes the edge, or raises; labels have a space after the comma; a number of groups has open
ends unless asked, because its limits would be the smallest and the largest value of the file.
"""

import polars as pl
import pytest
import reference

from celosia.core.errors import DataError
from celosia.methods import RecodeCategories, RecodeIntervals, TopBottomCoding

METHODS = {"equidistant": "equidistant", "logEqui": "log", "equalAmount": "quantiles"}


def of(operation):
    found = [case for case in reference.cases("recoding") if case.values[0] is None]
    return found or [case for case in reference.cases("recoding") if case.values[0]["params"]["op"] == operation]


def frame(case):
    params = case["params"]
    if "x" in params:
        return pl.DataFrame({"x": params["x"]}), "x"
    table = reference.data(case["dataset"])
    if "only" in params["variable"]:
        return table.filter(pl.col("age") > 0), "age"
    return table, params["variable"]


@pytest.mark.parametrize("case", of("top_bottom_code"))
def test_top_and_bottom_coding(case):
    params, expect = case["params"], case["expect"]
    table, name = frame(case)
    cut = {"beyond": params["value"], "value": params["replacement"]}
    result = TopBottomCoding(variable=name, **{params["kind"]: cut}).apply(table)
    if "y" in expect:
        assert result.data[name].to_list() == expect["y"]
    else:
        assert result.changed == {name: expect["n_changed"]}
        assert result.data[name].max() == expect["max"]
        assert result.data[name].mean() == pytest.approx(expect["mean"], abs=1e-10)


@pytest.mark.parametrize("case", of("global_recode"))
def test_intervals(case):
    params, expect = case["params"], case["expect"]
    table, name = frame(case)
    lost = expect["n_missing_after"] - expect["n_missing_before"]
    options = {"closed": "right", "open_low": False, "open_high": False}
    if isinstance(params["breaks"], list):
        options |= {"breaks": params["breaks"], "include_edge": False, "labels": params.get("labels")}
    else:
        options |= {"groups": params["breaks"], "method": METHODS[params["method"]]}
    method = RecodeIntervals(variable=name, **options)
    if lost:
        with pytest.raises(DataError) as caught:
            method.apply(table)
        assert caught.value.code == "intervals-outside"
        assert (caught.value.facts["below"], caught.value.facts["above"]) == (lost, 0)
        table = table.filter(pl.col(name) > params["breaks"][0])
    result = method.apply(table)
    assert [code.replace(" ", "") for code in result.codes] == expect["labels"]
    held = dict(result.data[name].cast(pl.String).value_counts().iter_rows())
    assert [held.get(code, 0) for code in result.codes] == expect["counts"]


@pytest.mark.parametrize(
    "case", [c for c in of("global_recode") if c.values[0] and c.values[0]["expect"]["n_missing_after"]]
)
def test_the_lowest_break_is_included_unless_asked(case):
    params, expect = case["params"], case["expect"]
    table, name = frame(case)
    result = RecodeIntervals(variable=name, breaks=params["breaks"], closed="right").apply(table)
    held = dict(result.data[name].value_counts().iter_rows())
    counts = [held[code] for code in result.codes]
    assert counts == [expect["counts"][0] + expect["n_missing_after"], *expect["counts"][1:]]


@pytest.mark.parametrize("case", of("group_and_rename"))
def test_merging_levels(case):
    params, expect = case["params"], case["expect"]
    table, name = frame(case)
    method = RecodeCategories(
        variables=(name,),
        mapping=dict.fromkeys(params["before"], params["after"]),
        missing=params["after"] if params["add_missing"] else None,
    )
    found = method.apply(table).data[name].cast(pl.String)
    held = dict(found.drop_nulls().value_counts().iter_rows())
    assert held == dict(zip(expect["levels"], expect["counts"], strict=True))
    assert found.null_count() == expect["n_missing"]


@reference.needs_reference
def test_no_case_is_left_out():
    operations = ("top_bottom_code", "global_recode", "group_and_rename")
    compared = [case.id for operation in operations for case in of(operation)]
    assert sorted(compared) == sorted(case.id for case in reference.cases("recoding"))
