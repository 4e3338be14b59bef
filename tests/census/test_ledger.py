import json
from fractions import Fraction
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusal import refused

from celosia.census import accounting
from celosia.census.attribute import Attribute, Grouping
from celosia.census.budget import Budget
from celosia.census.charge import Charge
from celosia.census.domain import Domain
from celosia.census.geography import Geography
from celosia.census.ledger import Ledger, Spending
from celosia.census.ledger_file import read_ledger, spend
from celosia.census.protection import Protection, Table, Unit

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "census" / "united_states_2020.json").read_text("utf-8"))
PERSON = Protection(unit="person", neighbours="bounded")


def charge(table=Table.PERSONS, level="zona", query="sexo", variables=("sexo",), noise="gaussian", parameter=4):
    return Charge(table=table, level=level, query=query, variables=variables, noise=noise, parameter=parameter)


def spending(*charges, run="1", table=Table.PERSONS, **options):
    return Spending(
        run=run, table=table, levels=("total", "zona"), charges=charges or (charge(table=table),), **options
    )


def ledger(person=1, dwelling=1, protection=PERSON, **options):
    limits = {Unit.PERSON: person, Unit.DWELLING: dwelling}
    return Ledger(data="censo", protection=protection, limits=limits, **options)


def test_a_bounded_record_pays_one_over_the_variance():
    after = ledger().spend(spending())
    assert after.spent(Unit.PERSON) == Fraction(1, 4) and after.spent(Unit.DWELLING) == 0
    assert after.left(Unit.PERSON) == Fraction(3, 4)
    loss = after.loss(Unit.PERSON)
    assert loss.epsilon == accounting.epsilon(0.25, 1e-10) and loss.simple == accounting.simple_epsilon(0.25, 1e-10)
    assert loss.pure is None


def test_runs_add_up_and_the_last_one_that_does_not_fit_is_refused_whole():
    full = ledger()
    for run in "1234":
        full = full.spend(spending(run=run))
    assert full.left(Unit.PERSON) == 0
    with refused("budget-overspent", account="person", asked="1/4", left="0"):
        full.spend(spending(run="5"))
    with refused("budget-overspent"):
        ledger().spend(spending(*(charge(query=f"q{i}") for i in range(5))))
    exact = ledger(person="1/4").spend(spending())
    assert exact.left(Unit.PERSON) == 0
    with refused("budget-overspent"):
        ledger(person=Fraction(1, 4) - Fraction(1, 10**30)).spend(spending())
    with refused("ledger-run-repeated"):
        full.spend(spending())


def test_an_account_without_a_limit_pays_for_nothing():
    closed = Ledger(data="censo", protection=PERSON, limits={Unit.PERSON: 1})
    closed.spend(spending())
    with refused("budget-overspent", account="dwelling"):
        closed.spend(spending(table=Table.DWELLINGS))


def test_dwellings_joined_with_their_persons_are_charged_to_both():
    after = ledger(dwelling=2).spend(spending(table=Table.HOUSEHOLDS))
    assert after.spent(Unit.DWELLING) == Fraction(1, 4)
    assert after.spent(Unit.PERSON) == 1
    both = after.spend(spending(table=Table.DWELLINGS, run="2"))
    assert both.spent(Unit.DWELLING) == Fraction(1, 2) and both.spent(Unit.PERSON) == 1
    assert both.whole.rho == Fraction(3, 2)
    one = ledger(protection=Protection(unit="dwelling", neighbours="unbounded", members=6), dwelling=10)
    assert one.spend(spending()).spent(Unit.DWELLING) == Fraction(36, 8)


def test_the_united_states_by_one_ledger():
    """ρ of persons and of dwellings composed, each with its own account."""
    rho, units = Fraction(293764, 114921), Fraction(11417641, 152349649)
    us = Ledger(data="2020", protection=PERSON, limits={Unit.PERSON: rho, Unit.DWELLING: units})
    us = us.spend(spending(charge(parameter=1 / rho)))
    us = us.spend(spending(charge(table=Table.DWELLINGS, parameter=1 / units), run="2", table=Table.DWELLINGS))
    assert us.left(Unit.PERSON) == us.left(Unit.DWELLING) == 0
    assert us.loss(Unit.PERSON).epsilon == pytest.approx(17.14355, abs=5e-6)
    assert us.loss(Unit.PERSON).simple == pytest.approx(17.900, abs=5e-4)
    assert us.whole.rho == rho + units
    assert us.table()["account"].to_list() == ["person", "dwelling", "all"]
    assert us.table()["simple_epsilon"][0] == pytest.approx(17.900, abs=5e-4)


