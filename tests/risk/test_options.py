"""Options are refused in one way: what they are, and what they should be, in both languages."""

import numpy as np
import polars as pl
import pytest

from celosia import risk
from celosia.core.errors import CelosiaError
from celosia.core.language import LANGUAGES, speaking
from celosia.risk.options import one_of, whole_number, within

FRAME = pl.DataFrame({"a": [1, 1, 2, 3], "b": [1, 2, 2, 2], "s": [1, 1, 2, 2], "x": [1.0, 2.0, 3.0, 4.0]})
KEYS = ["a", "b"]
NAN = float("nan")


@pytest.mark.parametrize("value", [0, -1, 2.0, 2.5, "3", None, True, NAN, np.float64(3)])
def test_a_whole_number_is_one(value):
    with pytest.raises(CelosiaError) as error:
        whole_number("k", value)
    assert error.value.code == "option-whole" and error.value.facts == {"option": "k", "low": 1}


def test_what_is_in_range_passes():
    whole_number("k", np.int64(1))
    whole_number("k", 0, low=0)
    within("x", 0, 0, 1)
    within("x", np.float32(1), 0, 1)
    within("x", 10**9, 1)
    one_of("way", "strict", ("wildcard", "strict"))


@pytest.mark.parametrize(
    ("value", "ends"),
    [(-0.1, {}), (1.1, {}), (0, {"above": True}), (1, {"below": True}), (NAN, {}), (float("inf"), {}), ("1", {})],
)
def test_a_number_out_of_its_range_is_refused(value, ends):
    with pytest.raises(CelosiaError) as error:
        within("x", value, 0, 1, **ends)
    assert error.value.code == "option-range"


RUBBISH = {
    "k_anonymity": lambda: risk.k_anonymity(FRAME, KEYS, k=2.5),
    "k_map": lambda: risk.k_map(FRAME, KEYS, FRAME, k="2"),
    "frequencies": lambda: risk.frequencies(FRAME, KEYS, alpha="1"),
    "l_diversity": lambda: risk.l_diversity(FRAME, ["a"], "s", c="2"),
    "suda2": lambda: risk.suda2(FRAME, KEYS, max_size=1.5),
    "suda2 fraction": lambda: risk.suda2(FRAME, KEYS, dis_fraction=NAN),
    "rare_patterns": lambda: risk.rare_patterns(FRAME, KEYS, at_most=1.5),
    "risky_cells": lambda: risk.risky_cells(FRAME, KEYS, threshold=2.5),
    "drivers": lambda: risk.drivers(FRAME, KEYS, max_size="2"),
    "population": lambda: risk.population_uniqueness(FRAME, KEYS, population=NAN),
    "population without end": lambda: risk.population_uniqueness(FRAME, KEYS, population=float("inf")),
    "log_linear": lambda: risk.log_linear(FRAME, KEYS, population=NAN),
    "log_linear without end": lambda: risk.log_linear(FRAME, KEYS, population=float("inf")),
    "interval": lambda: risk.interval(FRAME, FRAME, k="0.1", variables=["x"]),
    "calibration": lambda: risk.calibration(FRAME, KEYS, [0.5], repeats=1.5),
    "no scenario": lambda: risk.scenarios(FRAME, {}),
    "no way of counting": lambda: risk.scenarios(FRAME, {"a": ["a"]}, missing=[]),
    "an unknown way": lambda: risk.scenarios(FRAME, {"a": ["a"]}, missing=["otra"]),
    "panel of itself": lambda: risk.panel(FRAME, "x", "x", KEYS),
}


@pytest.mark.parametrize("name", RUBBISH)
def test_rubbish_is_refused_with_a_clear_error_in_both_languages(name):
    said = set()
    for language in LANGUAGES:
        with speaking(language), pytest.raises(CelosiaError) as error:
            RUBBISH[name]()
        with speaking(language):
            said.add(str(error.value))
    assert len(said) == 2 and not any("{" in message for message in said)
