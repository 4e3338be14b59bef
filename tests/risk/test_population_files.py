"""k-map, attackers, groups and panels."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import key_frames

from celosia import risk
from celosia.core.errors import CelosiaError, CelosiaWarning

quiet = pytest.mark.filterwarnings("ignore::celosia.core.errors.CelosiaWarning")


@quiet
@given(key_frames(max_keys=3), key_frames(max_keys=3, min_rows=3, max_rows=60))
def test_k_map_counts_who_agrees(frame, register):
    keys = [name for name in frame.columns if name in register.columns and name != "w"]
    found = risk.k_map(frame, keys, register, k=3)
    people = register.select(keys).rows()
    expected = [
        sum(all(p == q or p is None or q is None for p, q in zip(x, y, strict=True)) for y in people)
        for x in frame.select(keys).rows()
    ]
    assert found.matches.tolist() == expected
    assert found.violations == sum(f < 3 for f in expected) and found.unmatched == expected.count(0)


def test_a_file_in_its_own_population_is_1_map():
    register = pl.DataFrame({"a": [1, 1, 2, 3, 3, 3]})
    found = risk.k_map(register[[0, 2, 3]], ["a"], register, k=2)
    assert found.matches.tolist() == [2, 1, 3] and found.risk.tolist() == [0.5, 1.0, 1 / 3]
    assert found.table()["violations"].to_list() == [0, 1]


def test_a_register_of_other_people_or_without_the_keys_is_told():
    frame = pl.DataFrame({"a": [1, 2]})
    with pytest.warns(CelosiaWarning, match="nadie"):
        found = risk.k_map(frame, ["a"], pl.DataFrame({"a": [7, 8]}))
    assert found.unmatched == found.violations == 2 and found.table()["share"].to_list() == [1.0, 1.0]
    with pytest.warns(CelosiaWarning, match="nadie"):
        assert risk.attackers(frame, ["a"], register=pl.DataFrame({"a": [1, 1, 8]})).journalist.tolist() == [0.5, 1.0]
    for register, code in ((pl.DataFrame({"b": [7]}), "register-without-keys"), (frame[:0], "register-empty")):
        with pytest.raises(CelosiaError) as error:
            risk.k_map(frame, ["a"], register)
        assert error.value.code == code


def test_attackers_by_hand():
    frame = pl.DataFrame({"a": [1, 1, 2], "w": [3, 1, 10]})
    found = risk.attackers(frame, ["a"], weight="w")
    assert found.prosecutor.tolist() == [0.5, 0.5, 1.0] and found.journalist.tolist() == [0.25, 0.25, 0.1]
    assert found.marketer == pytest.approx(0.2)
    register = pl.DataFrame({"a": [1] * 5 + [2] * 2})
    assert risk.attackers(frame, ["a"], register=register).journalist.tolist() == [0.2, 0.2, 0.5]
    assert found.table()["attacker"].to_list() == ["prosecutor", "journalist", "marketer"]
    assert found.picture().alternative


def test_nobody_is_more_certain_from_outside_than_from_inside():
    """The people of a file are of the population too, so F is no less than f."""
    frame = pl.DataFrame({"a": [1, 1, 1, 2], "w": [0.5, 0.5, 0.5, 9.0]})
    with pytest.warns(CelosiaWarning, match="3 registros"):
        short = risk.attackers(frame, ["a"], register=pl.DataFrame({"a": [1, 2, 2]}))
    assert short.journalist.tolist() == pytest.approx([1 / 3] * 3 + [1 / 2])
    with pytest.warns(CelosiaWarning, match="3"):
        light = risk.attackers(frame, ["a"], weight="w")
    assert light.journalist.tolist() == pytest.approx([1 / 3] * 3 + [1 / 9])
    with pytest.warns(CelosiaWarning, match="3 registros"):
        assert risk.k_map(frame, ["a"], pl.DataFrame({"a": [1, 2, 2]})).matches.tolist() == [1, 1, 1, 2]


@quiet
def test_who_is_not_found_is_at_no_risk():
    frame = pl.DataFrame({"a": [1, 1, 2, 3]})
    masked = frame.with_columns(a=pl.Series([1, 1, 2, 2]))
    for register in (None, frame):
        found = risk.attackers(masked, ["a"], register=register, missing="intruder", truth=frame)
        assert found.prosecutor.tolist() == [0.5, 0.5, 0.5, 0.0] and found.journalist[3] == 0.0
        assert np.isfinite(found.journalist).all() and 0 < found.marketer < 1


def test_the_worst_group_stands_beside_the_mean():
    frame = pl.DataFrame({"pais": [1] * 8 + [2, 3], "h": [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]})
    found = risk.individual(frame, ["pais"], household="h")
    foreign = (frame["pais"] != 1).to_numpy()
    groups = risk.by_group(found, {"locales": ~foreign, "extranjeros": foreign, "nadie": np.zeros(10, dtype=bool)})
    table = groups.table()
    assert groups.worst == "extranjeros" and table["group"].to_list()[:2] == [None, "extranjeros"]
    assert table["global_risk"].to_list()[:3] == [found.global_risk, 1.0, 1 / 8]
    said = risk.by_group(found, {"extranjeros": "pais != 1", "locales": "pais == 1"}, frame).table()
    assert said.rows() == table.head(3).rows()
    for groups in ({"x": np.array([True])}, {"x": "pais == 1"}):
        with pytest.raises(CelosiaError):
            risk.by_group(found, groups)
    with pytest.raises(CelosiaError) as error:
        risk.by_group(risk.risky_cells(frame, ["pais"]), {})
    assert error.value.code == "not-by-record"


class TestPanel:
    frame = pl.DataFrame(
        {
            "id": [1, 2, 3, 1, 2, 3, 1, 2],
            "ola": [9, 9, 9, 10, 10, 10, 11, 11],
            "zona": ["a", "a", "a", "b", "b", "b", "c", "c"],
            "w": [2.0, 2.0, 2.0, 4.0, 4.0, 4.0, 6.0, 6.0],
        }
    )

    def test_absence_tells_people_apart_in_the_chain(self):
        found = risk.panel(self.frame, person="id", round="ola", keys=["zona"])
        assert found.rounds == ("9", "10", "11")
        assert found.table()["uniques"].to_list() == [0, 0, 0, 1]

    def test_the_chain_takes_the_mean_weight(self):
        found = risk.panel(self.frame, person="id", round="ola", keys=["zona"], weight="w")
        assert found.chain.frequencies.population.tolist() == [8.0, 8.0, 3.0]

    def test_who_lived_together_in_any_round_is_one_household_of_the_chain(self):
        homes = self.frame.with_columns(h=pl.Series([1, 1, 2, 7, 8, 7, 9, 9]))
        found = risk.panel(homes, person="id", round="ola", keys=["zona"], household="h")
        first, second, third = found.each
        assert first.household_risk.tolist() == pytest.approx([1 - (2 / 3) ** 2] * 2 + [1 / 3])
        assert second.household_risk.tolist() == pytest.approx([1 - (2 / 3) ** 2, 1 / 3, 1 - (2 / 3) ** 2])
        assert third.household_risk.tolist() == pytest.approx([0.75, 0.75])
        # 1 and 2 lived together, then 1 and 3: all three are found with any of them; 3 is alone in the chain
        assert found.chain.household_risk.tolist() == [1.0, 1.0, 1.0]
        assert found.table()["household_global_risk"].to_list()[-1] == 1.0
        apart = homes.with_columns(h=pl.col("id"))
        found = risk.panel(apart, person="id", round="ola", keys=["zona"], household="h")
        assert found.chain.household_risk.tolist() == found.chain.risk.tolist() == [0.5, 0.5, 1.0]

    def test_a_household_without_an_id_is_refused(self):
        homes = self.frame.with_columns(h=pl.Series([1, None, 2, 7, 8, 7, 9, 9]))
        with pytest.raises(CelosiaError) as error:
            risk.panel(homes, person="id", round="ola", keys=["zona"], household="h")
        assert error.value.code == "group-missing"

    @quiet
    @given(key_frames(max_keys=2, min_rows=4), st.integers(2, 3), st.sampled_from(["wildcard", "strict"]))
    def test_the_chain_is_the_long_key(self, frame, rounds, missing):
        keys = [name for name in frame.columns if name != "w"]
        people = -(-frame.height // rounds)
        place = np.arange(frame.height)
        long = frame.with_columns(id=pl.Series(place % people), ola=pl.Series(place // people))
        found = risk.panel(long, "id", "ola", keys, missing=missing)
        wide = pl.DataFrame({"id": np.arange(people)})
        for name in long["ola"].unique().sort():
            now = long.filter(pl.col("ola") == name).select("id", *(pl.col(k).alias(f"{k}{name}") for k in keys))
            wide = wide.join(now.with_columns(**{f"here{name}": pl.lit(1)}), on="id", how="left")
        here = [name for name in wide.columns if name.startswith("here")]
        wide = wide.with_columns(pl.col(here).fill_null(0)).sort("id")
        # an absent round is a category: its keys get one code of their own
        absent = [
            pl.when(pl.col(f"here{c[-1]}") == 0).then(pl.lit("absent")).otherwise(pl.col(c).cast(pl.String)).alias(c)
            for c in wide.columns
            if c != "id" and c not in here
        ]
        table = wide.with_columns(absent).drop("id", *here)
        expected = risk.frequencies(table, table.columns, missing=missing).sample
        assert found.chain.frequencies.sample.tolist() == expected.tolist()

    def test_a_person_twice_in_a_round_is_refused(self):
        twice = pl.concat([self.frame, self.frame[:1]])
        with pytest.raises(CelosiaError) as error:
            risk.panel(twice, person="id", round="ola", keys=["zona"])
        assert error.value.code == "panel-repeated"
        with pytest.raises(CelosiaError):
            risk.panel(self.frame, person="id", round="ola", keys=["id"])
