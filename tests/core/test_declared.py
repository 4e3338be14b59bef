"""What a refused declaration says: which fields, which are known there, what they admit; never what was given."""

from typing import Annotated, Literal

import pytest
from pydantic import Field, ValidationError

from celosia.core.errors import OptionError
from celosia.core.language import speaking
from celosia.core.model import Frozen, ReadOnly

SECRET = "ZZSECRETZZ"


class Cut(Frozen):
    beyond: float
    by: Literal["mean", "median"] = "mean"


class Sum(Frozen):
    model: Literal["sum"] = "sum"
    total: str


class Ratio(Frozen):
    model: Literal["ratio"] = "ratio"
    over: str


class Plan(Frozen):
    name: str = "plan"
    share: Annotated[float, Field(gt=0, le=1)] = 0.5
    times: int = 1
    exact: bool = False
    cuts: tuple[Cut, ...] = ()
    sizes: ReadOnly[str, Annotated[int, Field(ge=2)]] | None = None
    rules: tuple[Annotated[Sum | Ratio, Field(discriminator="model")], ...] = ()


def refused(unwritten=(), **fields):
    with pytest.raises(ValidationError) as caught:
        Plan(**fields)
    error = OptionError.of_fields(caught.value, where="here", model=Plan, unwritten=unwritten)
    assert SECRET not in f"{error} {error.to_dict()}"
    return error


@pytest.mark.parametrize(
    ("fields", "field", "expected"),
    [
        ({"share": 0}, "share", "> 0"),
        ({"share": 1.5}, "share", "≤ 1"),
        ({"share": SECRET}, "share", "kind.number"),
        ({"times": SECRET}, "times", "kind.integer"),
        ({"exact": SECRET}, "exact", "kind.boolean"),
        ({"cuts": SECRET}, "cuts", "kind.list"),
        ({"cuts": [SECRET]}, "cuts.0", "kind.mapping"),
        ({"cuts": [{"beyond": 1, "by": SECRET}]}, "cuts.0.by", "mean | median"),
        ({"sizes": {"a": 1}}, "sizes.a", "≥ 2"),
        ({"rules": [{"model": SECRET}]}, "rules.0", "sum | ratio"),
    ],
)
def test_what_a_field_admits(fields, field, expected):
    error = refused(**fields)
    assert (error.code, error.facts["fields"], error.facts["expected"]) == (
        "field-invalid",
        (field,),
        {field: expected},
    )


@pytest.mark.parametrize(
    ("fields", "known"),
    [
        ({"nada": SECRET}, ("share", "times", "exact", "cuts", "sizes", "rules")),
        ({"cuts": [{"beyond": 1, "nada": SECRET}]}, ("beyond", "by")),
        ({"rules": [{"model": "ratio", "over": "a", "nada": SECRET}]}, ("model", "over")),
    ],
)
def test_the_fields_that_are_known_there(fields, known):
    error = refused(unwritten=("name",), **fields)
    assert (error.code, error.facts["known"]) == ("field-unknown", known)


def test_what_is_unknown_comes_first_and_what_is_absent_is_named():
    assert refused(nada=1, share=0).code == "field-unknown"
    assert refused(cuts=[{}], share=0).facts == {"where": "here", "fields": ("cuts.0.beyond",)}


@pytest.mark.parametrize(("spoken", "said"), [("es", "un número entero"), ("en", "a whole number")])
def test_it_is_said_in_the_language(spoken, said):
    with speaking(spoken):
        assert said in str(refused(times=SECRET))
