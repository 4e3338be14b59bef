"""Members counted."""

import pandas as pd
import polars as pl
import pytest

from celosia.core.dictionary import Dictionary, Level, Variable
from celosia.core.errors import DataError, OptionError, RoleError
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
