"""The ledger: what was spent on the same confidential data, by whom it is paid, and what that guarantees."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import polars as pl
from pydantic import Field, field_validator

from celosia.census import accounting
from celosia.census.charge import Charge
from celosia.census.exact import Exact
from celosia.census.protection import Protection, Sensitivity, Table, Unit
from celosia.core.errors import OptionError, PolicyError
from celosia.core.model import Frozen, ReadOnly
from celosia.core.results import Tabular

DELTA = Fraction(1, 10**10)
"""The δ at which ε is printed unless another is chosen."""


class Spending(Frozen):
    """What one run spent on one table.

    Parameters
    ----------
    run
        A name that tells the runs apart.
    table
        What was measured.
    levels
        The levels of its geography, root first, measured or not.
    charges
        One for each query and level.
    invariants
        What is published exactly, in words: it lies outside the guarantee.
    releasable
        False where the noise came from a test source; it is charged all the same.
    """

    run: str = Field(min_length=1)
    table: Table
    levels: tuple[str, ...]
    charges: tuple[Charge, ...] = Field(min_length=1)
    invariants: tuple[str, ...] = ()
    releasable: bool = True

    def below(self, level: str) -> tuple[Charge, ...]:
        """The charges of the levels under one; all of them where it is none of the levels."""
        if level not in self.levels:
            return self.charges
        under = self.levels[self.levels.index(level) + 1 :]
        return tuple(charge for charge in self.charges if charge.level in under)

    @field_validator("charges")
    @classmethod
    def _once_each(cls, charges: tuple[Charge, ...]) -> tuple[Charge, ...]:
        if len({(charge.level, charge.query) for charge in charges}) < len(charges):
            raise OptionError("budget-query-repeated")
        return charges


@dataclass(frozen=True)
class Loss:
    """The privacy loss of one account, or of all of them together.

    Attributes
    ----------
    account
        ``person``, ``dwelling``, or ``all``: a person is in a dwelling, so the loss from both adds up.
    rho
        ρ, exact.
    delta
        The δ at which ε is printed.
    pure
        The pure ε, exact, where all noise is Laplace.
    """

    account: str
    rho: Fraction
    delta: Fraction
    pure: Fraction | None

    @property
    def epsilon(self) -> float:
        """ε by the tight bound, or the pure one where smaller."""
        tight = accounting.epsilon(self.rho, self.delta)
        return tight if self.pure is None else min(tight, float(self.pure))

    @property
    def simple(self) -> float:
        """ε by the looser formula."""
        return accounting.simple_epsilon(self.rho, self.delta)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers; exact ones as fractions in text."""
        return {
            "account": self.account,
            "rho": str(self.rho),
            "delta": str(self.delta),
            "epsilon": self.epsilon,
            "simple_epsilon": self.simple,
            "pure_epsilon": None if self.pure is None else str(self.pure),
        }


