from fractions import Fraction

import polars as pl
import pytest
from refusal import refused

from celosia.census.attribute import Attribute, Grouping
from celosia.census.budget import Budget, PureBudget
from celosia.census.domain import Domain
from celosia.census.exact import exact
from celosia.census.geography import Geography
from celosia.census.protection import Protection, Table

DOMAIN = Domain(
    attributes=(Attribute(name="sexo", codes=(1, 2)), Attribute(name="edad", codes=range(4))),
    groupings={"tramo": Grouping(variable="edad", groups={0: "a", 1: "a", 2: "b", 3: "b"})},
)
PLACES = Geography.of_table(pl.DataFrame({"region": ["1", "1", "2"], "zona": ["1", "2", "1"]}), ("region", "zona"))
BOUNDED = Protection(unit="person", neighbours="bounded")
UNBOUNDED = Protection(unit="person", neighbours="unbounded")
SPLIT = {"total": "0.1", "sexo": "0.3", "detailed": "0.6"}


def budget(kind=Budget, protection=BOUNDED, **options):
    whole = {"rho": "2.56"} if kind is Budget else {"epsilon": "2.56"}
    return kind(**{**whole, "protection": protection, "queries": SPLIT, **options})


def test_numbers_are_the_fractions_that_they_say():
    assert exact(0.1) == Fraction(1, 10) and exact(" 1/6 ") == Fraction(1, 6) and exact("10 %") == Fraction(1, 10)
    assert exact(2) == 2 and exact(Fraction(3, 7)) == Fraction(3, 7)
    for wrong in ("", "uno", "1/0", None, True, float("nan"), float("inf")):
        with refused("exact-number"):
            exact(wrong)


def test_the_variances_of_the_reference_run():
    levels = [f"n{i}" for i in range(6)]
    tree = Geography.of_table(pl.DataFrame({name: ["1"] for name in levels}), tuple(levels))
    variances = [charge.parameter for charge in budget().charges(DOMAIN, tree)[:3]]
    assert variances == [Fraction(375, 16), Fraction(125, 16), Fraction(125, 32)]
    assert [float(v) for v in variances] == [23.4375, 7.8125, 3.90625]


@pytest.mark.parametrize(
    ("protection", "table", "squared"),
    [
        (BOUNDED, Table.PERSONS, 2),
        (UNBOUNDED, Table.PERSONS, 1),
        (BOUNDED, Table.HOUSEHOLDS, 2),
        (Protection(unit="dwelling", neighbours="bounded", members=5), Table.PERSONS, 50),
    ],
)
def test_the_account_of_the_table_pays_the_whole_and_no_more(protection, table, squared):
    charges = budget(protection=protection, levels={"total": "1/2", "region": "1/8", "zona": "3/8"}).charges(
        DOMAIN, PLACES, table
    )
    unit = protection.sensitivities(table)[protection.account(table)]
    assert unit.squared == squared
    assert sum(charge.rho(unit) for charge in charges) == exact("2.56")
    at_root = sum(charge.rho(unit) for charge in charges if charge.level == "total")
    assert at_root == exact("1.28")


def test_a_pure_budget_is_spent_whole():
    charges = budget(PureBudget).charges(DOMAIN, PLACES)
    unit = BOUNDED.sensitivities(Table.PERSONS)[BOUNDED.account(Table.PERSONS)]
    assert sum(charge.epsilon(unit) for charge in charges) == exact("2.56")
    assert charges[0].parameter == 2 / (exact("2.56") / 30)


def test_shares_by_level_queries_at_a_level_and_shares_of_nothing():
    split = budget(
        levels={"total": 0, "region": "1/4", "zona": "3/4"}, at={"zona": {"sexo * tramo": "1/2", "edad": "1/2"}}
    )
    charges = split.charges(DOMAIN, PLACES)
    assert [(charge.level, charge.query) for charge in charges] == [
        ("region", "total"), ("region", "sexo"), ("region", "detailed"), ("zona", "sexo * tramo"), ("zona", "edad")
    ]  # fmt: skip
    assert charges[3].variables == ("sexo", "edad") and charges[0].variables == ()


def test_shares_that_are_not_a_whole_are_refused():
    for wrong in ({"total": "0.5"}, {"total": "0.5", "sexo": "0.6"}, {"total": "-0.5", "sexo": "1.5"}, {}):
        with refused("budget-shares"):
            budget(queries=wrong)
        with refused("budget-shares"):
            budget(levels=wrong)
        with refused("budget-shares"):
            budget(at={"zona": wrong})
    assert budget(queries={"total": 0.1, "sexo": 0.2, "detailed": 0.7}), "no rounding of decimals"


def test_levels_and_queries_that_are_not_there_are_refused():
    with refused("level-unknown"):
        budget(levels={"comuna": 1}).charges(DOMAIN, PLACES)
    with refused("level-unknown"):
        budget(at={"comuna": {"total": 1}}).charges(DOMAIN, PLACES)
    with refused("domain-variable-unknown"):
        budget(queries={"P99": 1}).charges(DOMAIN, PLACES)
    with refused("budget-query-repeated"):
        budget(queries={"sexo*edad": "0.5", "sexo * edad": "0.5"}).charges(DOMAIN, PLACES)
    with refused("option-range", option="variance"):
        budget(rho="1/1000000000000").charges(DOMAIN, PLACES)


def test_a_budget_is_written_and_read_back():
    one = budget(levels={"total": 0, "region": "1/4", "zona": "3/4"}, at={"zona": {"edad": 1}})
    assert Budget.model_validate_json(one.model_dump_json()) == one
    assert '"rho":"64/25"' in one.model_dump_json()
    for wrong in ({"rho": 0}, {"rho": -1}, {"bogus": 1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            budget(**wrong)
