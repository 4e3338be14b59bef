"""The dictionary: missing kinds, classes, roles, and what lies over what."""

import polars as pl
import pytest
from pydantic import ValidationError

from celosia import Dictionary, MissingKind, Variable
from celosia.core.dictionary import DaneClass
from celosia.core.errors import DataError, RoleError


def test_codes_are_spelled_whatever_they_came_as():
    variable = Variable(name="x", values={1: "uno", 2.0: "dos", "03": "tres"}, missing={99: "non_response"})
    assert dict(variable.values) == {"1": "uno", "2": "dos", "03": "tres"}
    assert variable.kind_of("99") is MissingKind.NON_RESPONSE
    assert variable.kind_of("1") is None


def test_nothing_can_be_changed_in_place():
    variable = Variable(name="x", values={1: "uno"})
    with pytest.raises(ValidationError):
        variable.name = "y"
    with pytest.raises(TypeError):
        variable.values["2"] = "dos"


def test_unknown_facts_are_refused_without_showing_them():
    with pytest.raises(ValidationError) as error:
        Variable(name="x", etiqueta="ZZSECRETZZ")
    assert "ZZSECRETZZ" not in str(error.value)


def test_a_null_is_non_response_unless_declared():
    assert Variable(name="x").kind_of(None) is MissingKind.NON_RESPONSE
    assert Variable(name="x", null="not_applicable").kind_of(None) is MissingKind.NOT_APPLICABLE


def test_the_mask_covers_codes_ranges_nulls_and_nan():
    variable = Variable(name="x", missing={7: "not_applicable"}, missing_ranges=({"low": 90, "high": 99},))
    assert variable.missing_mask(pl.Series([1, 7, 95, None, 100])).to_list() == [False, True, True, True, False]
    assert variable.missing_mask(pl.Series([1.5, float("nan"), 7.0])).to_list() == [False, True, True]
    assert variable.missing_mask(pl.Series(["7", "x", "92"])).to_list() == [True, False, True]


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ({"dane": "geographic"}, DaneClass.GEOGRAPHIC),
        ({"identification": "direct", "sensitive": True}, DaneClass.DIRECT),
        ({"sensitive": True, "level": "continuous"}, DaneClass.SENSITIVE),
        ({"level": "continuous"}, DaneClass.MAGNITUDE),
        ({"level": "categorical", "identification": "indirect"}, DaneClass.CATEGORICAL),
        ({"level": "categorical", "identification": "none"}, DaneClass.PUBLIC),
        ({}, None),
    ],
)
def test_dane_s_class_follows_from_ine_s_dimensions(facts, expected):
    assert Variable(name="x", **facts).dane_class is expected


def test_names_differ_by_more_than_case():
    with pytest.raises(DataError):
        Dictionary.of(Variable(name="fk"), Variable(name="Fk"))


def test_a_role_for_one_is_not_shared():
    book = Dictionary.of(Variable(name="a", role="weight"), Variable(name="b", role="weight"))
    with pytest.raises(RoleError):
        book.one_with_role("weight")
    assert book.with_role("weight") == ("a", "b")


def test_one_dictionary_over_another_changes_only_what_it_says():
    file = Dictionary.of(Variable(name="a", label="Edad", values={1: "uno"}), Variable(name="b"))
    office = Dictionary.of(Variable(name="a", role="key"), Variable(name="c", label="Nueva"))
    both = file.update(office)
    assert both["a"].label == "Edad" and both["a"].role == "key" and both.names == ("a", "b", "c")
    assert both.keep(["c", "a"]).names == ("c", "a")
