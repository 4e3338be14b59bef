"""Estimation against Clarabel, rounding against the MILP optimum of HiGHS."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from least_squares import best_rounding, margins, nearest, objective, sums

from celosia.census.chain import Columns
from celosia.census.crossing import Crossing, Estimated
from celosia.census.rounding import rounded as rounded_with_care
from celosia.census.sharing import share_out, whole
from celosia.kernels.crossing import fit_crossing
from celosia.kernels.rounding import mend, round_tables
from celosia.kernels.transport import fit_tables, project_groups


@st.composite
def tables(draw, spread=3.0):
    """A run of tables: evidence, variances, and the margins of some integer tables, zeros among them."""
    rng = np.random.default_rng(draw(st.integers(0, 10**9)))
    height, groups = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    sizes = rng.integers(1, 7, groups)
    first = np.concatenate([[0], np.cumsum(sizes)])
    scale = draw(st.sampled_from([0.3, 3.0, 300.0]))
    true = rng.poisson(rng.gamma(0.4, scale / 0.4, (height, first[-1])))
    z = true + rng.normal(0, draw(st.sampled_from([0.1, spread, 30 * spread])), true.shape)
    v = rng.uniform(0.5, 8, true.shape)
    return z, v, np.add.reduceat(true, first[:-1], axis=1), true.sum(axis=0), first


def fitted(z, v, rows, columns, first):
    x = np.empty(z.shape)
    assert fit_tables(z, v, rows, columns, first, x) < 1e-6
    return x


def rounded(x, rows, columns, first, answer=None, carried=None, pull=0.0):
    out = np.empty(x.shape, dtype=np.int64)
    answer = np.empty((0, x.shape[1]), dtype=np.int64) if answer is None else answer
    carried = np.zeros((x.shape[0], 0)) if carried is None else carried
    assert round_tables(x, rows, columns, first, answer, carried, pull, out) == 0
    return out


def same_objective(ours, theirs, *problem):
    best = objective(theirs, *problem)
    assert objective(ours, *problem) <= best + 1e-6 * max(1.0, best)


@given(tables())
def test_the_tables_are_the_nearest_ones(problem):
    z, v, rows, columns, first = problem
    x = fitted(*problem)
    assert (x >= 0).all()
    assert np.add.reduceat(x, first[:-1], axis=1) == pytest.approx(rows, abs=1e-6)
    assert x.sum(axis=0) == pytest.approx(columns, abs=1e-6)
    other = nearest(z.ravel(), v.ravel(), margins(len(z), first), np.concatenate([rows.ravel(), columns]))
    same_objective(x.ravel(), other, z.ravel(), v.ravel())


@given(tables(spread=3e4))
def test_tables_far_from_their_margins_are_found_as_well(problem):
    fitted(*problem)


@given(tables())
def test_rounding_keeps_the_margins_and_is_the_best_there_is(problem):
    _, _, rows, columns, first = problem
    x = fitted(*problem)
    y = rounded(x, rows, columns, first)
    assert (y >= 0).all() and (np.abs(y - x) < 1 + 1e-6).all()
    assert (np.add.reduceat(y, first[:-1], axis=1) == rows).all() and (y.sum(axis=0) == columns).all()
    best = best_rounding(x.ravel(), margins(len(x), first), np.concatenate([rows.ravel(), columns]))
    assert np.abs(y - x).sum() <= best + 1e-5


@given(tables(), st.integers(0, 10**9))
def test_any_table_can_be_mended(problem, seed):
    _, _, rows, columns, first = problem
    start, stop = first[0], first[1]
    table = np.random.default_rng(seed).integers(-3, 9, (len(rows), stop - start))
    mend(table, rows[:, 0], columns[start:stop])
    assert (table >= 0).all()
    assert (table.sum(axis=1) == rows[:, 0]).all() and (table.sum(axis=0) == columns[start:stop]).all()


def crossing_problem(problem, seed):
    """Two crossing queries over the columns of all tables, one of which leaves some out."""
    z, _, _, _, first = problem
    rng = np.random.default_rng(seed)
    answer = np.stack([rng.integers(0, 3, first[-1]), np.where(rng.random(first[-1]) < 0.3, -1, 3)])
    _, known = np.unique(answer[answer >= 0], return_inverse=True)
    answer[answer >= 0] = known
    wanted = rng.normal(0, 20, (len(z), answer.max() + 1)) + z.sum() / z.size
    return answer, wanted, rng.choice([0.3, 3.0, 30.0], wanted.shape)


@given(tables(), st.integers(0, 10**9))
def test_tables_with_crossing_answers_are_the_nearest_ones(problem, seed):
    z, v, rows, columns, first = problem
    answer, wanted, variance = crossing_problem(problem, seed)
    x = np.empty(z.shape)
    assert fit_crossing(z, v, rows, columns, first, answer, wanted, variance, x) < 1e-4
    assert np.add.reduceat(x, first[:-1], axis=1) == pytest.approx(rows, abs=1e-6)
    assert x.sum(axis=0) == pytest.approx(columns, abs=1e-6)
    pulls = sums(len(z), answer, wanted.shape[1])
    facts = (pulls, wanted.ravel(), variance.ravel())
    right = np.concatenate([rows.ravel(), columns])
    other = nearest(z.ravel(), v.ravel(), margins(len(z), first), right, *facts)
    same_objective(x.ravel(), other, z.ravel(), v.ravel(), *facts)


@given(tables(), st.integers(0, 10**9))
def test_rounding_that_looks_after_crossing_answers_keeps_the_margins(problem, seed):
    _, _, rows, columns, first = problem
    answer, wanted, _ = crossing_problem(problem, seed)
    x = fitted(*problem)
    carried = np.zeros(wanted.shape)
    y = rounded(x, rows, columns, first, answer, carried, 0.2)
    assert (np.add.reduceat(y, first[:-1], axis=1) == rows).all() and (y.sum(axis=0) == columns).all()
    lost = (sums(len(x), answer, wanted.shape[1]) @ (x - y).ravel()).reshape(wanted.shape)
    assert carried == pytest.approx(lost)


@given(tables(), st.integers(0, 10**9), st.booleans())
def test_care_for_crossing_answers_never_costs_more_than_two_percent(problem, seed, root):
    """Against the optimum of a MILP, whatever the tables."""
    _, _, rows, columns, first = problem
    x = fitted(*problem)
    height, equal, right = len(x), margins(len(x), first), np.concatenate([rows.ravel(), columns])
    answer, _, _ = crossing_problem(problem, seed)
    if root:
        x, rows, columns, height = x[:1], rows[:1], None, 1
        equal, right = margins(1, first)[: first.size - 1], rows.ravel()
    y = rounded_with_care(x, rows, columns, first, answer)
    assert (equal @ y.ravel() == right).all() and (y >= 0).all() and (np.abs(y - x) < 1 + 1e-6).all()
    assert np.abs(y - x).sum() <= 1.02 * best_rounding(x.ravel(), equal, right) + 1e-5
    assert height == len(y)


def test_care_for_crossing_answers_takes_most_of_their_drift_away():
    """A hundred groups with a rare kind in each: nearly all of its cells are far below one, and would all go down."""
    rng = np.random.default_rng(3)
    first = np.arange(0, 101 * 30, 30)
    rare = np.arange(first[-1]) % 30 >= 20
    true = rng.poisson(np.where(rare, 0.1, 3.0))
    totals, x = np.add.reduceat(true, first[:-1])[None, :], np.empty((1, true.size))
    project_groups(true + rng.normal(0, 2, true.size), np.ones(true.size), totals[0], first, x[0])
    answer = np.where(rare, 0, 1)[None, :]
    plain, careful = (rounded_with_care(x, totals, None, first, asked) for asked in (answer[:0], answer))
    drift = [abs(float((y - x)[0, rare].sum())) for y in (plain, careful)]
    assert drift[1] < 1 and drift[0] > 5 * drift[1], drift
    assert np.abs(careful - x).sum() <= 1.02 * np.abs(plain - x).sum()


@given(tables(), st.integers(0, 10**9))
def test_the_root_with_crossing_answers_is_the_nearest_one(problem, seed):
    z, v, rows, _, first = problem
    z, v, totals = z[:1], v[:1], rows[0]
    answer, wanted, variance = crossing_problem((z, None, None, None, first), seed)
    x = Crossing(answer, wanted, variance).fit_root(z[0], v[0], totals, first)
    pulls = sums(1, answer, wanted.shape[1])
    facts = (pulls, wanted.ravel(), variance.ravel())
    other = nearest(z[0], v[0], margins(1, first)[: totals.size], totals, *facts)
    same_objective(x, other, z[0], v[0], *facts)


@given(tables())
def test_the_root_is_the_nearest_one(problem):
    z, v, rows, _, first = problem
    x = np.empty(z.shape[1])
    project_groups(z[0], v[0], rows[0], first, x)
    other = nearest(z[0], v[0], margins(1, first)[: first.size - 1], rows[0])
    same_objective(x, other, z[0], v[0])


@given(st.integers(0, 10**9), st.integers(1, 12))
def test_totals_are_shared_out_at_the_least_distance_and_rounded_at_the_least_cost(seed, places):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 40, places)
    low, high = np.maximum(true - rng.integers(0, 9, places), 0), true + rng.integers(0, 9, places)
    z, v, total = true + rng.normal(0, 9, places), rng.uniform(1, 9, places), int(true.sum())
    x = share_out(total, z, v, low, high)
    one = np.ones((1, places))
    from scipy import sparse

    other = nearest(z, v, sparse.csr_matrix(one), np.array([total]), low=low.astype(float), high=high.astype(float))
    same_objective(x, other, z, v)
    y = whole(total, x, high)
    assert y.sum() == total and (y >= low).all() and (y <= high).all()
    assert np.abs(y - x).sum() <= best_rounding(x, sparse.csr_matrix(one), np.array([total])) + 1e-6


def test_many_crossing_queries_share_one_table_of_answers():
    columns = Columns(np.array([0, 1, 2]), np.array([0, 1, 1, 2]), np.array([0, 3]))
    answers, variance = np.array([[1.0, 2.0, 3.0]]), np.array([[1.0, 1.0, 2.0]])
    one = Estimated(columns, np.array([True, True, False]), answers, variance)
    found = Crossing.of([one, one], 1, 4)
    assert found.answer.tolist() == [[0, 1, 1, -1], [2, 3, 3, -1]]
    assert found.wanted.tolist() == [[1, 2, 1, 2]]
