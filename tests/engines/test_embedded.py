"""What the contract asks of the embedded engine beyond counting."""

import narwhals as nw
import numpy as np
import polars as pl
import pytest

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import DataError
from celosia.engines import engine


def held(frame: pl.DataFrame, **variables):
    return engine(Microdata(frame, Dictionary.of(*(Variable(name=n, **facts) for n, facts in variables.items()))))


def test_keys_come_sorted_with_their_meaning():
    frame = pl.DataFrame({"a": ["b", "a", None, "b"], "n": [10, 9, 10, 10]})
    keys = held(frame, a={"null": "non_response"}).encode(["a", "n"], "wildcard")
    assert keys.digits.tolist() == [[0, 2], [1, 1], [2, 2]]
    assert keys.categories[0].codes == ("a", "b") and keys.categories[1].codes == ("9", "10")
    assert keys.index.tolist() == [2, 1, 0, 2] and keys.count.tolist() == [1, 1, 2]


def test_strict_gives_each_kind_of_missing_its_category():
    frame = pl.DataFrame({"a": [1, 97, 98, 99, None]})
    missing = {97: "not_applicable", 98: "non_response", 99: "non_response"}
    keys = held(frame, a={"missing": missing, "null": "non_response"}).encode(["a"], "strict")
    assert keys.categories[0].kinds == (None, "not_applicable", "non_response")
    assert keys.index.tolist() == [0, 1, 2, 2, 2]


def test_a_code_of_suppressed_cells_is_told_from_non_response():
    frame = pl.DataFrame({"a": [1, 97, 98, 98, None]})
    missing = {97: "suppressed", 98: "non_response"}
    coded = held(frame, a={"missing": missing, "null": "non_response"})
    keys = coded.encode(["a"], "strict")
    assert keys.categories[0].kinds == (None, "non_response", "suppressed")
    assert keys.index.tolist() == [0, 2, 1, 1, 1]
    assert coded.encode(["a"], "wildcard").index.tolist() == [1, 0, 0, 0, 0]


def test_an_empty_file_has_no_keys():
    keys = held(pl.DataFrame({"a": pl.Series([], dtype=pl.Int64)})).encode(["a"], "strict")
    assert keys.count.size == keys.index.size == 0


def test_codes_are_replaced_in_the_column_s_own_type_where_it_holds_them():
    frame = pl.DataFrame({"a": [1, 2, None]})
    assert held(frame).map_codes("a", {"1": "7"}).to_list() == [7, 2, None]
    assert held(frame).map_codes("a", {"1": "norte"}).to_list() == ["norte", "2", None]
    assert held(frame).map_codes("a", {"1": "1"}, otherwise="0").to_list() == [1, 0, None]


def test_expressions_see_the_visible_columns():
    changed = held(pl.DataFrame({"a": [1, 2]})).with_columns({"b": nw.col("a") * 2})
    assert changed.column("b").to_list() == [2, 4] and changed.variables == ("a", "b")


def test_groups_are_treated_apart_and_put_back_in_place():
    frame = pl.DataFrame({"g": ["y", "x", "y", "x"], "v": [1, 2, 3, 4]})
    asked = held(frame)

    def first(part: Microdata) -> Microdata:
        return part.with_columns({"v": pl.Series([part.column("v")[0]] * part.height)})

    assert asked.map_groups(asked.group("g"), first).column("v").to_list() == [1, 2, 1, 2]


def test_a_group_that_is_missing_is_refused():
    for values in ([1, None], [1, 99]):
        with pytest.raises(DataError) as error:
            held(pl.DataFrame({"g": values}), g={"missing": {99: "non_response"}}).group("g")
        assert error.value.code == "group-missing" and error.value.facts["count"] == 1


def test_wide_integers_and_texts_group_as_their_values():
    for values in ([10**14, 5, 10**14], ["b", "a", "b"], [1.5, 0.5, 1.5]):
        classes = held(pl.DataFrame({"g": values})).group("g")
        assert classes.size == 2 and classes.index.tolist() == [1, 0, 1]


def test_weights_are_exact_integers():
    scaled = held(pl.DataFrame({"w": [0.1, 1234567.891234, 0.0]})).weights("w")
    assert scaled.tolist() == [100_000, 1_234_567_891_234, 0]
    narrow = held(pl.DataFrame({"w": pl.Series([12.3, 4.7], dtype=pl.Float32)})).weights("w")
    assert narrow.tolist() == [12_300_000, 4_700_000], "a float of 32 bits counts as the decimals that it shows"
    assert held(pl.DataFrame({"w": np.array([3, 4], dtype=np.int16)})).weights("w").tolist() == [3_000_000, 4_000_000]


TYPES = [pl.Decimal(10, 2), pl.Float64, pl.String, pl.Boolean, pl.Date, pl.Int8, pl.Categorical, pl.Null]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("rows", [0, 3])
def test_empty_and_all_null_columns_of_any_type_have_one_key_at_most(dtype, rows):
    keys = held(pl.DataFrame({"g": pl.Series([None] * rows, dtype=dtype)})).encode(["g"], "strict")
    assert keys.count.tolist() == ([rows] if rows else [])
