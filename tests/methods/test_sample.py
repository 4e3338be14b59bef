"""Samples: sizes, whole households, weights, and a draw that the order of the file does not move."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from celosia.core.dictionary import Dictionary, Role, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.methods import Sample

PEOPLE = pl.DataFrame(
    {
        "id": [f"p{i}" for i in range(60)],
        "hogar": [i // 3 for i in range(60)],
        "zona": ["a" if i < 42 else "b" for i in range(60)],
        "w": [10.0 + i % 2 for i in range(60)],
    }
)


def test_records_are_drawn_in_number_and_in_order():
    result = Sample(share=0.25, weight="w").apply(PEOPLE, Run(key=1))
    assert (result.units, result.units_before, result.fraction) == (15, 60, 0.25)
    kept = result.data
    assert kept.height == 15
    rows = [int(name[1:]) for name in kept["id"]]
    assert rows == sorted(rows)
    assert kept["w"].to_list() == [4 * (10 + i % 2) for i in rows]


def test_strata_keep_their_share():
    kept = Sample(share=0.5, new_weight="peso", strata=("zona",)).apply(PEOPLE, Run(key=1)).data
    assert dict(kept["zona"].value_counts().iter_rows()) == {"a": 21, "b": 9}
    assert kept["peso"].sum() == 60


def test_a_tiny_stratum_keeps_one():
    frame = pl.DataFrame({"zona": ["a"] * 9 + ["b"], "x": range(10)})
    kept = Sample(share=0.1, new_weight="peso", strata=("zona",)).apply(frame).data
    assert dict(kept.select("zona", "peso").iter_rows()) == {"a": 9.0, "b": 1.0}


def test_households_stay_whole():
    result = Sample(share=0.3, weight="w", household="hogar").apply(PEOPLE, Run(key=2))
    assert (result.units, result.units_before) == (6, 20)
    assert set(result.data["hogar"].value_counts()["count"]) == {3}
    assert result.data["w"].min() == pytest.approx(10 / 0.3, abs=1e-6)


def test_strata_that_cut_through_households():
    frame = PEOPLE.with_columns(zona=pl.Series(["a", "b", "b"] * 20))
    with pytest.raises(DataError) as caught:
        Sample(share=0.5, weight="w", household="hogar", strata=("zona",)).apply(frame)
    assert caught.value.facts["count"] == 20


@pytest.mark.parametrize("household", [None, "hogar"])
def test_the_order_of_the_file_does_not_matter(household):
    book = Dictionary.of(Variable(name="id", role="id"))
    method = Sample(share=0.4, weight="w", household=household, strata=("zona",))
    straight = method.apply(Microdata(PEOPLE, book, key=b"k" * 16), Run(key=3)).data
    other = PEOPLE.sample(fraction=1, shuffle=True, seed=5)
    mixed = method.apply(Microdata(other, book, key=b"k" * 16), Run(key=3)).data
    assert set(straight.column("id")) == set(mixed.column("id"))


def test_another_key_is_another_sample():
    method = Sample(share=0.5, weight="w")
    drawn = [tuple(method.apply(PEOPLE, Run(key=key)).data["id"]) for key in (1, 1, 2)]
    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2]


def test_every_record_has_the_same_chance():
    times = np.zeros(20)
    frame = pl.DataFrame({"x": range(20)})
    for key in range(300):
        times[Sample(share=0.25, new_weight="w").apply(frame, Run(key=key)).data["x"].to_numpy()] += 1
    # Binomial(300, 1/4): mean 75, standard deviation 7.5; five of them for the farthest of twenty.
    assert np.abs(times - 75).max() < 37.5


def test_the_new_weight_is_the_weight():
    left = Sample(share=0.5, new_weight="peso").apply(Microdata(PEOPLE.drop("w"))).data
    assert left.role(Role.WEIGHT) == "peso"
    book = Dictionary.of(Variable(name="w", role="weight"))
    assert Sample(share=0.5, new_weight="peso").apply(Microdata(PEOPLE, book)).data.role(Role.WEIGHT) == "w"


@pytest.mark.parametrize("options", [{}, {"weight": "w", "new_weight": "v"}])
def test_exactly_one_weight(options):
    with pytest.raises(OptionError):
        Sample(share=0.5, **options)


def test_wrong_inputs():
    for options in ({"share": 0}, {"share": 1.5}, {"share": 0.5, "foo": 1}):
        with pytest.raises(OptionError):
            Sample(weight="w", **options)
    with pytest.raises(RoleError):
        Sample(share=0.5, weight="nada").apply(PEOPLE)
    with pytest.raises(DataError) as caught:
        Sample(share=0.5, new_weight="W").apply(PEOPLE)
    assert caught.value.code == "variable-exists"
    with pytest.raises(DataError):
        Sample(share=0.5, weight="w").apply(PEOPLE.clear())


def test_pandas():
    frame = pd.DataFrame({"x": range(10)}, index=list("abcdefghij"))
    kept = Sample(share=0.2, new_weight="w").apply(frame).data
    assert [list("abcdefghij")[x] for x in kept["x"]] == kept.index.tolist()
    assert kept["w"].tolist() == [5.0, 5.0]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(0, 8), min_size=1, max_size=40), st.floats(0.05, 1))
def test_new_weights_sum_to_the_households(homes, share):
    frame = pl.DataFrame({"h": homes})
    kept = Sample(share=share, new_weight="w", household="h").apply(frame).data
    of_homes = kept.group_by("h").agg(pl.col("w").first())["w"].sum()
    assert of_homes == pytest.approx(frame["h"].n_unique(), abs=1e-4)
