"""Members counted."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from celosia.core.dictionary import Dictionary, Level, Variable
from celosia.core.errors import DataError, OptionError, PromiseError, RoleError
from celosia.core.language import speaking
from celosia.core.microdata import Microdata
from celosia.methods import HouseholdSize

FRAME = pl.DataFrame({"hogar": ["a", "b", "a", "c", "a", "b"]})


def test_sizes():
    result = HouseholdSize(household="hogar", new_variable="n").apply(FRAME).data
    assert result["n"].to_list() == [3, 2, 3, 1, 3, 2]
    assert result["hogar"].to_list() == FRAME["hogar"].to_list()


def test_a_top():
    result = HouseholdSize(household="hogar", top=2).apply(Microdata(FRAME)).data
    assert result.column("household_size").to_list() == [2, 2, 2, 1, 2, 2]
    variable = result.dictionary["household_size"]
    assert dict(variable.values) == {"1": "1", "2": "2+"}
    assert variable.level is Level.DISCRETE


def test_missing_households():
    book = Dictionary.of(Variable(name="hogar", missing={"c": "non_response"}))
    for data in (Microdata(FRAME, book), FRAME.with_columns(hogar=pl.Series(["a", None, "a", "c", "a", "b"]))):
        with pytest.raises(DataError) as caught:
            HouseholdSize(household="hogar").apply(data)
        assert caught.value.code == "group-missing"
        assert caught.value.facts["count"] == 1


@pytest.mark.parametrize("language", ["es", "en"])
def test_a_size_that_says_that_somebody_left_is_not_published(language):
    method = HouseholdSize(household="hogar")
    (promise,) = method.lasting()
    whole = method.apply(Microdata(FRAME)).data
    promise.check(whole, whole)
    torn = whole.take(np.array([0, 1, 2, 3, 5]))
    with pytest.raises(PromiseError) as caught:
        promise.check(torn, torn)
    assert caught.value.facts["count"] == 2
    with speaking(language):
        assert "household_size" in str(caught.value)


def test_a_size_that_nobody_can_compare_is_passed_over():
    method = HouseholdSize(household="hogar")
    (promise,) = method.lasting()
    torn = method.apply(Microdata(FRAME)).data.take(np.array([0, 1]))
    recoded = torn.with_columns({"household_size": pl.Series(["2-3", "2-3"])})
    emptied = torn.suppress({"household_size": np.array([True, True])})
    for left in (torn.drop("hogar"), torn.drop("household_size"), recoded, emptied):
        promise.check(left, left)


def test_wrong_inputs():
    with pytest.raises(RoleError):
        HouseholdSize(household="nada").apply(FRAME)
    with pytest.raises(DataError):
        HouseholdSize(household="hogar", new_variable="Hogar").apply(FRAME)
    for options in ({"top": 0}, {"foo": 1}):
        with pytest.raises(OptionError):
            HouseholdSize(household="hogar", **options)


def test_pandas():
    frame = pd.DataFrame({"hogar": [7, 7, 8]}, index=["x", "y", "z"])
    result = HouseholdSize(household="hogar").apply(frame).data
    assert result["household_size"].tolist() == [2, 2, 1]
    assert result.index.tolist() == ["x", "y", "z"]
