"""l-diversity: the definitions, missing values, wrong input."""

import numpy as np
import polars as pl
import pytest
from attribute import by_record, entropy, recursive, sensitive_files
from hypothesis import given
from hypothesis import strategies as st

from celosia import Dictionary, Microdata, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.language import speaking
from celosia.risk.l_diversity import l_diversity

FRAME = pl.DataFrame({"a": [1, 1, 1, 2, 2], "s": ["x", "x", "y", "x", "x"], "t": [1, 2, 3, 4, 4]})


@given(sensitive_files(), st.sampled_from([0.5, 1.0, 2.0, 3.0]))
def test_every_record_has_what_the_definitions_say(data, c):
    found = l_diversity(data, ["a", "b"], "s", c=c).table()
    assert found["distinct"].to_list() == by_record(data, len)
    np.testing.assert_allclose(found["entropy"], by_record(data, entropy), rtol=1e-12)
    assert found["recursive"].to_list() == by_record(data, lambda held: recursive(held, c))
    assert (found["entropy"] <= found["distinct"] + 1e-9).all()
    assert (found["recursive"] <= found["distinct"]).all()


@given(sensitive_files(), st.randoms())
def test_order_of_rows_and_spelling_of_codes_do_not_matter(data, random):
    order = np.array(random.sample(range(data.height), data.height))
    before = l_diversity(data, ["a", "b"], "s").table()
    assert l_diversity(data.take(order), ["a", "b"], "s").table().equals(before[order])
    words = {None: None, 1: "uno", 2: "dos"}
    spelled = {name: pl.Series([words[v] for v in data.frame[name]], dtype=pl.String) for name in "ab"}
    spelled["s"] = data.frame["s"].cast(pl.String)
    assert l_diversity(data.with_columns(spelled), ["a", "b"], "s").table().equals(before)


@given(sensitive_files(missing=False), st.sets(st.integers(0, 39)))
def test_emptying_cells_never_raises_distinct_l(data, emptied):
    mask = np.array([i in emptied for i in range(data.height)])
    before = l_diversity(data, ["a", "b"], "s").table()["distinct"]
    if not mask.all():
        assert (l_diversity(data.suppress({"s": mask}), ["a", "b"], "s").table()["distinct"] <= before).all()


@given(sensitive_files(outside=False))
def test_a_large_file_of_copies_is_as_diverse(data):
    copies = Microdata(pl.concat([data.frame] * 40), data.dictionary)
    once, often = (l_diversity(d, ["a", "b"], "s").table() for d in (data, copies))
    np.testing.assert_allclose(often["entropy"][: data.height], once["entropy"], rtol=1e-12)
    assert often["recursive"][: data.height].equals(once["recursive"])


def test_more_than_32_values_in_a_class():
    frame = pl.DataFrame({"a": [1] * 820, "s": [v for v in range(40) for _ in range(v + 1)]})
    found = l_diversity(frame, ["a"], "s").table()
    counts = np.arange(1, 41) / 820
    np.testing.assert_allclose(found["entropy"][0], np.exp(-(counts * np.log(counts)).sum()))
    assert found["recursive"][0] == max(l for l in range(1, 41) if 2 * sum(range(1, 42 - l)) > 40)  # noqa: E741


def test_missing_values_are_no_values():
    book = Dictionary.of(Variable(name="s", missing={"?": "non_response", "-": "not_applicable"}))
    frame = pl.DataFrame({"a": [1, 1, 1, 2, 2, 3, 3], "s": ["x", "x", "?", "?", "?", "x", "-"]})
    found = l_diversity(Microdata(frame, book), ["a"], "s")
    assert found.table().to_dict(as_series=False) == {
        "distinct": [1, 1, 1, 0, 0, 2, 2],
        "entropy": [1.0, 1.0, 1.0, 0.0, 0.0, 2.0, 2.0],
        "recursive": [1, 1, 1, 0, 0, 2, 2],
        "missing": [1, 1, 1, 2, 2, 0, 0],
    }
    assert found.violations(2) == 3, "all who answered agree; nobody answered discloses nothing"
    assert found.to_dict()["sensitive"]["s"] == {"distinct": 1, "entropy": 1.0, "recursive": 1, "missing": 3}


