from itertools import product

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused

from celosia.census.attribute import Attribute
from celosia.census.bounds import NO_LIMIT, Bounds, tighten
from celosia.census.domain import Domain
from celosia.census.geography import Geography
from celosia.census.invariants import Fixed, Invariants, Limit
from celosia.core.errors import PolicyError

DOMAIN = Domain(attributes=(Attribute(name="sexo", codes=("H", "M")),))
PLACES = Geography.of_table(
    pl.DataFrame({"facultad": ["FCFM", "FCFM", "FMED", "FMED"], "departamento": ["DCC", "DII", "ENF", "OBS"]}),
    ("facultad", "departamento"),
    root="universidad",
)
LEAF = np.array([[15, 7], [5, 3], [9, 7], [1, 3]])
COUNTS = [np.array([[30, 20]]), np.array([[20, 10], [10, 10]]), LEAF]


def resolved(**options):
    found = Invariants(**options).resolve(DOMAIN, PLACES, COUNTS)
    return {(PLACES.levels[one.level], one.query.name): one for one in found}


def test_the_totals_of_the_faculties_as_in_the_thesis():
    found = resolved(fixed=[Fixed(levels=("facultad",))])
    assert found["facultad", "total"].fixed and found["facultad", "total"].low.tolist() == [[30], [20]]
    assert found["universidad", "total"].low.tolist() == [[50]], "what is exact below is exact above"
    assert found["departamento", "total"].high.ravel().tolist() == [30, 30, 20, 20]
    assert found["departamento", "total"].low.ravel().tolist() == [0, 0, 0, 0]


def test_no_fewer_persons_than_dwellings():
    dwellings = {"DCC": 4, "DII": 8, "ENF": 2}
    found = resolved(fixed=[Fixed(levels=("facultad",))], limits=[Limit(level="departamento", at_least=dwellings)])
    zones = found["departamento", "total"]
    assert zones.low.ravel().tolist() == [4, 8, 2, 0]
    assert zones.high.ravel().tolist() == [22, 26, 20, 18], "each leaves room for the others"


def test_limits_of_an_answer_reach_the_places_above():
    found = resolved(limits=[Limit(query="sexo", answer="M", level="departamento", at_least=2, at_most=100)])
    assert found["facultad", "sexo"].low.tolist() == [[0, 4], [0, 4]]
    assert found["universidad", "sexo"].low.tolist() == [[0, 8]]
    assert found["universidad", "sexo"].high[0, 1] == 400 and found["universidad", "sexo"].high[0, 0] == NO_LIMIT


def test_no_limit_at_all_is_nothing_at_all():
    assert resolved() == {}
    assert Invariants().lines() == ()


def test_declared_limits_that_contradict_each_other_are_refused_without_data():
    beyond = Limit(level="departamento", at_least=10)
    with refused("invariants-contradict", level="facultad", places=2):
        Invariants(limits=[beyond, Limit(level="facultad", at_most=19)]).declared(DOMAIN, PLACES)
    with refused("invariants-contradict", level="departamento", places=1):
        crossed = [Limit(level="departamento", at_least={"DCC": 5}), Limit(level="departamento", at_most={"DCC": 4})]
        Invariants(limits=crossed).declared(DOMAIN, PLACES)
    by_sex = [Limit(query="sexo", answer=sex, level="facultad", at_least=10) for sex in "HM"]
    with refused("invariants-contradict"):
        Invariants(limits=[*by_sex, Limit(level="facultad", at_most=19)]).declared(DOMAIN, PLACES)


def test_limits_that_the_data_break_are_refused_without_numbers():
    with refused("invariants-data", level="departamento", places=2) as caught:
        resolved(fixed=[Fixed(levels=("facultad",))], limits=[Limit(level="departamento", at_least=9)])
    assert not any(digits in str(caught.value) for digits in ("22", "16", "50"))


def test_what_is_not_there_is_refused():
    with refused("level-unknown"):
        resolved(fixed=[Fixed(levels=("comuna",))])
    with refused("domain-variable-unknown"):
        resolved(fixed=[Fixed(query="edad", levels=("facultad",))])
    with refused("limit-empty"):
        Limit(level="facultad")
    with refused("limit-answer"):
        resolved(limits=[Limit(query="sexo", level="facultad", at_least=1)])
    with refused("limit-answer"):
        resolved(limits=[Limit(query="sexo", answer="X", level="facultad", at_least=1)])
    with refused("limit-place-unknown", count=1):
        resolved(limits=[Limit(level="facultad", at_least={"X": 1})])
    for wrong in (-1, {"FCFM": -1}):
        with refused("option-range"):
            resolved(limits=[Limit(level="facultad", at_least=wrong)])


def test_what_a_ledger_says_of_them():
    some = Invariants(
        fixed=[Fixed(levels=("universidad", "facultad"))],
        limits=[Limit(query="sexo", answer="M", level="departamento", at_least=2, at_most={"DCC": 9})],
    )
    assert some.lines() == ("total = (universidad, facultad)", "sexo[M] ≥ ≤ (departamento)")
    assert Invariants.model_validate_json(some.model_dump_json()) == some


SMALL = Geography.of_table(pl.DataFrame({"zona": ["1", "2"]}), ("zona",), root="pais")
MOST = 3


def histograms():
    """Every histogram of two zones and two cells with counts up to three."""
    for counts in product(range(MOST + 1), repeat=4):
        leaf = np.array(counts).reshape(2, 2)
        yield [leaf.sum(axis=0, keepdims=True), leaf]


@st.composite
def limits(draw):
    level, name = draw(st.integers(0, 1)), draw(st.sampled_from(["total", "sexo", "detailed"]))
    query = DOMAIN.query(name)
    shape = SMALL.nodes[level], query.size
    cells = shape[0] * shape[1]
    low = np.array(draw(st.lists(st.integers(0, 4), min_size=cells, max_size=cells))).reshape(shape)
    width = np.array(draw(st.lists(st.integers(0, 8), min_size=cells, max_size=cells))).reshape(shape)
    return Bounds(level, query, low, low + width)


def fulfils(counts, bounds):
    answers = bounds.query.answers(counts[bounds.level])
    return bool(((answers >= bounds.low) & (answers <= bounds.high)).all())


@given(st.lists(limits(), min_size=1, max_size=4))
def test_narrowing_loses_no_histogram_and_refuses_only_the_impossible(given_limits):
    possible = [counts for counts in histograms() if all(fulfils(counts, one) for one in given_limits)]
    try:
        narrowed = tighten(given_limits, SMALL)
    except PolicyError:
        assert not possible
        return
    for counts in possible:
        assert all(fulfils(counts, one) for one in narrowed)
