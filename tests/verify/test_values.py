"""Checkers of values refuse what is outside, finer, out of order, beyond, or off the grid."""

import numpy as np
import polars as pl
import pytest

from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import PromiseError
from celosia.core.language import speaking
from celosia.core.microdata import Microdata
from celosia.verify import Domain, InOrder, KeepsMissing, NoFiner, OnGrid, OnlyBeyond

BOOK = Dictionary.of(Variable(name="x", missing={99: "non_response"}))


def data(*values, dtype=None):
    return Microdata(pl.DataFrame({"x": pl.Series(values, dtype=dtype)}), BOOK)


def keeps(promise, before, after):
    try:
        promise.check(before, after)
    except PromiseError as error:
        for language in ("es", "en"):
            with speaking(language):
                assert error.message != f"error.{error.code}"
        return False
    return True


@pytest.mark.parametrize(
    ("promise", "before", "after", "kept"),
    [
        (Domain("x", frozenset({"1", "2"})), (1, 5), (1, 2), True),
        (Domain("x", frozenset({"1", "2"})), (1, 5, 99, None), (1, 2, 99, None), True),
        (Domain("x", frozenset({"1", "2"})), (1, 5), (1, 5), False),
        (KeepsMissing("x"), (1, 99, None), (2, 99, None), True),
        (KeepsMissing("x"), (1, 99, None), (1, 2, None), False),
        (KeepsMissing("x"), (1, 99, None), (1, None, None), False),
        (KeepsMissing("x"), (1, 99, None), (1, 99, 3), False),
        (KeepsMissing("x"), (1, 99, None), (None, 99, None), False),
        (KeepsMissing("x"), (1, 99, None), (99, 99, None), False),
        (NoFiner("x"), (1, 1, 2, None), (5, 5, 5, None), True),
        (NoFiner("x"), (1, 1, 2), (5, 6, 5), False),
        (NoFiner("x"), (1, 1, 2), (5, None, 5), False),
        (InOrder("x", ("b", "a")), (5, 1, 99, None), ("a", "b", "99", None), True),
        (InOrder("x", ("b", "a")), (5, 1), ("b", "a"), False),
        (InOrder("x", ("b", "a")), (5, 1), ("c", "b"), False),
        (OnlyBeyond("x", 2, 5, 2), (1, 2, 5, 6, 99), (2, 2, 5, 5, 99), True),
        (OnlyBeyond("x", 2, 5, 2), (1, 2, 5, 6), (2, 3, 5, 5), False),
        (OnlyBeyond("x", 2, 5, 2), (1, 6, 7), (8, 9, 10), False),
        (OnlyBeyond("x", -np.inf, 5, 1), (1, 6, 7), (1, 5, 5), True),
        (OnGrid("x", 5, 0), (12, 13, 99, None), (10, 15, 99, None), True),
        (OnGrid("x", 5, 0), (12,), (11,), False),
        (OnGrid("x", 5, 0), (12,), (20,), False),
        (OnGrid("x", 5, 2), (0.12, 0.13), (0.1, 0.15), True),
        (OnGrid("x", 5, 2), (0.12,), (0.15000000000000002,), False),
        (OnGrid("x", 5, 2), (0.12,), (0.25,), False),
    ],
)
def test_values(promise, before, after, kept):
    assert keeps(promise, data(*before), data(*after)) is kept


def test_a_cell_that_we_emptied_is_no_empty_cell_of_the_source():
    before = data("a", None).suppress({"x": np.array([True, False])})
    assert keeps(NoFiner("x"), before, before.with_columns({"x": pl.Series([None, "b"])}))
    assert not keeps(NoFiner("x"), data(None, None, dtype=pl.String), data(None, "b"))


def test_only_the_records_left_are_compared():
    before = data(1, 2, 99)
    after = before.take(np.array([2, 1]))
    for promise in (KeepsMissing("x"), NoFiner("x"), OnlyBeyond("x", 0, 9, 0), InOrder("x", ("1", "2"))):
        promise.check(before, after)