def test_an_empty_cell_that_nobody_declared_is_a_missing_value_with_a_warning():
    frame = pl.DataFrame({"a": [1, 1], "s": ["x", None]})
    with pytest.warns(match="s: 1"):
        assert l_diversity(frame, ["a"], "s").table()["distinct"].to_list() == [1, 1]


def test_a_missing_key_is_a_category():
    frame = pl.DataFrame({"a": [None, None, 1], "s": ["x", "y", "x"]})
    assert l_diversity(frame, ["a"], "s").table()["distinct"].to_list() == [2, 2, 1]


def test_several_variables_come_long_and_violate_together():
    found = l_diversity(FRAME, ["a"], ["s", "t"])
    table = found.table()
    assert table["sensitive"].to_list() == ["s"] * 5 + ["t"] * 5
    assert table["distinct"].to_list() == [2, 2, 2, 1, 1, 3, 3, 3, 1, 1]
    assert found.violations(2) == 2 and found.violations(3) == 5 and found.share(2) == 0.4
    assert list(found.to_dict()["sensitive"]) == ["s", "t"]


def test_equal_frequencies_reach_their_number_exactly():
    for m in range(1, 60):
        frame = pl.DataFrame({"a": [1] * 3 * m, "s": [*range(m)] * 3})
        assert l_diversity(frame, ["a"], "s").violations(m, kind="entropy") == 0


def test_equality_fails_the_recursive_sense():
    frame = pl.DataFrame({"a": [1] * 21, "s": [1] * 11 + [2] * 10})
    assert l_diversity(frame, ["a"], "s", c=1.1).table()["recursive"][0] == 1
    assert l_diversity(frame, ["a"], "s", c=1.11).table()["recursive"][0] == 2


@pytest.mark.parametrize(
    ("error", "code", "options"),
    [
        (RoleError, "sensitive-is-key", {"sensitive": ["s", "a"]}),
        (RoleError, "sensitive-repeated", {"sensitive": ["s", "s"]}),
        (RoleError, "sensitive-repeated", {"sensitive": []}),
        (RoleError, "variable-unknown", {"sensitive": "nobody"}),
        (RoleError, "keys-repeated", {"keys": ["a", "a"]}),
        (OptionError, "option-range", {"c": 0}),
        (OptionError, "option-range", {"c": float("nan")}),
    ],
)
def test_wrong_input_is_said_in_both_languages(error, code, options):
    with pytest.raises(error) as caught:
        l_diversity(**({"frame": FRAME, "keys": ["a"], "sensitive": "s"} | options))
    assert caught.value.code == code
    said = []
    for language in ("es", "en"):
        with speaking(language):
            said.append(str(caught.value))
    assert said[0] != said[1] and not any("error." in text for text in said)


@pytest.mark.parametrize("values", [[None, None], ["99", None]])
def test_nothing_observed_is_an_error(values):
    book = Dictionary.of(Variable(name="s", missing={"99": "non_response"}, null="non_response"))
    frame = pl.DataFrame({"a": [1] * len(values), "s": values}, schema={"a": pl.Int64, "s": pl.String})
    with pytest.raises(DataError, match="«s»") as caught:
        l_diversity(Microdata(frame, book), ["a"], "s")
    assert caught.value.code == "sensitive-empty"


def test_wrong_limits_are_refused():
    found = l_diversity(FRAME, ["a"], "s")
    with pytest.raises(OptionError):
        found.violations(0)
    with pytest.raises(OptionError):
        found.violations(2, kind="sense")


def test_it_draws_and_tells_without_a_row_for_every_record():
    found = l_diversity(FRAME, ["a"], ["s", "t"])
    picture = found.picture()
    assert "l = 2" in picture.alternative and picture.svg().startswith("<svg")
    assert found._repr_html_().count("<tr>") == 1 + found.summary().height == 13


def test_other_tables_are_taken_too():
    pandas = pytest.importorskip("pandas")
    table = l_diversity(pandas.DataFrame(FRAME.to_dict(as_series=False)), ["a"], "s").table()
    assert table.equals(l_diversity(FRAME, ["a"], "s").table())
