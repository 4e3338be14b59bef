"""How near the fewest cells: small random files against integer programs solved with HiGHS.

What an office meets are files of thousands of violators, for which nobody knows the fewest cells; these say how good
the search is where it can be known. Mean excess when this was written: strict 0.1 % (0.2 % in larger files), every
violator treated 0.3 %, spared none.
"""

import numpy as np
import polars as pl
import pytest
from exact_suppression import least_strict, least_wildcard

from celosia.core.errors import DataError
from celosia.methods import LocalSuppression

STATED = {"strict": 0.01, "each": 0.03, "spare": 0.03}
"""The mean excess over the fewest cells above which the test fails."""

STOPS = 0.005
"""The share of the files in which it may stop although something would do: where nothing is left to choose."""


def small_file(chance, rows):
    """Some keys of few, unevenly frequent codes; k; and how many cells a record may lose."""
    keys, k = int(chance.integers(2, 5)), int(chance.integers(2, 4))
    columns = []
    for _ in range(keys):
        codes = int(chance.integers(2, 6))
        columns.append(chance.choice(codes, rows, p=chance.dirichlet(np.ones(codes))).tolist())
    most = int(chance.integers(max(1, keys // 2), keys))
    return list(zip(*columns, strict=True)), k, most


def emptied(rows, k, most, **options):
    """The cells that the method empties; None where it stops."""
    names = "abcd"[: len(rows[0])]
    frame = pl.DataFrame(rows, schema=list(names), orient="row")
    try:
        return LocalSuppression(keys=list(names), k=k, max_share=most / len(names), **options).apply(frame).total
    except DataError:
        return None


def excess(files, sizes, least, seed, **options):
    """The mean excess over the fewest cells, and the share of the files in which there is none."""
    chance, found, stops = np.random.Generator(np.random.PCG64(seed)), [], 0
    for _ in range(files):
        rows, k, most = small_file(chance, int(chance.integers(*sizes)))
        best, mine = least(rows, k, most, [1.0] * len(rows[0])), emptied(rows, k, most, **options)
        assert best is not None or mine is None
        stops += best is not None and mine is None
        if best and mine is not None:
            assert mine >= best - 1e-6
            found.append(mine / best - 1)
    assert stops <= STOPS * files
    return float(np.mean(found)), float(np.mean(np.array(found) < 1e-9))


def test_strict_is_near_the_fewest_cells(record_testsuite_property):
    mean, exact = excess(240, (8, 36), least_strict, seed=20)
    record_testsuite_property("suppression-excess-strict", f"{mean:.4f}")
    assert mean <= STATED["strict"] and exact > 0.7


@pytest.mark.parametrize("kind", ["each", "spare"])
def test_wildcard_is_near_the_fewest_cells(kind, record_testsuite_property):
    def least(rows, k, most, prices):
        return least_wildcard(rows, k, most, prices, kind == "each")

    options = {"counting": "wildcard", "spare_covered": kind == "spare"}
    mean, exact = excess(14, (6, 12), least, seed=21, **options)
    record_testsuite_property(f"suppression-excess-{kind}", f"{mean:.4f}")
    assert mean <= STATED[kind] and exact > 0.5


@pytest.mark.long
@pytest.mark.parametrize("kind", ["each", "spare"])
def test_wildcard_over_two_hundred_files(kind):
    def least(rows, k, most, prices):
        return least_wildcard(rows, k, most, prices, kind == "each")

    options = {"counting": "wildcard", "spare_covered": kind == "spare"}
    assert excess(220, (6, 13), least, seed=22, **options)[0] <= STATED[kind]


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
def test_strict_over_a_thousand_larger_files(seed):
    mean, _ = excess(200, (10, 61), least_strict, seed=100 + seed)
    assert mean <= STATED["strict"]


def test_prices_are_kept_too():
    chance = np.random.Generator(np.random.PCG64(5))
    for _ in range(20):
        rows, k, most = small_file(chance, 20)
        names = list("abcd"[: len(rows[0])])
        prices = [2.0 ** (len(names) - 1 - j) for j in range(len(names))]
        best = least_strict(rows, k, most, prices)
        frame = pl.DataFrame(rows, schema=names, orient="row")
        ranks = {name: j + 1 for j, name in enumerate(names)}
        method = LocalSuppression(keys=names, k=k, max_share=most / len(names), importance=ranks)
        if best is None:
            continue
        lost = method.apply(frame).suppressed
        assert best - 1e-6 <= sum(prices[j] * lost[name] for j, name in enumerate(names)) <= 1.25 * best + 1e-6
