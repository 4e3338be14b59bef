"""k-anonymity counted again on what a reader sees."""

import numpy as np
import polars as pl
import pytest

from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify import KAnonymous


def short(data, keys=("x",), k=2, strata=()):
    try:
        KAnonymous(keys, k, strata).check(data, data)
    except PromiseError as error:
        return error.facts["count"]
    return 0


@pytest.mark.parametrize(
    ("values", "count"),
    [
        (["a", "a", "b", "b"], 0),
        (["a", "a", "b"], 1),
        (["a", "b", "c"], 3),
        (["a", "a", None, None], 0),
        (["a", "a", None], 1),
    ],
)
def test_smallest_groups(values, count):
    assert short(Microdata(pl.DataFrame({"x": values}))) == count


def test_codes_of_non_response_are_one_and_not_applicable_is_its_own():
    book = Dictionary.of(
        Variable(name="x", missing={"88": "non_response", "99": "non_response", "-1": "not_applicable"})
    )
    assert short(Microdata(pl.DataFrame({"x": ["88", "99"]}), book)) == 0
    assert short(Microdata(pl.DataFrame({"x": ["88", None]}), book)) == 0
    assert short(Microdata(pl.DataFrame({"x": ["88", "-1"]}), book)) == 2


def test_a_suppressed_cell_is_a_category_of_its_own():
    data = Microdata(pl.DataFrame({"x": ["a", "b", None, None]}))
    emptied = data.suppress({"x": np.array([True, False, False, False])})
    assert short(emptied) == 2
    assert short(data.suppress({"x": np.array([True, True, False, False])})) == 0


def test_strata():
    data = Microdata(pl.DataFrame({"x": ["a", "a"], "z": [1, 2]}))
    assert short(data) == 0
    assert short(data, strata=("z",)) == 2


def test_pairs_of_numbers_do_not_run_together():
    data = Microdata(pl.DataFrame({"x": ["1", "12"], "y": ["23", "3"]}))
    assert short(data, keys=("x", "y")) == 2
