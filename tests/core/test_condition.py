"""Conditions of a plan: what they admit, what they see of missing cells, what they refuse."""

from typing import ClassVar

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.core.condition import Condition, holds, names
from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import OptionError, RoleError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen


@pytest.fixture
def people():
    frame = pl.DataFrame(
        {"edad": [3, 15, 99, 40, None], "region": ["01", "02", "01", "13", "99"], "sexo": [1.0, 2.0, 1.0, None, 2.0]}
    )
    book = Dictionary.of(
        Variable(name="edad", missing={99: "non_response"}), Variable(name="region", missing={"99": "non_response"})
    )
    return Microdata(frame, book)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("edad < 15", [0]),
        ("edad <= 15", [0, 1]),
        ("15 >= edad", [0, 1]),
        ("15 < edad", [3]),
        ("3 < edad <= 40", [1, 3]),
        ("edad == 15", [1]),
        ("edad != 15", [0, 3]),
        ("edad == '15'", [1]),
        ("region == '01'", [0, 2]),
        ("region == 1", []),
        ("sexo == 1", [0, 2]),
        ("region in ('01', '13')", [0, 2, 3]),
        ("region not in ['01']", [1, 3]),
        ("missing(edad)", [2, 4]),
        ("not missing(edad) and region == '01'", [0]),
        ("edad < 15 or region == '13'", [0, 3]),
        ("not (edad < 15 or region == '13')", [1, 2, 4]),
        ("sexo < edad", [0, 1]),
        ("edad > -1", [0, 1, 3]),
        ("edad == 99", [2]),
        ("'99' == edad", [2]),
        ("edad in (15, 99)", [1, 2]),
        ("edad != 99", [0, 1, 3]),
        ("edad not in (15, 99)", [0, 3]),
        ("region == '99'", [4]),
    ],
)
def test_it_holds_where_it_should(people, text, rows):
    assert holds(text, people).nonzero()[0].tolist() == rows


@pytest.mark.parametrize("text", ["edad <", "", "edad = 3", "edad\n<"])
def test_what_is_not_written_well(text):
    with pytest.raises(OptionError) as caught:
        names(text)
    assert caught.value.code == "condition-syntax"


@pytest.mark.parametrize(
    "text",
    [
        "edad", "3 < 4", "edad + 1 < 3", "print(edad)", "missing(3)", "edad.x == 1", "edad in region", "edad < 'a'",
        "edad is None", "edad == None", "lambda: 1", "__import__('os')", "(edad < 3) < 4", "-edad < 3",
    ],
)  # fmt: skip
def test_what_it_does_not_admit(text):
    with pytest.raises(OptionError) as caught:
        names(text)
    assert caught.value.code == "condition-form"


def test_names_in_order():
    assert names("b < 3 and missing(a) or b in (1,)") == ("b", "a")


def test_an_unknown_variable(people):
    with pytest.raises(RoleError) as caught:
        holds("nada == 1", people)
    assert caught.value.facts["variable"] == "nada"


def test_a_field_is_checked_when_it_is_read():
    class Step(Frozen):
        where: Condition
        name: ClassVar[str] = "x"

    assert Step(where="edad < 3").where == "edad < 3"
    with pytest.raises(OptionError):
        Step(where="edad <")


@settings(deadline=None, max_examples=40)
@given(st.lists(st.one_of(st.none(), st.integers(-50, 50)), min_size=1, max_size=30), st.integers(-50, 50))
def test_a_comparison_and_its_opposite_share_out_what_is_observed(values, cut):
    data = Microdata(pl.DataFrame({"x": pl.Series(values, dtype=pl.Int64)}))
    below, above, absent = holds(f"x < {cut}", data), holds(f"x >= {cut}", data), holds("missing(x)", data)
    assert (below.astype(int) + above + absent == 1).all()
