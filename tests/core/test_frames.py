"""What comes in as a table of some library goes back as one, with untouched columns untouched."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from celosia.core.errors import DataError
from celosia.core.frames import enter, give_back
from celosia.core.microdata import Microdata
from celosia.methods import (
    DropRecords,
    DropVariables,
    HouseholdSize,
    RecodeCategories,
    Rounding,
    ShuffleOrder,
    TopBottomCoding,
)


@pytest.fixture
def office():
    """A pandas table with the types that offices meet, a repeated index and a column without a text name."""
    columns = {
        "edad": np.array([1, 2, 3, 4], dtype="int16"),
        "zona": pd.Categorical(["x", "y", "x", "x"], categories=["y", "x", "z"]),
        "gasto": [1.5, np.nan, 2.675, -2.5],
        "hijos": pd.array([1, None, 2, 2], dtype="Int64"),
        "casado": [True, False, True, True],
        "fecha": pd.to_datetime(["2020-01-01", "2020-02-01", None, "2020-03-01"]),
        5: [1, 2, 3, 4],
    }
    return pd.DataFrame(columns, index=[10, 10, 7, 3])


def test_microdata_stays_microdata():
    data = Microdata(pl.DataFrame({"a": [1]}))
    assert enter(data) is data
    assert give_back(data, data, data) is data


def test_a_lazy_frame_stays_lazy():
    result = TopBottomCoding(variable="a", top=1).apply(pl.LazyFrame({"a": [1, 5]})).data
    assert isinstance(result, pl.LazyFrame)
    assert result.collect()["a"].to_list() == [1, 1]


def test_polars_types_survive_a_change():
    frame = pl.DataFrame(
        {
            "a": pl.Series([1, 9], dtype=pl.Int8),
            "b": pl.Series([1.0, float("nan")]),
            "c": pl.Series(["x", "y"], dtype=pl.Categorical),
        }
    )
    result = TopBottomCoding(variable="a", top=5).apply(frame).data
    assert result.schema == frame.schema
    assert result["b"].is_nan().to_list() == [False, True]


def test_polars_untouched_columns_are_shared():
    frame = pl.DataFrame({"a": [1, 2], "b": [3, 4]})
    result = TopBottomCoding(variable="a", top=1).apply(frame).data
    assert result["b"].to_physical().to_numpy().base is not None or result["b"].equals(frame["b"])
    assert frame["a"].to_list() == [1, 2]


def test_pandas_keeps_types_and_index(office):
    result = TopBottomCoding(variable="edad", top=2).apply(office).data
    assert list(result.columns) == list(office.columns)
    assert result.index.tolist() == [10, 10, 7, 3]
    assert result["edad"].tolist() == [1, 2, 2, 2]
    pd.testing.assert_series_equal(result.dtypes, office.dtypes)
    pd.testing.assert_frame_equal(result.drop(columns="edad"), office.drop(columns="edad"))


def test_pandas_index_travels_with_its_records(office):
    result = DropRecords(where="edad in (1, 3)").apply(office).data
    pd.testing.assert_frame_equal(result, office.iloc[[1, 3]])
    shuffled = ShuffleOrder().apply(office).data
    assert sorted(zip(shuffled.index, shuffled["edad"], strict=True)) == [(3, 4), (7, 3), (10, 1), (10, 2)]


def test_pandas_text_that_looks_like_numbers_stays_text(office):
    result = RecodeCategories(variables=("edad",), mapping={1: "01", 2: "02"}).apply(office).data
    assert result["edad"].tolist() == ["01", "02", "3", "4"]


def test_pandas_numbers_with_holes_stay_numbers(office):
    data = Microdata(office)
    emptied = data.suppress(
        {"edad": np.array([True, False, False, False]), "casado": np.array([False, True, False, False])}
    )
    result = give_back(emptied, office, enter(office))
    assert (str(result["edad"].dtype), str(result["casado"].dtype)) == ("Int64", "boolean")
    assert result["edad"].isna().tolist() == [True, False, False, False]
    assert result["casado"].isna().tolist() == [False, True, False, False]
    assert result["edad"].dropna().tolist() == [2, 3, 4]


def test_pandas_category_emptied_stays_category(office):
    emptied = Microdata(office).suppress({"zona": np.array([False, True, False, False])})
    result = give_back(emptied, office, enter(office))["zona"]
    assert result.cat.categories.tolist() == ["y", "x", "z"]
    assert result.isna().tolist() == [False, True, False, False]


def test_pandas_new_and_dropped_columns(office):
    result = HouseholdSize(household="zona").apply(office).data
    assert result["household_size"].tolist() == [3, 1, 3, 3]
    assert "zona" not in DropVariables(variables=("zona",)).apply(office).data.columns


def test_arrow_keeps_types():
    table = pa.table(
        {
            "a": pa.array([1, 2, 9], pa.int16()),
            "d": pa.array(["x", "y", "x"]).dictionary_encode(),
            "f": pa.array([1.25, None, 2.0], pa.float32()),
        }
    )
    result = TopBottomCoding(variable="a", top=2).apply(table).data
    assert isinstance(result, pa.Table)
    assert result.schema == table.schema
    assert result["a"].to_pylist() == [1, 2, 2]
    assert Rounding(variables=("f",), digits=1).apply(table).data["f"].to_pylist() == pytest.approx([1.3, None, 2.0])
    merged = RecodeCategories(variables=("d",), mapping={"x": "y"}).apply(table).data
    assert merged["d"].to_pylist() == ["y", "y", "y"]
    assert merged.schema.field("d").type in (pa.string(), table.schema.field("d").type)


def test_arrow_records_in_another_order():
    table = pa.table({"a": list(range(20)), "b": list(range(20))})
    result = ShuffleOrder().apply(table).data
    assert sorted(result["a"].to_pylist()) == list(range(20))
    assert result["a"].to_pylist() == result["b"].to_pylist()


def test_pandas_column_of_several_types_is_read_as_codes():
    """As ``read_excel`` gives a column with numbers and words; the codes are those of numbers and of words."""
    mixed = pd.DataFrame({"a": pd.Series([1, "x", None, 2.0, pd.NA, True], dtype=object), "b": range(6)})
    assert enter(mixed).column("a").to_list() == ["1", "x", None, "2", None, "true"]
    assert enter(pd.DataFrame({"a": [2**70, 1]})).column("a").to_list() == [2**70, 1]
    kept = DropVariables(variables=("b",)).apply(mixed).data
    pd.testing.assert_series_equal(kept["a"], mixed["a"])


@pytest.mark.parametrize("values", [[1j, 2j], [{"s": "ZZ"}, {"s": "ZZ"}], [b"ZZ", b"Z"], [object(), 1], [["ZZ"], "ZZ"]])
def test_a_column_that_holds_no_codes_is_named_and_not_shown(values):
    with pytest.raises(DataError) as error:
        enter(pd.DataFrame({"rara": pd.Series(values, dtype=object)}))
    assert error.value.code == "column-type"
    assert "rara" in str(error.value) and "ZZ" not in str(error.value)
    assert error.value.__suppress_context__ or error.value.__context__ is None
