"""Exact linkage against counting by hand, wildcards and empty answers included."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from strategies import key_frames

from celosia import Dictionary, Microdata, Variable, risk
from celosia.core.errors import CelosiaError


@pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")
@given(key_frames(max_keys=3), key_frames(max_keys=3, max_rows=60))
def test_candidates_and_those_that_agree_are_counted(frame, register):
    names = [name for name in frame.columns if name in register.columns and name != "w"]
    *keys, sensitive = names if len(names) > 1 else [*names, None]
    found = risk.exact_linkage(frame, keys, register, sensitive)
    for i, person in enumerate(register.iter_rows(named=True)):
        near = [
            other
            for other in frame.iter_rows(named=True)
            if all(None in (other[k], person[k]) or other[k] == person[k] for k in keys)
        ]
        assert found.candidates[i] == len(near)
        if sensitive is not None:
            same = [o for o in near if o[sensitive] is not None and str(o[sensitive]) == str(person[sensitive])]
            assert found.agreeing[i] == len(same)
    assert found.linked == (found.candidates == 1).sum() and found.table()["records"].sum() == register.height


def test_precision_is_read_beside_what_a_blind_guess_would_find():
    frame = pl.DataFrame({"a": [1, 2, 3, 4, 4], "s": ["x", "x", "y", "x", "x"]})
    register = pl.DataFrame({"a": [1, 2, 3, 4], "s": ["x", "y", "y", "x"]})
    found = risk.exact_linkage(frame, ["a"], register, "s")
    assert (found.linked, found.right) == (3, 2)
    assert found.precision == pytest.approx(2 / 3) and found.baseline == pytest.approx(1 / 3)
    assert found.expected == pytest.approx(3 / 4)


@pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")
def test_a_published_record_without_a_value_teaches_nothing_and_a_code_of_no_answer_is_a_value():
    book = Dictionary.of(Variable(name="s", missing={"99": "non_response"}))
    frame = Microdata(pl.DataFrame({"a": [1, 2], "s": [None, 99]}), book)
    register = Microdata(pl.DataFrame({"a": [1, 2], "s": [None, 99]}), book)
    found = risk.exact_linkage(frame, ["a"], register, "s")
    assert found.agreeing.tolist() == [0, 1] and found.right == 1


def test_a_cell_that_was_emptied_teaches_nothing_either():
    frame = Microdata(pl.DataFrame({"a": [1, 2], "s": ["x", "y"]})).suppress({"s": np.array([True, False])})
    found = risk.exact_linkage(frame, ["a"], pl.DataFrame({"a": [1, 2], "s": ["x", "y"]}), "s")
    assert found.candidates.tolist() == [1, 1] and found.agreeing.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("keys", "sensitive", "code"),
    [(["a"], "b", "register-without-keys"), (["a"], "a", "sensitive-is-key"), (["c"], None, "register-without-keys")],
)
def test_what_cannot_be_linked_is_named(keys, sensitive, code):
    with pytest.raises(CelosiaError) as error:
        risk.exact_linkage(pl.DataFrame({"a": [1], "b": [1]}), keys, pl.DataFrame({"a": [1]}), sensitive)
    assert error.value.code == code
