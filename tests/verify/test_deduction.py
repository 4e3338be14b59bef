"""What is deduced is forced: a brute-force search over every completion of the file finds no other published code."""

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import PromiseError
from celosia.core.language import speaking
from celosia.verify.deduction import (
    Dependency,
    Edit,
    HouseholdSum,
    Kin,
    Members,
    NotDeducible,
    Skip,
    Sum,
    Terms,
    deduce,
)

NAMES = ("a", "b", "c")


def emptied(frame, **cells):
    """The frame with some rows of some variables suppressed."""
    data = frame if isinstance(frame, Microdata) else Microdata(frame)
    return data.suppress({name: np.isin(np.arange(data.height), rows) for name, rows in cells.items()})


# -- how rules work together -------------------------------------------------------------------------


def test_a_domain_is_closed_only_where_every_published_value_has_a_label():
    rule = Edit(then="x != 1")
    two, three = pl.DataFrame({"x": [2, 2]}), pl.DataFrame({"x": [2, 2, 3]})
    for frame, labels, total in (
        (three, {1: "u", 2: "d", 3: "t"}, 0),  # 2 or 3
        (two, {1: "u", 2: "d"}, 1),
        (three, {1: "u", 2: "d"}, 0),  # there is a code without a label
        (two, {2: "d"}, 0),  # the only code there is, whatever the rule says
    ):
        data = Microdata(frame, Dictionary.of(Variable(name="x", values=labels)))
        assert deduce(emptied(data, x=[0]), [rule]).total == total


def test_one_deduction_leads_to_another():
    frame = pl.DataFrame({"a": [1, 1, 2], "b": [5, 5, 6], "c": [6, 6, 8]})
    rules = [Sum(parts=("a", "b"), total="c"), Dependency(of=("a",), gives="b")]
    found = deduce(emptied(frame, b=[0], c=[0]), rules)
    assert found.cells == {"b": 1, "c": 1} and found.filled().frame.equals(frame)
    assert set(found.table()["rule"]) == {rule.name for rule in rules}
    assert found.to_dict()["cells"] == {"b": 1, "c": 1} and found.emptied == {"b": 1, "c": 1}


def test_a_rule_that_the_file_contradicts_teaches_nothing_and_one_of_other_variables_is_named():
    frame = pl.DataFrame({"x": [1, 1, 2, 2], "y": ["a", "b", "c", "c"]})
    found = deduce(emptied(frame, y=[3]), [Dependency(of=("x",), gives="y"), Edit(then="nada == 1")])
    assert found.total == 0 and found.broken == {"x → y": 1} and found.untried == ("nada == 1",)
    assert found.filled().frame.equals(found.data.frame)


def test_what_is_left_stays_marked_and_the_input_is_not_touched():
    frame = pl.DataFrame({"x": ["a", "a", "b"], "y": ["1", "1", "2"], "z": [1, 2, 3]})
    data = emptied(frame, y=[0, 2], z=[1])
    before = data.frame.clone()
    filled = deduce(data, [Dependency(of=("x",), gives="y")]).filled()
    assert data.frame.equals(before) and filled.variables == data.variables
    assert filled.suppressed("y").to_list() == [False, False, True] and filled.suppressed("z").sum() == 1
    assert filled.ids.tolist() == data.ids.tolist()


def test_of_a_table_without_marks_every_empty_cell_was_emptied():
    frame = pl.DataFrame({"x": ["a", "a", "b"], "y": ["1", None, "2"]})
    for table in (frame, frame.to_pandas()):
        assert deduce(table, [Dependency(of=("x",), gives="y")]).cells == {"y": 1}


def test_wrong_deductions_are_left_out_beside_the_truth():
    frame = pl.DataFrame({"x": ["a", "a", "b", "b"], "y": ["1", "1", "2", "3"]})
    found = deduce(emptied(frame, y=[0, 3]), [Dependency(of=("x",), gives="y")])
    assert found.cells == {"y": 2}  # 3 is taken for 2: nothing published says otherwise
    assert found.filled(only=Microdata(frame)).column("y").to_list() == ["1", "1", "2", None]


