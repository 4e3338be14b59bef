"""Whatever a local suppression is asked for, of any small file: k as promised, and nothing else has changed.

Thousands of cases: ``HYPOTHESIS_PROFILE=long``.
"""

from itertools import combinations

import numpy as np
import polars as pl
import pytest
from brute import wildcard_frequencies
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import DataError
from celosia.methods import LocalSuppression

pytestmark = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")

IMPOSSIBLE = {"suppression-limits", "suppression-impossible", "fewer-than-k", "record-suppression-all"}
WAYS = [("strict", False), ("wildcard", False), ("wildcard", True)]


@st.composite
def files(draw):
    """Keys as numbers or text, with nulls and codes of missing values; a stratum and what nobody may touch."""
    frame = draw(key_frames(min_rows=1, max_rows=30))
    keys = [name for name in frame.columns if name != "w"]
    if draw(st.booleans()):
        frame = frame.with_columns(pl.format("ñ {}", pl.col(name)).alias(name) for name in keys)
        kinds = {"ñ 1": draw(st.sampled_from(["not_applicable", "non_response"]))}
    else:
        kinds = {1: draw(st.sampled_from(["not_applicable", "non_response"]))}
    frame = frame.with_columns(zona=pl.int_range(pl.len()) % 2, nota=pl.format("n {}", pl.int_range(pl.len())))
    coded = [Variable(name=name, missing=kinds) for name in keys if draw(st.integers(0, 3)) == 0]
    return Microdata(frame, Dictionary.of(*coded)), keys


@st.composite
def options(draw, keys):
    """Any options that agree with each other."""
    way, spare = draw(st.sampled_from(WAYS))
    asked = {"counting": way, "spare_covered": spare, "max_share": draw(st.sampled_from([0.34, 0.5, 1.0]))}
    if draw(st.booleans()):
        asked["strata"] = "zona"
    order = draw(st.sampled_from([None, "importance", "cost"]))
    if order:
        asked[order] = {name: draw(st.integers(1, 4)) for name in keys if draw(st.booleans())} or None
    if len(keys) > 1 and draw(st.booleans()):
        asked["never"] = draw(st.sampled_from(keys))
    if len(keys) > 2 and draw(st.booleans()):
        asked["linked"] = [[keys[0], keys[1]]]
    sizes = draw(st.lists(st.integers(1, len(keys)), unique=True, max_size=2))
    asked |= {"subsets": {size: draw(st.integers(2, 4)) for size in sizes}} if sizes else {"k": draw(st.integers(2, 4))}
    return asked


def least_shared(method, data):
    """For each set of keys that was asked for, how much more than its k the least shared key is shared by."""
    marks = {f"_{name}": data.suppressed(name) for name in method.keys}
    frame, left = data.frame.with_columns(**marks), []
    for names, k in method.asked:
        for part in frame.partition_by(method.strata) if method.strata else [frame]:
            shown = _told(data, part, names, method.counting)
            if method.counting == "strict":
                counts = shown.select(pl.len().over(shown.columns)).to_series().to_list()
            else:
                rows = shown.rows()
                counts = [f for f, _ in wildcard_frequencies(rows, [1.0] * len(rows), 1.0)]
            left.append(min(counts) - k)
    return left


def _told(data, part, names, counting):
    """What is told of each record: not answering is one category, and nothing where anything goes."""
    columns = []
    for name in names:
        kinds = data.dictionary[name].missing if name in data.dictionary else {}
        unanswered = [code for code, kind in kinds.items() if str(kind) != "not_applicable"]
        cell = pl.col(name).cast(pl.String)
        columns.append(pl.when(cell.is_in(unanswered)).then(pl.lit(None)).otherwise(cell).alias(name))
        if counting == "strict":
            columns.append(pl.col(f"_{name}"))
    return part.select(columns)


@given(st.data())
def test_k_holds_and_nothing_else_has_changed(data):
    before, keys = data.draw(files())
    method = LocalSuppression(keys=keys, **data.draw(options(keys)))
    try:
        result = method.apply(before, Run(key=1, threads=1))
    except DataError as error:
        assert error.code in IMPOSSIBLE
        return
    after = result.data
    assert min(least_shared(method, after), default=0) >= 0
    assert after.variables == before.variables and after.ids.tolist() == before.ids.tolist()
    lost = np.zeros(before.height, dtype=int)
    for name in before.variables:
        old, new, marked = before.column(name), after.column(name), after.suppressed(name)
        assert new.dtype == old.dtype
        if name in keys and name not in method.never:
            assert new.filter(~marked).equals(old.filter(~marked)) and new.filter(marked).is_null().all()
            assert result.suppressed[name] == marked.sum()
            lost += marked.to_numpy()
        else:
            assert new.equals(old) and not marked.any()
    assert lost.max(initial=0) <= method.most
    again = method.apply(before, Run(key=2, threads=4))
    assert again.data.frame.equals(after.frame) and again.suppressed == result.suppressed
    twice = method.apply(after, Run(key=3))
    assert not twice.changed and twice.data.frame.equals(after.frame)


@pytest.mark.parametrize(("way", "spare"), WAYS)
@pytest.mark.parametrize("rows", [1, 2, 3])
def test_a_file_smaller_than_k_is_refused(way, spare, rows):
    with pytest.raises(DataError) as caught:
        LocalSuppression(keys=["a"], k=rows + 1, counting=way, spare_covered=spare).apply(
            pl.DataFrame({"a": ["x"] * rows})
        )
    assert caught.value.code == "fewer-than-k" and caught.value.facts == {"k": rows + 1, "count": rows}


@given(st.data())
def test_the_order_of_the_records_changes_nothing(data):
    before, keys = data.draw(files())
    method = LocalSuppression(keys=keys, **data.draw(options(keys)))
    shuffled = before.take(np.array(data.draw(st.permutations(range(before.height))), dtype=np.int64))
    try:
        one, other = method.apply(before).data, method.apply(shuffled).data
    except DataError as error:
        assert error.code in IMPOSSIBLE
        return
    assert one.in_order_of(other.ids).frame.equals(other.frame)


def test_every_subset_of_a_size_is_asked_for():
    method = LocalSuppression(keys=list("abcd"), subsets={2: 3, 4: 2})
    assert [names for names, k in method.asked if k == 3] == list(combinations("abcd", 2))
    assert [names for names, k in method.asked if k == 2] == [tuple("abcd")]
