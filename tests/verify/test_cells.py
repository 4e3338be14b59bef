"""Checkers of cells refuse a value changed, a column lost or left, an emptied cell without a mark."""

import numpy as np
import polars as pl
import pytest

from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify import Absent, EmptiedOnly, Untouched

DATA = Microdata(pl.DataFrame({"x": [1, 2, None], "y": ["a", "b", "c"]}))
FIRST = np.array([True, False, False])


def with_x(values, dtype=None):
    return DATA.with_columns({"x": pl.Series(values, dtype=dtype)})


def refused(promise, after, before=DATA):
    with pytest.raises(PromiseError) as caught:
        promise.check(before, after)
    return caught.value.code


def test_untouched():
    Untouched().check(DATA, DATA)
    Untouched().check(DATA, DATA.take(np.array([2, 0])))
    Untouched(frozenset({"x"})).check(DATA, with_x([9, 9, 9]))
    assert refused(Untouched(), with_x([1, 3, None])) == "promise-untouched"
    assert refused(Untouched(), with_x([1, 2, 0])) == "promise-untouched"
    assert refused(Untouched(), with_x([1, 2, None], pl.Float64)) == "promise-untouched"
    assert refused(Untouched(), DATA.drop("y")) == "promise-variable-lost"


def test_emptied_only():
    EmptiedOnly(("x",)).check(DATA, DATA.suppress({"x": FIRST}))
    assert refused(EmptiedOnly(("x",)), with_x([None, 2, None])) == "promise-unmarked"
    assert refused(EmptiedOnly(("x",)), with_x([2, 2, None])) == "promise-emptied"
    assert refused(EmptiedOnly(("x",)), with_x([1, 2, 3])) == "promise-emptied"

    kept = DATA.suppress({"x": FIRST})
    kept = Microdata._of(kept._frame.with_columns(pl.Series("x", [1, 2, None])), kept.dictionary)
    assert refused(EmptiedOnly(("x",)), kept) == "promise-marked"


def test_absent():
    Absent(("x",)).check(DATA, DATA.drop("x"))
    assert refused(Absent(("x",)), DATA) == "promise-variable-left"
    described = DATA.drop("x").with_dictionary(Dictionary.of(Variable(name="x", label="secreto")))
    assert refused(Absent(("x",)), described) == "promise-variable-left"
