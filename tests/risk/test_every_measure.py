"""What every measure gives: a table, plain numbers, a picture that says what it shows, and its figures by group."""

import json
import warnings

import numpy as np
import polars as pl
import pytest

from celosia import risk
from celosia.core.errors import CelosiaError
from celosia.core.language import speaking, text
from celosia.core.results import cell, heading

CHANCE = np.random.Generator(np.random.PCG64(11))
FRAME = pl.DataFrame(
    {
        "a": CHANCE.integers(1, 4, 60),
        "b": CHANCE.integers(1, 8, 60),
        "s": CHANCE.choice(["x", "y", "z"], 60),
        "n": CHANCE.normal(size=60).round(3),
        "m": CHANCE.normal(size=60).round(3),
        "h": np.arange(60) // 3,
        "id": np.arange(60) % 30,
        "ola": np.arange(60) // 30,
        "w": CHANCE.integers(2, 9, 60).astype(float),
    }
)
MASKED = FRAME.with_columns(pl.col("n", "m") + 0.01)
KEYS = ["a", "b"]
NUMBERS = ["n", "m"]
MEASURES = {
    "frequencies": lambda f, g: risk.frequencies(f, KEYS, weight="w"),
    "individual": lambda f, g: risk.individual(f, KEYS, weight="w", household="h"),
    "k_anonymity": lambda f, g: risk.k_anonymity(f, KEYS, k=3),
    "k_map": lambda f, g: risk.k_map(f, KEYS, f, k=3),
    "attackers": lambda f, g: risk.attackers(f, KEYS, weight="w"),
    "l_diversity": lambda f, g: risk.l_diversity(f, KEYS, "s"),
    "t_closeness": lambda f, g: risk.t_closeness(f, KEYS, "s"),
    "alpha_k": lambda f, g: risk.alpha_k(f, KEYS, "s", alpha=0.5, k=2),
    "delta_disclosure": lambda f, g: risk.delta_disclosure(f, KEYS, "s"),
    "beta_likeness": lambda f, g: risk.beta_likeness(f, KEYS, "s", "enhanced"),
    "suda2": lambda f, g: risk.suda2(f, KEYS),
    "log_linear": lambda f, g: risk.log_linear(f, KEYS, weight="w"),
    "best_guess": lambda f, g: risk.best_guess(f, g, KEYS),
    "transition_risk": lambda f, g: risk.transition_risk(f, g, KEYS, {}),
    "exact_linkage": lambda f, g: risk.exact_linkage(g, KEYS, f, "s"),
    "interval": lambda f, g: risk.interval(f, g, variables=NUMBERS),
    "robust_interval": lambda f, g: risk.robust_interval(f, g, variables=NUMBERS),
    "outliers": lambda f, g: risk.outliers(f, g, variables=NUMBERS, percentile=0.9),
    "linkage": lambda f, g: risk.linkage(f, g, NUMBERS),
    "rank_linkage": lambda f, g: risk.rank_linkage(f, g, NUMBERS),
}
OF_THE_FILE = {
    "drivers": lambda f, g: risk.drivers(f, KEYS, weight="w"),
    "rare_patterns": lambda f, g: risk.rare_patterns(f, KEYS),
    "risky_cells": lambda f, g: risk.risky_cells(f, KEYS),
    "population_uniqueness": lambda f, g: risk.population_uniqueness(f, KEYS, weight="w"),
    "panel": lambda f, g: risk.panel(f, "id", "ola", KEYS, weight="w"),
    "scenarios": lambda f, g: risk.scenarios(f, {"uno": ["a"], "dos": KEYS}, weight="w"),
    "by_group": lambda f, g: risk.by_group(risk.individual(f, KEYS), {"uno": "a == 1"}, f),
    "calibration": lambda f, g: risk.calibration(f, KEYS, [0.5], ["zayatz", "individual"], repeats=2),
}
ALL = MEASURES | OF_THE_FILE


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
