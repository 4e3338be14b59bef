"""Recoding of categories: what moves, what stays, what the dictionary says afterwards."""

import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import CelosiaWarning, DataError, OptionError, RoleError
from celosia.core.hierarchy import Hierarchy
from celosia.core.language import speaking
from celosia.core.microdata import Microdata
from celosia.methods import RecodeCategories

ROWS = [("01101", "011", "01"), ("01107", "011", "01"), ("02101", "021", "02")]


@pytest.fixture
def survey():
    frame = pl.DataFrame(
        {"estado": [1, 2, 3, 88, 99, None], "comuna": ["01101", "02101", "01107", "99999", None, "01101"]}
    )
    kinds = {88: MissingKind.NON_RESPONSE, 99: MissingKind.NOT_APPLICABLE}
    labels = {1: "Soltero", 2: "Casado", 3: "Viudo", 88: "No responde", 99: "No aplica"}
    return Microdata(
        frame,
        Dictionary.of(
            Variable(name="estado", values=labels, missing=kinds),
            Variable(name="comuna", missing={"99999": MissingKind.NON_RESPONSE}),
        ),
    )


def test_mapping_keeps_type_missing_codes_and_labels(survey):
    result = RecodeCategories(variables=("estado",), mapping={3: 2}, labels={2: "Casado o viudo"}).apply(survey)
    assert result.data.column("estado").to_list() == [1, 2, 2, 88, 99, None]
    assert result.data.column("estado").dtype == pl.Int64
    variable = result.data.dictionary["estado"]
    assert dict(variable.values) == {"1": "Soltero", "2": "Casado o viudo", "88": "No responde", "99": "No aplica"}
    assert variable.missing == survey.dictionary["estado"].missing
    assert result.changed == {"estado": 1}


def test_a_code_that_the_type_cannot_hold_makes_text(survey):
    result = RecodeCategories(variables=("estado",), mapping={2: "2-3", 3: "2-3"}).apply(survey)
    assert result.data.column("estado").to_list() == ["1", "2-3", "2-3", "88", "99", None]
    assert list(result.data.dictionary["estado"].values) == ["1", "2-3", "88", "99"]


def test_a_code_that_swaps_places_does_not_keep_the_others_label(survey):
    result = RecodeCategories(variables=("estado",), mapping={1: 2, 2: 1}).apply(survey)
    assert result.data.column("estado").to_list()[:3] == [2, 1, 3]
    assert dict(result.data.dictionary["estado"].values)["1"] == "1"


def test_others(survey):
    result = RecodeCategories(variables=("estado",), mapping={1: 1}, others=5).apply(survey)
    assert result.data.column("estado").to_list() == [1, 5, 5, 88, 99, None]


def test_missing_moves_non_response_only(survey):
    method = RecodeCategories(variables=("estado",), mapping={3: 2}, missing=2)
    result = method.apply(survey)
    assert result.data.column("estado").to_list() == [1, 2, 2, 2, 99, 2]
    assert dict(result.data.dictionary["estado"].missing) == {"99": MissingKind.NOT_APPLICABLE}


def test_missing_leaves_cells_that_we_emptied(survey):
    import numpy as np

    emptied = survey.suppress({"estado": np.array([True, *[False] * 5])})
    result = RecodeCategories(variables=("estado",), mapping={3: 2}, missing="otro").apply(emptied)
    assert result.data.column("estado").to_list() == [None, "2", "2", "otro", "99", "otro"]
    assert result.data.suppressed("estado").to_list() == [True, *[False] * 5]


def test_an_empty_cell_declared_not_applicable_stays():
    book = Dictionary.of(Variable(name="x", null=MissingKind.NOT_APPLICABLE))
    data = Microdata(pl.DataFrame({"x": ["a", None]}), book)
    assert RecodeCategories(variables=("x",), mapping={"a": "b"}, missing="b").apply(data).data.column(
        "x"
    ).to_list() == ["b", None]


def test_a_missing_code_moves_when_it_is_named(survey):
    result = RecodeCategories(variables=("estado",), mapping={88: 3}).apply(survey)
    assert result.data.column("estado").to_list() == [1, 2, 3, 3, 99, None]
    assert "88" not in result.data.dictionary["estado"].missing


