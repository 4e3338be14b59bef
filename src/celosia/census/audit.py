r"""An empirical audit of the privacy of the measurements, end to end, on the machine that will make the release.

Two neighbouring files go all the way: places, cells, histograms, budget, ledger, measurements. From many noisy
measurements of both, the audit computes the ε that they show (a lower bound that is right with 95 % confidence) and
compares it with the exact ε of what was paid for. Wrong noise, a query measured twice or neighbours confused make a
mechanism show more than it pays for.

So that one pass makes many independent draws, the files hold many copies of one small place: in the neighbouring
file the same person is replaced (or gone) in every copy. The noise of places is independent, so each copy is one draw.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.census.attribute import EMPTY
from celosia.census.bits import Bits, SystemBits
from celosia.census.budget import Budget
from celosia.census.charge import Charge
from celosia.census.counts import Counts
from celosia.census.domain import Domain
from celosia.census.exact import exact
from celosia.census.geography import Geography
from celosia.census.ledger import Ledger, Spending
from celosia.census.measurement import Measurement
from celosia.census.measuring import Measurer
from celosia.census.protection import Neighbours, Protection, Table, Unit
from celosia.core.errors import OptionError
from celosia.core.results import Tabular
from celosia.verify.privacy import exact_epsilon, shown_epsilon

PLACE, ZONE = "place", "zone"
"""The levels of the audit's geography: the copies, and two zones in each."""

Measure = Callable[[Spending, Geography, Domain, Sequence[Counts], Bits], list[Measurement]]


@dataclass(frozen=True)
class Audit(Tabular):
    """What the measurements show beside what was paid for.

    Attributes
    ----------
    rho
        What the audited unit paid, exact.
    delta
        The δ of both figures.
    paid
        The exact ε of the noise that was paid for.
    shown
        The ε that the outputs show at least.
    confidence
        Of ``shown``.
    draws
        Independent copies, on either file.
    """

    rho: Fraction
    delta: float
    paid: float
    shown: float
    confidence: float
    draws: int

    @property
    def passes(self) -> bool:
        """Whether no more is lost than was paid for, as far as can be seen."""
        return self.shown <= self.paid

    def table(self) -> pl.DataFrame:
        """One row."""
        shown = {"rho": float(self.rho), "delta": self.delta, "paid": self.paid, "shown": self.shown}
        return pl.DataFrame([shown | {"confidence": self.confidence, "draws": self.draws, "passes": self.passes}])

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return self.table().row(0, named=True) | {"rho": str(self.rho)}


def measure(
    spending: Spending, geography: Geography, domain: Domain, counts: Sequence[Counts], source: Bits
) -> list[Measurement]:
    """Every measurement that a spending paid for."""
    measurer = Measurer(spending, source)
    return [
        measurer.measure(level, domain.query(query), counts[geography.level(level)]) for level, query in measurer.due
    ]


