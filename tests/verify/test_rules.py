"""Each kind of rule on a file where it gives a cell away, and on one where it does not."""

import numpy as np
import polars as pl
import pytest

from celosia import Dictionary, Microdata, Variable
from celosia.core.hierarchy import Hierarchy
from celosia.verify.deduction import (
    Dependency,
    Edit,
    HouseholdSum,
    Kin,
    Members,
    Prefix,
    Skip,
    Sum,
    Terms,
    deduce,
    dependencies,
    shown,
)
from celosia.verify.deduction.shown import prefixes, sizes


def emptied(frame, **cells):
    data = frame if isinstance(frame, Microdata) else Microdata(frame)
    return data.suppress({name: np.isin(np.arange(data.height), rows) for name, rows in cells.items()})


def undone(frame, rule, domains=None, **gone):
    """The cells that come back, and that they come back as they were."""
    found = deduce(emptied(frame, **gone), [rule], domains)
    assert not found.broken and not found.untried
    whole = frame if isinstance(frame, Microdata) else Microdata(frame)
    for name in found.cells:
        mask = found.mask(name)
        assert found.filled().column(name).filter(mask).to_list() == whole.column(name).filter(mask).to_list()
    return {name: np.flatnonzero(found.mask(name)).tolist() for name in found.cells}


# -- edit rules and skips ----------------------------------------------------------------------------


def test_an_edit_rule():
    frame = pl.DataFrame({"edad": [9, 9, 40], "trabaja": ["no", "no", "si"]})
    rule, codes = Edit(given="edad < 15", then='trabaja == "no"'), {"trabaja": ("si", "no"), "edad": (9, 40)}
    assert undone(frame, rule, codes, trabaja=[0, 1]) == {"trabaja": [0, 1]}
    assert undone(frame, rule, codes, edad=[2]) == {"edad": [2]}  # who works is not 9
    assert undone(frame, rule, codes, trabaja=[2], edad=[0]) == {}


def test_a_skip_gives_away_not_applicable():
    book = Dictionary.of(
        Variable(name="edad"),
        Variable(name="oficio", values={"1": "A", "2": "B"}, missing={"-1": "not_applicable", "9": "non_response"}),
    )
    data = Microdata(pl.DataFrame({"edad": [9, 30, 40, 50], "oficio": [-1, 1, 2, 9]}), book)
    rule = Skip(asked="oficio", where="edad >= 15")
    assert undone(data, rule, oficio=[0]) == {"oficio": [0]}
    assert undone(data, rule, oficio=[1, 2, 3]) == {}
    assert undone(data, rule, {"edad": (9, 30)}, edad=[0, 1]) == {"edad": [0]}  # who was asked may be 30, 40 or 50
    # written as a condition it says less: the cell may be non-response
    assert undone(data, Edit(given="edad < 15", then="missing(oficio)"), oficio=[0]) == {}


# -- linked and derived variables --------------------------------------------------------------------


def test_linked_variables():
    frame = pl.DataFrame({"comuna": ["01101", "01101", "02101", "13101"], "region": ["01", "01", "02", "13"]})
    rule = Dependency(of=("comuna",), gives="region")
    assert undone(frame, rule, region=[0, 3]) == {"region": [0]}
    assert undone(frame, rule, region=[0, 1]) == {}


def test_a_variable_derived_from_two():
    frame = pl.DataFrame({"a": [1, 1, 2, 2, 1], "b": [1, 2, 1, 2, 2], "c": list("xyyxy")})
    assert undone(frame, Dependency(of=("a", "b"), gives="c"), c=[1]) == {"c": [1]}
    assert undone(frame, Dependency(of=("a", "b"), gives="c"), c=[0]) == {}


def test_an_unanswered_cell_binds_nobody():
    frame = pl.DataFrame({"x": [None, None, "a", "a"], "y": ["1", "2", "3", "3"]})
    assert undone(frame, Dependency(of=("x",), gives="y"), y=[0, 2]) == {"y": [2]}


