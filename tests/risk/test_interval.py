"""The interval measure against its definition."""

import continuous
import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from celosia.core.errors import CelosiaError
from celosia.risk.interval import interval


@given(continuous.before_and_after(), st.sampled_from([0.01, 0.5, 1.0, 3.0]))
def test_it_is_its_definition(frames, k):
    before, after = frames
    assume(continuous.varied(after) and not any(before[c].is_null().all() for c in before.columns))
    widths = {c: k * after[c].std() for c in after.columns}
    unsafe = [
        all(
            x is None or y is None or y - widths[c] <= x <= y + widths[c]
            for c, x, y in zip(before.columns, a, b, strict=True)
        )
        for a, b in zip(before.iter_rows(), after.iter_rows(), strict=True)
    ]
    found = interval(before, after, k=k)
    assert found.unsafe.tolist() == unsafe and found.share == pytest.approx(sum(unsafe) / len(unsafe))


@given(continuous.before_and_after(missing=False))
def test_it_grows_with_the_width(frames):
    assume(continuous.varied(frames[1]))
    shares = [interval(*frames, k=k).share for k in (0.1, 0.5, 1, 10)]
    assert shares == sorted(shares)


def test_an_untouched_file_is_unsafe():
    frame = pl.DataFrame({"a": [1, 2, 3], "b": [5.0, 1.0, 2.0]})
    found = interval(frame, frame)
    assert found.share == 1 and found.table()["inside"].to_list() == [1, 1]
    assert "100" in found.picture().alternative and found.picture().svg().startswith("<svg")
    assert found.to_dict()["variables"] == ["a", "b"]


@pytest.mark.parametrize("k", [0, -1, float("nan"), float("inf")])
def test_a_width_must_be_positive(k):
    frame = pl.DataFrame({"a": [1, 2, 3]})
    with pytest.raises(CelosiaError) as refused:
        interval(frame, frame, k=k)
    assert refused.value.code == "option-range"


def test_no_variance_is_refused():
    with pytest.raises(CelosiaError) as refused:
        interval(pl.DataFrame({"a": [1, 2]}), pl.DataFrame({"a": [3, 3]}))
    assert refused.value.code == "variable-constant" and np.char.count(str(refused.value), "3") == 0
