"""Any protection and any look join the same table."""

import numpy as np
import polars as pl
import pytest

from celosia.census import Domain, Geography
from celosia.census.comparison import (
    Anonymity,
    Diversity,
    ErrorsOf,
    LinkageOf,
    Row,
    Truth,
    compare,
    ine_2017,
    untreated,
)
from celosia.census.groups import Group
from celosia.census.published import Counted, Recorded
from celosia.core.errors import CelosiaError
from celosia.datasets import census

LEVELS = ("REGION", "COMUNA", "DC")
KEYS = ("COMUNA", "P08", "P09")
LOOKS = [
    ErrorsOf({"COMUNA": ["total", "P08"], "DC": ["total"]}),
    Anonymity(KEYS),
    Diversity(KEYS, "P16"),
    LinkageOf(KEYS, "P16"),
]


@pytest.fixture(scope="module")
def truth():
    persons = census(1500).persons
    domain = Domain.of(persons.dictionary, {"P08": None, "P09": {"from": 0, "to": 100}, "P16": None})
    geography = Geography.of_table(persons, LEVELS, root="PAIS")
    groups = (Group(name="pueblos", where="P16 == 1"), Group(name="chicas", level="COMUNA", below=6))
    return Truth(Counted.of("truth", persons, domain, geography), domain, groups, public=True)


class Rounded:
    """A protection that gives tables only: counts to the nearest 3."""

    name, data = "rounded", None

    def __init__(self, counted):
        self.counted = counted

    def answers(self, level, query, nodes):
        return 3 * np.rint(self.counted.answers(level, query, nodes) / 3)


@pytest.fixture(scope="module")
def found(truth):
    ine = ine_2017(truth, area="DC", rare_below=10)
    return compare(truth, [untreated(truth), ine, Rounded(truth.counted)], LOOKS)


def value(found, protection, figure, of=None, group=None):
    rows = found.rows().filter(protection=protection, figure=figure)
    rows = rows.filter(pl.col("group").is_null() if group is None else pl.col("group") == group)
    return (rows if of is None else rows.filter(of=of))["value"][0]


def test_the_untreated_file_has_no_error_and_the_most_risk(found):
    assert value(found, "untreated", "mae", "COMUNA · P08") == 0
    for figure in ("unique", "linked", "learned"):
        assert value(found, "untreated", figure) > value(found, "INE 2017", figure) >= 0


def test_the_rules_of_2017_leave_totals_and_lose_characteristics_and_places(found):
    assert value(found, "INE 2017", "mae", "COMUNA · total") == 0
    assert value(found, "INE 2017", "mae", "COMUNA · P08") > 0
    assert value(found, "INE 2017", "untold", "DC · total") > 0 == value(found, "untreated", "untold", "DC · total")


def test_tables_alone_have_errors_and_no_records_to_look_at(found):
    assert 0 < value(found, "rounded", "mae", "COMUNA · P08") <= 1
    assert set(found.rows().filter(protection="rounded")["look"]) == {"error"}


def test_the_worst_group_stands_beside_the_whole(found):
    row = found.table().filter(protection="untreated", figure="unique").to_dicts()[0]
    assert row["worst_group"] == "chicas" and row["worst"] > row["value"]


def test_protections_stand_side_by_side(found):
    rows = found.side_by_side()
    assert rows.columns == ["look", "of", "figure", *found.protections]
    for row in rows.iter_rows(named=True):
        for name in found.protections:
            own = found.table().filter(look=row["look"], of=row["of"], figure=row["figure"], protection=name)
            assert row[name] == (own["value"][0] if own.height else None)
    unique = rows.filter(figure="unique").to_dicts()[0]
    assert unique["rounded"] is None and unique["untreated"] > unique["INE 2017"]


def test_a_worst_group_is_named_only_where_there_is_something_to_be_worst_of(found):
    assert found.table().filter(protection="untreated", figure="mae")["worst_group"].null_count() > 0


def test_uniques_of_the_untreated_file_by_hand(found, truth):
    persons = truth.counted.data.frame
    sizes = persons.select(pl.len().over(KEYS)).to_series()
    assert value(found, "untreated", "unique") == pytest.approx((sizes == 1).mean())
    assert value(found, "untreated", "linked") == pytest.approx((sizes == 1).mean())
    indigenous = persons["P16"] == 1
    assert value(found, "untreated", "unique", group="pueblos") == pytest.approx((sizes.filter(indigenous) == 1).mean())


def test_a_new_look_joins_as_it_is(truth):
    class Size:
        def rows(self, truth, published):
            yield Row(published.name, "size", "file", "records", None, 7.0)

    assert compare(truth, [untreated(truth)], [Size()]).table()["value"].to_list() == [7.0]


def test_protections_have_names_of_their_own_and_the_table_says_whether_it_may_be_shown(truth):
    with pytest.raises(CelosiaError) as error:
        compare(truth, [untreated(truth), untreated(truth)], [])
    assert error.value.code == "comparison-names"
    assert not compare(truth, [], []).confidential
    assert compare(Truth(truth.counted, truth.domain), [], []).confidential


def test_a_protection_may_leave_out_what_the_intruder_knows_or_wants(truth):
    looks = [Anonymity(KEYS), Diversity(KEYS, "P16"), LinkageOf(KEYS, "P16")]
    held = truth.counted.data
    for gone, left in (("P09", {"k-anonymity", "l-diversity", "linkage"}), ("P16", {"k-anonymity"})):
        narrow = Recorded("narrow", truth.domain, truth.counted.geography, held.drop(gone))
        found = compare(truth, [untreated(truth), narrow], looks).side_by_side()
        assert set(found.filter(pl.col("narrow").is_not_null())["look"]) == left
        unique = found.filter(figure="unique").to_dicts()[0]
        assert unique["narrow"] <= unique["untreated"]
