"""Measurement, with the university of the thesis (Kullmer 2024, section 7.3, figure 6)."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from refusal import refused

from celosia.census import Domain, Geography
from celosia.census.attribute import Attribute
from celosia.census.bits import SeededBits, SystemBits
from celosia.census.budget import Budget
from celosia.census.counts import Counts
from celosia.census.ledger import Spending
from celosia.census.measuring import Measurer
from celosia.census.protection import Protection, Table

LEAVES = {"DCC": (15, 7), "DII": (5, 3), "ENF": (9, 7), "OBS": (1, 3)}
FACULTY = {"DCC": "FCFM", "DII": "FCFM", "ENF": "FMED", "OBS": "FMED"}
LEVELS = ("facultad", "departamento")
RHO = {"universidad": Fraction(1, 4), "facultad": Fraction(1, 2), "departamento": Fraction(1)}


def people():
    rows = [
        (FACULTY[place], place, sex)
        for place, counts in LEAVES.items()
        for sex, count in zip(("H", "M"), counts, strict=True)
        for _ in range(count)
    ]
    return pl.DataFrame(rows, schema=[*LEVELS, "sexo"], orient="row")


def university():
    """Domain, tree, and the histograms of each level from the records."""
    domain = Domain(attributes=(Attribute(name="sexo", codes=("H", "M")),))
    records = people()
    tree = Geography.of_table(records, LEVELS, "universidad")
    leaf = Counts.of_records(tree.place(records), domain.encode(records), tree.leaves, domain.size).dense()
    above = tree.sum_children(1, leaf)
    return domain, tree, [tree.sum_children(0, above), above, leaf]


def paid(domain, tree, releasable=False, **options):
    budget = Budget(
        rho=sum(RHO.values()),
        protection=Protection(unit="person", neighbours="bounded"),
        levels={level: rho / sum(RHO.values()) for level, rho in RHO.items()},
        queries=options.pop("queries", {"total": "1/2", "sexo": "1/2"}),
    )
    charges = budget.charges(domain, tree)
    return Spending(run="1", table=Table.PERSONS, levels=tree.levels, charges=charges, releasable=releasable)


def test_the_histograms_of_the_seven_nodes():
    _, tree, counts = university()
    assert tree.nodes == (1, 2, 4)
    assert [one.tolist() for one in counts] == [[[30, 20]], [[20, 10], [10, 10]], [[15, 7], [5, 3], [9, 7], [1, 3]]]


def test_the_three_answers_of_a_node_and_their_noise():
    domain, tree, counts = university()
    total, sex = domain.query("total"), domain.query("sexo")
    assert [*total.answers(counts[2][0]), *sex.answers(counts[2][0])] == [22, 15, 7]
    measurer = Measurer(paid(domain, tree), SeededBits(1))
    made = {
        (level, query.name): measurer.measure(level, query, counts[depth])
        for depth, level in enumerate(tree.levels)
        for query in (total, sex)
    }
    assert measurer.due == ()
    for (level, name), one in made.items():
        assert one.variance == 2 / RHO[level], "half of the level's ρ each, σ² = 1/ρ_q"
        assert one.values.shape == (tree.nodes[tree.level(level)], 1 if name == "total" else 2)
        assert not one.releasable


def test_the_noise_has_the_variance_that_was_paid_for():
    domain, tree, counts = university()
    sex = domain.query("sexo")
    drawn = []
    for seed in range(400):
        measurer = Measurer(paid(domain, tree), SeededBits(seed))
        drawn.append(measurer.measure("departamento", sex, counts[2]).values - counts[2])
    assert np.var(drawn) == pytest.approx(2.0, rel=0.1)
    assert np.mean(drawn) == pytest.approx(0.0, abs=0.1)


def test_what_was_paid_for_is_measured_once():
    domain, tree, counts = university()
    measurer = Measurer(paid(domain, tree, queries={"sexo": 1}), SeededBits(1))
    measurer.measure("facultad", domain.query("sexo"), counts[1])
    for level, query in (("facultad", "sexo"), ("facultad", "total"), ("comuna", "sexo")):
        with refused("measurement-unpaid", level=level, query=query):
            measurer.measure(level, domain.query(query), counts[1])
    assert set(measurer.due) == {("universidad", "sexo"), ("departamento", "sexo")}


def test_a_test_source_cannot_make_a_release():
    domain, tree, counts = university()
    with refused("measurement-source"):
        Measurer(paid(domain, tree, releasable=True), SeededBits(1))
    released = Measurer(paid(domain, tree, releasable=True), SystemBits())
    assert released.measure("universidad", domain.query("sexo"), counts[0]).releasable


def test_the_histogram_that_was_measured_is_left_as_it_was():
    domain, tree, counts = university()
    queries = {"detailed": 1}
    before = counts[2].astype(np.int64)
    Measurer(paid(domain, tree, queries=queries), SeededBits(1)).measure("departamento", domain.detailed(), before)
    assert before.tolist() == counts[2].tolist()
