"""The whole run, from records to a release: the university of the thesis and small random censuses."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused

from celosia.census import (
    Attribute,
    Budget,
    Domain,
    Fixed,
    Geography,
    Invariants,
    Ledger,
    Limit,
    Measurement,
    Protection,
    SeededBits,
    SystemBits,
    TopDown,
)
from celosia.census.checkpoint import Drawn
from celosia.census.counts import Counts
from celosia.census.ledger_file import read_ledger
from celosia.core.run import Run

PERSON = Protection(unit="person", neighbours="bounded")
LEAVES = {"DCC": (15, 7), "DII": (5, 3), "ENF": (9, 7), "OBS": (1, 3)}
FACULTY = {"DCC": "FCFM", "DII": "FCFM", "ENF": "FMED", "OBS": "FMED"}
LEVELS = ("facultad", "departamento")


def people(leaves=LEAVES):
    rows = [
        (FACULTY[place], place, sex)
        for place, counts in leaves.items()
        for sex, count in zip(("H", "M"), counts, strict=True)
        for _ in range(count)
    ]
    return pl.DataFrame(rows, schema=[*LEVELS, "sexo"], orient="row")


def university(**options):
    """The example of the thesis: seven places, rho = .25, .5, 1, totals of the faculties exact."""
    domain = Domain(attributes=(Attribute(name="sexo", codes=("H", "M")),))
    tree = Geography.of_table(people(), LEVELS, "universidad")
    shares = {"universidad": Fraction(1, 7), "facultad": Fraction(2, 7), "departamento": Fraction(4, 7)}
    budget = Budget(
        rho="1.75", protection=PERSON, levels=shares, queries=options.pop("queries", {"total": "1/2", "sexo": "1/2"})
    )
    options.setdefault("invariants", Invariants(fixed=[Fixed(levels=("facultad",))]))
    return TopDown(domain, tree, budget, **options)


def held(release):
    """The histograms of each level, with their zeros."""
    return [counts.dense().tolist() for counts in release.counts]


def check(release, truth=None, fixed=()):
    """Everything that holds at every place, whatever the noise."""
    tables = [counts.dense().astype(int) for counts in release.counts]
    tree = release.geography
    for level, table in enumerate(tables):
        assert (table >= 0).all()
        if level:
            sums = np.zeros_like(tables[level - 1])
            np.add.at(sums, tree.parents[level], table)
            assert (sums == tables[level - 1]).all()
    for name in fixed:
        level = tree.level(name)
        assert (tables[level].sum(axis=1) == truth[level].answers(release.domain.total())[:, 0]).all()


# -- the university --------------------------------------------------------------------------------


def test_the_university_holds_together_whatever_the_noise():
    for seed in range(50):
        release = university().run(people(), source=SeededBits(seed))
        check(release)
        root, faculties, departments = held(release)
        assert [sum(place) for place in faculties] == [30, 20]
        assert sum(root[0]) == 50
        assert len(departments) == 4
        assert not release.releasable


def test_a_run_gives_counts_records_measurements_and_the_ledger():
    release = university().run(people(), source=SeededBits(1))
    assert release.microdata.height == 50
    assert release.microdata.variables == ("facultad", "departamento", "sexo")
    again = Counts.of_records(
        release.geography.place(release.microdata), release.domain.encode(release.microdata), 4, 2
    )
    assert again.dense().tolist() == release.leaves.tolist()
    assert {(one.level, one.query.name) for one in release.measurements} == {
        (level, query) for level in ("universidad", "facultad", "departamento") for query in ("total", "sexo")
    }
    assert release.ledger.spent(PERSON.unit) == Fraction(7, 4)
    assert release.ledger.invariants == ("total = (facultad)",)
    assert release.table()["records"].to_list() == [50, 50, 50]


def test_bits_of_the_system_make_a_release():
    assert university().run(people(), source=SystemBits()).releasable
    assert university().run(people()).releasable


def measured(topdown, values):
    """Measurements as if they had been drawn: level → query → values."""
    charges = {(charge.level, charge.query): charge for charge in topdown.charges}
    return tuple(
        Measurement(level, topdown.domain.query(query), charges[level, query].variance, np.array(rows), False)
        for level, queries in values.items()
        for query, rows in queries.items()
    )


def test_the_university_by_hand():
    """Every number below can be found with pencil and paper."""
    topdown = university()
    noisy = {
        "universidad": {"total": [[52]], "sexo": [[31, 20]]},
        "facultad": {"total": [[31], [20]], "sexo": [[21, 10], [8, 12]]},
        "departamento": {"total": [[24], [7], [17], [3]], "sexo": [[16, 8], [5, 2], [9, 8], [-1, 4]]},
    }
    counts = Counts.levels(Counts.of_records(*_places(topdown), 4, 2), topdown.geography)
    bounds = topdown.invariants.resolve(topdown.domain, topdown.geography, counts)
    drawn = Drawn(topdown.spending("1", SeededBits(0)), measured(topdown, noisy), bounds)
    root, faculties, departments = (one.dense().tolist() for one in topdown.estimate(drawn, Run()))
    # Root: 31 men measured with variance 8 and 29 below with variance 4 make 29 2/3, women 21 1/3; of the 51 one is
    # taken back, half from each: 29.17 and 20.83.
    assert root == [[29, 21]]
    # Faculties, rows 30 and 20, columns 29 and 21: 20.75, 9.25 and 8.25, 11.75.
    assert faculties == [[21, 9], [8, 12]]
    # FCFM: 24 and 7 lose a half each, the first of two equal fractions goes up: 24 and 6. Then 16.25, 7.75 and 4.75,
    # 1.25. The other faculty would keep its 9, 8 and -1, 4; without a negative count OBS has no men: the rest follows.
    assert departments == [[16, 8], [5, 1], [8, 9], [0, 3]]


def _places(topdown):
    return topdown.geography.place(people()), topdown.domain.encode(people())


# -- small random censuses -------------------------------------------------------------------------

TREE = pl.DataFrame(
    {"region": ["1", "1", "1", "2", "2", "3"], "comuna": ["1", "1", "2", "3", "4", "5"], "zona": list("abcdef")}
)


@st.composite
def censuses(draw):
    """Records, queries and levels with exact totals."""
    rows = draw(
        st.lists(st.tuples(st.integers(0, 5), st.integers(1, 2), st.integers(0, 4), st.integers(0, 2)), max_size=60)
    )
    frame = pl.DataFrame(rows, schema=dict.fromkeys(["leaf", "P08", "P09", "P16"], pl.Int64), orient="row")
    frame = frame.with_columns(TREE[name].gather(frame["leaf"]).alias(name) for name in TREE.columns).drop("leaf")
    names = draw(
        st.lists(
            st.sampled_from(["total", "P08", "P09", "P08 * P09", "P16", "detailed", "banda"]), min_size=1, unique=True
        )
    )
    levels = draw(st.lists(st.sampled_from(["region", "comuna", "zona"]), unique=True, max_size=2))
    return frame, names, levels, draw(st.integers(0, 10**6)), draw(st.sampled_from(["0.1", "2", "50"]))


def small(names, levels=(), rho="1", at=None, **options):
    domain = Domain.model_validate(
        {
            "attributes": (
                Attribute(name="P08", codes=(1, 2)),
                Attribute(name="P09", codes=range(5)),
                Attribute(name="P16", codes=range(3)),
            ),
            "rules": ({"given": "P09 < 2", "then": "P16 == 0"},) if options.pop("rules", False) else (),
            "groupings": {"banda": {"variable": "P09", "groups": {"0": "a", "1": "a", "3": "b"}}},
        }
    )
    tree = Geography.of_table(TREE, ("region", "comuna", "zona"), "pais")
    budget = Budget(rho=rho, protection=PERSON, queries={name: Fraction(1, len(names)) for name in names}, at=at or {})
    fixed = [Fixed(levels=tuple(levels))] if levels else []
    return TopDown(domain, tree, budget, options.pop("invariants", Invariants(fixed=fixed)), **options)


@given(censuses())
def test_every_place_holds_together_always(census):
    frame, names, levels, seed, rho = census
    topdown = small(names, levels, rho)
    release = topdown.run(frame, source=SeededBits(seed), run=Run(threads=1))
    place, cell = topdown.geography.place(frame), topdown.domain.encode(frame)
    truth = Counts.levels(Counts.of_records(place, cell, 6, topdown.domain.size), topdown.geography)
    check(release, truth, levels)


@given(censuses())
def test_with_all_the_budget_of_the_world_the_truth_comes_back(census):
    frame, _, levels, seed, _ = census
    topdown = small(["detailed", "total"], levels, "20000")
    release = topdown.run(frame, source=SeededBits(seed), run=Run(threads=1))
    truth = Counts.of_records(topdown.geography.place(frame), topdown.domain.encode(frame), 6, topdown.domain.size)
    assert release.leaves.tolist() == truth.dense().tolist()


def persons(n=300, seed=0):
    rng = np.random.default_rng(seed)
    leaf = rng.integers(0, 6, n)
    frame = pl.DataFrame({name: TREE[name].gather(leaf) for name in TREE.columns})
    return frame.with_columns(
        P08=pl.Series(rng.integers(1, 3, n)), P09=pl.Series(rng.integers(0, 5, n)), P16=pl.Series(rng.integers(0, 3, n))
    )


def test_threads_change_nothing():
    topdown = small(["total", "P08 * P09", "detailed"])
    one, many = (topdown.run(persons(), source=SeededBits(3), run=Run(threads=n)) for n in (1, 4))
    assert held(one) == held(many)


def test_a_level_that_is_not_measured_is_known_from_those_below():
    topdown = small(["total", "detailed"])
    budget = topdown.budget.model_copy(update={"levels": {"zona": Fraction(1)}})
    topdown = TopDown(topdown.domain, topdown.geography, budget)
    release = topdown.run(persons(), source=SeededBits(3))
    check(release)
    assert abs(release.counts[0].total - 300) < 40


def test_a_level_that_nothing_tells_of_is_refused_before_anything_is_spent(tmp_path):
    topdown = small(["total"])
    budget = topdown.budget.model_copy(update={"levels": {"region": Fraction(1)}})
    with refused("topdown-level-unknown", level="zona"):
        TopDown(topdown.domain, topdown.geography, budget).run(persons(), ledger_file=tmp_path / "ledger.json")
    assert not (tmp_path / "ledger.json").exists()


# -- wrong input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        (persons().with_columns(P09=pl.lit(7)), "domain-code-outside"),
        (persons().with_columns(zona=pl.lit("z")), "place-unknown"),
    ],
)
def test_what_is_outside_is_refused_before_anything_is_spent(tmp_path, frame, code):
    with refused(code):
        small(["total"]).run(frame, folder=tmp_path / "run", ledger_file=tmp_path / "ledger.json")
    assert not (tmp_path / "ledger.json").exists()
    assert {path.name for path in (tmp_path / "run").iterdir()} <= {"run.lock"}


def test_invariants_that_contradict_each_other_are_refused_before_anything_is_spent(tmp_path):
    limits = [Limit(level="region", at_least=200), Limit(level="pais", at_most=300)]
    with refused("invariants-contradict"):
        small(["total"], invariants=Invariants(limits=limits)).run(persons(), ledger_file=tmp_path / "ledger.json")
    assert not (tmp_path / "ledger.json").exists()


def test_a_spent_budget_is_refused_and_nothing_is_drawn(tmp_path):
    topdown, book = small(["total"]), tmp_path / "ledger.json"
    first = topdown.run(persons(), ledger_file=book, name="1")
    assert read_ledger(book) == first.ledger
    with refused("budget-overspent"):
        topdown.run(persons(), ledger_file=book, name="2", folder=tmp_path / "run")
    assert read_ledger(book) == first.ledger
    assert {path.name for path in (tmp_path / "run").iterdir()} <= {"run.lock"}


def test_two_runs_on_the_same_data_add_up():
    topdown = small(["total"])
    ledger = Ledger(data="censo", protection=PERSON, limits={"person": 2, "dwelling": 0})
    after = topdown.run(persons(), ledger, name="1").ledger
    assert topdown.run(persons(), after, name="2").ledger.spent(PERSON.unit) == 2
    with refused("ledger-run-repeated"):
        topdown.run(persons(), after, name="1")


def test_dwellings_are_protected_with_their_persons_only_where_the_link_is_known():
    domain, tree = small(["total"]).domain, small(["total"]).geography
    together = Protection(unit="dwelling", neighbours="bounded", members=2)
    budget = Budget(rho=1, protection=together, queries={"total": 1})
    with refused("topdown-link"):
        TopDown(domain, tree, budget)
    frame = persons(30).with_columns(ID=pl.int_range(30, eager=True) // 3)
    with refused("dwelling-too-large"):
        TopDown(domain, tree, budget, link="ID").run(frame)


# -- progress ---------------------------------------------------------------------------------------


def test_progress_is_told_level_by_level():
    seen = []
    small(["total"]).run(
        persons(), source=SeededBits(1), run=Run(progress=lambda name, done: seen.append((name, done)))
    )
    assert [name for name, done in seen if done == 1.0] == ["measurement", "pais", "region", "comuna", "zona"]
