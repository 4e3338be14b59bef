"""The audit holds a sound release sound, and finds every way in which releases have been wrong in the field."""

from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from refusal import refused

from celosia.census import audit as audit_module
from celosia.census.accounting import epsilon
from celosia.census.attribute import Attribute
from celosia.census.audit import audit
from celosia.census.bits import SeededBits
from celosia.census.budget import Budget
from celosia.census.charge import Charge
from celosia.census.counts import Counts
from celosia.census.distribution import DiscreteGaussian
from celosia.census.domain import Domain
from celosia.census.geography import Geography
from celosia.census.ledger import Spending
from celosia.census.measuring import Measurer
from celosia.census.protection import Protection, Sensitivity, Table
from celosia.census.rules import Rule
from celosia.verify.privacy import exact_epsilon, shown_epsilon

SEX = Domain(attributes=(Attribute(name="sexo", codes=("H", "M")),))
BOUNDED, UNBOUNDED = (Protection(unit="person", neighbours=name) for name in ("bounded", "unbounded"))


def audited(protection=BOUNDED, draws=30_000, seed=1, rho="1/2", **options):
    return audit(SEX, rho, protection, {"sexo": 1}, draws=draws, source=SeededBits(seed), **options)


@pytest.mark.parametrize("protection", [BOUNDED, UNBOUNDED], ids=["bounded", "unbounded"])
def test_a_sound_release_shows_less_than_it_pays_and_at_least_half(protection):
    found = audited(protection)
    assert found.rho == Fraction(1, 2) and found.passes
    assert found.paid / 2 < found.shown < found.paid < epsilon(found.rho, found.delta)


def test_several_queries_a_rule_and_a_recode():
    domain = Domain(
        attributes=(
            Attribute(name="edad", codes=range(4), recode={3: 2}),
            Attribute(name="trabaja", codes=("1", "", "98")),
        ),
        rules=(Rule(given="edad < 2", then="trabaja == 98"),),
    )
    queries = {"total": "1/5", "edad": "2/5", "detailed": "2/5"}
    found = audit(domain, "1/2", UNBOUNDED, queries, draws=20_000, source=SeededBits(2))
    assert found.passes and found.shown > found.paid / 2
    assert found.to_dict()["rho"] == "1/2" and "0.01" in found._repr_html_().replace("0,01", "0.01")


# -- faults ------------------------------------------------------------------------------------------------------------


def test_variance_and_rho_swapped(monkeypatch):
    """As happened in the field: what should be 1/ρ was ρ."""
    monkeypatch.setattr(Charge, "law", property(lambda self: DiscreteGaussian(1 / self.parameter)))
    found = audited()
    assert not found.passes and found.shown > 3 * found.paid


def test_variance_and_rho_swapped_in_the_budget_is_refused_by_the_ledger(monkeypatch):
    """What a unit pays is computed from the noise that will be drawn, not from the share that was meant."""
    monkeypatch.setattr(Budget, "parameter", lambda self, amount, table: amount)
    with refused("budget-overspent"):
        audited()


def test_variance_halved(monkeypatch):
    monkeypatch.setattr(Charge, "law", property(lambda self: DiscreteGaussian(self.parameter / 2)))
    found = audited()
    assert not found.passes


def test_bounded_and_unbounded_confused(monkeypatch):
    """A replaced person moves two answers; noise for one that comes or goes is not enough."""
    one = Sensitivity(1, 1)
    monkeypatch.setattr(Protection, "sensitivities", lambda self, table: {self.account(table): one})
    assert not audited(BOUNDED).passes
    assert audited(UNBOUNDED).passes, "for those who come and go it was right"


def test_one_level_measured_twice_and_charged_once(monkeypatch):
    def twice(spending, geography, domain, counts, source):
        found = audit_module.measure(spending, geography, domain, counts, source)
        again = Measurer(spending, source)
        return [*found, again.measure("zone", domain.query("sexo"), counts[geography.level("zone")])]

    assert not audited(measure=twice).passes


def test_rounded_continuous_noise_of_the_right_variance_passes_at_a_large_delta():
    """What an audit cannot see: it bounds from below only. The tests of the sampler see this one."""

    def rounded(spending, geography, domain, counts, source):
        rng = np.random.default_rng(1)
        found = audit_module.measure(spending, geography, domain, counts, source)
        for one in found:
            counted = counts[geography.level(one.level)].answers(one.query)
            one.values[:] = counted + np.rint(rng.normal(0, float(one.variance) ** 0.5, counted.shape))
        return found

    assert audited(measure=rounded).passes


def test_persons_only():
    with refused("audit-unit"):
        audit(SEX, "1/2", Protection(unit="dwelling", neighbours="bounded", members=3), {"sexo": 1})


# -- two files that differ in one person, and nothing else ----------------------------------------------


def noisy(records, domain, draws, seed, halved=False):
    """The measurements of one file at ρ = 1/4 a query, taken again and again."""
    tree = Geography.of_table(pl.DataFrame({"zona": ["1", "2"]}), ("zona",))
    leaves = Counts.of_records(tree.place(records), domain.encode(records), tree.leaves, domain.size)
    counts = Counts.levels(leaves, tree)
    budget = Budget(rho="1/2", protection=BOUNDED, queries={"sexo": 1})
    spending = Spending(
        run="1", table=Table.PERSONS, levels=tree.levels, charges=budget.charges(domain, tree), releasable=False
    )
    assert {charge.parameter for charge in spending.charges} == {4}
    source, found = SeededBits(seed), []
    for _ in range(draws):
        measurer = Measurer(spending, source)
        found.append([measurer.measure(level, domain.query("sexo"), counts[i]) for i, level in enumerate(tree.levels)])
    return [np.array([one[i].values for one in found]) for i in range(2)], [one.dense() for one in counts]


def shown_by_two_files(draws, seed=1):
    records = pl.DataFrame({"zona": [1, 1, 1, 2], "sexo": ["H", "H", "M", "M"]})
    other = pl.DataFrame({"zona": [2, 1, 1, 2], "sexo": ["M", "H", "M", "M"]})
    (one, before), (two, after) = (noisy(file, SEX, draws, seed + i) for i, file in enumerate((records, other)))
    statistics = [
        sum((values * (b - a)).sum(axis=(1, 2)) for values, a, b in zip(file, before, after, strict=True)) / 4
        for file in (two, one)
    ]
    return shown_epsilon(*statistics, delta=0.05), exact_epsilon(0.05, [4.0] * 4)


def test_two_files_that_differ_in_one_person():
    shown, paid = shown_by_two_files(6000)
    assert paid / 2 < shown < paid


def test_two_files_with_half_the_variance_are_told_from_sound_ones(monkeypatch):
    monkeypatch.setattr(Charge, "law", property(lambda self: DiscreteGaussian(self.parameter / 4)))
    shown, paid = shown_by_two_files(6000)
    assert shown > paid


@pytest.mark.long
@pytest.mark.parametrize("rho", ["1/10", "1/4", "1/2"])
@pytest.mark.parametrize("protection", [BOUNDED, UNBOUNDED], ids=["bounded", "unbounded"])
def test_many_draws_of_the_system_come_near_what_is_paid(protection, rho):
    found = audit(SEX, rho, protection, {"sexo": 1}, draws=300_000)
    assert found.passes and found.shown > 0.8 * found.paid


@pytest.mark.long
def test_twenty_audits_of_a_sound_release_pass():
    passed = [audited(seed=seed).passes for seed in range(20)]
    assert sum(passed) >= 17, "each is right with 95 %"
