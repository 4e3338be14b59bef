"""``celosia risk --measure``: every measure by its name, with what it asks for."""

import polars as pl
import pytest

from celosia.risk.measures import BEFORE_AND_AFTER, NAMES, OF_ONE_FILE

KEYS = ("--keys", "region,sexo,estado_civil", "--weight", "factor")
NEEDED = {
    "k_anonymity": ("-o", "k=3"),
    "k_map": ("--register", "encuesta.csv"),
    "exact_linkage": ("--register", "encuesta.csv"),
    "alpha_k": ("-o", "alpha=0.9", "-o", "k=2"),
    "panel": ("-o", "person=id_persona", "-o", "round=area"),
    "log_linear": ("--keys", "region,sexo"),
    "outliers": ("-o", "percentile=0.9"),
    "probabilistic_linkage": ("--skip",),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(set(NAMES) - {"probabilistic_linkage"}))
def test_every_measure_answers_as_one_object(name, celosia, folder):
    more = ["--original", "encuesta.csv"] if name in BEFORE_AND_AFTER else []
    ran = celosia(
        "risk", "encuesta.csv", *KEYS, "--measure", name, "--sensitive", "enf_cronica", *more, *NEEDED.get(name, ()),
        "--json",
    )  # fmt: skip
    assert ran.code == 0, ran.out
    assert set(ran.json["results"]["measures"]) == {name}


def test_several_measures_print_a_table_each(celosia, folder):
    ran = celosia("risk", "encuesta.csv", *KEYS, "-m", "suda2", "-m", "attackers")
    assert ran.code == 0 and "suda2" in ran.out and "Periodista" in ran.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("-m", "desconocida"), "option-unknown"),
        (("-m", "l_diversity"), "measure-needs"),
        (("-m", "interval"), "measure-needs"),
        (("-m", "suda2", "-o", "k=3"), "measure-option"),
        (("-m", "suda2", "-o", "k"), "option-form"),
    ],
)
def test_what_is_missing_or_unknown_is_named(arguments, code, celosia, folder):
    ran = celosia("risk", "encuesta.csv", *KEYS, *arguments, "--json")
    assert ran.code == 2 and ran.json["errors"][0]["code"] == code


def test_names_are_measures_and_no_measure_is_forgotten():
    from celosia import risk

    functions = {name for name in risk.__all__ if name.islower()}
    assert set(NAMES) == functions - {"by_group", "calibration", "scenarios", "transition_risk"}
    assert not set(OF_ONE_FILE) & set(BEFORE_AND_AFTER)
    assert pl.Series(NAMES).is_unique().all()
