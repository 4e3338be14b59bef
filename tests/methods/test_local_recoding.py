"""Local recoding: k-safe by construction, codes that climb, nobody lost without need."""

from collections import Counter

import polars as pl
import pytest
from generalised import NAMES, SENSITIVE_TREE, TREES, files, people
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from celosia import Run
from celosia.core.errors import CancelledError, DataError, OptionError
from celosia.core.language import speaking
from celosia.methods import Generalization, LocalRecoding

convex = st.one_of(
    st.just([]),
    st.sampled_from(
        [
            {"model": "l_diversity", "l": 2},
            {"model": "l_diversity", "l": 1.7, "kind": "entropy"},
            {"model": "l_diversity", "l": 2, "kind": "recursive", "c": 3},
            {"model": "alpha_k", "alpha": 0.7},
            {"model": "t_closeness", "t": 0.3},
            {"model": "t_closeness", "t": 0.3, "distance": "hierarchical", "hierarchy": SENSITIVE_TREE},
            {"model": "beta_likeness", "beta": 0.8},
        ]
    ).map(lambda model: [{**model, "sensitive": "s"}]),
)


def check_local_recoding(file, k, models):
    keys, sensitive, rows = file
    names = NAMES[: len(rows)]
    frame = pl.DataFrame(
        [pl.Series(name, column, dtype=pl.String) for name, column in zip(names, zip(*keys, strict=True), strict=True)]
    ).with_columns(s=pl.Series(sensitive, dtype=pl.String))
    method = LocalRecoding(hierarchies=dict(zip(names, rows, strict=True)), k=k, models=models)
    try:
        found = method.apply(frame)
    except DataError as error:
        assert error.code in ("fewer-than-k", "generalization-impossible")
        return
    published = list(zip(*(found.data[name] for name in names), strict=True))
    path = [{row[0]: row for row in tree} for tree in rows]
    emptied = [
        all(code is None for code in codes) and not all(code is None for code in key)
        for codes, key in zip(published, keys, strict=True)
    ]
    for key, codes, gone in zip(keys, published, emptied, strict=True):
        for j, (was, now) in enumerate(zip(key, codes, strict=True)):
            assert gone or (now is None if was is None else now in path[j][was])
    sizes = Counter(codes for codes, gone in zip(published, emptied, strict=True) if not gone)
    whole = tuple([None] * len(names))
    assert all(size >= k for codes, size in sizes.items() if codes != whole)
    assert found.data["s"].equals(frame["s"])
    assert 0 <= found.loss <= 1
    assert sum(found.rounds["records"]) <= frame.height and found.suppressed_records < frame.height


test_local_recoding_is_safe = settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow])(
    given(files(), st.integers(2, 5), convex)(check_local_recoding)
)
test_local_recoding_long = pytest.mark.long(
    settings(max_examples=4000, suppress_health_check=[HealthCheck.too_slow])(
        given(files(), st.integers(2, 5), convex)(check_local_recoding)
    )
)


def test_it_loses_less_than_one_level_for_all():
    frame = people(rows=300, seed=4)
    local = LocalRecoding(hierarchies=TREES, k=4).apply(frame)
    whole = Generalization(hierarchies=TREES, k=4).apply(frame)
    assert local.loss < whole.loss and local.suppressed_records == 0
    codes = set(local.data["edad"])
    assert {"20s"} & codes and {str(age) for age in range(20, 60)} & codes, "codes of several levels"
    assert local.rounds["records"].sum() + local.suppressed_records <= 300
    assert local.table()["variable"].to_list() == ["edad"]


def test_those_left_join_a_group_or_lose_their_keys():
    rows = [("a", "*"), ("b", "*")]
    joined = LocalRecoding(hierarchies={"x": rows}, k=2).apply(pl.DataFrame({"x": ["a", "a", "b"]}))
    assert joined.data["x"].to_list() == ["*", "*", "*"] or joined.suppressed_records == 1
    many = LocalRecoding(hierarchies={"x": rows}, k=2).apply(pl.DataFrame({"x": ["a"] * 50 + ["b"]}))
    assert many.data["x"].to_list() == ["a"] * 50 + [None] and many.suppressed_records == 1
    with pytest.raises(DataError) as caught:
        LocalRecoding(hierarchies={"x": rows}, k=2, suppression_limit=0).apply(pl.DataFrame({"x": ["a"] * 50 + ["b"]}))
    assert caught.value.code == "generalization-impossible"


def test_a_file_that_nothing_makes_safe_is_refused():
    frame = pl.DataFrame({"x": ["a", "a", "b"], "s": ["u", "u", "u"]})
    with pytest.raises(DataError) as caught:
        LocalRecoding(
            hierarchies={"x": [("a", "*"), ("b", "*")]},
            k=2,
            models=[{"model": "l_diversity", "sensitive": "s", "l": 2}],
        ).apply(frame)
    assert caught.value.code == "generalization-impossible"


@pytest.mark.parametrize(
    ("fields", "error", "code"),
    [({"k": 900}, DataError, "fewer-than-k"), ({"weights": {"x": 1}}, OptionError, "weights-unknown")],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_what_cannot_be_done_says_why(fields, error, code, language):
    with speaking(language), pytest.raises(error) as caught:
        LocalRecoding(**{"hierarchies": TREES, "k": 3, **fields}).apply(people())
    assert caught.value.code == code


def test_it_can_be_stopped():
    run = Run(key=1)
    run.cancel()
    with pytest.raises(CancelledError):
        LocalRecoding(hierarchies=TREES, k=3).apply(people(), run)