def test_rules_of_the_original_codes_are_read_through_the_coding():
    """Ages are published in intervals; the rule speaks of years."""
    frame = pl.DataFrame({"edad": ["0-14", "0-14", "15+", "15+"], "trabaja": ["no", "no", "si", "no"]})
    data = emptied(frame, trabaja=[0], edad=[2])
    rule = Edit(given="edad < 15", then='trabaja == "no"')
    coding = {str(age): "0-14" if age < 15 else "15+" for age in range(100)}
    terms = Terms(codings={"edad": coding, "trabaja": {"no": "no", "si": "si"}})
    assert deduce(data, [rule], terms=terms).filled().frame.equals(frame)
    finer = Edit(given="edad < 10", then='trabaja == "no"')
    assert deduce(data, [finer], terms=terms).cells == {}  # a child of 12 may work, a worker may be 12
    assert deduce(data, [rule]).total == 0  # read as they stand, intervals are no ages


def test_an_emptied_cell_may_be_taken_to_have_been_answered():
    book = Dictionary.of(Variable(name="x", values={1: "u", 2: "d"}, missing={9: "non_response"}))
    data = emptied(Microdata(pl.DataFrame({"x": [1, 2]}), book), x=[0])
    rule = Edit(then="not x == 2")
    data = emptied(Microdata(pl.DataFrame({"x": [1, 1]}), book), x=[0])
    assert deduce(data, [rule]).total == 0
    assert deduce(data, [rule], terms=Terms(answered=True)).cells == {"x": 1}


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
    found = deduce(emptied(frame, y=[0]), promise.rules)
    assert "ZZSECRETZZ" not in repr(found) + str(found.to_dict()) + found._repr_html_()


# -- sound: brute force ------------------------------------------------------------------------------

DOMAIN = (None, "1", "2", "3")
BOOK = Dictionary.of(*(Variable(name=name, null="not_applicable") for name in NAMES))


def number(row, name):
    return row[name] is not None and int(row[name])


def homes(rows, group):
    """The households of a file: what shares a code; nobody shares nothing."""
    return [[row for row in rows if row[group] == home] for home in {row[group] for row in rows} - {None}]


def size_is(rows, group, size, wanted=lambda row: True, top=9):
    return all(
        row[size] is not None and int(row[size]) == min(sum(map(wanted, home)), top)
        for home in homes(rows, group)
        for row in home
    )


def functional(rows, of, gives):
    seen = {}
    return all(seen.setdefault(tuple(row[n] for n in of), row[gives]) == row[gives] for row in rows)


def older(rows, gap):
    """``c`` is the household, ``a`` the kin (1 parent, 2 child), ``b`` the age."""
    return all(
        int(parent["b"]) >= int(child["b"]) + gap
        for home in homes(rows, "c")
        for parent in home
        for child in home
        if parent["a"] == "1" and child["a"] == "2" and parent["b"] and child["b"]
    )


def adds_up(rows):
    return all(
        row["b"] is None or int(row["b"]) == sum(int(one["a"] or 0) for one in home)
        for home in homes(rows, "c")
        for row in home
    )


# Each rule, and what it says in plain Python.
RULES = (
    (Edit(given="a == 1", then="b == 2"), lambda rows: all(r["a"] != "1" or r["b"] == "2" for r in rows)),
    (Edit(given="missing(a)", then="b in (1, 2)"), lambda rows: all(r["a"] or r["b"] in ("1", "2") for r in rows)),
    (Edit(then="a != c"), lambda rows: all(r["a"] and r["c"] and r["a"] != r["c"] for r in rows)),
    (
        Edit(given="a < b", then="c > 1"),
        lambda rows: all(not (r["a"] and r["b"] and r["a"] < r["b"]) or (r["c"] and r["c"] > "1") for r in rows),
    ),
    (Skip(asked="b", where="a > 1"), lambda rows: all((r["b"] is None) != (number(r, "a") > 1) for r in rows)),
    (
        Sum(("a", "b"), "c"),
        lambda rows: all(
            sum(r[n] is None for n in NAMES) >= 2
            or (None not in (r["a"], r["b"], r["c"]) and int(r["a"]) + int(r["b"]) == int(r["c"]))
            for r in rows
        ),
    ),
    (Members("c", "a", top=3), lambda rows: size_is(rows, "c", "a", top=3)),
    (Members("c", "a", where="b == 2", top=3), lambda rows: size_is(rows, "c", "a", lambda r: r["b"] == "2", top=3)),
    (
        Members("c", where="a == 1", exactly=1),
        lambda rows: all(sum(r["a"] == "1" for r in home) == 1 for home in homes(rows, "c")),
    ),
    (Kin("c", parents="a == 1", children="a == 2", age="b", gap=1), lambda rows: older(rows, 1)),
    (HouseholdSum("c", part="a", total="b"), adds_up),
    (Dependency(("a",), "b"), lambda rows: functional(rows, ("a",), "b")),
    (Dependency(("b", "c"), "a"), lambda rows: functional(rows, ("b", "c"), "a")),
)
LEARNED = (Dependency,)


