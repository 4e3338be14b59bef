"""Limits of more than totals: they hold at every place whatever the noise, and what is estimated is the nearest."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from least_squares import nearest, objective
from scipy import sparse

from celosia.census import (
    Attribute,
    Budget,
    Domain,
    Fixed,
    Geography,
    Grouping,
    Invariants,
    Limit,
    Protection,
    SeededBits,
    TopDown,
)
from celosia.census.counts import Counts
from celosia.census.least_squares import LeastSquares
from celosia.census.limits import Limits, Tables
from celosia.core.run import Run

TREE = pl.DataFrame(
    {"region": list("AAAABB"), "comuna": ["a", "a", "b", "b", "c", "d"], "zona": ["1", "2", "3", "4", "5", "6"]}
)
PLACES = Geography.of_table(TREE, ("region", "comuna", "zona"), "pais")
DOMAIN = Domain(
    attributes=(
        Attribute(name="sexo", codes=(1, 2)),
        Attribute(name="edad", codes=range(4)),
        Attribute(name="pueblo", codes=range(3)),
    ),
    groupings={"mayores": Grouping(variable="edad", groups={"2": "si", "3": "si"})},
)
LEVELS, QUERIES = PLACES.levels, ("total", "sexo", "edad", "pueblo", "sexo * edad", "mayores")
PERSON = Protection(unit="person", neighbours="bounded")


def census(invariants, queries=("total", "sexo * edad", "pueblo", "detailed"), rho="0.3"):
    shares = {name: Fraction(1, len(queries)) for name in queries}
    return TopDown(DOMAIN, PLACES, Budget(rho=rho, protection=PERSON, queries=shares), invariants)


def persons(rng, n):
    frame = TREE[rng.choice(6, n, p=rng.dirichlet(np.full(6, 0.7))).tolist()]
    return frame.with_columns(
        sexo=pl.Series(rng.integers(1, 3, n)),
        edad=pl.Series(rng.choice(4, n, p=rng.dirichlet(np.ones(4)))),
        pueblo=pl.Series(rng.choice(3, n, p=(0.8, 0.1, 0.1))),
    )


def counted(frame):
    leaves = Counts.of_records(PLACES.place(frame), DOMAIN.encode(frame), PLACES.leaves, DOMAIN.size)
    return Counts.levels(leaves, PLACES)


@st.composite
def invariants(draw, truth):
    """Answers published exactly and limits, of any queries on any levels, that the data fulfil."""
    fixed = [
        Fixed(query=query, levels=(level,))
        for query, level in draw(
            st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(LEVELS)), max_size=3, unique=True)
        )
    ]
    limits = []
    for query, level in draw(st.lists(st.tuples(st.sampled_from(QUERIES), st.sampled_from(LEVELS)), max_size=3)):
        asked, depth = DOMAIN.query(query), PLACES.level(level)
        column = draw(st.integers(0, asked.size - 1))
        true = truth[depth].answers(asked)[:, column]
        room = draw(st.integers(0, 3))
        places = dict(zip(PLACES.names[depth], true.tolist(), strict=True))
        limits.append(
            Limit(
                query=query,
                answer=None if asked.size == 1 else asked.answer_labels[column],
                level=level,
                at_least={place: max(0, n - room) for place, n in places.items()},
                at_most=draw(st.sampled_from([None, {place: n + room for place, n in places.items()}])),
            )
        )
    return Invariants(fixed=fixed, limits=limits)


@given(st.data(), st.integers(0, 10**6), st.integers(0, 40))
def test_any_limits_that_the_data_fulfil_hold_everywhere(data, seed, n):
    frame = persons(np.random.default_rng(seed), n)
    truth = counted(frame)
    asked = data.draw(invariants(truth))
    topdown = census(asked, queries=data.draw(st.sampled_from([("detailed",), ("total", "edad"), QUERIES])))
    if n == 0 or not {charge.query for charge in topdown.charges}:
        return
    release = topdown.run(frame, source=SeededBits(seed), run=Run(threads=1))
    for one in asked.resolve(DOMAIN, PLACES, truth):
        answers = release.counts[one.level].answers(one.query)
        assert ((answers >= one.low) & (answers <= one.high)).all()
    tables = [counts.dense() for counts in release.counts]
    for level in range(1, PLACES.depth):
        sums = np.zeros_like(tables[level - 1])
        np.add.at(sums, PLACES.parents[level], tables[level])
        assert (sums == tables[level - 1]).all() and (tables[level] >= 0).all()


def test_margins_that_cross_leave_every_place_a_whole_table():
    """Sex, age and people fixed in each comuna: not every table of a region has comunas that add up to it."""
    asked = Invariants(fixed=[Fixed(query=query, levels=("comuna",)) for query in ("sexo", "edad", "pueblo")])
    for seed in range(10):
        frame = persons(np.random.default_rng(seed), 60)
        truth = counted(frame)
        release = census(asked).run(frame, source=SeededBits(seed), run=Run(threads=1))
        for query in ("sexo", "edad", "pueblo"):
            found, true = (counts[2].answers(DOMAIN.query(query)) for counts in (release.counts, truth))
            assert found.tolist() == true.tolist()


def test_a_level_below_all_limits_takes_the_chain_that_most_is_paid_for():
    asked = Invariants(fixed=[Fixed(query="pueblo", levels=("region",))])
    topdown = census(asked)
    truth = counted(persons(np.random.default_rng(1), 50))
    bounds = asked.resolve(DOMAIN, PLACES, truth)
    declared = asked.declared_on(DOMAIN, PLACES)
    assert declared == {"pueblo": 1} and topdown.invariants is asked
    found = [Limits.of(bounds, declared, PLACES, level) for level in range(4)]
    assert [one is None for one in found] == [False, False, True, True]
    assert found[0].last == 1 and found[0].parts.query.name == "pueblo"
    both = Invariants(fixed=[*asked.fixed, Fixed(query="sexo", levels=("zona",))])
    shared = Limits.of(both.resolve(DOMAIN, PLACES, truth), both.declared_on(DOMAIN, PLACES), PLACES, 0)
    assert shared.parts.size == 6 and shared.last == 3 and shared.parts.query is None
    finer = Invariants(fixed=[Fixed(query=query, levels=("comuna",)) for query in ("sexo", "sexo * edad")])
    nested = Limits.of(finer.resolve(DOMAIN, PLACES, truth), finer.declared_on(DOMAIN, PLACES), PLACES, 0)
    assert nested.parts.size == 8 and nested.parts.query.name == "sexo * edad"


# -- the nearest -----------------------------------------------------------------------------------


@st.composite
def problems(draw):
    """Terms on cells, rows and groups of a table; margins, and limits around a table that fulfils them."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    height, width = int(rng.integers(1, 6)), int(rng.integers(1, 9))
    true = rng.poisson(rng.gamma(0.5, draw(st.sampled_from([1, 6, 300])), (height, width)))
    n = true.size
    rows = sparse.kron(sparse.eye(height), np.ones((1, width)))
    group = sparse.csr_matrix((np.ones(width), (rng.integers(0, 3, width), np.arange(width))), shape=(3, width))
    groups = sparse.kron(sparse.eye(height), group)
    columns = sparse.kron(np.ones((1, height)), sparse.eye(width))
    terms = sparse.vstack([sparse.eye(n), rows, groups]).tocsr()
    wanted = terms @ true.ravel() + rng.normal(0, draw(st.sampled_from([0.1, 3, 30])), terms.shape[0])
    constraints = sparse.vstack([sparse.eye(n), columns, rows, groups]).tocsr()
    reached = constraints @ true.ravel()
    below, above = ((rng.integers(0, 4, reached.size) * (rng.random(reached.size) < 0.5)).astype(float) for _ in "ab")
    low, high = reached - below, reached + above
    low[:n], high[:n] = 0.0, np.inf
    low[n : n + width] = high[n : n + width] = true.sum(axis=0)
    return LeastSquares(terms, wanted, 1 / rng.choice([0.3, 3.0, 30.0], wanted.size), constraints, low, high)


