"""Checkers of groups refuse a wrong size, a group torn apart, a group in two places."""

import numpy as np
import polars as pl
import pytest

from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify import CountsMembers, Together, WholeGroups

DATA = Microdata(pl.DataFrame({"h": ["a", "b", "a", "b"], "n": [2, 2, 2, 2]}))


def refused(promise, after):
    with pytest.raises(PromiseError) as caught:
        promise.check(DATA, after)
    return caught.value.facts["count"]


def test_counts_members():
    CountsMembers("h", "n").check(DATA, DATA)
    CountsMembers("h", "n", top=1).check(DATA, DATA.with_columns({"n": pl.Series([1] * 4)}))
    assert refused(CountsMembers("h", "n"), DATA.with_columns({"n": pl.Series([2, 2, 2, 3])})) == 1
    assert refused(CountsMembers("h", "n", top=1), DATA) == 4


def test_whole_groups():
    WholeGroups("h").check(DATA, DATA.take(np.array([0, 2])))
    assert refused(WholeGroups("h"), DATA.take(np.array([0, 1, 2]))) == 1


def test_together():
    Together("h").check(DATA, DATA.take(np.array([1, 3, 0, 2])))
    assert refused(Together("h"), DATA) == 2
