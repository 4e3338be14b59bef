"""The bridge to microdata: the people who share each record's key, by published counts."""

import datetime as dt
from fractions import Fraction
from math import comb

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import CelosiaError, CelosiaWarning, DataError, OptionError, RoleError
from celosia.core.language import LANGUAGES, speaking
from celosia.datasets import register_counts, survey
from celosia.demography import Births, Counts, record_anonymity
from celosia.risk import by_group, k_map

COUNTS = pl.DataFrame(
    [
        (place, sex, age, 20 * i + 3)
        for i, (place, sex, age) in enumerate(
            (p, s, a) for p in ("a", "b") for s in ("1", "2") for a in ("0-4", "5-9", "10+")
        )
    ],
    schema=["place", "sex", "age", "count"],
    orient="row",
)
DATE = Births(date=dt.date(2020, 12, 31))


def people(**where):
    found = COUNTS
    for column, values in where.items():
        found = found.filter(pl.col(column).is_in(values))
    return found["count"].sum()


@given(st.integers(1, 40), st.sampled_from([2, 5, 60]))
def test_the_closed_forms_are_the_distribution(size, periods):
    """Mean, P(1), E(1/K) and P(K < k) of 1 + Binomial(n - 1, 1/N), in fractions."""
    counts = pl.DataFrame({"age": [f"0-{periods - 1}"], "count": [size]})
    found = record_anonymity(pl.DataFrame({"age": [1]}), ["age"], counts)
    p = Fraction(1, periods)
    chances = [comb(size - 1, j) * p**j * (1 - p) ** (size - 1 - j) for j in range(size)]
    assert found.chance[0] == 1 / periods
    assert found.mean[0] == pytest.approx(float(1 + (size - 1) * p))
    assert found.unique[0] == pytest.approx(float(chances[0]))
    assert found.risk[0] == pytest.approx(float(sum(q / (j + 1) for j, q in enumerate(chances))), rel=1e-12)
    for k in (1, 2, 3, 10):
        assert found.below(k)[0] == pytest.approx(float(sum(chances[: k - 1])), rel=1e-10)


def test_a_key_as_coarse_as_the_counts_is_a_k_map():
    frame = COUNTS.select("place", "sex", "age")
    found = record_anonymity(frame, ["place", "sex", "age"], COUNTS)
    assert not found.finer
    assert found.mean.tolist() == COUNTS["count"].to_list() and found.risk.tolist() == (1 / COUNTS["count"]).to_list()
    register = frame[np.repeat(np.arange(COUNTS.height), COUNTS["count"])]
    counted = k_map(frame, ["place", "sex", "age"], register)
    assert counted.matches.tolist() == found.mean.astype(int).tolist()
    assert [found.below(k).sum() for k in (2, 3, 50)] == [counted.below(k) for k in (2, 3, 50)]


AGES = {
    "0-4": (["0-4"], 1),
    "3": (["0-4"], 1 / 5),
    "10+": (["10+"], 1),
    "10": (["10+"], 1 / 5),
    "70": (["10+"], 1 / 5),
    "[0, 10)": (["0-4", "5-9"], 1),
    "5+": (["5-9", "10+"], 1),
    "0-2": (["0-4"], 3 / 5),
    "3-6": (["0-4"], 2 / 5),
    "3-9": (["5-9"], 1),
    "2018-02-03": (["0-4"], 1 / 1827),
    "2018-02": (["0-4"], 28 / 1827),
    "201802": (["0-4"], 28 / 1827),
    "2018": (["0-4"], 365 / 1827),
    "2011-2020": (["0-4", "5-9"], 1),
    "2016-2020": (["0-4"], 1),
    "1950-05-01": (["10+"], 1 / 1826),
}


@pytest.mark.parametrize("code", AGES)
def test_ages_and_births_in_the_groups_of_the_counts(code):
    labels, chance = AGES[code]
    counts = COUNTS.filter(pl.col("place") == "a")
    found = record_anonymity(pl.DataFrame({"x": [code]}), ["x"], counts, {"x": "age"}, DATE)
    assert found.cell[0] == counts.filter(pl.col("age").is_in(labels))["count"].sum()
    assert found.chance[0] == pytest.approx(chance)


def test_the_cell_count_is_never_the_anonymity_of_a_finer_key():
    births = pl.Series("nac", [dt.date(2018, 2, 3), dt.date(2013, 7, 1)])
    frame = pl.DataFrame({"sex": ["1", "2"]}).with_columns(births)
    found = record_anonymity(frame, ["sex", "nac"], COUNTS, {"nac": "age"}, DATE)
    assert found.finer and (found.mean < found.cell / 10).all()
    assert (found.unique > 0.8).all() and (found.risk > 0.9).all()


