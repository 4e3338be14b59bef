"""Local suppression keeps its promises on any small file, and refuses what it cannot do."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Microdata, Run, risk
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.methods import LocalSuppression

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


@given(key_frames(min_rows=3), st.integers(2, 4), st.booleans())
def test_any_file_is_made_k_anonymous_under_every_counting(frame, k, text):
    keys = [name for name in frame.columns if name != "w"]
    data = Microdata(frame.with_columns(pl.col(keys).cast(pl.String)) if text else frame)
    method = LocalSuppression(keys=keys, k=k, max_share=1.0)
    if frame.height < k:
        with pytest.raises(DataError):
            method.apply(data)
        return
    result = method.apply(data, Run(key=1))
    for missing in ("strict", "wildcard"):
        assert risk.k_anonymity(result.data, keys, k=k, missing=missing).violations == 0
    for name in keys:
        old, new = data.column(name), result.data.column(name)
        assert ((new == old) | new.is_null()).fill_null(True).all()
        assert result.suppressed[name] == result.data.suppressed(name).sum()
    assert result.data.column("w").equals(data.column("w")) and result.data.ids.tolist() == data.ids.tolist()


@given(key_frames(min_rows=4), st.integers(2, 3))
def test_doing_it_again_changes_nothing(frame, k):
    keys = [name for name in frame.columns if name != "w"]
    method = LocalSuppression(keys=keys, k=k, max_share=1.0)
    once = method.apply(Microdata(frame), Run(key=1)).data
    twice = method.apply(once, Run(key=1))
    assert twice.data.frame.equals(once.frame) and not twice.changed


def test_a_safe_file_loses_nothing():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "b": ["x", "x", "y", "y"]})
    result = LocalSuppression(keys=("a", "b"), k=2).apply(frame)
    assert result.total == 0 and result.data.equals(frame)


def test_the_guide_s_example_loses_one_cell_of_each_of_its_group():
    # INE's guide (2023), Tabla 8.4: one woman, rural, with higher education, among women with secondary education
    frame = pl.DataFrame(
        {
            "sexo": ["M", "H", "H", "H", "M", "M", "M"],
            "zona": ["rural"] * 7,
            "educ": ["superior", "superior", "superior", "superior", "media", "media", "media"],
        }
    )
    result = LocalSuppression(keys=("sexo", "zona", "educ"), k=2).apply(frame)
    assert result.data["zona"].null_count() == 0
    assert risk.k_anonymity(result.data, ["sexo", "zona", "educ"], k=2, missing="strict").violations == 0


def test_important_keys_are_spared():
    chance = np.random.Generator(np.random.PCG64(8))
    frame = pl.DataFrame(chance.integers(0, 6, (300, 3)), schema=["a", "b", "c"])
    for spared in "abc":
        lost = {}
        for rank, others in ((1, 3), (3, 1)):
            ranks = {name: rank if name == spared else others for name in "abc"}
            method = LocalSuppression(keys=("a", "b", "c"), k=3, importance=ranks, max_share=1.0)
            lost[rank] = method.apply(frame).suppressed[spared]
        assert lost[1] < lost[3] / 2


def test_k_holds_within_strata():
    chance = np.random.Generator(np.random.PCG64(9))
    frame = pl.DataFrame(chance.integers(0, 3, (200, 3)), schema=["region", "a", "b"])
    result = LocalSuppression(keys=("a", "b"), k=4, strata=("region",), max_share=1.0).apply(frame)
    assert result.data.group_by("region", "a", "b").len()["len"].min() >= 4


def test_more_than_a_record_may_lose_is_refused_and_nothing_leaves():
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "b": [5, 6, 7, 8], "c": [1, 2, 3, 4]})
    with pytest.raises(DataError) as error:
        LocalSuppression(keys=("a", "b", "c"), k=2, max_share=0.34).apply(frame)
    assert error.value.code == "suppression-limits" and error.value.facts["limits"] == ("max_share",)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"keys": ("a",), "k": 1}, OptionError),
        ({"keys": (), "k": 2}, OptionError),
        ({"keys": ("a",), "k": 2, "max_share": 0}, OptionError),
        ({"keys": ("a",), "k": 2, "counting": "loose"}, OptionError),
        ({"keys": ("z",), "k": 2}, RoleError),
        ({"keys": ("a", "a"), "k": 2}, RoleError),
        ({"keys": ("a",), "k": 9}, DataError),
        ({"keys": ("a",), "k": 2, "importance": {"b": 1}}, OptionError),
    ],
)
def test_wrong_options_are_refused(fields, kind):
    with pytest.raises(kind):
        LocalSuppression(**fields).apply(pl.DataFrame({"a": [1, 1, 2, 2]}))
