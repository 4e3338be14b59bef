"""Microdata: immutable, with ids and marks that follow every record."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import DataError, RoleError
from celosia.core.language import speaking

KEY = bytes(range(32))


def data(**columns):
    return Microdata(pl.DataFrame(columns or {"a": [1, 2, 3], "b": ["x", "y", "z"]}))


def test_every_table_is_taken_in():
    frame = pl.DataFrame({"a": [1, None], "b": ["x", "y"]})
    for table in (frame, frame.lazy(), frame.to_arrow(), pd.DataFrame({"a": [1, None], "b": ["x", "y"]})):
        held = Microdata(table)
        assert held.variables == ("a", "b") and held.height == 2
        assert held.column("a").to_list() == [1, None]
    with pytest.raises(DataError):
        Microdata([1, 2])


def test_nan_is_nothing():
    assert data(x=[1.0, float("nan")]).column("x").null_count() == 1


@pytest.mark.parametrize("frame", [pl.DataFrame({"a": [1], "A": [2]}), pd.DataFrame([[1, 2]], columns=["a", "a"])])
def test_names_must_differ_by_more_than_case(frame):
    with pytest.raises(DataError) as error:
        Microdata(frame)
    assert error.value.code == "duplicate-variable"


def test_nested_columns_and_reserved_names_are_refused():
    for frame, code in (
        (pl.DataFrame({"a": [[1]]}), "column-type"),
        (pl.DataFrame({"__celosia_id__": [1]}), "reserved-name"),
    ):
        with pytest.raises(DataError) as error:
            Microdata(frame)
        assert error.value.code == code


def test_it_cannot_be_changed():
    with pytest.raises(AttributeError):
        data().dictionary = Dictionary()
    assert "1" not in repr(data(secret=["ZZ"])).replace("1 records", "").replace("1 variables", "")


def test_the_id_is_the_position_or_the_declared_one():
    assert data().ids.tolist() == [0, 1, 2]
    frame = pl.DataFrame({"rut": ["k-1", "k-2", "k-3"], "a": [1, 2, 3]})
    book = Dictionary.of(Variable(name="rut", role="id"))
    one, again = Microdata(frame, book, key=KEY), Microdata(frame[[2, 0, 1]], book, key=KEY)
    assert one.ids[[2, 0, 1]].tolist() == again.ids.tolist()
    assert Microdata(frame, book, key=bytes(32)).ids.tolist() != one.ids.tolist()


@pytest.mark.parametrize(("ids", "code"), [(["a", None, "b"], "id-missing"), (["a", "b", "a"], "id-repeated")])
def test_a_doubtful_id_is_refused(ids, code):
    with pytest.raises(DataError) as error:
        Microdata(pl.DataFrame({"id": ids}), Dictionary.of(Variable(name="id", role="id")))
    assert error.value.code == code


def test_ids_and_marks_follow_the_records():
    held = data().suppress({"b": np.array([False, True, False])})
    assert held.column("b").to_list() == ["x", None, "z"]
    chosen = held.take(np.array([2, 1]))
    assert chosen.ids.tolist() == [2, 1] and chosen.suppressed("b").to_list() == [False, True]
    assert held.take(np.array([True, False, True])).suppressed("b").any() is False
    both = Microdata.concat([held.take(np.array([1])), data().take(np.array([0, 2]))]).in_order_of(held.ids)
    assert both.frame.equals(held.frame) and both.suppressed("b").to_list() == [False, True, False]
    assert held.drop("b").marked == () and held.drop("a").marked == ("b",)


def test_a_suppressed_cell_that_was_empty_already_looks_like_the_others():
    held = data(a=[1, None, None]).suppress({"a": np.array([True, True, False])})
    assert held.suppressed("a").to_list() == [True, True, False] and held.column("a").null_count() == 3


def test_untouched_columns_are_shared():
    held = data()
    assert held.with_columns({"a": pl.Series([9, 9, 9])}).column("b").to_physical() is not None
    assert held.column("a").to_list() == [1, 2, 3]


def test_attached_columns_reach_every_member():
    persons = data(h=[1, 2, 1], v=["x", "y", "x"])
    homes = persons.take(np.array([0, 1])).with_columns({"v": pl.Series(["X", "Y"])})
    homes = homes.suppress({"v": np.array([False, True])})
    joined = persons.attach(homes, "h", ["v"])
    assert joined.column("v").to_list() == ["X", None, "X"] and joined.variables == ("h", "v")
    assert joined.suppressed("v").to_list() == [False, True, False] and joined.ids.tolist() == [0, 1, 2]


def test_an_unknown_variable_says_which_there_are():
    with pytest.raises(RoleError, match="b"):
        data().column("z")
    with pytest.raises(RoleError):
        Microdata(pl.DataFrame({"a": [1]}), Dictionary.of(Variable(name="z")))


@pytest.mark.parametrize(
    ("days", "taken"), [([0, None], True), ([-719_162, 2_932_896], True), ([-719_163], False), ([2_932_897], False)]
)
@pytest.mark.parametrize("moment", [False, True])
def test_dates_beyond_the_calendar_are_refused(days, taken, moment):
    dates = pl.Series("f", days, dtype=pl.Int32).cast(pl.Date)
    frame = pl.DataFrame([dates.cast(pl.Datetime("us")) if moment else dates])
    if taken:
        assert Microdata(frame).height == len(days)
    else:
        with pytest.raises(DataError) as error:
            Microdata(frame)
        assert error.value.code == "date-range"


def test_a_mark_stays_only_where_the_cell_is_still_empty():
    data = Microdata(pl.DataFrame({"x": [1, 2, 3]})).suppress({"x": np.array([True, True, False])})
    again = data.with_columns({"x": pl.Series([None, 2, 3])})
    assert again.suppressed("x").to_list() == [True, False, False]


@pytest.mark.parametrize("written", ["99.0", "99.", "099", "9.9e1", "99"])
@pytest.mark.parametrize("values", [[99, 3, None], [99.0, 3.5, None]])
def test_a_code_of_numbers_is_found_however_it_was_written(written, values):
    book = Dictionary.of(Variable(name="x", missing={written: "non_response"}, values={written: "No sabe"}))
    for held in (
        Microdata(pl.DataFrame({"x": values}), book),
        Microdata(pl.DataFrame({"x": values})).with_dictionary(book),
    ):
        variable = held.dictionary["x"]
        assert variable.missing_mask(held.column("x")).to_list() == [True, False, True]
        assert dict(variable.values) == {"99": "No sabe"}


def test_codes_of_text_keep_their_spelling():
    book = Dictionary.of(Variable(name="x", missing={"099": "non_response", "9.0": "non_response"}))
    held = Microdata(pl.DataFrame({"x": ["099", "9"]}), book)
    assert held.dictionary is book
    assert held.dictionary["x"].missing_mask(held.column("x")).to_list() == [True, False]


@pytest.mark.parametrize("language", ["es", "en"])
def test_one_number_is_missing_in_one_way(language):
    book = Dictionary.of(Variable(name="x", missing={"99": "non_response", "99.0": "not_applicable"}))
    with pytest.raises(DataError) as caught, speaking(language):
        Microdata(pl.DataFrame({"x": [99]}), book)
    assert caught.value.code == "missing-two-kinds"
    assert Microdata(pl.DataFrame({"x": ["99"]}), book).dictionary is book
