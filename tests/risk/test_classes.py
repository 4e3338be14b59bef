"""The (class, value) pairs that all measures of attribute disclosure share."""

from collections import Counter

import numpy as np
import polars as pl
from attribute import NO_ANSWER, classes, observed, sensitive_files
from hypothesis import given

from celosia.core.frames import enter
from celosia.risk.classes import sensitive_classes


def pairs(found):
    codes = [found.categories.codes[v] for v in found.value]
    return list(zip(found.class_of.tolist(), codes, found.count.tolist(), strict=True))


@given(sensitive_files())
def test_pairs_are_those_of_a_plain_count(data):
    (found,) = sensitive_classes(data, ["a", "b"], "s")
    rows = zip(found.keys.index.tolist(), data.frame["s"], strict=True)
    want = Counter((group, str(value)) for group, value in rows if value not in (None, NO_ANSWER))
    assert {(group, code): count for group, code, count in pairs(found)} == want
    assert found.observed.tolist() + found.missing.tolist() == [
        *(observed(data, key).total() for key in _keys_in_order(data, found)),
        *(Counter(classes(data))[key] - observed(data, key).total() for key in _keys_in_order(data, found)),
    ]
    np.testing.assert_allclose(found.whole, np.bincount(found.value, found.count) / found.observed.sum())
    np.testing.assert_allclose(found.sums(found.share), found.observed > 0)


def _keys_in_order(data, found):
    key = dict(zip(found.keys.index.tolist(), classes(data), strict=True))
    return [key[i] for i in range(len(key))]


@given(sensitive_files())
def test_another_order_keeps_the_pairs(data):
    (found,) = sensitive_classes(data, ["a", "b"], "s")
    turned = found.in_order(np.arange(len(found.categories))[::-1])
    assert Counter(pairs(turned)) == Counter(pairs(found))
    assert (np.diff(turned.value)[np.diff(turned.class_of) == 0] > 0).all()


def test_any_number_of_keys_and_variables_shares_the_classes():
    frame = enter(pl.DataFrame({f"k{i}": [i % 2, 1, 0] for i in range(70)} | {"s": [1, 2, 3], "t": [1, 1, 1]}))
    first, second = sensitive_classes(frame, [f"k{i}" for i in range(70)], ("s", "t"))
    assert first.keys is second.keys and first.keys.count.sum() == 3
