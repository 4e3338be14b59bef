"""Checkers of records refuse what is lost, added, repeated or out of place."""

import numpy as np
import polars as pl
import pytest

from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata
from celosia.verify import KeptUnless, SameRecords, SomeRecords

DATA = Microdata(pl.DataFrame({"x": [1, 2, 3, 4]}))


def taken(*rows):
    return DATA.take(np.array(rows, dtype=np.int64))


@pytest.mark.parametrize(
    ("promise", "rows", "kept"),
    [
        (SameRecords(), (0, 1, 2, 3), True),
        (SameRecords(), (1, 0, 2, 3), False),
        (SameRecords(), (0, 1, 2), False),
        (SameRecords(ordered=False), (1, 0, 3, 2), True),
        (SameRecords(ordered=False), (1, 0, 2), False),
        (SameRecords(ordered=False), (1, 0, 2, 2), False),
        (SomeRecords(), (0, 2), True),
        (SomeRecords(), (), True),
        (SomeRecords(), (2, 0), False),
        (SomeRecords(), (2, 2), False),
        (KeptUnless("x > 2"), (0, 1), True),
        (KeptUnless("x > 2"), (0,), False),
        (KeptUnless("x > 2"), (0, 1, 2), False),
        (KeptUnless("x > 2"), (1, 0), False),
    ],
)
def test_records(promise, rows, kept):
    if kept:
        promise.check(DATA, taken(*rows))
        return
    with pytest.raises(PromiseError) as caught:
        promise.check(DATA, taken(*rows))
    assert caught.value.code == "promise-records"


def test_a_record_that_was_never_there():
    longer = Microdata(pl.DataFrame({"x": [1, 2, 3, 4, 5]}))
    for promise in (SameRecords(), SameRecords(ordered=False), SomeRecords()):
        with pytest.raises(PromiseError):
            promise.check(DATA, longer)
