"""New identifiers link what the old ones linked, also where the old numbers start again in every area."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import DataError, PromiseError, RoleError
from celosia.methods import NewIds
from celosia.verify import OneToOne

RECORDS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2), st.integers(0, 1)), min_size=1, max_size=20)


@given(RECORDS, st.sampled_from([(), ("zona",), ("zona", "region")]))
def test_records_share_a_number_where_they_shared_one(records, within):
    frame = pl.DataFrame(records, schema=["casa", "zona", "region"], orient="row")
    new = NewIds(variable="casa", within=within).apply(frame, Run(key=1)).data
    old = frame.select("casa", *within)
    assert sorted(set(new["casa"])) == list(range(1, old.n_unique() + 1))
    assert old.with_columns(new=new["casa"]).n_unique() == old.n_unique()
    assert new.drop("casa").equals(frame.drop("casa"))


def test_a_cell_that_is_missing_belongs_to_no_group():
    frame = pl.DataFrame({"casa": [1, 1], "zona": ["a", None]})
    with pytest.raises(DataError) as caught:
        NewIds(variable="casa", within=("zona",)).apply(frame)
    assert caught.value.facts == {"variable": "zona", "count": 1}
    with pytest.raises(RoleError):
        NewIds(variable="casa", within=("nada",)).apply(frame)
    assert NewIds(variable="casa", within=("zona",)).apply(frame.clear()).data.height == 0


def test_nothing_that_was_said_of_the_old_numbers_makes_a_new_one_missing():
    span = {"low": 1, "high": 2}
    old = Variable(name="casa", missing_ranges=(span,), missing={3: "non_response"}, null="non_response")
    after = NewIds(variable="casa").apply(Microdata(pl.DataFrame({"casa": [70, 80, 90]}), Dictionary.of(old))).data
    assert not after.dictionary["casa"].missing_mask(after.column("casa")).any()
    assert not after.dictionary["casa"].declares_missing


@pytest.mark.parametrize("wrong", [[1, 1, 2, 2], [1, 2, 3, 4]])
def test_the_checker_sees_numbers_that_join_or_split(wrong):
    before = Microdata(pl.DataFrame({"casa": [1, 1, 1, 2], "zona": list("aabb")}))
    promise = OneToOne("casa", ("zona",))
    promise.check(before, before.with_columns({"casa": pl.Series([1, 1, 2, 3])}))
    with pytest.raises(PromiseError):
        promise.check(before, before.with_columns({"casa": pl.Series(wrong)}))
