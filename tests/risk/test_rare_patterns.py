"""Rare patterns: the definition, in order, and nobody's values outside the table."""

import polars as pl
import pytest
import uniques
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import CelosiaError
from celosia.risk.rare_patterns import rare_patterns

quiet = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


@quiet
@given(key_frames(), st.integers(1, 3), st.integers(1, 4))
def test_all_of_them_and_nothing_else(frame, at_most, max_size):
    frame = frame.drop("w").cast(pl.String)
    found = rare_patterns(frame, frame.columns, most=10**6, max_size=max_size, at_most=at_most)
    expected = uniques.rare(frame.rows(), at_most, min(max_size, frame.width))
    place = {name: j for j, name in enumerate(frame.columns)}
    ours = {(tuple(place[v] for v in p.variables), p.codes): (p.count, p.expected) for p in found.patterns}
    assert ours.keys() == expected.keys()
    for pattern, (count, chance) in expected.items():
        assert ours[pattern] == (count, pytest.approx(chance))
    ratios = [p.ratio for p in found.patterns]
    assert ratios == sorted(ratios)
    assert sum(found.found.values()) == len(expected)


@quiet
@given(key_frames(min_rows=5), st.integers(1, 5), st.randoms(use_true_random=False))
def test_the_list_is_the_beginning_of_the_whole(frame, most, chance):
    frame = frame.drop("w").cast(pl.String)
    order = list(range(frame.height))
    chance.shuffle(order)
    whole = rare_patterns(frame, frame.columns, most=10**6)
    short = rare_patterns(frame[order], frame.columns, most=most)
    assert short.table().rows() == whole.table().head(most).rows()
    assert short.found == whole.found


def test_the_widow_of_sixteen_comes_first():
    ages = ["16"] * 40 + ["70"] * 40
    civil = ["single"] * 39 + ["widow"] + ["single"] * 10 + ["widow"] * 30
    trade = ["shop"] * 78 + ["diver", "shop"]
    found = rare_patterns(pl.DataFrame({"age": ages, "civil": civil, "trade": trade}), ["age", "civil", "trade"])
    first = found.patterns[0]
    assert (first.variables, first.codes, first.count) == (("trade",), ("diver",), 1)
    second = found.patterns[1]
    assert (second.variables, second.codes) == (("age", "civil"), ("16", "widow"))
    assert second.expected == pytest.approx(80 * 0.5 * 31 / 80)


def test_values_are_in_the_table_only():
    frame = pl.DataFrame({"trade": ["shop"] * 9 + ["buzo-raro"], "sex": [1, 2] * 5})
    found = rare_patterns(frame, ["trade", "sex"])
    for shown in (repr(found), repr(found.patterns), str(found.to_dict()), found._repr_html_()):
        assert "buzo-raro" not in shown
    assert "buzo-raro" not in str(found.picture().specification) + found.picture().alternative
    assert found.table()["codes"].to_list() == ["buzo-raro"]


def test_not_applicable_is_named_and_unanswered_takes_no_part():
    frame = pl.DataFrame({"job": [None, 9, *[1] * 8]})
    variable = Variable(name="job", missing={9: "non_response"}, null="not_applicable")
    found = rare_patterns(Microdata(frame, Dictionary.of(variable)), ["job"])
    assert [p.codes for p in found.patterns] == [("not_applicable",)]
    assert found.patterns[0].expected == 4.5


@pytest.mark.parametrize("option", ["most", "max_size", "at_most"])
def test_options_below_one_are_refused(option):
    with pytest.raises(CelosiaError) as caught:
        rare_patterns(pl.DataFrame({"a": [1]}), ["a"], **{option: 0})
    assert caught.value.code == "option-whole" and caught.value.facts["option"] == option
