"""Small areas are blank and no other."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import OptionError, PromiseError, RoleError
from celosia.core.language import speaking
from celosia.methods.blank_small_areas import BlankSmallAreas
from celosia.verify.areas import BlankWhereFew, BlankWhereWereFew, SparedWhereMany


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(0, 9)), min_size=1, max_size=25), st.integers(1, 6))
def test_exactly_the_small_areas_lose_their_cells(records, at_most):
    frame = pl.DataFrame(records, schema=["zona", "edad"], orient="row").with_columns(otra=pl.col("edad"))
    result = BlankSmallAreas(area="zona", variables=("edad",), at_most=at_most).apply(Microdata(frame))
    few = frame.select(pl.len().over("zona") <= at_most).to_series()
    after = result.data
    assert after.suppressed("edad").to_list() == few.to_list()
    assert after.column("edad").to_list() == [
        None if small else age for small, (_, age) in zip(few, records, strict=True)
    ]
    assert after.column("otra").equals(frame["otra"])
    assert result.persons == few.sum() and result.suppressed == {"edad": few.sum()}
    assert result.areas == frame.filter(few)["zona"].n_unique()


def test_codes_of_missing_values_go_too_and_no_area_is_no_area():
    book = Dictionary.of(
        Variable(name="zona", missing={99: "non_response"}), Variable(name="oficio", missing={-1: "not_applicable"})
    )
    data = Microdata(pl.DataFrame({"zona": [1, 2, 2, 99], "oficio": [-1, 5, -1, 5]}), book)
    after = BlankSmallAreas(area="zona", variables=("oficio",), at_most=1).apply(data).data
    assert after.column("oficio").to_list() == [None, 5, -1, 5]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"area": "zona", "variables": ("zona",), "at_most": 2}, OptionError),
        ({"area": "zona", "variables": (), "at_most": 2}, OptionError),
        ({"area": "zona", "variables": ("edad",), "at_most": 0}, OptionError),
        ({"area": "zona", "variables": ("nada",), "at_most": 2}, RoleError),
        ({"area": "nada", "variables": ("edad",), "at_most": 2}, RoleError),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_wrong_options(fields, kind, language):
    with pytest.raises(kind) as caught, speaking(language):
        BlankSmallAreas(**fields).apply(pl.DataFrame({"zona": ["ZZ"], "edad": [3]}))
    assert "ZZ" not in str(caught.value)


DATA = Microdata(pl.DataFrame({"zona": list("abb"), "x": [1, 2, 3]}))


def test_the_checkers():
    blank = DATA.suppress({"x": np.array([True, False, False])})
    everywhere = DATA.suppress({"x": np.array([True, True, False])})
    unmarked = DATA.with_columns({"x": pl.Series([None, 2, 3])})
    few, many = BlankWhereFew("zona", ("x",), 1), SparedWhereMany("zona", ("x",), 1)
    few.check(DATA, blank)
    many.check(DATA, blank)
    for promise, after, code in (
        (few, DATA, "promise-area-blank"),
        (BlankWhereWereFew("zona", ("x",), 1), DATA.with_columns({"zona": DATA.column("x")}), "promise-area-blank"),
        (few, unmarked, "promise-area-blank"),
        (many, everywhere, "promise-untouched"),
    ):
        with pytest.raises(PromiseError) as caught:
            promise.check(DATA, after)
        assert caught.value.code == code
