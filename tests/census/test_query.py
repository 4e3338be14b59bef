import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused

from celosia.census import Query

SEX = Query(name="sex", group=np.array([0, 0, 1, 1]), size=2, variables=("sex",), labels=("1", "2"))
WOMEN = Query(name="women", group=np.array([-1, -1, 0, 1]), size=2)


@st.composite
def queries(draw, cells):
    size = draw(st.integers(1, cells))
    group = draw(st.lists(st.integers(-1, size - 1), min_size=cells, max_size=cells))
    return Query(name="q", group=np.array(group), size=size)


def test_answers_are_the_sums_of_the_cells():
    histogram = np.array([[1, 2, 3, 4], [5, 6, 7, 8]])
    assert SEX.answers(histogram).tolist() == [[3, 7], [11, 15]]
    assert WOMEN.answers(histogram).tolist() == [[3, 4], [7, 8]]
    assert Query.total(4).answers(histogram).tolist() == [[10], [26]]
    assert Query.detailed(4).answers(histogram).tolist() == histogram.tolist()
    assert SEX.answers(histogram[0]).tolist() == [3, 7]
    assert SEX.answers(histogram.reshape(1, 2, 4)).shape == (1, 2, 2)


def test_detailed_answers_are_a_copy():
    histogram = np.zeros((1, 4), dtype=np.int64)
    Query.detailed(4).answers(histogram)[0, 0] = 7
    assert histogram[0, 0] == 0


def test_what_refines_what():
    total, detailed = Query.total(4), Query.detailed(4)
    assert detailed.refines(SEX) and SEX.refines(total) and detailed.refines(WOMEN)
    assert not total.refines(SEX) and not WOMEN.refines(SEX) and not SEX.refines(WOMEN)
    assert SEX.into(total).tolist() == [0, 0]
    assert not Query.total(3).refines(total)


@given(st.integers(1, 6).flatmap(lambda cells: st.tuples(queries(cells), queries(cells), st.just(cells))))
def test_a_finer_query_answers_the_coarser_one(drawn):
    fine, coarse, cells = drawn
    histogram = np.arange(1, cells + 1) ** 2
    target = fine.into(coarse)
    if target is None:
        return
    summed = np.zeros(coarse.size, dtype=np.int64)
    np.add.at(summed, target[target >= 0], fine.answers(histogram)[target >= 0])
    assert summed.tolist() == coarse.answers(histogram).tolist()


@given(st.integers(1, 6).flatmap(lambda cells: st.tuples(queries(cells), st.just(cells))))
def test_one_record_moves_one_answer_by_one_at_most(drawn):
    query, cells = drawn
    for cell in range(cells):
        record = np.zeros(cells, dtype=np.int64)
        record[cell] = 1
        assert np.abs(query.answers(record)).sum() <= 1


def test_wrong_groups_are_refused():
    for group, size in ((np.array([0, 2]), 2), (np.array([-2, 0]), 1), (np.array([[0]]), 1), (np.array([], int), 0)):
        with refused("query-groups"):
            Query(name="q", group=group, size=size)
    with refused("query-labels"):
        Query(name="q", group=np.array([0, 1]), size=2, labels=("a", "a"))
    with refused("query-cells"):
        SEX.answers(np.zeros(3, dtype=np.int64))


def test_a_query_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        SEX.group[0] = 1