def audit(
    domain: Domain,
    rho: Any,
    protection: Protection,
    queries: Mapping[str, Any],
    *,
    draws: int = 100_000,
    delta: float = 0.01,
    confidence: float = 0.95,
    source: Bits | None = None,
    measure: Measure = measure,
) -> Audit:
    """Audit the measurements of persons at two levels, each of which pays half.

    Parameters
    ----------
    domain, rho, protection, queries
        What is audited, as in ``Budget``: the more ρ a query has, the more there is to see.
    draws
        Copies; the bound comes nearer to the truth with more of them.
    delta
        Where the two figures are compared; what can be seen at a tiny δ needs very many draws.
    measure
        What takes the measurements: by default what a release does.

    Examples
    --------
    >>> from celosia.census import Attribute
    >>> sex = Domain(attributes=(Attribute(name="P08", codes=(1, 2)),))
    >>> person = Protection(unit="person", neighbours="bounded")
    >>> audit(sex, "1/4", person, {"P08": 1}, draws=20_000).passes
    True
    """
    if protection.unit is not Unit.PERSON:
        raise OptionError("audit-unit")
    bits = source or SystemBits()
    geography = Geography.of_table(
        pl.DataFrame({PLACE: np.repeat(np.arange(draws), 2), ZONE: np.tile([1, 2], draws)}), (PLACE, ZONE)
    )
    budget = Budget(rho=rho, protection=protection, levels={PLACE: "1/2", ZONE: "1/2"}, queries=queries)
    spending = Spending(
        run="audit",
        table=Table.PERSONS,
        levels=geography.levels,
        charges=budget.charges(domain, geography),
        releasable=False,
    )
    ledger = Ledger(data="audit", protection=protection, limits={Unit.PERSON: budget.rho}).spend(spending)
    one, other = (_counts(file, domain, geography) for file in _neighbours(domain, protection, draws))
    moved = {
        (charge.level, charge.query): _answers(other, charge, domain, geography)
        - _answers(one, charge, domain, geography)
        for charge in spending.charges
    }
    variance = {name: _due(budget, name[1], queries, domain) for name in moved}
    after, before = (
        _statistic(measure(spending, geography, domain, counts, bits), moved, variance, draws)
        for counts in (other, one)
    )
    answers = [variance[name] for name, change in moved.items() for _ in range(int(np.abs(change).sum()) // draws)]
    return Audit(
        rho=ledger.spent(Unit.PERSON),
        delta=delta,
        paid=exact_epsilon(delta, answers),
        shown=shown_epsilon(after, before, delta, confidence),
        confidence=confidence,
        draws=draws,
    )


def _neighbours(domain: Domain, protection: Protection, draws: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The two files: in each place one person moves to the other zone and the last cell, or is gone."""
    first, last = _codes(domain, 0), _codes(domain, domain.size - 1)
    rows = [{ZONE: 1, **first}, {ZONE: 1, **first}, {ZONE: 2, **last}]
    moved = [{ZONE: 2, **last}] if protection.neighbours is Neighbours.BOUNDED else []
    return _copies(rows, draws), _copies([*moved, *rows[1:]], draws)


def _codes(domain: Domain, cell: int) -> dict[str, str | None]:
    """Codes of the file that make a cell."""
    codes = {}
    for attribute, digit in zip(domain.attributes, domain.cells[cell].tolist(), strict=True):
        code = next(code for code, own in attribute.digit_of.items() if own == digit)
        codes[attribute.name] = None if code == EMPTY else code
    return codes


def _copies(rows: list[dict[str, Any]], draws: int) -> pl.DataFrame:
    schema = {name: pl.Int64 if name == ZONE else pl.String for name in rows[0]}
    places = pl.DataFrame({PLACE: np.arange(draws)})
    return places.join(pl.DataFrame(rows, schema=schema), how="cross")


def _counts(file: pl.DataFrame, domain: Domain, geography: Geography) -> tuple[Counts, ...]:
    """The histograms of every level, from the records."""
    leaves = Counts.of_records(geography.place(file), domain.encode(file), geography.leaves, domain.size)
    return Counts.levels(leaves, geography)


def _answers(counts: Sequence[Counts], charge: Charge, domain: Domain, geography: Geography) -> npt.NDArray[np.int64]:
    return counts[geography.level(charge.level)].answers(domain.query(charge.query))


def _due(budget: Budget, query: str, queries: Mapping[str, Any], domain: Domain) -> float:
    """σ² as the definition says, not as the budget has it: 1/ρ of the query, or half of it where one comes or goes."""
    share = next(exact(part) for name, part in queries.items() if domain.query(name).name == query)
    replaced = budget.protection.neighbours is Neighbours.BOUNDED
    return float((1 if replaced else Fraction(1, 2)) / (budget.rho / 2 * share))


def _statistic(
    measurements: Sequence[Measurement],
    moved: Mapping[tuple[str, str], npt.NDArray[np.int64]],
    variance: Mapping[tuple[str, str], float],
    draws: int,
) -> npt.NDArray[np.float64]:
    """For each place, what tells the files apart best: the answers that move, weighted by their precision."""
    found = np.zeros(draws)
    for one in measurements:
        name = (one.level, one.query.name)
        found += (one.values[:] * moved[name]).reshape(draws, -1).sum(axis=1) / variance[name]
    return found
