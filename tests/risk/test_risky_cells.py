"""Risky cells: the definition, over all tables."""

from itertools import combinations

import polars as pl
import pytest
import uniques
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia.core.errors import CelosiaError
from celosia.risk.risky_cells import risky_cells


@given(key_frames(), st.lists(st.integers(1, 6), min_size=4, max_size=4))
def test_it_is_its_definition(frame, threshold):
    frame = frame.drop("w")
    found = iter(risky_cells(frame, frame.columns, max_dim=4, threshold=threshold).tables)
    for size in range(1, frame.width + 1):
        for subset in combinations(range(frame.width), size):
            table = next(found)
            assert table.variables == tuple(frame.columns[j] for j in subset)
            expected = uniques.cells_up_to(frame.rows(), subset, threshold[size - 1])
            assert (table.risky, table.records) == expected
    assert next(found, None) is None


@given(key_frames(min_rows=2), st.randoms(use_true_random=False))
def test_text_keys_and_the_order_of_records_change_nothing(frame, chance):
    frame = frame.drop("w")
    order = list(range(frame.height))
    chance.shuffle(order)
    base = risky_cells(frame, frame.columns).table()
    assert risky_cells(frame[order].cast(pl.String), frame.columns).table().equals(base)


def test_dimensions_add_up():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "b": [1, 1, 1, 2]})
    found = risky_cells(frame, ["a", "b"], threshold=1)
    assert found.by_dimension().rows() == [(1, 1, 4, 1, 0.25), (2, 1, 3, 2, 2 / 3)]
    assert found.total == 3 == found.to_dict()["total"]
    assert "%" in found.picture().alternative and "a × b" in found._repr_html_()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"max_dim": 0}, "option-whole"),
        ({"threshold": 0}, "option-whole"),
        ({"threshold": [3]}, "threshold-dimensions"),
        ({"keys": ["a", "a"]}, "keys-repeated"),
    ],
)
def test_wrong_input_is_refused(options, code):
    with pytest.raises(CelosiaError) as caught:
        risky_cells(**{"frame": pl.DataFrame({"a": [1], "b": [1]}), "keys": ["a", "b"]} | options)
    assert caught.value.code == code
