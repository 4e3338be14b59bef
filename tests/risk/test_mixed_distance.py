"""Gower's distance of mixed data."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import CelosiaError
from celosia.risk.before_after import pair
from celosia.risk.linkage import linkage
from celosia.risk.mixed_distance import gower
from celosia.risk.neighbours import neighbours

BEFORE = pl.DataFrame({"edad": [20, 40, 60], "sexo": ["H", "M", "M"], "nivel": ["bajo", "medio", "alto"]})
AFTER = pl.DataFrame({"edad": [25, 40, None], "sexo": ["M", "M", "M"], "nivel": ["bajo", "alto", "alto"]})
BOOK = Dictionary.of(Variable(name="nivel", values={"bajo": "Bajo", "medio": "Medio", "alto": "Alto"}))


def test_by_hand():
    space = gower(pair(Microdata(BEFORE, BOOK), AFTER, ["edad", "sexo", "nivel"]), ordered=["nivel"])
    want = [[(5 / 40 + 1 + 0) / 3, (20 / 40 + 1 + 1) / 3, (1 + 1) / 2],
            [(15 / 40 + 0 + 0.5) / 3, (0 + 0 + 0.5) / 3, (0 + 0.5) / 2],
            [(35 / 40 + 0 + 1) / 3, (20 / 40 + 0 + 0) / 3, 0]]  # fmt: skip
    np.testing.assert_allclose(space.distance(space.sums(slice(None))), want)


def test_importance_weighs_variables():
    both = pair(BEFORE, AFTER, ["edad", "sexo"])
    space = gower(both, importance={"edad": 3})
    np.testing.assert_allclose(space.own(), [(3 * 5 / 40 + 1) / 4, 0, 0])


@given(st.data())
def test_nearest_is_the_full_matrix(data):
    rows = data.draw(st.integers(2, 40))
    sides = []
    for _ in range(2):
        cells = st.lists(st.sampled_from("abc"), min_size=rows - 2, max_size=rows - 2)
        grades = st.lists(st.one_of(st.none(), st.integers(1, 4)), min_size=rows - 2, max_size=rows - 2)
        sides.append(pl.DataFrame({"s": [*data.draw(cells), "a", "b"], "o": [*data.draw(grades), 1, 2],
                                   "n": [*data.draw(grades), 1, 4]}))  # fmt: skip
    space = gower(pair(*sides, ["s", "o", "n"]), ordered=["o"])
    found, whole = neighbours(space, Run(key=0, threads=1)), space.sums(slice(None))
    np.testing.assert_array_equal(found.sums, whole.min(axis=1))
    np.testing.assert_array_equal(found.candidates, (whole <= space.ties(found.sums)[:, None]).sum(axis=1))


def test_text_and_integer_categories_are_equal():
    before = pl.DataFrame({"c": [1, 2, 10, 2], "x": [1.0, 2.0, 3.0, 4.0]})
    after = before.with_columns(pl.Series("c", [1, 2, 2, 10]))
    spelled = [frame.with_columns(pl.col("c").cast(pl.String)) for frame in (before, after)]
    options = {"variables": ["c", "x"], "distance": "gower"}
    found = linkage(before, after, categorical=["c"], **options)
    np.testing.assert_array_equal(found.correct, linkage(*spelled, **options).correct)
    in_order = linkage(before, after, ordered=["c"], **options)  # 10 comes after 2, as text too
    np.testing.assert_array_equal(in_order.distances, linkage(*spelled, ordered=["c"], **options).distances)


@pytest.mark.parametrize(
    ("code", "options"),
    [
        ("option-variable", {"categorical": ["nobody"]}),
        ("option-range", {"importance": {"edad": 0}}),
        ("variable-constant", {"variables": ["uno"]}),
        ("variable-all-missing", {"variables": ["nada"], "categorical": ["nada"]}),
    ],
)
def test_wrong_input_is_refused(code, options):
    frame = BEFORE.with_columns(uno=pl.lit(1), nada=pl.lit(None, dtype=pl.Int64))
    with pytest.raises(CelosiaError) as refused:
        linkage(frame, frame, distance="gower", **{"variables": ["edad", "sexo"], **options})
    assert refused.value.code == code
