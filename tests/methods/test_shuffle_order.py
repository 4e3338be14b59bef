"""A new order: the same records, households together, nothing left of the old order."""

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import OptionError, RoleError
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.methods import ShuffleOrder

FRAME = pl.DataFrame({"hogar": [i // 4 for i in range(40)], "miembro": [i % 4 for i in range(40)]})


def test_records_travel_with_their_ids():
    data = Microdata(FRAME)
    after = ShuffleOrder().apply(data, Run(key=1)).data
    assert after.ids.tolist() != data.ids.tolist()
    assert sorted(after.ids.tolist()) == data.ids.tolist()
    assert after.in_order_of(data.ids).frame.equals(FRAME)


def test_households_stay_together():
    after = ShuffleOrder(household="hogar").apply(FRAME, Run(key=1)).data
    assert after["hogar"].rle().len() == 10
    assert after["hogar"].to_list() != FRAME["hogar"].to_list()
    inside = {tuple(part["miembro"]) for part in after.partition_by("hogar")}
    assert len(inside) > 1


def test_members_may_keep_their_order():
    after = ShuffleOrder(household="hogar", within=False).apply(FRAME, Run(key=1)).data
    assert after["miembro"].to_list() == [0, 1, 2, 3] * 10
    assert after["hogar"].to_list() != FRAME["hogar"].to_list()


@pytest.mark.parametrize("household", [None, "hogar"])
def test_nothing_is_left_of_the_order_that_came_in(household):
    frame = FRAME.with_columns(id=pl.int_range(40).cast(pl.String))
    book = Dictionary.of(Variable(name="id", role="id"))
    method = ShuffleOrder(household=household)
    found = [
        method.apply(Microdata(given, book, key=b"k" * 16), Run(key=4)).data.column("id").to_list()
        for given in (frame, frame.reverse(), frame.sample(fraction=1, shuffle=True, seed=1))
    ]
    assert found[0] == found[1] == found[2]


def test_another_key_is_another_order():
    orders = [ShuffleOrder().apply(FRAME, Run(key=key)).data.rows() for key in (1, 1, 2)]
    assert orders[0] == orders[1]
    assert orders[0] != orders[2]


def test_wrong_inputs():
    with pytest.raises(OptionError):
        ShuffleOrder(within=False)
    with pytest.raises(OptionError):
        ShuffleOrder(foo=1)
    with pytest.raises(RoleError):
        ShuffleOrder(household="nada").apply(FRAME)


def test_pandas():
    frame = pd.DataFrame({"x": range(20)}, index=[f"r{i}" for i in range(20)])
    after = ShuffleOrder().apply(frame).data
    assert after.index.tolist() == [f"r{x}" for x in after["x"]]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 5), max_size=30))
def test_it_is_a_permutation(homes):
    frame = pl.DataFrame({"h": pl.Series(homes, dtype=pl.Int64), "row": range(len(homes))})
    after = ShuffleOrder(household="h").apply(frame).data
    assert sorted(after.rows()) == sorted(frame.rows())
    assert after["h"].rle().len() == len(set(homes))