def test_an_open_key_may_be_anything():
    book = Dictionary.of(
        Variable(name="age", missing={"999": "non_response"}), Variable(name="sex", null="non_response")
    )
    frame = pl.DataFrame({"place": ["a", "a", "b"], "sex": ["1", None, None], "age": ["3", "0-4", "999"]})
    found = record_anonymity(Microdata(frame, book), ["place", "sex", "age"], COUNTS)
    assert found.cell.tolist() == [
        people(place=["a"], sex=["1"], age=["0-4"]),
        people(place=["a"], age=["0-4"]),
        people(place=["b"]),
    ]
    assert found.chance.tolist() == [0.2, 1, 1]


def test_columns_may_have_any_name():
    counts = pl.DataFrame({"chance": ["a", "a"], "code": ["0-4", "5-9"], "label": ["x", "x"], "count": [3, 4]})
    frame = pl.DataFrame({"chance": ["a"], "code": [3], "label": ["x"]})
    found = record_anonymity(frame, ["chance", "code", "label"], Counts.of(counts, age="code"))
    assert (found.cell[0], found.chance[0]) == (3, 0.2)


def test_nobody_in_the_counts_is_no_proof_of_safety():
    frame = pl.DataFrame({"place": ["a", "z"], "sex": ["1", "1"]})
    with pytest.warns(CelosiaWarning, match="1"):
        found = record_anonymity(frame, ["place", "sex"], COUNTS)
    assert found.unmatched == 1 and found.risk[1] == 1 and found.unique[1] == 1 and found.mean[1] == 1


def test_sample_estimate_and_truth_stand_side_by_side():
    """A survey of a known population: its estimates beside the counts, in total and by group."""
    data = survey(n=2000)
    codes = data.frame.select(pl.col("region").cast(pl.String), pl.col("sexo").cast(pl.String)).unique()
    counts = codes.with_columns(count=pl.Series(np.arange(codes.height) * 1000 + 500))
    found = record_anonymity(data, ["region", "sexo"], counts, weight="factor")
    table = found.table()
    assert table.columns == ["k", "sample", "estimated", "counted", "share"]
    assert table["counted"].to_list() == [0.0] * 4 and found.frequencies.weighted
    told = found.to_dict()
    assert told["records"] == 2000 and told["global_risk"] == pytest.approx(found.risk.mean())
    groups = by_group(found, {"mujeres": (data.column("sexo") == 2).to_numpy()}).table()
    assert groups.height == 2 and groups["mean"][0] == pytest.approx(found.global_risk)
    for lang in LANGUAGES:
        with speaking(lang):
            assert "column." not in found.picture().alternative
    assert found.picture().svg().startswith("<svg")
    assert record_anonymity(data, ["region"], counts).table()["estimated"].null_count() == 4


def test_the_expected_share_of_a_register_is_that_of_its_people():
    """Everybody of a register as a record: the mean of P(K = 1) is the expected share of 1-anonymous people."""
    from celosia.demography import expected_anonymity

    counts = Counts.of(register_counts(20, 3000))
    cells = counts.cells[pl.Series(np.repeat(np.arange(counts.people.size), counts.people))]
    firsts = [counts.ages[label].first for label in cells["age_group"]]
    frame = cells.select("place", "sex").with_columns(edad=pl.Series(firsts))
    found = record_anonymity(frame, ["place", "sex", "edad"], counts, {"edad": "age_group"})
    assert found.unique.mean() == pytest.approx(expected_anonymity(counts, "year").share_at_most("year", 1), rel=1e-9)


WRONG = {
    "key not counted": (
        {"keys": ["sex", "civil"]}, RoleError, "keys-not-counted", "no tienen columnas", "have no columns",
    ),
    "match of no key": ({"match": {"x": "age"}}, RoleError, "match-not-key", "no son claves", "not keys"),
    "match twice": (
        {"keys": ["sex", "civil"], "match": {"civil": "sex"}}, RoleError, "match-twice", "misma columna", "same column",
    ),
    "no date": (
        {"keys": ["nac"], "match": {"nac": "age"}}, OptionError,
        "births-date-needed", "fecha de referencia", "reference date",
    ),
    "unreadable": (
        {"keys": ["civil"], "match": {"civil": "age"}}, DataError,
        "file-ages-unreadable", "ni una edad", "neither an age",
    ),
    "unknown variable": ({"keys": ["nada"]}, RoleError, "variable-unknown", "«nada»", "'nada'"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_input(name):
    options, kind, code, es, en = WRONG[name]
    frame = pl.DataFrame({"sex": ["1"], "civil": ["ZZSECRETZZ"], "nac": ["2018-02-03"]})
    with pytest.raises(kind) as error:
        record_anonymity(frame, **({"keys": ["sex"], "counts": COUNTS} | options))
    assert error.value.code == code
    for lang, said in zip(LANGUAGES, (es, en), strict=True):
        with speaking(lang):
            assert said in str(error.value) and "ZZSECRETZZ" not in str(error.value)


def test_no_records():
    with pytest.raises(CelosiaError) as error:
        record_anonymity(pl.DataFrame({"sex": pl.Series([], dtype=pl.String)}), ["sex"], COUNTS)
    assert error.value.code == "no-records"