def test_functions_in_the_data_are_proposed_but_what_chance_would_show_is_not():
    columns = {"zona": list("aabbccdd"), "area": list("uuuurrrr"), "azar": list("uruurrur"), "fijo": ["x"] * 8}
    frame = pl.DataFrame({name: cells * 2 for name, cells in columns.items()} | {"id": range(16)})
    data = emptied(frame, area=[0], fijo=[1])
    assert [(rule.of, rule.gives) for rule in dependencies(data)] == [(("zona",), "area")]
    assert deduce(data, dependencies(data)).filled().column("area").equals(frame["area"])
    assert dependencies(data, among=("id", "area")) == ()
    few = emptied(frame.filter(pl.col("zona").is_in(["a", "d"])).head(4), area=[0])
    assert dependencies(few) == ()  # two pairs that agree are no proof
    rare = pl.DataFrame({"x": [str(i // 2) for i in range(200)], "y": [1] * 198 + [2, 2]})
    assert dependencies(emptied(rare, y=[0])) == ()  # nearly all are 1 anyway


def test_a_rule_from_the_file_and_one_from_the_plan_are_told_apart():
    frame = pl.DataFrame({"zona": list("aabbccdd") * 3, "area": list("uuuurrrr") * 3})
    data = emptied(frame, area=[0])
    found = deduce(data, [], learned=shown(data))
    assert found.table()["known_from"].to_list() == ["shown"]
    given = deduce(data, [Dependency(("zona",), "area")], learned=shown(data))
    assert given.table()["known_from"].to_list() == ["given"]


# -- geography from strata or codes ------------------------------------------------------------------


def test_a_stratum_tells_the_region():
    frame = pl.DataFrame({"estrato": [11, 12, 21, 22] * 6, "region": [1, 1, 2, 2] * 6, "area": [1, 2, 1, 2] * 6})
    data = emptied(frame, region=[0, 7], area=[3])
    assert deduce(data, [], learned=shown(data)).cells == {"region": 2, "area": 1}
    scattered = emptied(frame.with_columns(estrato=pl.Series(np.arange(24) % 5)), region=[0, 7], area=[3])
    assert deduce(scattered, [], learned=shown(scattered)).total == 0


@pytest.mark.parametrize("region", [["01", "01", "02", "13"], [1, 1, 2, 13]])
def test_the_code_of_a_place_begins_with_the_one_above(region):
    frame = pl.DataFrame({"comuna": ["01101", "01107", "02101", "13101"], "region": region})
    assert undone(frame, Prefix("comuna", "region", 3), region=[0, 2, 3]) == {"region": [0, 2, 3]}
    data = emptied(frame, region=[2])
    assert [rule.name for rule in prefixes(data)] == ["comuna[:-3] → region"]
    assert undone(frame, Prefix("comuna", "region", 3), {"comuna": frame["comuna"]}, comuna=[0, 2]) == {"comuna": [2]}
    assert prefixes(emptied(frame.with_columns(region=pl.Series(["5", "6", "7", "8"])), region=[2])) == ()


def test_a_hierarchy_tells_what_no_record_shows():
    frame = pl.DataFrame({"comuna": ["01101", "01101", "02101", "13101"], "region": ["01", "01", "02", "13"]})
    tree = Hierarchy.from_prefix(frame["comuna"], lengths=(3, 2))
    rule = Dependency.of_hierarchy("comuna", "region", tree, 2)
    assert undone(frame, rule, region=[0, 1, 3]) == {"region": [0, 1, 3]}
    assert undone(frame, rule, {"comuna": tree.codes[0]}, comuna=[2]) == {"comuna": [2]}
    assert undone(frame, rule, comuna=[2], region=[2]) == {}


# -- household size by counting ----------------------------------------------------------------------

HOMES = pl.DataFrame({"hogar": [1, 1, 1, 2, 3, 3], "personas": [3, 3, 3, 1, 2, 2]})


def test_household_size_is_counted_unless_a_household_is_hidden():
    rule = Members("hogar", "personas")
    assert undone(HOMES, rule, personas=[0, 3]) == {"personas": [0, 3]}
    assert undone(HOMES, rule, personas=[0, 3], hogar=[2]) == {}
    topped = HOMES.with_columns(pl.col("personas").clip(upper_bound=2))
    assert undone(topped, Members("hogar", "personas", 2), personas=[0]) == {"personas": [0]}


def test_that_a_variable_counts_members_is_seen():
    data = emptied(HOMES, personas=[0, 3])
    assert [rule.name for rule in sizes(data, "hogar")] == ["#hogar = personas"]
    assert deduce(data, [], learned=shown(data, "hogar")).cells == {"personas": 2}
    other = emptied(HOMES.with_columns(personas=pl.Series([3, 3, 3, 1, 2, 5])), personas=[0])
    assert sizes(other, "hogar") == () and sizes(data, None) == ()


def test_one_head_a_household():
    frame = pl.DataFrame({"hogar": [1, 1, 2, 2], "kin": ["jefe", "hijo", "jefe", "otro"]})
    codes = {"kin": ("jefe", "hijo", "otro")}
    rule = Members("hogar", where='kin == "jefe"', exactly=1)
    assert undone(frame, rule, codes, kin=[0, 2]) == {"kin": [0, 2]}
    assert undone(frame, rule, codes, kin=[0, 1]) == {}
    two = {"kin": ("jefe", "hijo")}
    assert undone(frame.head(2), rule, two, kin=[1]) == {"kin": [1]}  # there is a head: this one is the child


def test_how_many_are_young_tells_who_is():
    frame = pl.DataFrame({"hogar": [1, 1, 1, 2, 2], "menores": [2, 2, 2, 1, 1], "edad": [40, 8, 9, 50, 7]})
    rule = Members("hogar", "menores", where="edad < 15")
    ages = {"edad": (7, 40, 50)}
    assert undone(frame, rule, menores=[0, 3]) == {"menores": [0, 3]}
    assert undone(frame.tail(2), rule, ages, edad=[3 - 3]) == {}  # 40 or 50
    bands = frame.with_columns(edad=pl.Series(["15+", "0-14", "0-14", "15+", "0-14"]))
    coding = {str(age): "0-14" if age < 15 else "15+" for age in range(100)}
    for gone, total in (([0], 1), ([1], 1), ([0, 1], 0), ([1, 2], 2)):
        found = deduce(emptied(bands, edad=gone), [rule], terms=Terms(codings={"edad": coding}))
        assert found.total == total


# -- parent and child ages ---------------------------------------------------------------------------

FAMILY = pl.DataFrame(
    {"hogar": [1, 1, 1, 2, 2], "kin": [1, 5, 2, 1, 5], "edad": ["15-29", "0-14", "15-29", "60+", "30-59"]}
)
BANDS = {
    str(age): next(band for band, last in (("0-14", 14), ("15-29", 29), ("30-59", 59), ("60+", 110)) if age <= last)
    for age in range(111)
}
OLDER = Kin("hogar", parents="kin == 1", children="kin == 5", age="edad", gap=15)
AGES = Terms(codings={"edad": BANDS})


def test_a_parent_of_fifteen_to_twenty_nine_has_a_child_below_fifteen():
    found = deduce(emptied(FAMILY, edad=[1]), [OLDER], terms=AGES)
    assert found.filled().frame.equals(FAMILY) and found.cells == {"edad": 1}
    assert deduce(emptied(FAMILY, edad=[4]), [OLDER], terms=AGES).total == 0  # a parent of 60 says little
    assert deduce(emptied(FAMILY, edad=[2]), [OLDER], terms=AGES).total == 0  # a partner is no parent
    assert deduce(emptied(FAMILY, edad=[0]), [OLDER], terms=AGES).total == 0


def test_a_child_of_forty_five_makes_a_parent_of_sixty():
    family = pl.DataFrame({"hogar": [1, 1], "kin": [1, 5], "edad": [66, 47]})
    ages = {str(age): str(age) if age < 60 else "60+" for age in range(111)}
    published = family.with_columns(edad=pl.Series(["60+", "47"]))
    found = deduce(emptied(published, edad=[0]), [OLDER], terms=Terms(codings={"edad": ages}))
    assert found.filled().column("edad").to_list() == ["60+", "47"]
    younger = published.with_columns(edad=pl.Series(["60+", "40"]))
    assert deduce(emptied(younger, edad=[0]), [OLDER], terms=Terms(codings={"edad": ages})).total == 0


def test_who_is_too_old_is_no_child():
    frame = pl.DataFrame({"hogar": [1, 1], "kin": [1, 8], "edad": [40, 66]})
    kin = {"kin": {"1": "1", "5": "5", "8": "8"}, "edad": {str(age): str(age) for age in range(111)}}
    one_head = Members("hogar", where="kin == 1", exactly=1)
    found = deduce(emptied(frame, kin=[1]), [OLDER, one_head], terms=Terms(codings=kin))
    assert found.filled().column("kin").to_list() == [1, 8]
    young = frame.with_columns(edad=pl.Series([66, 40]))
    assert deduce(emptied(young, kin=[1]), [OLDER, one_head], terms=Terms(codings=kin)).total == 0


# -- sums --------------------------------------------------------------------------------------------


def test_sums_in_exact_decimals():
    frame = pl.DataFrame({"a": [0.1, 2.0, 5.0], "b": [0.2, 3.5, 1.0], "c": [0.3, 5.5, 6.0]})
    rule = Sum(parts=("a", "b"), total="c")
    for name in ("a", "b", "c"):
        assert undone(frame, rule, **{name: [0, 1]}) == {name: [0, 1]}
    assert undone(frame, rule, a=[0], b=[0]) == {}
    whole = pl.DataFrame({"a": [1, 2], "b": [3, 4], "c": [4, 6]})
    assert undone(whole, rule, a=[1]) == {"a": [1]}


def test_incomes_of_a_household_add_up():
    book = Dictionary.of(Variable(name="trabajo", null="not_applicable"))
    frame = pl.DataFrame(
        {"hogar": [1, 1, 1, 2, 2], "trabajo": [100.5, 200, None, 50, None], "total": [300.5, 300.5, 300.5, 50, 50]}
    )
    data, rule = Microdata(frame, book), HouseholdSum("hogar", part="trabajo", total="total")
    assert undone(data, rule, trabajo=[0]) == {"trabajo": [0]}
    assert undone(data, rule, total=[0, 1, 2, 3]) == {"total": [0, 1, 2, 3]}
    assert undone(data, rule, trabajo=[0, 1], total=[3]) == {"total": [3]}
    wrong = Microdata(frame.with_columns(total=pl.Series([300.5, 300.5, 300.5, 50, 51])), book)
    assert not deduce(emptied(wrong, trabajo=[0]), [rule]).broken  # the total of a household is its first one
    other = Microdata(frame.with_columns(total=pl.Series([300.5, 300.5, 300.5, 60, 60])), book)
    found = deduce(emptied(other, trabajo=[0]), [rule])
    assert found.total == 0 and found.broken == {rule.name: 1}
