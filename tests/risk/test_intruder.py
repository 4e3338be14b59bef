"""Counting as an intruder would: against the definition, and against what wildcards promise."""

from typing import ClassVar

import brute
import numpy as np
import polars as pl
import pytest
from hypothesis import given
from strategies import key_frames

from celosia import Dictionary, Microdata, Variable, risk
from celosia.core.errors import CelosiaWarning, DataError, OptionError
from celosia.risk import Truth
from celosia.verify.deduction import Dependency, Edit, Members, Sum

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


def suppressed(frame, **rows):
    gone = {name: np.isin(np.arange(frame.height), held) for name, held in rows.items()}
    return Microdata(frame).suppress(gone)


class TestRecodes:
    """The true key is mapped as it was recoded."""

    truth = pl.DataFrame({"edad": [21, 21, 35, 36, 47], "zona": ["a", "a", "a", "b", "b"]})
    bands = pl.Series(["20-29", "20-29", "30-39", "30-39", "40+"])

    def test_through_a_recode_as_with_the_truth_recoded(self):
        recoded = self.truth.with_columns(edad=self.bands)
        shown = suppressed(recoded, edad=[0], zona=[3])
        keys = ["edad", "zona"]
        by_recode = risk.frequencies(shown, keys, missing="intruder", truth=self.truth)
        by_truth = risk.frequencies(shown, keys, missing="intruder", truth=recoded)
        assert by_recode.sample.tolist() == by_truth.sample.tolist() == [2, 2, 3, 1, 1]

    def test_numbers_that_become_other_numbers(self):
        shown = suppressed(self.truth.with_columns(edad=pl.Series([1, 1, 2, 2, 3])), edad=[3])
        found = risk.frequencies(shown, ["edad"], missing="intruder", truth=self.truth)
        assert found.sample.tolist() == [3, 3, 2, 1, 2]  # 36 is nowhere published: only the empty cell agrees

    def test_what_is_not_a_recode_is_told_or_refused(self):
        moved = self.truth.with_columns(zona=pl.Series(["b", "a", "a", "b", "b"]))
        with pytest.warns(CelosiaWarning) as told:
            assert risk.frequencies(moved, ["zona"], missing="intruder", truth=self.truth).sample.tolist()[1] == 2
        assert {w.message.code for w in told} == {"truth-disagrees"}
        apart = self.truth.with_columns(zona=pl.Series(["n", "s", "n", "s", "n"]))
        with pytest.raises(DataError) as caught:
            risk.individual(apart, ["zona"], missing="intruder", truth=self.truth)
        assert caught.value.code == "truth-coding"


class TestDeduction:
    """What follows from what is published is suppressed for nobody."""

    frame = pl.DataFrame(
        {
            "hogar": [1, 1, 2, 2, 2, 3],
            "personas": [2, 2, 3, 3, 3, 1],
            "estrato": [11, 11, 12, 12, 12, 21],
            "region": ["n", "n", "n", "n", "n", "s"],
            "trabaja": ["si", "no", "no", "si", "no", "si"],
            "horas": [40, 0, 0, 20, 0, 30],
            "extra": [5, 0, 0, 0, 0, 2],
            "total": [45, 0, 0, 20, 0, 32],
        }
    )
    rules: ClassVar = {
        "household composition": (Members("hogar", "personas"), "personas", [0, 2]),
        "geography from the stratum": (Dependency(("estrato",), "region"), "region", [0, 5]),
        "skips": (Edit(given='trabaja == "no"', then="horas == 0"), "horas", [1, 2]),
        "skips read backwards": (Edit(given='trabaja == "no"', then="horas == 0"), "trabaja", [0, 3]),
        "sums": (Sum(parts=("horas", "extra"), total="total"), "horas", [0, 3]),
    }

    @pytest.mark.parametrize("name", rules)
    def test_it_counts_as_if_it_had_been_left(self, name):
        rule, variable, rows = self.rules[name]
        shown = suppressed(self.frame, **{variable: rows})
        keys = ["region", variable] if variable != "region" else ["region"]
        plain = risk.frequencies(self.frame, keys, missing="intruder", truth=self.frame).sample
        kept = risk.frequencies(shown, keys, missing="intruder", truth=self.frame).sample
        told = risk.frequencies(shown, keys, missing="intruder", truth=Truth(self.frame, (rule,))).sample
        if name == "geography from the stratum":  # the only record of its stratum says nothing of it
            assert told.tolist() == [6, 6, 6, 6, 6, 1]
        else:
            assert told.tolist() == plain.tolist() != kept.tolist()

    def test_a_variable_that_left_with_the_file_gives_nothing_away(self):
        rule = Truth(self.frame, (Members("hogar", "personas"),))
        shown = suppressed(self.frame.drop("hogar"), personas=[0])
        assert risk.frequencies(shown, ["personas"], missing="intruder", truth=rule).sample.tolist()[0] == 2

    def test_a_wrong_deduction_is_none(self):
        truth = pl.DataFrame({"x": [1, 1, 1, 2], "y": ["a", "a", "b", "c"]})
        known = Truth(truth, (Dependency(("x",), "y"),))
        found = risk.frequencies(suppressed(truth, y=[2]), ["y"], missing="intruder", truth=known)
        assert found.sample.tolist() == [3, 3, 1, 2]

    def test_frames_of_other_kinds(self):
        rule, variable, rows = self.rules["household composition"]
        shown = suppressed(self.frame, **{variable: rows}).frame
        told = [
            risk.k_anonymity(kind(shown), [variable], k=2, missing="intruder", truth=Truth(kind(self.frame), (rule,)))
            for kind in (pl.DataFrame.to_pandas, pl.DataFrame.to_arrow, pl.DataFrame)
        ]
        assert [found.violations for found in told] == [1, 1, 1]
