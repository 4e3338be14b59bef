"""t-closeness: the three distances against optimal transport, missing values, wrong input."""

import datetime as dt

import numpy as np
import polars as pl
import pytest
from attribute import NOT_APPLICABLE, by_record, classes, common_level, earth_mover, observed, sensitive_files
from hypothesis import given, settings

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.hierarchy import Hierarchy
from celosia.risk.t_closeness import t_closeness

SALARY = pl.DataFrame(
    {
        "zona": [1] * 3 + [2] * 3 + [3] * 3,
        "sueldo": [3, 4, 5, 6, 11, 8, 7, 9, 10],
        "mal": [
            "úlcera",
            "gastritis",
            "cáncer",
            "gastritis",
            "gripe",
            "bronquitis",
            "bronquitis",
            "neumonía",
            "cáncer",
        ],
    }
)
TREE = [[str(leaf), f"par {leaf // 2}", f"lado {leaf // 4}", "*"] for leaf in range(1, 8)]


@given(sensitive_files())
def test_equal_distance_is_half_the_sum_of_differences(data):
    whole = observed(data)

    def distance(held):
        return sum(abs(held[v] / held.total() - whole[v] / whole.total()) for v in whole) / 2

    found = t_closeness(data, ["a", "b"], "s")
    np.testing.assert_allclose(found.of_record, by_record(data, distance), atol=1e-12)
    assert found.largest == pytest.approx(max(by_record(data, distance)))


@settings(max_examples=25)
@given(sensitive_files(outside=False, max_rows=16))
def test_ordered_distance_is_the_least_work(data):
    whole = observed(data)
    place = {v: i for i, v in enumerate(sorted(whole))}
    steps = max(len(place) - 1, 1)

    def distance(held):
        return earth_mover(held, whole, lambda x, y: abs(place[x] - place[y]) / steps)

    found = t_closeness(data, ["a", "b"], "s", distance="ordered")
    np.testing.assert_allclose(found.of_record, by_record(data, distance), atol=1e-9)


@settings(max_examples=25)
@given(sensitive_files(max_rows=16))
def test_ordered_distance_is_never_less_than_the_least_work_where_some_have_no_place(data):
    whole = observed(data)
    place = {v: i for i, v in enumerate(sorted(whole.keys() - {NOT_APPLICABLE}))}
    steps = max(len(place) - 1, 1)

    def ground(x, y):
        return abs(place[x] - place[y]) / steps if x in place and y in place else float(x != y)

    least = np.array(by_record(data, lambda held: earth_mover(held, whole, ground)))
    lacking = [held[NOT_APPLICABLE] * whole.total() - whole[NOT_APPLICABLE] * held.total() for held in _held(data)]
    same = np.array(lacking) == 0
    found = t_closeness(data, ["a", "b"], "s", distance="ordered").of_record
    assert (found >= least - 1e-9).all() and (found <= 1).all()
    np.testing.assert_allclose(found[same], least[same], atol=1e-9)


@settings(max_examples=25)
@given(sensitive_files(max_rows=16))
@pytest.mark.parametrize("depth", [4, 3, 2, 1])
def test_hierarchical_distance_is_the_least_work(depth, data):
    whole = observed(data)
    path = {int(row[0]): row[:depth] for row in TREE}
    height = 3 if depth == 4 else depth

    def ground(x, y):
        if x not in path or y not in path:
            return float(x != y)
        return common_level(path[x], path[y]) / height

    rows = [row[:depth] for row in TREE]
    found = t_closeness(data, ["a", "b"], "s", distance="hierarchical", hierarchy=rows)
    np.testing.assert_allclose(
        found.of_record, by_record(data, lambda held: earth_mover(held, whole, ground)), atol=1e-9
    )


@given(sensitive_files())
@pytest.mark.parametrize("distance", ["equal", "ordered", "hierarchical"])
def test_order_of_rows_does_not_matter(distance, data):
    tree = TREE if distance == "hierarchical" else None
    order = np.arange(data.height)[::-1]
    before = t_closeness(data, ["a", "b"], "s", distance, tree).of_record
    after = t_closeness(data.take(order), ["a", "b"], "s", distance, tree).of_record
    assert (after == before[order]).all() and ((before >= 0) & (before <= 1)).all()


def _held(data):
    return [observed(data, key) for key in classes(data)]


def test_the_example_of_the_paper():
    found = t_closeness(SALARY, ["zona"], "sueldo", distance="ordered")
    assert found.of_class == pytest.approx([0.375, 1 / 6, 17 / 72])
    ills = [
        ["úlcera", "estómago", "digestivo"],
        ["gastritis", "estómago", "digestivo"],
        ["cáncer", "estómago", "digestivo"],
        ["gripe", "infección", "respiratorio"],
        ["bronquitis", "infección", "respiratorio"],
        ["neumonía", "pulmón", "respiratorio"],
    ]
    first = t_closeness(SALARY, ["zona"], "mal", "hierarchical", Hierarchy.from_rows(ills)).of_class[0]
    # Leaves: úlcera 1/3 - 1/9, gastritis 1/3 - 2/9, cáncer 1/3 - 2/9; one group, one side: 4/9 too much at each level.
    assert first == pytest.approx(4 / 9)


