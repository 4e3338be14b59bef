"""What is published is asked like any other: counts, records with blanks, noisy measurements; groups."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from celosia.census import Attribute, Domain, Geography, Measurement
from celosia.census.answers import answers, by_place
from celosia.census.counts import Counts
from celosia.census.evaluation import evaluate
from celosia.census.groups import Group
from celosia.census.published import Counted, Measured, Recorded
from celosia.core.errors import CelosiaError
from celosia.core.microdata import Microdata

PLACES = pl.DataFrame({"region": ["1", "1", "1", "2"], "comuna": ["11", "12", "13", "21"]})
LEVELS = ("region", "comuna")


@pytest.fixture
def geography():
    return Geography.of_table(PLACES, LEVELS, root="pais")


@pytest.fixture
def domain():
    sexo = Attribute(name="sexo", codes=("1", "2"))
    edad = Attribute(name="edad", codes=range(4), recode={3: 2})
    return Domain(attributes=(sexo, edad))


@pytest.fixture
def persons():
    rows = [
        ("1", "11", 1, 0),
        ("1", "11", 2, 3),
        ("1", "11", 2, 2),
        ("1", "12", 1, 1),
        ("2", "21", 1, 1),
        ("2", "21", 2, 0),
    ]
    return pl.DataFrame(rows, schema=["region", "comuna", "sexo", "edad"], orient="row")


@pytest.fixture
def truth(persons, domain, geography):
    return Counted.of("truth", persons, domain, geography)


def everything(level, query, published):
    return published.answers(level, query, slice(0, published.geography.nodes[level]))


def test_complete_records_say_what_their_counts_say(persons, truth, domain, geography):
    records = Recorded("same", domain, geography, Microdata(persons))
    for level in range(3):
        for name in ("total", "sexo", "edad", "edad * sexo", "detailed"):
            query = domain.query(name)
            assert np.array_equal(everything(level, query, records), everything(level, query, truth))
    assert truth.totals[1].tolist() == [4, 2] and truth.totals[2].tolist() == [3, 1, 0, 2]


def test_a_blank_counts_in_the_answers_that_the_rest_decides(persons, domain, geography):
    data = Microdata(persons).suppress({"sexo": np.array([True] + [False] * 5)})
    records = Recorded("blank", domain, geography, data)
    assert everything(2, domain.query("total"), records)[0, 0] == 3
    assert everything(2, domain.query("sexo"), records)[0].tolist() == [0, 2]
    assert everything(2, domain.query("edad"), records)[0].tolist() == [1, 0, 2]


def test_nothing_is_said_of_places_that_may_have_been_merged(persons, domain, geography):
    merged = persons.with_columns(pl.col("comuna").replace("12", "12+"))
    records = Recorded("merged", domain, geography, Microdata(merged))
    found = everything(2, domain.query("total"), records)[:, 0]
    assert found[[0, 3]].tolist() == [3, 2] and np.isnan(found[[1, 2]]).all()
    assert everything(1, domain.query("total"), records)[:, 0].tolist() == [4, 2]


def test_a_level_that_is_no_column_is_told_by_the_one_below(persons, domain, geography):
    records = Recorded("narrow", domain, geography, Microdata(persons.drop("region")))
    assert everything(1, domain.query("total"), records)[:, 0].tolist() == [4, 2]


def counted(name, geography, table):
    """Counts from a table with their zeros."""
    cells = table.shape[1]
    return Counted(name, geography, Counts.of_table(table, np.arange(cells), cells))


def test_noise_and_what_was_done_to_it_are_told_apart(truth, domain, geography):
    query = domain.query("sexo")
    values = (everything(2, query, truth) + np.array([[1, -2], [0, 3], [-1, 0], [0, 0]])).astype(np.int64)
    noisy = Measurement("comuna", query, Fraction(2), values, releasable=True)
    release = counted("release", geography, truth.leaves.dense() + np.eye(4, domain.size, dtype=np.int32))
    found = evaluate(truth, release, domain, {"pais": ["total"]}, measurements=[noisy])
    (row,) = found.noise_and_post().to_dicts()
    noise = values - everything(2, query, truth)
    post = everything(2, query, release) - values
    left = everything(2, query, release) - everything(2, query, truth)
    for name, e in (("noise", noise), ("post", post), ("release", left)):
        assert row[name] == pytest.approx(np.sqrt((e**2).mean()))
    assert np.isnan(everything(1, query, Measured("noise", geography, [noisy]))).all()
    assert found.table().select("level", "query").rows() == [("pais", "total"), ("comuna", "sexo")]


def test_sizes_of_places_share_out_the_answers(truth, domain, geography):
    release = Counted("release", geography, truth.leaves)
    found = evaluate(truth, release, domain, {"comuna": ["total"]}).by_size()
    assert found["answers"].sum() == 4 and found["mae"].to_list() == [0.0]


def test_an_evaluation_is_confidential_unless_the_truth_is_public(truth, domain):
    assert evaluate(truth, truth, domain, {"pais": ["total"]}).confidential
    assert not evaluate(truth, truth, domain, {"pais": ["total"]}, public=True).confidential


def test_the_worst_group_stands_first_and_beside_the_mean(truth, domain, geography):
    leaves = truth.leaves.dense()
    women = np.flatnonzero(domain.cells[:, 0] == 1)
    leaves[:, women] += 2
    groups = [Group(name="mujeres", where='sexo == "2"'), Group(name="hombres", where="sexo == 1")]
    small = Group(name="chicas", level="comuna", below=3)
    found = evaluate(
        truth,
        counted("r", geography, leaves),
        domain,
        {"comuna": ["sexo"], "region": ["sexo"]},
        groups=[*groups, small],
    )
    rows = found.by_group().filter(level="comuna")
    assert rows["group"][0] in ("mujeres", "chicas") and rows["group"].to_list()[-1] == "hombres"
    by_name = {row["group"]: row for row in rows.to_dicts()}
    assert by_name["mujeres"]["mae"] == 6 and by_name["mujeres"]["answers"] == 4, "one answer a comuna, not two"
    assert (by_name["mujeres"]["relative"], by_name["mujeres"]["relative_all"]) == (24 / 3, 24 / 6)
    assert by_name["chicas"]["answers"] == 6 and by_name["hombres"]["mae"] == 0
    assert "chicas" not in found.by_group().filter(level="region")["group"]


@pytest.mark.parametrize("facts", [{}, {"where": "sexo == 1", "level": "comuna", "below": 3}, {"level": "comuna"}])
def test_a_group_is_of_persons_or_of_places(facts):
    with pytest.raises(CelosiaError):
        Group(name="g", **facts)


def test_a_group_asks_only_what_it_can_be_in(truth, domain):
    girls = Group(name="niñas", where='sexo == "2" and edad == 0')
    found = girls.query(domain.query("edad"), domain)
    assert (found.size, found.labels) == (1, ("0",))
    only = replace(domain.query("edad"), group=np.where(domain.cells[:, 1] == 2, 0, -1), size=1, labels=("2",))
    assert girls.query(only, domain) is None
    assert evaluate(truth, truth, domain, {"pais": ["edad"]}, groups=[girls]).by_group()["answers"].to_list() == [1]
    with pytest.raises(CelosiaError, match="niñas"):
        Group(name="niñas", where="edad == 7").query(domain.query("edad"), domain)


def test_what_was_asked_is_told_from_what_was_measured(truth, domain, geography):
    noisy = Measurement("region", domain.query("edad"), Fraction(4), np.zeros((2, 3), dtype=np.int64), False)
    found = evaluate(truth, truth, domain, {"comuna": ["sexo", "total"]}, [noisy])
    assert found.table().height == 3
    assert set(found.asked(found.table())["query"]) == {"sexo", "total"}
    assert evaluate(truth, truth, domain, {}, [noisy]).asked(found.table()).height == 3


def test_a_group_speaks_of_the_domain_only(domain):
    with pytest.raises(CelosiaError) as error:
        Group(name="g", where="region == 1").query(domain.query("total"), domain)
    assert error.value.code == "domain-variable-unknown"


def test_one_question_place_by_place(truth, domain, geography):
    release = counted("r", geography, truth.leaves.dense() * 2)
    found = by_place(truth, release, domain, "comuna", "total")
    assert set(found.select("level", "query").rows()) == {("comuna", "total")}
    assert found.drop("level", "query").rows() == [
        ("11", "total", 3, 6, 3),
        ("12", "total", 1, 2, 1),
        ("13", "total", 0, 0, 0),
        ("21", "total", 2, 4, 2),
    ]


def test_every_question_is_answered_without_those_that_count_nobody(truth, domain, geography, monkeypatch):
    release = counted("r", geography, truth.leaves.dense() * 2)
    asked = {"comuna": ["sexo", "total"], "region": ["edad"]}
    found = answers(truth, release, domain, asked)
    whole = pl.concat([by_place(truth, release, domain, level, name) for level in asked for name in asked[level]])
    assert found.rows() == whole.filter((pl.col("truth") > 0) | (pl.col("published") > 0)).rows()
    monkeypatch.setattr("celosia.census.accuracy._BLOCK", 2)
    assert answers(truth, release, domain, asked).rows() == found.rows(), "in blocks as well"
    merged = Recorded("merged", domain, geography, Microdata(pl.DataFrame({"region": ["1"], "sexo": [1], "edad": [0]})))
    untold = answers(truth, merged, domain, {"comuna": ["total"]})
    assert untold["published"].null_count() == 3, "what is not told is kept"
    assert answers(truth, release, domain, {}).is_empty()
