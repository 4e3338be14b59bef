"""Checkers of values refuse what is outside, finer, or off the grid."""

import numpy as np
import polars as pl
import pytest

from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import PromiseError
from celosia.core.language import speaking
from celosia.core.microdata import Microdata
from celosia.verify import Domain, KeepsMissing, NoFiner, OnGrid

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
        (OnGrid("x", 5, 0), (12, 13, 99, None), (10, 15, 99, None), True),
        (OnGrid("x", 5, 0), (12,), (11,), False),
        (OnGrid("x", 5, 0), (12,), (15,), False),
        (OnGrid("x", 5, 0, "down"), (12, -12, 10), (10, -15, 10), True),
        (OnGrid("x", 5, 0, "down"), (12,), (15,), False),
        (OnGrid("x", 5, 0, "up"), (12, -12, 10), (15, -10, 10), True),
        (OnGrid("x", 5, 0, "up"), (12,), (10,), False),
        (OnGrid("x", 5, 0, "up"), (10,), (15,), False),
        (OnGrid("x", 10, 0), (5, -5), (10, -10), True),
        (OnGrid("x", 10, 0), (5,), (0,), False),
        (OnGrid("x", 1, 0), (2.5, -2.5), (3.0, -3.0), True),
        (OnGrid("x", 1, 0), (2.5,), (2.0,), False),
        (OnGrid("x", 1, 2, "down"), (0.57, 1.005), (0.57, 1.0), True),
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
    for promise in (KeepsMissing("x"), NoFiner("x"), OnGrid("x", 1, 0)):
        promise.check(before, after)
