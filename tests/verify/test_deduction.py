"""What is deduced is forced: a brute-force search over every completion of the file finds no other code."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import PromiseError, RoleError
from celosia.core.hierarchy import Hierarchy
from celosia.core.language import speaking
from celosia.verify.deduction import Dependency, Edit, Members, NotDeducible, Sum, deduce, dependencies

NAMES = ("a", "b", "c")


def emptied(frame, **cells):
    """The frame with some rows of some variables suppressed."""
    data = frame if isinstance(frame, Microdata) else Microdata(frame)
    return data.suppress({name: np.isin(np.arange(data.height), rows) for name, rows in cells.items()})


# -- what each rule gives away -----------------------------------------------------------------------


def test_an_edit_rule_fills_in_what_it_forces_and_excludes_what_it_forbids():
    frame = pl.DataFrame({"edad": [9, 9, 40], "trabaja": ["no", "no", "si"]})
    rule = Edit(given="edad < 15", then='trabaja == "no"')
    data = emptied(frame, trabaja=[0])
    found = deduce(data, [rule], {"trabaja": ("si", "no")})
    assert found.cells == {"trabaja": 1} and found.mask("trabaja").tolist() == [True, False, False]
    assert found.filled().frame.equals(frame) and found.filled().suppressed("trabaja").sum() == 0
    assert found.table().rows() == [("trabaja", rule.name, 1)]
    against = deduce(emptied(frame, edad=[2]), [rule], {"edad": (9, 40)})
    assert against.filled().frame.equals(frame)  # who works is not 9


def test_a_skip_gives_away_the_code_of_not_applicable():
    book = Dictionary.of(
        Variable(name="oficio", values={"1": "A", "2": "B"}, missing={"-1": "not_applicable", "9": "non_response"})
    )
    data = Microdata(pl.DataFrame({"edad": [9, 30, 40], "oficio": [-1, 1, 2]}), book)
    hidden = emptied(data, oficio=[0])
    skip = Edit(given="edad < 15", then="missing(oficio)")
    assert deduce(hidden, [skip]).total == 0  # it may be non-response
    known = Dictionary.of(Variable(name="oficio", values={"1": "A", "2": "B"}, missing={"-1": "not_applicable"}))
    found = deduce(hidden.with_dictionary(known), [skip])
    assert found.cells == {"oficio": 1} and found.filled().column("oficio").to_list() == [-1, 1, 2]


def test_a_domain_is_closed_only_where_every_published_value_has_a_label():
    rule = Edit(then="x != 1")
    frame = pl.DataFrame({"x": [2, 2, 3]})
    for labels, total in (({1: "u", 2: "d", 3: "t"}, 0), ({1: "u", 2: "d"}, 1), ({2: "d"}, 0)):
        data = Microdata(frame.head(2) if len(labels) < 3 else frame, Dictionary.of(Variable(name="x", values=labels)))
        assert deduce(emptied(data, x=[0]), [rule]).total == (1 if labels == {2: "d"} else total)
    partial = Microdata(frame, Dictionary.of(Variable(name="x", values={2: "d"})))
    assert deduce(emptied(partial, x=[0]), [rule]).total == 0


def test_linked_variables_and_what_a_group_shares():
    frame = pl.DataFrame({"comuna": ["01101", "01101", "02101", "13101"], "region": ["01", "01", "02", "13"]})
    rule = Dependency(of=("comuna",), gives="region")
    assert deduce(emptied(frame, region=[0, 3]), [rule]).mask("region").tolist() == [True, False, False, False]
    assert deduce(emptied(frame, region=[0, 1]), [rule]).total == 0
    tree = Hierarchy.from_prefix(frame["comuna"], lengths=(3, 2))
    by_code = Dependency.of_hierarchy("comuna", "region", tree, 2)
    assert deduce(emptied(frame, region=[0, 1, 3]), [by_code]).cells == {"region": 3}
    back = deduce(emptied(frame, comuna=[2]), [by_code], {"comuna": tree.codes[0]})
    assert back.filled().frame.equals(frame)


def test_an_unanswered_cell_binds_nobody():
    frame = pl.DataFrame({"x": [None, None, "a", "a"], "y": ["1", "2", "3", "3"]})
    found = deduce(emptied(frame, y=[0, 2]), [Dependency(of=("x",), gives="y")])
    assert not found.broken and found.mask("y").tolist() == [False, False, True, False]


def test_household_size_is_counted_unless_a_household_is_hidden():
    frame = pl.DataFrame({"hogar": [1, 1, 1, 2], "personas": [3, 3, 3, 1]})
    rule = Members(household="hogar", size="personas")
    assert deduce(emptied(frame, personas=[0, 3]), [rule]).filled().frame.equals(frame)
    assert deduce(emptied(frame, personas=[0, 3], hogar=[2]), [rule]).total == 0
    topped = frame.with_columns(personas=pl.Series([2, 2, 2, 1]))
    assert deduce(emptied(topped, personas=[0]), [Members("hogar", "personas", 2)]).filled().frame.equals(topped)


def test_sums_in_exact_decimals():
    frame = pl.DataFrame({"a": [0.1, 2.0, 5.0], "b": [0.2, 3.5, 1.0], "c": [0.3, 5.5, 6.0]})
    rule = Sum(parts=("a", "b"), total="c")
    for name in NAMES:
        assert deduce(emptied(frame, **{name: [0, 1]}), [rule]).filled().frame.equals(frame)
    assert deduce(emptied(frame, a=[0], b=[0]), [rule]).total == 0
    whole = pl.DataFrame({"a": [1, 2], "b": [3, 4], "c": [4, 6]})
    assert deduce(emptied(whole, a=[1]), [rule]).filled().frame.equals(whole)


def test_one_deduction_leads_to_another():
    frame = pl.DataFrame({"a": [1, 1, 2], "b": [5, 5, 6], "c": [6, 6, 8]})
    rules = [Sum(parts=("a", "b"), total="c"), Dependency(of=("a",), gives="b")]
    found = deduce(emptied(frame, b=[0], c=[0]), rules)
    assert found.cells == {"b": 1, "c": 1} and found.filled().frame.equals(frame)
    assert set(found.table()["rule"]) == {rule.name for rule in rules}


def test_a_rule_that_the_file_contradicts_teaches_nothing():
    frame = pl.DataFrame({"x": [1, 1, 2, 2], "y": ["a", "b", "c", "c"]})
    found = deduce(emptied(frame, y=[3]), [Dependency(of=("x",), gives="y")])
    assert found.total == 0 and found.broken == {"x → y": 1}
    assert found.filled().frame.equals(found.data.frame)


def test_functions_in_the_data_are_proposed_but_trivial_ones_are_not():
    columns = {"zona": list("aabbccdd"), "area": list("uuuurrrr"), "azar": list("uruurrur"), "fijo": ["x"] * 8}
    frame = pl.DataFrame({name: cells * 2 for name, cells in columns.items()} | {"id": range(16)})
    data = emptied(frame, area=[0], fijo=[1])
    assert [(rule.of, rule.gives) for rule in dependencies(data)] == [(("zona",), "area")]
    assert deduce(data, dependencies(data)).filled().column("area").equals(frame["area"])
    assert dependencies(data, among=("id", "area")) == ()


def test_what_is_left_stays_marked_and_the_input_is_not_touched():
    frame = pl.DataFrame({"x": ["a", "a", "b"], "y": ["1", "1", "2"], "z": [1, 2, 3]})
    data = emptied(frame, y=[0, 2], z=[1])
    before = data.frame.clone()
    filled = deduce(data, [Dependency(of=("x",), gives="y")]).filled()
    assert data.frame.equals(before) and filled.variables == data.variables
    assert filled.suppressed("y").to_list() == [False, False, True] and filled.suppressed("z").sum() == 1
    assert filled.ids.tolist() == data.ids.tolist()


@pytest.mark.parametrize("language", ["es", "en"])
def test_the_promise_counts_and_shows_no_value(language):
    frame = pl.DataFrame({"x": ["a", "a"], "y": ["ZZSECRETZZ", "ZZSECRETZZ"]})
    promise = NotDeducible((Dependency(of=("x",), gives="y"),))
    promise.check(Microdata(frame), emptied(frame, y=[0, 1]))
    with pytest.raises(PromiseError) as caught:
        promise.check(Microdata(frame), emptied(frame, y=[0]))
    assert caught.value.facts["count"] == 1
    with speaking(language):
        assert "ZZSECRETZZ" not in str(caught.value) and " y " in str(caught.value)
    assert "ZZSECRETZZ" not in repr(deduce(emptied(frame, y=[0]), promise.rules))


def test_a_variable_that_is_not_there():
    with pytest.raises(RoleError):
        deduce(Microdata(pl.DataFrame({"x": [1]})), [Edit(then="nada == 1")])


# -- sound: brute force ------------------------------------------------------------------------------

EDITS = (
    Edit(given="a == 1", then="b == 2"),
    Edit(given="a < b", then="c > 1"),
    Edit(given="missing(a)", then="b in (1, 2)"),
    Edit(then="a != c"),
    Edit(then="not missing(b)"),
)
LINKS = (Dependency(("a",), "b"), Dependency(("b", "c"), "a"), Sum(("a", "b"), "c"), Members("c", "a"))
DOMAIN = (None, "1", "2", "3")


@st.composite
def suppressed_files(draw):
    rows = draw(st.integers(2, 4))
    cells = draw(st.lists(st.sampled_from([None, 1, 2, 3]), min_size=3 * rows, max_size=3 * rows))
    frame = pl.DataFrame({name: cells[i::3] for i, name in enumerate(NAMES)}, dict.fromkeys(NAMES, pl.Int64))
    gone = draw(st.sets(st.tuples(st.sampled_from(NAMES), st.integers(0, rows - 1)), min_size=1, max_size=4))
    return frame, sorted(gone)


@settings(deadline=None, max_examples=120)
@given(suppressed_files(), st.sets(st.sampled_from((*EDITS, *LINKS)), min_size=1, max_size=3))
def test_every_claim_is_the_only_code_in_any_file_that_keeps_the_rules(file, rules):
    frame, gone = file
    data = Microdata(frame)
    data = emptied(data, **{name: [row for n, row in gone if n == name] for name in {n for n, _ in gone}})
    found = deduce(data, list(rules), dict.fromkeys(NAMES, DOMAIN))
    if not found.total:
        return
    kept = [rule for rule in rules if rule.name not in found.broken]
    columns = {name: frame[name].to_list() for name in NAMES}
    seen: dict[tuple[str, int], set[object]] = {cell: set() for cell in gone}
    for codes in product((None, 1, 2, 3), repeat=len(gone)):
        for (name, row), code in zip(gone, codes, strict=True):
            columns[name][row] = code
        whole = Microdata(pl.DataFrame(columns, frame.schema))
        everybody = np.ones(frame.height, dtype=bool)
        if all(rule.learned(whole, everybody).satisfied(whole).all() for rule in kept):
            for cell, code in zip(gone, codes, strict=True):
                seen[cell].add(code)
    filled = found.filled()
    for name, row in gone:
        if found.mask(name)[row] and seen[name, row]:
            assert seen[name, row] == {filled.column(name)[row]}


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=2, max_size=6), st.data())
def test_a_single_unknown_under_one_edit_rule_is_always_found(records, chance):
    """Complete as well, where one cell of the file is gone and the rule speaks of it."""
    frame = pl.DataFrame(records, schema=["a", "b"], orient="row")
    rule = Edit(given="a == 1", then="b != 2")
    row = chance.draw(st.integers(0, frame.height - 1))
    found = deduce(emptied(frame, b=[row]), [rule], {"b": ("1", "2")})
    others = frame.with_row_index().filter(pl.col("index") != row)
    broken = others.filter((pl.col("a") == 1) & (pl.col("b") == 2)).height
    closed = 3 not in others["b"].to_list()
    assert found.total == int(not broken and frame["a"][row] == 1 and closed)