def test_hundreds_of_values_agree_with_the_plain_sum():
    chance = np.random.Generator(np.random.PCG64(5))
    frame = pl.DataFrame({"a": chance.integers(0, 7, 900), "s": chance.integers(0, 400, 900) / 4})
    whole = np.sort(frame["s"].unique().to_numpy())
    everybody = frame["s"].to_numpy()
    below = np.searchsorted(np.sort(everybody), whole, side="right") / 900
    found = t_closeness(frame, ["a"], "s", distance="ordered").of_class
    for group in range(7):
        own = np.sort(frame.filter(pl.col("a") == group)["s"].to_numpy())
        reached = np.searchsorted(own, whole, side="right") / own.size
        assert found[group] == pytest.approx(np.abs(reached - below).sum() / (whole.size - 1))


def test_codes_go_in_the_order_of_the_dictionary():
    frame = pl.DataFrame({"a": [1, 1, 2, 2, 3, 3], "s": ["alto", "alto", "bajo", "bajo", "medio", "medio"]})
    levels = {"bajo": "Bajo", "medio": "Medio", "alto": "Alto"}
    told = Microdata(frame, Dictionary.of(Variable(name="s", values=levels)))
    ordered = t_closeness(told, ["a"], "s", distance="ordered").of_class
    assert ordered == pytest.approx([0.5, 0.5, 1 / 3])
    typed = frame.with_columns(pl.col("s").cast(pl.Enum(list(levels))))
    assert (t_closeness(typed, ["a"], "s", distance="ordered").of_class == ordered).all()
    with pytest.raises(DataError) as caught:
        t_closeness(frame, ["a"], "s", distance="ordered")
    assert caught.value.code == "order-unknown" and caught.value.facts["count"] == 3


def test_dates_and_booleans_have_an_order():
    days = [dt.date(2020, 1, 1), dt.date(2021, 1, 1), dt.date(2021, 1, 2)]
    frame = pl.DataFrame({"a": [1, 2, 3], "s": days, "t": [True, False, False]})
    assert t_closeness(frame, ["a"], "s", distance="ordered").of_class == pytest.approx([0.5, 1 / 3, 0.5])
    assert t_closeness(frame, ["a"], "t", distance="ordered").of_class == pytest.approx([2 / 3, 1 / 3, 1 / 3])


@pytest.mark.parametrize("distance", ["equal", "ordered"])
def test_one_value_in_the_whole_file_is_at_no_distance(distance):
    frame = pl.DataFrame({"a": [1, 2, 3], "s": [5, 5, 5]})
    found = t_closeness(frame, ["a"], "s", distance=distance)
    assert found.largest == 0 and found.violations(0.1) == 0


def test_missing_values_are_no_values():
    book = Dictionary.of(Variable(name="s", missing={9: "non_response"}))
    with_missing = Microdata(pl.DataFrame({"a": [1, 1, 1, 2, 2, 3], "s": [1, 9, 9, 1, 2, 9]}), book)
    without = pl.DataFrame({"a": [1, 2, 2], "s": [1, 1, 2]})
    for distance in ("equal", "ordered"):
        found = t_closeness(with_missing, ["a"], "s", distance=distance)
        assert found.of_class[:2] == pytest.approx(t_closeness(without, ["a"], "s", distance=distance).of_class)
        assert found.of_class[2] == 0, "a class without values tells nothing"
    assert found.to_dict()["missing"] == 3


def test_classes_at_the_limit_comply():
    frame = pl.DataFrame({"a": [1, 1, 1, 2, 2, 2, 3, 3, 3, 3], "s": [1, 2, 3, 1, 2, 3, 1, 1, 1, 1]})
    found = t_closeness(frame, ["a"], "s")
    assert found.largest == pytest.approx(0.4)
    assert found.violations(0.4) == 0 and found.violations(0.39) == 4 and found.share(0.39) == 0.4
    assert found.table()["violations"].to_list() == [10, 10, 4, 0, 0]


@pytest.mark.parametrize(
    ("error", "code", "options"),
    [
        (OptionError, "option-unknown", {"distance": "far"}),
        (OptionError, "hierarchy-needed", {"distance": "hierarchical"}),
        (OptionError, "hierarchy-needed", {"distance": "hierarchical", "hierarchy": []}),
        (OptionError, "option-needs", {"hierarchy": [["3", "*"]]}),
        (DataError, "hierarchy-codes-unknown", {"distance": "hierarchical", "hierarchy": [["3", "*"]]}),
        (RoleError, "sensitive-is-key", {"sensitive": "zona"}),
    ],
)
def test_wrong_input_is_refused(error, code, options):
    with pytest.raises(error) as caught:
        t_closeness(**({"frame": SALARY, "keys": ["zona"], "sensitive": "sueldo"} | options))
    assert caught.value.code == code


@pytest.mark.parametrize("limit", [0, 1.5, float("nan")])
def test_a_limit_is_a_share(limit):
    with pytest.raises(OptionError):
        t_closeness(SALARY, ["zona"], "sueldo").violations(limit)


def test_it_draws_and_tells():
    found = t_closeness(SALARY, ["zona"], "sueldo")
    assert "%" in found.picture().alternative and found.picture().svg().startswith("<svg")
    assert "<table>" in found._repr_html_() and found.to_dict()["distance"] == "equal"