def test_values_never_become_missing(survey):
    with pytest.raises(DataError) as caught:
        RecodeCategories(variables=("estado",), mapping={3: 88}).apply(survey)
    assert caught.value.code == "recode-into-missing"


@pytest.mark.parametrize("hierarchy", [ROWS, Hierarchy.from_rows(ROWS)])
def test_climbing_a_hierarchy(survey, hierarchy):
    result = RecodeCategories(variables=("comuna",), hierarchy=hierarchy, to_level=2).apply(survey)
    assert result.data.column("comuna").to_list() == ["01", "02", "01", "99999", None, "01"]


def test_hierarchy_labels_reach_the_dictionary(survey):
    places = Hierarchy(rows=tuple(ROWS), labels=({}, {}, {"01": "Tarapacá"}))
    result = RecodeCategories(variables=("comuna",), hierarchy=places, to_level=2).apply(survey)
    assert dict(result.data.dictionary["comuna"].values) == {"01": "Tarapacá", "02": "02", "99999": "99999"}


@pytest.mark.parametrize("language", ["es", "en"])
def test_codes_that_the_hierarchy_does_not_know_are_counted_not_shown(language):
    frame = pl.DataFrame({"comuna": ["01101", "77777", "66666", "66666"]})
    with pytest.raises(DataError) as caught, speaking(language):
        RecodeCategories(variables=("comuna",), hierarchy=ROWS, to_level=1).apply(frame)
    assert caught.value.code == "hierarchy-incomplete"
    assert caught.value.facts["count"] == 2
    with speaking(language):
        assert "77777" not in str(caught.value)
        assert "66666" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"mapping": {1: 2}, "hierarchy": ROWS, "to_level": 1},
        {"mapping": {1: 2}, "to_level": 1},
        {"hierarchy": ROWS},
        {"hierarchy": ROWS, "to_level": 3},
        {"hierarchy": ROWS, "to_level": 1, "others": "x"},
    ],
)
def test_options_that_do_not_go_together(options):
    with pytest.raises(OptionError):
        RecodeCategories(variables=("x",), **options)


def test_unknown_fields_and_variables():
    with pytest.raises(OptionError):
        RecodeCategories(variables=("x",), mapping={1: 2}, foo=1)
    with pytest.raises(RoleError):
        RecodeCategories(variables=("nada",), mapping={1: 2}).apply(pl.DataFrame({"x": [1]}))


@pytest.mark.parametrize(
    "column",
    [
        pl.Series(["1", "2", "3", None]),
        pl.Series(["1", "2", "3", None], dtype=pl.Categorical),
        pl.Series(["1", "2", "3", None], dtype=pl.Enum(["3", "2", "1"])),
        pl.Series([1, 2, 3, None]),
        pl.Series([1.0, 2.0, 3.0, None]),
    ],
)
def test_every_type_of_column_gives_the_same_codes(column):
    method = RecodeCategories(variables=("x",), mapping={3: 1})
    assert method.apply(pl.DataFrame({"x": column})).data["x"].cast(pl.Float64).to_list() == [1, 2, 1, None]


def test_pandas():
    frame = pd.DataFrame({"x": [1, 2, 3], "y": ["a", "b", "c"]}, index=[5, 6, 7])
    result = RecodeCategories(variables=("x",), mapping={3: 2}).apply(frame).data
    assert result["x"].tolist() == [1, 2, 2]
    assert result.index.tolist() == [5, 6, 7]


def test_several_variables_and_the_settings_round_trip():
    method = RecodeCategories(variables=("x", "y"), mapping={3: 2}, labels={2: "dos"})
    again = RecodeCategories.model_validate_json(method.model_dump_json())
    assert again == method
    frame = pl.DataFrame({"x": [3, 1], "y": ["3", "2"]})
    assert again.apply(frame).data.to_dict(as_series=False) == {"x": [2, 1], "y": ["2", "2"]}


@pytest.mark.parametrize("language", ["es", "en"])
def test_a_mapping_that_names_no_code_of_the_data_is_told(language):
    frame = pl.DataFrame({"x": ["01", "02"]})
    with speaking(language), pytest.warns(CelosiaWarning) as told:
        RecodeCategories(variables=("x",), mapping={1: 2}).apply(frame)
    assert told[0].message.code == "recode-nothing"


