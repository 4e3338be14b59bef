"""Counting as an intruder would: against the definition, and against what wildcards promise."""

import brute
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from strategies import key_frames

from celosia import Dictionary, Microdata, Variable, risk
from celosia.core.errors import DataError, OptionError

quiet = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


@quiet
@given(key_frames(min_rows=2), key_frames(max_rows=40))
def test_it_is_its_definition(frame, holes):
    keys = [name for name in frame.columns if name != "w"]
    hide = holes.select(pl.all().is_null()).to_numpy()
    cells = {
        key: [None if hide[i % len(hide), j % hide.shape[1]] else v for i, v in enumerate(frame[key])]
        for j, key in enumerate(keys)
    }
    published = frame.with_columns(pl.Series(key, values, dtype=pl.Int64) for key, values in cells.items())
    found = risk.frequencies(published, keys, missing="intruder", truth=frame)
    # a true value that is itself missing is agreed to only where nothing is shown
    true = [tuple("?" if v is None else v for v in row) for row in frame.select(keys).rows()]
    assert found.sample.tolist() == brute.intruder_counts(true, published.select(keys).rows())
    assert (found.sample >= 1).all()


@quiet
def test_two_half_hidden_records_cover_each_other_under_wildcards_only():
    truth = pl.DataFrame({"a": [1, 3], "b": [5, 2]})
    published = Microdata(truth).suppress({"b": np.array([True, False]), "a": np.array([False, True])})
    assert risk.k_anonymity(published, ["a", "b"], k=2).violations == 0
    assert risk.k_anonymity(published, ["a", "b"], k=2, missing="strict").violations == 2
    assert risk.k_anonymity(published, ["a", "b"], k=2, missing="intruder", truth=truth).violations == 2


def test_weights_of_the_matching_records_are_summed():
    truth = pl.DataFrame({"a": [1, 1, 2], "w": [10.0, 20.0, 30.0]})
    published = Microdata(truth).suppress({"a": np.array([False, True, False])})
    found = risk.frequencies(published, ["a"], weight="w", missing="intruder", truth=truth)
    assert found.sample.tolist() == [2, 2, 2] and found.population.tolist() == [30.0, 30.0, 50.0]


def test_not_applicable_is_agreed_to_only_by_itself():
    book = Dictionary.of(Variable(name="a", missing={97: "not_applicable"}))
    truth = Microdata(pl.DataFrame({"a": [97, 5, 5]}), book)
    published = truth.suppress({"a": np.array([False, False, True])})
    assert risk.frequencies(published, ["a"], missing="intruder", truth=truth).sample.tolist() == [2, 2, 2]


def test_the_truth_must_be_given_and_fit():
    frame = pl.DataFrame({"a": [1, 2]})
    for call, kind in (
        (lambda: risk.frequencies(frame, ["a"], missing="intruder"), OptionError),
        (lambda: risk.frequencies(frame, ["a"], truth=frame), OptionError),
        (lambda: risk.frequencies(frame, ["a"], missing="intruder", truth=frame[:1]), DataError),
    ):
        with pytest.raises(kind):
            call()
