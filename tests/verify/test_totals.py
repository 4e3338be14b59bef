"""The checker of totals refuses a total that moved by more than rounding, or a group that went."""

import numpy as np
import polars as pl
import pytest

from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify import SameTotals

DATA = Microdata(pl.DataFrame({"z": ["a", "a", None], "w": [1.0, 2.0, 4.0]}))


def weighted(*weights):
    return DATA.with_columns({"w": pl.Series(weights)})


@pytest.mark.parametrize("after", [weighted(1.0, 2.0, 4.0), weighted(2.0, 1.0, 4.0), weighted(1.0000004, 2.0, 4.0)])
def test_totals_that_stand(after):
    SameTotals("w").check(DATA, after)
    SameTotals("w", ("z",)).check(DATA, after)


def test_totals_that_stand_only_overall():
    after = weighted(1.0, 3.0, 3.0)
    SameTotals("w").check(DATA, after)
    with pytest.raises(PromiseError) as caught:
        SameTotals("w", ("z",)).check(DATA, after)
    assert caught.value.facts["count"] == 2


def test_totals_that_moved():
    with pytest.raises(PromiseError):
        SameTotals("w").check(DATA, weighted(1.0, 2.0, 4.0001))


def test_a_group_that_went():
    with pytest.raises(PromiseError):
        SameTotals("w", ("z",)).check(DATA, DATA.take(np.array([0, 1])))


def test_variables_may_have_any_name():
    frame = pl.DataFrame({"total": ["a", "a", "b"], "everybody": [1, 1, 1], "records": [2.0, 3.0, 4.0]})
    data = Microdata(frame)
    promise = SameTotals("records", ("total", "everybody"))
    promise.check(data, data)
    with pytest.raises(PromiseError):
        promise.check(data, data.with_columns({"records": pl.Series([2.0, 3.0, 5.0])}))