QUERIES = (
    "total", "cenrace", "hispanic", "votingage", "hhinstlevels", "hhgq", "hispanic * cenrace", "votingage * cenrace",
    "votingage * hispanic", "votingage * hispanic * cenrace", "detailed",
)  # fmt: skip
PUBLISHED_SHARES = {
    "US": "0 52/4097 26/4097 26/4097 26/4097 26/4097 130/4097 130/4097 26/4097 26/241 189/241",
    "State": "3773/4097 6/4097 6/4097 6/4097 6/4097 6/4097 12/4097 12/4097 6/4097 2/241 230/4097",
    "County": "3126/4097 10/4097 10/4097 10/4097 10/4097 10/4097 28/4097 28/4097 10/4097 101/4097 754/4097",
    "Tract": "1567/4102 4/2051 5/4102 5/4102 5/4102 5/4102 1933/4102 10/2051 5/4102 67/4102 241/2051",
    "Block_Group": "1705/4099 3/4099 3/4099 3/4099 3/4099 3/4099 1055/4099 9/4099 3/4099 24/4099 1288/4099",
    "Block": "5/4097 9/4097 5/4097 5/4097 5/4097 5/4097 21/4097 21/4097 5/4097 71/4097 3945/4097",
}
"""Shares of each query within a level: US persons, redistricting data of 2020 (Census Bureau, production settings)."""


def published_ledger(table, domain, shares):
    """The ledger of one of the published tables, from its exact shares by level and query."""
    golden, kind = GOLDEN[table], {"persons": Table.PERSONS, "units": Table.DWELLINGS}[table]
    levels = tuple(golden["levels"])
    tree = Geography.of_table(pl.DataFrame({level: ["1"] for level in levels}), levels)
    budget = Budget(rho=golden["rho"], protection=PERSON, levels=golden["levels"], queries={"total": 1}, at=shares)
    opened = Ledger(data="2020", protection=PERSON, limits={PERSON.account(kind): golden["rho"]}, delta=golden["delta"])
    charges = budget.charges(domain, tree, kind)
    after = opened.spend(Spending(run="1", table=kind, levels=tree.levels, charges=charges))
    assert after.left(PERSON.account(kind)) == 0
    return after


def rounded(parts):
    return {part.name: round(part.loss.epsilon, 2) for part in parts}


def test_the_published_figures_of_persons_by_variable_and_geography():
    sizes = {"hhgq": 8, "votingage": 2, "hispanic": 2, "cenrace": 63}
    domain = Domain(
        attributes=tuple(Attribute(name=name, codes=range(size)) for name, size in sizes.items()),
        groupings={"hhinstlevels": Grouping(variable="hhgq", groups={i: min(i, 2) for i in range(8)})},
    )
    shares = {level: dict(zip(QUERIES, text.split(), strict=True)) for level, text in PUBLISHED_SHARES.items()}
    after = published_ledger("persons", domain, shares)
    assert rounded(after.by_variable()) == GOLDEN["persons"]["by_variable"]
    assert rounded(after.by_geography()) == GOLDEN["persons"]["by_geography"]


def test_the_published_figures_of_dwellings_by_geography():
    found = rounded(
        published_ledger("units", Domain(attributes=(Attribute(name="H1", codes=(0, 1)),)), {}).by_geography()
    )
    assert {name: found[name] for name in GOLDEN["units"]["by_geography"]} == GOLDEN["units"]["by_geography"]


@given(st.lists(st.fractions(Fraction(1, 100), 100), min_size=1, max_size=4), st.sampled_from(Table))
def test_composition_is_the_sum_however_it_is_split_in_runs(parameters, table):
    charges = [charge(table=table, query=f"q{i}", parameter=p) for i, p in enumerate(parameters)]
    once = ledger(10**6, 10**6).spend(spending(*charges, table=table))
    apart = ledger(10**6, 10**6)
    for i, one in enumerate(charges):
        apart = apart.spend(spending(one, run=str(i), table=table))
    for account in Unit:
        assert once.spent(account) == apart.spent(account)
    assert once.whole == apart.whole


def test_pure_accounts_take_laplace_noise_only_and_add_up():
    pure = ledger(2, 2, measure="pure")
    after = pure.spend(
        spending(charge(noise="laplace", parameter=4), charge(query="total", noise="laplace", parameter=2))
    )
    assert after.spent(Unit.PERSON) == Fraction(3, 2)
    loss = after.loss(Unit.PERSON)
    assert loss.pure == Fraction(3, 2) and loss.epsilon <= 1.5
    assert loss.rho == Fraction(1, 8) + Fraction(1, 2)
    with refused("ledger-not-pure"):
        pure.spend(spending())
    with refused("budget-overspent", measure="pure"):
        after.spend(spending(charge(noise="laplace", parameter=2), run="2"))
    mixed = ledger(2).spend(spending(charge(), charge(query="total", noise="laplace", parameter=4)))
    assert mixed.spent(Unit.PERSON) == Fraction(1, 4) + Fraction(1, 8)
    assert mixed.loss(Unit.PERSON).pure is None