def test_labels_of_codes_that_the_hierarchy_leaves_behind_go():
    book = Dictionary.of(Variable(name="x", values={"01101": "Iquique", "09999": "Otra"}))
    data = Microdata(pl.DataFrame({"x": ["01101", "01107"]}), book)
    result = RecodeCategories(variables=("x",), hierarchy=ROWS, to_level=2).apply(data)
    assert dict(result.data.dictionary["x"].values) == {"01": "01"}


codes = st.sampled_from("abcdef")


@pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")
@settings(deadline=None, max_examples=40)
@given(
    st.lists(st.one_of(st.none(), codes), min_size=1),
    st.dictionaries(codes, codes, min_size=1),
    st.one_of(st.none(), codes),
)
def test_it_does_what_the_mapping_says(values, mapping, others):
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.String)})
    found = RecodeCategories(variables=("x",), mapping=mapping, others=others).apply(frame).data["x"].to_list()
    assert found == [None if v is None else mapping.get(v, others or v) for v in values]


class TestParents:
    frame = pl.DataFrame({"comuna": ["01101", "01107", "02101", None], "region": [1, 1, 2, 2]})

    def test_a_column_beside_it_names_the_parent(self):
        done = RecodeCategories(variables=("comuna",), parent="region").apply(self.frame)
        assert done.data["comuna"].to_list() == ["1", "1", "2", None]

    def test_the_first_characters_name_the_parent(self):
        done = RecodeCategories(variables=("comuna",), prefix=2).apply(self.frame)
        assert done.data["comuna"].to_list() == ["01", "01", "02", None]

    def test_a_code_with_two_parents_is_refused(self):
        with pytest.raises(DataError) as error:
            RecodeCategories(variables=("region",), parent="comuna").apply(self.frame)
        assert error.value.code == "recode-parents" and "01101" not in str(error.value)

    @pytest.mark.parametrize("absent", [None, 99])
    @pytest.mark.parametrize("language", ["es", "en"])
    def test_a_code_without_a_parent_is_refused_and_not_left_in_full_detail(self, absent, language):
        frame = pl.DataFrame({"com": [1101, 1102, 1103], "prov": [11, 11, absent]})
        data = Microdata(frame, Dictionary.of(Variable(name="prov", missing={99: MissingKind.NON_RESPONSE})))
        with pytest.raises(DataError) as error, speaking(language):
            RecodeCategories(variables=("com",), parent="prov").apply(data)
        assert error.value.code == "recode-parentless" and error.value.facts["count"] == 1
        with speaking(language):
            assert "1103" not in str(error.value)

    def test_one_record_with_the_parent_is_enough(self):
        frame = pl.DataFrame({"com": [1101, 1101, None], "prov": [11, None, 12]})
        assert RecodeCategories(variables=("com",), parent="prov").apply(frame).data["com"].to_list() == [11, 11, None]

    @pytest.mark.parametrize("codes", [[1101, 11101], [51, 57], ["01", "011"]])
    @pytest.mark.parametrize("language", ["es", "en"])
    def test_codes_that_are_not_equally_long_have_no_prefix(self, codes, language):
        with pytest.raises(DataError) as error, speaking(language):
            RecodeCategories(variables=("x",), prefix=2).apply(pl.DataFrame({"x": codes}))
        assert error.value.code == "recode-prefix"
        with speaking(language):
            assert str(codes[1]) not in str(error.value).split(":")[0]

    def test_missing_codes_may_have_any_length(self):
        data = Microdata(
            pl.DataFrame({"x": ["01101", "99"]}), Dictionary.of(Variable(name="x", missing={"99": "non_response"}))
        )
        assert RecodeCategories(variables=("x",), prefix=2).apply(data).data.column("x").to_list() == ["01", "99"]

    def test_one_way_only(self):
        with pytest.raises(OptionError):
            RecodeCategories(variables=("comuna",), prefix=2, parent="region")
        with pytest.raises(OptionError):
            RecodeCategories(variables=("comuna",), prefix=2, others="9")