class Ledger(Frozen, Tabular):
    """What was spent on one set of confidential data. Nothing is ever taken out of it.

    Parameters
    ----------
    data
        The name of the confidential data. Every run on the same data is in the same ledger.
    protection
        The protected unit and the neighbours.
    limits
        The most that each account may spend: ρ with ``zcdp``, ε with ``pure``.
    measure
        What the accounts are kept in.
    delta
        The δ at which ε is printed.
    spendings
        What was spent so far.
    """

    data: str = Field(min_length=1)
    protection: Protection
    limits: ReadOnly[Unit, Exact]
    measure: Literal["zcdp", "pure"] = "zcdp"
    delta: Exact = DELTA
    spendings: tuple[Spending, ...] = ()

    def spend(self, spending: Spending) -> Ledger:
        """The ledger with one more entry. Refused where an account cannot pay for it: then nothing is spent."""
        if spending.run in {past.run for past in self.spendings}:
            raise PolicyError("ledger-run-repeated", run=spending.run)
        if self.measure == "pure" and any(charge.noise != "laplace" for charge in spending.charges):
            raise PolicyError("ledger-not-pure")
        after = self.model_copy(update={"spendings": (*self.spendings, spending)})
        facts = {"measure": self.measure, "unit": "ρ" if self.measure == "zcdp" else "ε"}
        for account in self.protection.accounts:
            asked = after.spent(account) - self.spent(account)
            left = self.limits.get(account, Fraction(0)) - self.spent(account)
            if asked > left:
                raise PolicyError("budget-overspent", account=account.value, asked=str(asked), left=str(left), **facts)
        return after

    # -- what was spent ----------------------------------------------------------------------------

    @property
    def charges(self) -> Iterator[Charge]:
        """Every charge of every run."""
        return (charge for spending in self.spendings for charge in spending.charges)

    @property
    def invariants(self) -> tuple[str, ...]:
        """What was published exactly: outside the guarantee."""
        return tuple(dict.fromkeys(line for spending in self.spendings for line in spending.invariants))

    @property
    def releasable(self) -> bool:
        """False where any noise came from a test source."""
        return all(spending.releasable for spending in self.spendings)

    def spent(self, account: Unit) -> Fraction:
        """What an account has paid, in the ledger's measure."""
        loss = self.loss(account)
        if self.measure == "zcdp":
            return loss.rho
        assert loss.pure is not None
        return loss.pure

    def left(self, account: Unit) -> Fraction:
        """What an account may still pay."""
        return self.limits.get(account, Fraction(0)) - self.spent(account)

    def loss(self, account: Unit) -> Loss:
        """The loss of one account."""
        return _loss(
            account.value,
            [
                (charge, unit)
                for charge in self.charges
                for paying, unit in self.protection.sensitivities(charge.table).items()
                if paying is account
            ],
            self.delta,
        )

    @property
    def whole(self) -> Loss:
        """The loss of all accounts together: what the dwelling and the person tables of one census tell jointly."""
        parts = [self.loss(account) for account in self.protection.accounts]
        pure = [part.pure for part in parts]
        known = None if any(one is None for one in pure) else sum((one for one in pure if one), Fraction(0))
        return Loss("all", sum((part.rho for part in parts), Fraction(0)), self.delta, known)

    # -- parts of the loss ---------------------------------------------------------------------------

    def by_variable(self) -> tuple[Part, ...]:
        """For each variable, the loss about its value alone: everything else about the unit is known.

        Only the queries that tell the variable's values apart count, those of every table of the account. The unit
        keeps its record, so the neighbours differ by one record moved from a cell to another, whatever the neighbours
        of the ledger.
        """
        parts = []
        for account in self.protection.accounts:
            charges = [charge for spending in self._own(account) for charge in spending.charges]
            for variable in dict.fromkeys(name for charge in charges for name in charge.variables):
                telling = [charge for charge in charges if variable in charge.variables]
                parts.append(self._part(account, variable, telling, (charge.table for charge in telling)))
        return tuple(parts)

    def by_geography(self) -> tuple[Part, ...]:
        """For each level, the loss about the place within it: the rest about the unit, and its place above, are known.

        Only the levels below count; for the first level that is the place within the whole. A person who lives
        elsewhere changes the size of two dwellings as well: there every level counts.
        """
        parts = []
        for account in self.protection.accounts:
            own = self._own(account)
            elsewhere = [charge for charge in self.charges if self._moves(charge.table, account)]
            tables = [spending.table for spending in own] + [charge.table for charge in elsewhere]
            for level in dict.fromkeys(name for spending in own for name in spending.levels[:-1]):
                below = [charge for spending in own for charge in spending.below(level)]
                parts.append(self._part(account, level, [*below, *elsewhere], tables))
        return tuple(parts)

    def _own(self, account: Unit) -> list[Spending]:
        """What was spent on the tables that hold an account's own records."""
        return [spending for spending in self.spendings if self.protection.account(spending.table) is account]

    def _moves(self, table: Table, account: Unit) -> bool:
        """Whether a unit of an account that goes elsewhere changes the records of others in a table."""
        pays = account in self.protection.sensitivities(table)
        return pays and self.protection.account(table) is not account

    def _part(self, account: Unit, name: str, charges: list[Charge], tables: Iterable[Table]) -> Part:
        paid = [(charge, self.protection.changes(charge.table)[account]) for charge in charges]
        return Part(name, tuple(dict.fromkeys(tables)), _loss(account.value, paid, self.delta))

    # -- display -----------------------------------------------------------------------------------

    def table(self) -> pl.DataFrame:
        """One row an account, and one for all together."""
        losses = [self.loss(account) for account in self.protection.accounts]
        rows = losses if len(losses) == 1 else [*losses, self.whole]
        return pl.DataFrame(
            {
                "account": [loss.account for loss in rows],
                "rho": [float(loss.rho) for loss in rows],
                "epsilon": [loss.epsilon for loss in rows],
                "simple_epsilon": [loss.simple for loss in rows],
                "delta": [float(loss.delta) for loss in rows],
            }
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything that was spent and what it guarantees, as plain numbers; exact ones as fractions in text."""
        return {
            "data": self.data,
            "unit": self.protection.unit.value,
            "neighbours": self.protection.neighbours.value,
            "members": self.protection.members,
            "measure": self.measure,
            "releasable": self.releasable,
            "limits": {account.value: str(limit) for account, limit in self.limits.items()},
            "losses": [loss.to_dict() for loss in (*map(self.loss, self.protection.accounts), self.whole)],
            "by_variable": [part.to_dict() for part in self.by_variable()],
            "by_geography": [part.to_dict() for part in self.by_geography()],
            "invariants": list(self.invariants),
            "spendings": [spending.model_dump(mode="json") for spending in self.spendings],
        }


@dataclass(frozen=True)
class Part:
    """The loss about one variable, or about the place within one level, of the units of an account.

    Attributes
    ----------
    tables
        The tables that tell of it, the account's own first.
    """

    name: str
    tables: tuple[Table, ...]
    loss: Loss

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers."""
        tables = [table.value for table in self.tables]
        return {"table": tables[0], "name": self.name, "tables": tables} | self.loss.to_dict()


def _loss(account: str, paid: list[tuple[Charge, Sensitivity]], delta: Fraction) -> Loss:
    """Charges add up: zero-concentrated ones by ρ, pure ones by ε."""
    pure = all(charge.noise == "laplace" for charge, _ in paid)
    return Loss(
        account,
        rho=sum((charge.rho(unit) for charge, unit in paid), Fraction(0)),
        delta=delta,
        pure=sum((charge.epsilon(unit) for charge, unit in paid), Fraction(0)) if pure else None,
    )
