"""Mondrian: spans that hold what was there, groups of k by construction, nothing else changed."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from generalised import files
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Run, Variable
from celosia.core.errors import CancelledError, DataError, OptionError, PromiseError, RoleError
from celosia.core.language import speaking
from celosia.methods import Mondrian
from celosia.verify.generalised import Spans

convex = st.one_of(
    st.just([]),
    st.sampled_from(
        [
            {"model": "l_diversity", "l": 2},
            {"model": "l_diversity", "l": 1.7, "kind": "entropy"},
            {"model": "alpha_k", "alpha": 0.7},
            {"model": "t_closeness", "t": 0.3},
            {"model": "beta_likeness", "beta": 0.8},
        ]
    ).map(lambda model: [{**model, "sensitive": "s"}]),
)


def ends(code):
    first, _, last = code.partition("-")
    return first, last or first


def check_mondrian(file, k, models):
    keys, sensitive, rows = file
    names = ["a", "b", "c"][: len(rows)]
    frame = pl.DataFrame(
        [pl.Series(name, column, dtype=pl.String) for name, column in zip(names, zip(*keys, strict=True), strict=True)]
    ).with_columns(s=pl.Series(sensitive, dtype=pl.String))
    try:
        found = Mondrian(keys=names, k=k, models=models).apply(frame)
    except DataError as error:
        assert error.code in ("fewer-than-k", "generalization-impossible")
        return
    published = list(zip(*(found.data[name] for name in names), strict=True))
    sizes = Counter()
    for key, codes in zip(keys, published, strict=True):
        gone = all(code is None for code in codes) and any(code is not None for code in key)
        if gone:
            continue
        sizes[codes] += 1
        for was, now in zip(key, codes, strict=True):
            assert (now is None) == (was is None)
            assert was is None or ends(now)[0] <= was <= ends(now)[1]
    assert all(size >= k for codes, size in sizes.items() if any(code is not None for code in codes))
    assert found.data["s"].equals(frame["s"]) and 0 <= found.loss <= 1
    again = Mondrian(keys=names, k=k, models=models).apply(frame.reverse()).data.reverse()
    assert again.equals(found.data), "the order of the rows plays no part"


test_mondrian_is_safe = settings(max_examples=250, suppress_health_check=[HealthCheck.too_slow])(
    given(files(), st.integers(2, 5), convex)(check_mondrian)
)
test_mondrian_long = pytest.mark.long(
    settings(max_examples=4000, suppress_health_check=[HealthCheck.too_slow])(
        given(files(), st.integers(2, 5), convex)(check_mondrian)
    )
)


def test_no_group_could_be_cut_once_more():
    chance = np.random.Generator(np.random.PCG64(3))
    frame = pl.DataFrame({"x": chance.integers(0, 40, 500), "y": chance.integers(0, 9, 500)})
    found = Mondrian(keys=("x", "y"), k=5).apply(frame)
    groups = frame.with_columns(u=found.data["x"], v=found.data["y"]).group_by("u", "v").agg("x", "y")
    for row in groups.iter_rows(named=True):
        for values in (row["x"], row["y"]):
            for limit in set(values):
                left = sum(value <= limit for value in values)
                assert left < 5 or len(values) - left < 5
    assert found.groups == groups.height and found.suppressed_records == 0


def test_a_median_cut_by_hand():
    # ten ages, k = 2: cut in the middle (5 | 5), then 2 | 3 and 2 | 3
    ages = [20, 21, 23, 27, 29, 41, 44, 46, 60, 61]
    found = Mondrian(keys=("edad",), k=2).apply(pl.DataFrame({"edad": ages}))
    assert found.data["edad"].unique(maintain_order=True).to_list() == ["20-21", "23-29", "41-44", "46-61"]
    wide = [1, 1, 6, 6, 6, 3, 3, 15, 15, 15]
    assert found.loss == pytest.approx(sum(w for w in wide) / 41 / 10)


def test_the_widest_key_is_cut_first_unless_it_weighs_less():
    frame = pl.DataFrame({"x": [0, 0, 10, 10], "y": [0, 4, 0, 4], "z": [1, 1, 1, 1]})
    assert Mondrian(keys=("x", "y"), k=2).apply(frame).data["x"].to_list() == [0, 0, 10, 10]
    other = Mondrian(keys=("x", "y"), k=2, weights={"x": 0.5}).apply(frame).data
    assert other["y"].to_list() == [0, 4, 0, 4] and other["x"].to_list() == ["0-10"] * 4


def test_order_of_codes_labels_and_missing_ones():
    book = Dictionary.of(
        Variable(name="nivel", values={"n": "ninguno", "b": "básico", "m": "medio", "s": "superior"}),
        Variable(name="edad", missing={99: "non_response"}),
    )
    frame = pl.DataFrame({"nivel": list("nnbbmsns"), "edad": [1, 1, 2, 2, 3, 4, 99, 99]})
    found = Mondrian(keys=("nivel", "edad"), k=2).apply(Microdata(frame, book)).data
    assert found.column("nivel").to_list() == ["n", "n", "b", "b", "m-s", "m-s", "n-s", "n-s"]
    assert found.column("edad").to_list()[-2:] == ["99", "99"] and dict(found.dictionary["edad"].missing)
    assert found.dictionary["nivel"].values["n"] == "ninguno" and found.dictionary["nivel"].values["m-s"] == "m-s"
    given_ = Mondrian(keys=("nivel",), k=4, order={"nivel": ("b", "n", "s", "m")}).apply(frame).data
    assert set(given_["nivel"]) <= {"b-n", "s-m", "b-m", "n", "n-m", "b-s", "n-s"}


def test_numbers_below_zero_and_those_that_lack_the_same():
    frame = pl.DataFrame({"x": [-5, -3, 4, 6, None, None, None], "y": [1, 1, 2, 2, 1, 2, 3]})
    found = Mondrian(keys=("x", "y"), k=2).apply(frame).data
    assert found["x"].to_list() == ["[-5, -3]"] * 2 + ["4-6"] * 2 + [None] * 3
    few = Mondrian(keys=("x", "y"), k=4).apply(frame)
    assert few.suppressed_records == 3 and few.data["y"][-3:].to_list() == [None] * 3
    with pytest.raises(DataError):
        Mondrian(keys=("x", "y"), k=4, suppression_limit=0.1).apply(frame)


def test_a_checker_sees_a_span_that_does_not_hold_its_code():
    before, codes = Microdata(pl.DataFrame({"x": ["1", "2", "3"]})), ("1", "2", "3")
    Spans("x", codes).check(before, Microdata(pl.DataFrame({"x": ["1-2", "1-2", "3"]})))
    for wrong in (["2-3", "2-3", "2-3"], ["1-2", "9", "3"], ["1-2", "1-2", None], ["2-1", "2-1", "3"]):
        with pytest.raises(PromiseError):
            Spans("x", codes).check(before, Microdata(pl.DataFrame({"x": wrong}, schema={"x": pl.String})))


@pytest.mark.parametrize(
    ("fields", "error", "code"),
    [
        ({"k": 900}, DataError, "fewer-than-k"),
        ({"order": {"z": ("1",)}}, OptionError, "keys-only"),
        ({"weights": {"z": 1}}, OptionError, "keys-only"),
        ({"order": {"x": ("1", "2")}}, DataError, "order-incomplete"),
        ({"models": [{"model": "l_diversity", "sensitive": "x", "l": 2}]}, RoleError, "sensitive-is-key"),
        ({"keys": ("nada",)}, RoleError, "variable-unknown"),
    ],
)
@pytest.mark.parametrize("language", ["es", "en"])
def test_what_cannot_be_done_says_why(fields, error, code, language):
    frame = pl.DataFrame({"x": [1, 2, 3, 4], "s": [1, 1, 2, 2]})
    with speaking(language), pytest.raises(error) as caught:
        Mondrian(**{"keys": ("x",), "k": 2, **fields}).apply(frame)
    assert caught.value.code == code
    with speaking(language):
        assert "{" not in str(caught.value)


def test_it_can_be_stopped():
    run = Run(key=1)
    run.cancel()
    with pytest.raises(CancelledError):
        Mondrian(keys=("x",), k=2).apply(pl.DataFrame({"x": list(range(50))}), run)