@given(problems())
def test_least_squares_under_limits_equals_clarabel(problem):
    x = problem.solve()
    assert problem.broken(x) < 1e-7
    n, free = x.size, np.isfinite(problem.high) & (problem.low < problem.high)
    equal = problem.low == problem.high
    rows = sparse.vstack([problem.constraints[free], -problem.constraints[(problem.low > 0) & ~equal]])
    sides = np.concatenate([problem.high[free], -problem.low[(problem.low > 0) & ~equal]])
    slack = sparse.hstack([problem.constraints[equal], sparse.csr_matrix((int(equal.sum()), sides.size))])
    matrix = sparse.vstack([slack, sparse.hstack([rows, sparse.eye(sides.size)])])
    right = np.concatenate([problem.low[equal], sides])
    facts = (sparse.hstack([problem.terms, sparse.csr_matrix((problem.wanted.size, sides.size))]), problem.wanted)
    every = n + sides.size
    z, v = np.zeros(every), np.full(every, np.inf)
    other = nearest(z, v, matrix, right, *facts, 1 / problem.weight)
    best = objective(other, z, v, *facts, 1 / problem.weight) / 2
    assert problem.objective(x) <= best + 1e-6 * max(1.0, best)


@given(st.integers(0, 10**6))
def test_the_whole_table_is_the_nearest_one_of_those_that_leave_a_way(seed):
    """Every table of two comunas by sex and people is looked at: those that their zones can add up to."""
    rng = np.random.default_rng(seed)
    frame = persons(rng, 8)
    truth = counted(frame)
    asked = Invariants(fixed=[Fixed(query="sexo", levels=("zona",)), Fixed(query="mayores", levels=("comuna",))])
    bounds = asked.resolve(DOMAIN, PLACES, truth)
    limits = Limits.of(bounds, asked.declared_on(DOMAIN, PLACES), PLACES, 2)
    parts = np.arange(limits.parts.size)
    held = np.bincount(limits.parts.group, weights=truth[1].dense()[0], minlength=parts.size).astype(np.int64)
    children = PLACES.children(1, 0)
    x = rng.dirichlet(np.ones(2), parts.size).T * held
    found = Tables(limits, children, parts, held)._whole(x)
    best = min((np.abs(y - x).sum() for y in splits(held) if fulfils(y, limits, bounds, children)), default=None)
    assert best is not None and fulfils(found, limits, bounds, children)
    assert np.abs(found - x).sum() == pytest.approx(best, abs=1e-6)


def splits(held):
    """All ways to share the parent out to two children."""
    ways = np.stack(np.meshgrid(*(np.arange(n + 1) for n in held), indexing="ij"), axis=-1).reshape(-1, held.size)
    return (np.stack([way, held - way]) for way in ways)


def fulfils(table, limits, bounds, children):
    """Whether the margins are those of the comunas; those of the zones add up to them."""
    own = [one for one in bounds if one.level == 2]
    answers = {one.query.name: (limits.sums(one.query, np.arange(table.shape[1])) @ table.T).T for one in own}
    return all(
        ((answers[one.query.name] >= one.low[children]) & (answers[one.query.name] <= one.high[children])).all()
        for one in own
    )