@st.composite
def suppressed_files(draw):
    rows = draw(st.integers(2, 4))
    cells = draw(st.lists(st.sampled_from([None, 1, 2, 3]), min_size=3 * rows, max_size=3 * rows))
    frame = pl.DataFrame({name: cells[i::3] for i, name in enumerate(NAMES)}, dict.fromkeys(NAMES, pl.Int64))
    gone = draw(st.sets(st.tuples(st.sampled_from(NAMES), st.integers(0, rows - 1)), min_size=1, max_size=4))
    coded = draw(st.sampled_from([(), ("a",), ("b",), ("a", "b")]))
    return frame, sorted(gone), coded


CODING = {None: None, "1": "1-2", "2": "1-2", "3": "3"}


def agree(file, gone, coded, rules):
    """Published code of every gone cell in each file that agrees with what is published and keeps the rules.

    An emptied total was given: a household sum leaves it open only where the file shows so.
    """
    given = ("b",) if adds_up in rules else ()
    rows = file.height
    choices = {}
    for name in NAMES:
        for row, code in enumerate(file[name].cast(pl.String).to_list()):
            hidden = (name, row) in gone
            alike = [c for c in DOMAIN if CODING[c] == CODING[code]] if name in coded else [code]
            choices[name, row] = (DOMAIN[1:] if name in given else DOMAIN) if hidden else alike
    seen = {cell: set() for cell in gone}
    for codes in product(*choices.values()):
        whole = dict(zip(choices, codes, strict=True))
        records = [{name: whole[name, row] for name in NAMES} for row in range(rows)]
        if all(keeps(records) for keeps in rules):
            for name, row in gone:
                seen[name, row].add(CODING[whole[name, row]] if name in coded else whole[name, row])
    return seen


def check_sound(file, gone, coded, chosen):
    data = Microdata(file, BOOK)
    published = {name: data.column(name).cast(pl.String).replace(CODING) for name in coded}
    data = data.with_columns(published)
    data = emptied(data, **{name: [row for n, row in gone if n == name] for name in {n for n, _ in gone}})
    plain = {code: code for code in DOMAIN}
    codings = {name: CODING if name in coded else plain for name in NAMES}
    found = deduce(data, [rule for rule, _ in chosen], terms=Terms(book=BOOK, codings=codings))
    if not found.total:
        return 0
    kept = [keeps for rule, keeps in chosen if rule.name not in found.broken]
    seen = agree(file, set(gone), coded, kept)
    filled = found.filled()
    for name, row in gone:
        if found.mask(name)[row] and seen[name, row]:
            code = filled.column(name).cast(pl.String)[row]
            assert seen[name, row] == {code}
    return found.total


@settings(deadline=None, max_examples=150)
@given(suppressed_files(), st.sets(st.sampled_from(range(len(RULES))), min_size=1, max_size=3))
def test_every_claim_is_the_only_code_in_any_file_that_keeps_the_rules(file, picked):
    frame, gone, coded = file
    chosen = [RULES[i] for i in picked]
    if any(isinstance(rule, LEARNED) for rule, _ in chosen):
        coded = ()  # functions are learned, and hold, of what is published
    if any(rule.household == "c" for rule, _ in chosen):
        gone = [cell for cell in gone if cell[0] != "c"] or [("a", 0)]
    check_sound(frame, gone, coded, chosen)


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