def test_a_charge_entered_twice_in_one_run_is_refused():
    with refused("budget-query-repeated"):
        spending(charge(), charge(parameter=8))


def test_what_the_ledger_says():
    after = ledger().spend(spending(invariants=("total: zona",), releasable=False))
    assert after.invariants == ("total: zona",) and not after.releasable
    said = after.to_dict()
    assert json.loads(json.dumps(said)) == said
    assert said["neighbours"] == "bounded" and said["unit"] == "person" and said["releasable"] is False
    assert said["losses"][0]["rho"] == "1/4" and said["invariants"] == ["total: zona"]
    assert after.by_geography()[0].name == "total" and after.by_geography()[0].loss.rho == Fraction(1, 4)
    assert "<table>" in after._repr_html_()


def test_what_several_tables_tell_of_one_variable_or_place_adds_up():
    """A dwelling's P02 is in both tables of dwellings; a person who lives elsewhere changes the size of two of them."""
    homes = [
        charge(table=Table.HOUSEHOLDS, level=level, query="P02", variables=("P02",)) for level in ("total", "zona")
    ]
    after = ledger(person=10, dwelling=10).spend(spending(run="1"))
    after = after.spend(
        spending(charge(table=Table.DWELLINGS, query="P02", variables=("P02",)), run="2", table=Table.DWELLINGS)
    )
    after = after.spend(spending(*homes, run="3", table=Table.HOUSEHOLDS))
    said = {(part.loss.account, part.name): (part.loss.rho, part.tables) for part in after.by_variable()}
    assert said == {
        ("person", "sexo"): (Fraction(1, 4), (Table.PERSONS,)),
        ("dwelling", "P02"): (Fraction(3, 4), (Table.DWELLINGS, Table.HOUSEHOLDS)),
    }
    said = {(part.loss.account, part.name): (part.loss.rho, part.tables) for part in after.by_geography()}
    assert said == {
        ("person", "total"): (Fraction(1, 4) + 2, (Table.PERSONS, Table.HOUSEHOLDS)),
        ("dwelling", "total"): (Fraction(1, 2), (Table.DWELLINGS, Table.HOUSEHOLDS)),
    }
    together = ledger(protection=Protection(unit="dwelling", neighbours="bounded", members=3), dwelling=20)
    together = together.spend(spending(run="1")).spend(spending(*homes, run="2", table=Table.HOUSEHOLDS))
    assert {part.name: part.loss.rho for part in together.by_variable()} == {
        "sexo": Fraction(9, 4),
        "P02": Fraction(1, 2),
    }
    assert together.by_geography()[0].loss.rho == Fraction(9, 4) + Fraction(1, 4)


def test_a_place_that_no_level_below_tells_of_loses_nothing():
    (part,) = ledger().spend(spending(charge(level="total"))).by_geography()
    assert part.to_dict()["table"] == "persons" and part.loss.rho == 0 and part.loss.epsilon == 0


def test_an_unbounded_ledger_still_moves_a_record_for_one_variable():
    free = ledger(protection=Protection(unit="person", neighbours="unbounded")).spend(spending())
    assert free.spent(Unit.PERSON) == Fraction(1, 8)
    assert free.by_variable()[0].loss.rho == Fraction(1, 4)


def test_the_file_remembers_across_runs(tmp_path):
    path = tmp_path / "ledger.json"
    for run in "1234":
        after = spend(path, ledger(), spending(run=run))
    assert read_ledger(path) == after and after.left(Unit.PERSON) == 0
    before = path.read_bytes()
    with refused("budget-overspent"):
        spend(path, ledger(), spending(run="5"))
    assert path.read_bytes() == before and not list(tmp_path.glob("*.lock"))


def test_the_file_of_other_data_another_unit_or_another_limit_is_refused(tmp_path):
    path = tmp_path / "ledger.json"
    spend(path, ledger(), spending())
    free = Protection(unit="person", neighbours="unbounded")
    for other, field in (
        (ledger(person=2), "limits"),
        (ledger(protection=free), "protection"),
        (ledger(delta="1/1000"), "delta"),
        (ledger().model_copy(update={"data": "otro"}), "data"),
    ):
        with refused("ledger-other", fields=(field,)):
            spend(path, other, spending(run="2"))


def test_a_locked_or_broken_ledger_stops_everything(tmp_path):
    path = tmp_path / "ledger.json"
    lock = tmp_path / "ledger.json.lock"
    lock.touch()
    with refused("ledger-locked"):
        spend(path, ledger(), spending())
    assert not path.exists() and lock.exists()
    lock.unlink()
    path.write_text('{"data": "censo"}')
    with refused("field-absent"):
        spend(path, ledger(), spending())
    path.write_text("no es json")
    with pytest.raises(Exception, match="ledger"):
        spend(path, ledger(), spending())
    with refused("file-missing"):
        read_ledger(tmp_path / "none.json")
