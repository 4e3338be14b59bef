"""Figures of errors against their definitions, block by block."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia.census import accuracy as module
from celosia.census.accuracy import Tally

pairs = st.lists(st.tuples(st.integers(0, 30), st.none() | st.integers(-5, 40)), min_size=1, max_size=60)


@given(pairs, st.integers(1, 60))
def test_every_figure_is_its_definition_however_it_is_cut(rows, cut):
    truth = np.array([x for x, _ in rows], dtype=float)
    said = np.array([np.nan if y is None else y for _, y in rows], dtype=float)
    tally = Tally()
    for first in range(0, len(rows), cut):
        tally.add(truth[first : first + cut], said[first : first + cut])
    found = tally.result()
    told = ~np.isnan(said)
    e = said[told] - truth[told]
    assert (found.answers, found.untold) == (told.sum(), (~told).sum())
    if not told.any():
        assert (found.mae, found.rmse, found.mean_error, found.median, found.largest) == (None,) * 5
        return
    assert found.mae == pytest.approx(np.abs(e).mean())
    assert found.rmse == pytest.approx(np.sqrt((e**2).mean()))
    assert found.mean_error == pytest.approx(e.mean())
    whole = truth[told].sum()
    assert found.relative == (pytest.approx(np.abs(e).sum() / whole) if whole else None)
    for q, value in ((0.5, found.median), (0.9, found.q90), (0.99, found.q99), (1.0, found.largest)):
        assert value == np.quantile(np.abs(e), q, method="inverted_cdf")
    zero, published = truth[told] == 0, said[told] == 0
    assert found.zeros == zero.sum()
    assert found.zeros_kept == (pytest.approx((zero & published).sum() / zero.sum()) if zero.any() else None)
    assert found.zeros_false == (
        pytest.approx((published & ~zero).sum() / published.sum()) if published.any() else None
    )


def test_places_are_compared_in_blocks(monkeypatch):
    class Of:
        def __init__(self, counts):
            self.counts, self.asked = counts, []

        def answers(self, level, query, nodes):
            self.asked.append(nodes)
            return self.counts[nodes]

    class Query:
        size = 2

    monkeypatch.setattr(module, "_BLOCK", 4)
    truth, said = Of(np.zeros((5, 2))), Of(np.arange(10.0).reshape(5, 2))
    assert module.accuracy(truth, said, 0, Query, 5).mae == pytest.approx(4.5)
    assert said.asked == [slice(0, 2), slice(2, 4), slice(4, 5)]
    only = module.accuracy(truth, said, 0, Query, 5, np.array([False, False, False, False, True]))
    assert (only.answers, only.mae) == (2, pytest.approx(8.5))
