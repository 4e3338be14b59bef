"""The robust interval measure, and the covariance behind it."""

from itertools import combinations

import numpy as np
import polars as pl
import pytest

from celosia import Run
from celosia.core.errors import CelosiaError
from celosia.risk.robust_covariance import Location, _candidates, _settled, minimum_covariance
from celosia.risk.robust_interval import robust_interval


def frames(rows=200, seed=0, noise=0.05):
    chance = np.random.default_rng(seed)
    x = chance.multivariate_normal([0, 5], [[1, 0.6], [0.6, 2]], size=rows)
    y = x + noise * chance.normal(size=x.shape)
    return pl.DataFrame(x, schema=["a", "b"]), pl.DataFrame(y, schema=["a", "b"])


def by_definition(before, after, k, k2, covariance):
    z, zy = ((v - v.mean(0)) / v.std(0, ddof=1) for v in (before.to_numpy(), after.to_numpy()))
    inverse = np.linalg.inv(covariance)
    d = [0.05 * np.sqrt(row @ inverse @ row) for row in z]
    close = [any(abs(zy[i] - z[i]) < k * d[i]) for i in range(len(z))]
    apart = [min(np.linalg.norm(zy[i] - zy[j]) for j in range(len(z)) if j != i) > k2 for i in range(len(z))]
    return np.array(d), np.array(close), np.array(close) & np.array(apart)


@pytest.mark.parametrize("noise", [0.001, 0.05, 1.0])
def test_it_is_its_definition(noise):
    before, after = frames(80, noise=noise)
    covariance = [[1.0, 0.4], [0.4, 1.0]]
    found = robust_interval(before, after, k=0.5, k2=0.2, covariance=covariance)
    d, close, exposed = by_definition(before, after, 0.5, 0.2, covariance)
    np.testing.assert_allclose(found.outlyingness, d)
    np.testing.assert_array_equal(found.close, close)
    np.testing.assert_array_equal(found.exposed, exposed)
    assert found.risk1 == close.mean() and found.risk2 == exposed.mean()
    assert found.wrisk1 == pytest.approx(close.mean() * d[close].sum())
    assert found.wrisk2 == pytest.approx(exposed.mean() * d[exposed].sum())


def test_only_complete_records_are_measured():
    before, after = frames(60)
    hole = before.with_columns(pl.when(pl.int_range(60) > 4).then("a").alias("a"))
    found, rest = (
        robust_interval(b, a, k=1, covariance=np.eye(2)) for b, a in ((hole, after), (before[5:], after[5:]))
    )
    assert found.measured == 55 and np.isnan(found.outlyingness[:5]).all() and not found.close[:5].any()
    assert found.risk1 == rest.risk1 and found.wrisk2 == pytest.approx(rest.wrisk2)


def test_it_is_the_same_each_time_and_in_any_order():
    before, after = frames()
    first, again = robust_interval(before, after, k=0.3), robust_interval(before, after, k=0.3)
    assert first.to_dict() == again.to_dict()
    order = np.random.default_rng(1).permutation(before.height).tolist()
    turned = robust_interval(before[order], after[order], k=0.3)
    np.testing.assert_allclose(turned.outlyingness, first.outlyingness[order])


def test_the_smallest_determinant_is_found():
    records = np.random.default_rng(3).normal(size=(14, 2))
    h = (14 + 2 + 1) // 2
    least = min(Location.of(records[list(rows)]).size for rows in combinations(range(14), h))
    ordered = records[np.lexsort(records.T[::-1])]
    starts = _candidates(ordered, h, Run(key=0).rng("mcd"))
    assert min(_settled(ordered, s, h, Run(key=0)).size for s in starts) == pytest.approx(least)


def test_a_concentration_never_enlarges_the_determinant():
    records = np.random.default_rng(4).standard_t(2, size=(300, 3))
    location = Location.of(records)
    for _ in range(10):
        following = location.closest(records, 152)
        assert following.size <= location.size + 1e-12
        location = following


@pytest.mark.parametrize("rows", [400, 6000])
def test_a_third_of_outliers_does_not_spoil_it(rows):
    chance = np.random.default_rng(5)
    true = np.array([[1, 0.5], [0.5, 1]])
    records = chance.multivariate_normal([0, 0], true, size=rows)
    records[: rows // 3] = chance.normal(20, 0.1, size=(rows // 3, 2))
    found = minimum_covariance(records, ["a", "b"], Run(key=1))
    assert np.abs(found.centre).max() < 0.2
    shape = found.covariance / np.sqrt(np.linalg.det(found.covariance))
    np.testing.assert_allclose(shape, true / np.sqrt(np.linalg.det(true)), atol=0.35)


@pytest.mark.parametrize(("rows", "variables"), [(60, 2), (100, 3)])
def test_it_is_right_on_average_for_normal_samples(rows, variables):
    chance = np.random.default_rng(6)
    samples = [chance.normal(size=(rows, variables)) for _ in range(8)]
    spread = [
        np.linalg.det(minimum_covariance(sample, "abc", Run(key=0)).covariance) ** (1 / variables) for sample in samples
    ]
    assert np.mean(spread) == pytest.approx(1, abs=0.25)


@pytest.mark.parametrize(
    ("code", "frame", "options"),
    [
        ("covariance-singular", pl.DataFrame({"a": range(50), "b": [0] * 40 + list(range(10))}), {}),
        ("covariance-singular", pl.DataFrame({"a": range(50), "b": [2 * i for i in range(50)]}), {}),
        ("covariance-few-records", pl.DataFrame({"a": [1, 2, 3], "b": [2, 1, 5]}), {}),
        ("covariance-shape", pl.DataFrame({"a": [1, 2, 3], "b": [2, 1, 5]}), {"covariance": [[1.0]]}),
        ("covariance-singular", pl.DataFrame({"a": [1, 2, 3], "b": [2, 1, 5]}), {"covariance": [[1, 1], [1, 1]]}),
        ("variable-constant", pl.DataFrame({"a": [1, 1, 1], "b": [2, 1, 5]}), {}),
        ("no-complete-records", pl.DataFrame({"a": [1, None, 3, None], "b": [None, 1, None, 2]}), {}),
        ("option-range", pl.DataFrame({"a": [1, 2, 3]}), {"k2": -1}),
    ],
)
def test_wrong_input_is_refused(code, frame, options):
    with pytest.raises(CelosiaError) as refused:
        robust_interval(frame, frame, **options)
    assert refused.value.code == code


def test_it_draws_and_tells():
    found = robust_interval(*frames(), k=0.3)
    assert "%" in found.picture().alternative and found.picture().svg().startswith("<svg")
    assert found.share == found.table()["share"][0]
