"""What every measure gives: a table, plain numbers, a picture that says what it shows, and its figures by group."""

import json
import warnings

import numpy as np
import polars as pl
import pytest
from every_measure import ALL, FRAME, KEYS, MASKED, MEASURES

from celosia import risk
from celosia.core.errors import CelosiaError
from celosia.core.language import speaking, text
from celosia.core.results import cell, heading


def test_no_measure_is_forgotten():
    functions = {name for name in risk.__all__ if name.islower()}
    assert set(ALL) | {"probabilistic_linkage"} == functions


@pytest.mark.parametrize("name", ALL)
def test_it_has_a_table_plain_numbers_and_a_picture_in_both_languages(name):
    result = ALL[name](FRAME, MASKED)
    assert isinstance(result.table(), pl.DataFrame) and result.table().height
    json.dumps(result.to_dict(), allow_nan=False)
    said = set()
    for language in ("es", "en"):
        with speaking(language):
            picture = result.picture()
            said.add(picture.alternative)
            assert picture.svg().startswith("<svg") and "<table>" in result._repr_html_()
    assert all(said) and "Traceback" not in repr(result)


READ_AS_THEY_ARE = {"k", "l"}
"""Headings that are the same in every language."""
DATA = {"variable", "variables", "level", "codes", "group", "round", "scenario", "estimator", "candidates", "f"}
"""Columns of names and codes of the data, and of names of options."""


@pytest.mark.parametrize("name", ALL)
def test_what_people_read_is_in_their_language(name):
    result = ALL[name](FRAME, MASKED)
    spoken = {}
    for language in ("es", "en"):
        with speaking(language):
            views = result.views()
            said = [text(code) for code in views if code] + list(result.remarks())
            assert not any("." in words and " " not in words for words in said), "a code without a text"
            for table in views.values():
                assert all(heading(column) != column or column in READ_AS_THEY_ARE for column in table.columns)
            told = {
                column: [cell(value, column) for value in table[column]]
                for table in views.values()
                for column, kind in table.schema.items()
                if kind == pl.String and column not in DATA
            }
        spoken[language] = (said, told)
    for column, cells in spoken["es"][1].items():
        assert cells != spoken["en"][1][column], f"{column} reads the same in both languages"
    assert all(one != other for one, other in zip(spoken["es"][0], spoken["en"][0], strict=True))


@pytest.mark.parametrize("name", ["frequencies", "individual", "k_anonymity", "attackers", "drivers", "panel"])
def test_every_report_of_an_identity_names_its_way_of_counting(name):
    with speaking("en"):
        assert "Counting: missing may be any value." in ALL[name](FRAME, MASKED).remarks()


def test_wildcards_with_empty_keys_are_not_to_stand_alone():
    emptied = FRAME.with_columns(a=pl.when(pl.col("a") > 1).then("a"))
    with warnings.catch_warnings(action="ignore"), speaking("en"):
        said = {way: risk.k_anonymity(emptied, KEYS, k=3, missing=way).remarks() for way in ("wildcard", "strict")}
    assert "strict counting too" in said["wildcard"][1] and len(said["strict"]) == 1


@pytest.mark.parametrize("name", [name for name in ALL if name not in ("calibration",)])
def test_any_kind_of_frame_gives_the_same(name):
    with warnings.catch_warnings(action="ignore"):
        tables = [
            ALL[name](kind(FRAME), kind(MASKED)).table()
            for kind in (pl.DataFrame.clone, pl.DataFrame.to_pandas, pl.DataFrame.to_arrow, pl.DataFrame.lazy)
        ]
    assert all(table.equals(tables[0]) for table in tables[1:])


@pytest.mark.parametrize("name", MEASURES)
def test_the_mean_over_all_is_that_of_the_groups_and_the_worst_stands_first(name):
    result = MEASURES[name](FRAME, MASKED)
    found = risk.by_group(result, {"uno": "a == 1", "otros": "a != 1", "nadie": "a == 99"}, FRAME)
    table = found.table()
    whole, first, second, last = table[found.foremost].to_list()
    sizes = dict(zip(table["group"], table["records"], strict=True))
    if np.isfinite(whole):
        parts = first * sizes[table["group"][1]] + second * sizes[table["group"][2]]
        assert parts == pytest.approx(60 * whole)
    assert first >= second and last is None and found.worst == table["group"][1]
    shares = [name for name in ("share", "risk1") if hasattr(result, name) and not callable(getattr(result, name))]
    if shares and shares[0] in table.columns and name not in ("log_linear", "outliers"):
        assert table[shares[0]][0] == pytest.approx(getattr(result, shares[0]))


@pytest.mark.parametrize("name", ALL)
def test_a_file_without_records_is_refused_in_both_languages(name):
    said = set()
    for language in ("es", "en"):
        with speaking(language):
            with pytest.raises(CelosiaError) as caught:
                ALL[name](FRAME[:0], MASKED[:0])
            said.add(str(caught.value))
        assert caught.value.code in ("no-records", "masked-no-records")
    assert len(said) == 2


def test_bands_of_frequencies_cover_every_record():
    found = risk.frequencies(pl.DataFrame({"a": [1, 1, 2, 3]}), ["a"])
    assert found.by_size()["share"].to_list() == [0.5, 0.5, 0, 0, 0, 0]
