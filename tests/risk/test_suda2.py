"""SUDA2: scores, contributions and DIS against the definition, over kinds of keys and orders of records."""

import numpy as np
import polars as pl
import pytest
import uniques
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import CelosiaError
from celosia.risk.suda2 import suda2

quiet = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")
SCORES = st.sampled_from(["original", "ihsn"])


@quiet
@given(key_frames(max_keys=4), SCORES, st.integers(1, 3))
def test_scores_and_contributions_are_their_definition(frame, scores, threads):
    frame = frame.drop("w")
    found = suda2(frame, frame.columns, scores=scores, run=Run(key=1, threads=threads))
    contributions = found.contributions.to_numpy()
    for i, of in enumerate(uniques.minimal(frame.rows())):
        weights = {subset: uniques.weight(frame.width, len(subset), scores) for subset in of}
        score = sum(weights.values())
        assert found.scores[i] == pytest.approx(score)
        for j in range(frame.width):
            part = sum(w for subset, w in weights.items() if j in subset)
            assert contributions[i, j] == pytest.approx(part / score if score else 0.0)


@quiet
@given(key_frames(max_keys=4), st.floats(0.001, 1.0))
def test_dis_is_its_definition(frame, fraction):
    frame = frame.drop("w")
    found = suda2(frame, frame.columns, dis_fraction=fraction)
    np.testing.assert_allclose(found.dis, uniques.dis(frame.rows(), found.scores.tolist(), fraction), rtol=1e-9)
    assert found.by_dis()["records"].sum() == frame.height


@quiet
@given(key_frames(min_rows=2), st.randoms(use_true_random=False))
def test_text_keys_and_the_order_of_records_change_nothing(frame, chance):
    frame = frame.drop("w")
    base = suda2(frame, frame.columns)
    order = list(range(frame.height))
    chance.shuffle(order)
    moved = suda2(frame[order], frame.columns)
    as_text = suda2(frame.cast(pl.String).to_pandas(), frame.columns)
    np.testing.assert_array_equal(moved.scores, base.scores[order])
    np.testing.assert_array_equal(as_text.scores, base.scores)
    np.testing.assert_allclose(moved.dis, base.dis[order], rtol=1e-12)
    assert base.level_contributions().rows() == as_text.level_contributions().rows()


@quiet
@given(key_frames(max_keys=4))
def test_contributions_of_levels_add_up_to_their_variable(frame):
    frame = frame.drop("w")
    found = suda2(frame, frame.columns)
    levels = found.level_contributions().drop_nulls().group_by("variable").agg(pl.col("contribution").sum())
    assert all(share == pytest.approx(1) for share in levels["contribution"])
    assert sum(1 for share in found.attribute_contributions()["contribution"] if share) == levels.height


def test_one_and_two_variables_are_measured_as_they_are():
    frame = pl.DataFrame({"a": [1, 1, 2], "b": [1, 2, 2]})
    assert suda2(frame, ["a"]).scores.tolist() == [0, 0, 1]  # sdcMicro pads to three variables and says 2
    assert suda2(frame, "a", scores="ihsn").scores.tolist() == [0, 0, 0]  # nothing is left beyond the unique itself
    assert suda2(frame, ["a", "b"]).scores.tolist() == [1, 1, 1]


def test_not_applicable_is_a_category_and_unanswered_equals_nothing():
    frame = pl.DataFrame({"job": [9, 9, 8, 1, 1], "sex": [1, 2, 1, 1, 1]})
    kinds = {9: "non_response", 8: "not_applicable"}
    data = Microdata(frame, Dictionary.of(Variable(name="job", missing=kinds), Variable(name="sex")))
    found = suda2(data, ["job", "sex"])
    assert found.scores.tolist() == [0, 1, 1, 0, 0]
    assert found.minimal_uniques().rows() == [(1, ["sex"], 1), (2, ["job"], 1)]


def test_dis_is_certain_where_nobody_is_in_a_pair():
    frame = pl.DataFrame({"a": [1, 2, 3]})
    assert suda2(frame, ["a"]).dis.tolist() == [1, 1, 1]


def test_without_special_uniques_there_is_nothing_to_part():
    found = suda2(pl.DataFrame({"a": [1, 1], "b": [2, 2], "c": [3, 3]}), ["a", "b", "c"])
    assert list(found.views()) == [""] and found.table()["minimal_uniques"].sum() == 0


def test_results_show_totals_and_no_codes():
    frame = pl.DataFrame({"place": ["pueblo-77", "b", "b"], "sex": [1, 1, 2]})
    found = suda2(frame, ["place", "sex"])
    for shown in (repr(found), str(found.to_dict()), found._repr_html_(), found.picture().alternative):
        assert "pueblo-77" not in shown
    assert found.to_dict()["special"] == 3 == found.to_dict()["minimal_uniques"]
    assert "%" in found.picture().alternative


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"dis_fraction": 0}, "option-range"),
        ({"dis_fraction": 1.5}, "option-range"),
        ({"scores": "other"}, "option-unknown"),
        ({"max_size": 0}, "option-whole"),
        ({"keys": []}, "keys-none"),
        ({"keys": ["a", "a"]}, "keys-repeated"),
        ({"keys": ["none"]}, "variable-unknown"),
    ],
)
def test_wrong_input_is_refused(options, code):
    frame = pl.DataFrame({"a": [1, 2], "b": [1, 1]})
    with pytest.raises(CelosiaError) as caught:
        suda2(**{"frame": frame, "keys": ["a", "b"]} | options)
    assert caught.value.code == code
