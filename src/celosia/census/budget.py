"""A privacy budget and how it is split: exact fractions by level and by query."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar, Literal

from pydantic import Field, field_validator

from celosia.census.charge import Charge
from celosia.census.domain import Domain
from celosia.census.exact import Exact
from celosia.census.geography import Geography
from celosia.census.protection import Protection, Sensitivity, Table
from celosia.core.errors import OptionError
from celosia.core.model import Frozen, ReadOnly

Shares = ReadOnly[str, Exact]


class _Split(Frozen):
    """Shares of a whole by level, and of each level by query."""

    protection: Protection
    levels: Shares | None = None
    queries: Shares
    at: ReadOnly[str, Shares] = Field(default_factory=dict, validate_default=True)

    noise: ClassVar[Literal["gaussian", "laplace"]]

    @field_validator("levels", "queries")
    @classmethod
    def _whole(cls, shares: Mapping[str, Fraction] | None) -> Mapping[str, Fraction] | None:
        if shares is not None:
            _check_whole(shares)
        return shares

    @field_validator("at")
    @classmethod
    def _whole_at(cls, by_level: Mapping[str, Mapping[str, Fraction]]) -> Mapping[str, Mapping[str, Fraction]]:
        for shares in by_level.values():
            _check_whole(shares)
        return by_level

    @property
    def limit(self) -> Fraction:
        """The whole that is split."""
        raise NotImplementedError

    def parameter(self, amount: Fraction, table: Table) -> Fraction:
        """The noise that a part of the whole pays for."""
        raise NotImplementedError

    def charges(self, domain: Domain, geography: Geography, table: Table = Table.PERSONS) -> tuple[Charge, ...]:
        """The charges of one table, level by level from the root; a share of nothing is not measured."""
        levels = self.levels or dict.fromkeys(geography.levels, Fraction(1, geography.depth))
        for name in (*levels, *self.at):
            geography.level(name)
        shares = {level: self.at.get(level, self.queries) for level in geography.levels}
        queries = {name: domain.query(name) for of_level in shares.values() for name in of_level}
        charges = tuple(
            Charge(
                table=table,
                level=level,
                query=queries[name].name,
                variables=queries[name].variables,
                noise=self.noise,
                parameter=self.parameter(self.limit * levels[level] * share, table),
            )
            for level in geography.levels
            for name, share in shares[level].items()
            if share and levels.get(level)
        )
        if len({(charge.level, charge.query) for charge in charges}) < len(charges):
            raise OptionError("budget-query-repeated")
        return charges

    def _sensitivity(self, table: Table) -> Sensitivity:
        return self.protection.sensitivities(table)[self.protection.account(table)]


def _check_whole(shares: Mapping[str, Fraction]) -> None:
    if any(share < 0 for share in shares.values()) or sum(shares.values()) != 1:
        raise OptionError("budget-shares", names=tuple(shares), total=str(sum(shares.values())))


class Budget(_Split):
    r"""A zero-concentrated budget, spent with discrete Gaussian noise.

    Query *q* at level *l* gets :math:`\rho_{lq} = \rho \cdot s_l \cdot s_{q|l}` and noise of
    :math:`\sigma^2 = \Delta_2^2/(2\rho_{lq})`: for a person and bounded neighbours :math:`1/\rho_{lq}`, unbounded
    :math:`1/(2\rho_{lq})`.

    Parameters
    ----------
    rho
        The whole, exact (``"293764/114921"``, ``2.56``).
    protection
        The protected unit and the neighbours.
    levels
        The share of each level of the geography; equal ones where it is not given. Shares add up to 1 exactly.
    queries
        The share of each query within a level: ``total``, ``detailed``, or variables and groupings joined by ``*``.
    at
        Other shares of queries at some levels.

    Examples
    --------
    >>> person = Protection(unit="person", neighbours="bounded")
    >>> budget = Budget(rho=2.56, protection=person, queries={"total": "0.1", "P08": "0.3", "detailed": "0.6"})
    >>> budget.parameter(budget.rho / 60, Table.PERSONS)
    Fraction(375, 16)
    """

    rho: Exact = Field(gt=0)

    noise = "gaussian"

    @property
    def limit(self) -> Fraction:
        """ρ."""
        return self.rho

    def parameter(self, amount: Fraction, table: Table) -> Fraction:
        """σ² for a part of ρ."""
        return self._sensitivity(table).squared / (2 * amount)


class PureBudget(_Split):
    r"""A budget of pure ε-differential privacy, spent with discrete Laplace noise.

    Query *q* at level *l* gets :math:`\varepsilon_{lq} = \varepsilon \cdot s_l \cdot s_{q|l}` and noise of scale
    :math:`t = \Delta_1/\varepsilon_{lq}`. The parameters but ``epsilon`` are those of ``Budget``.
    """

    epsilon: Exact = Field(gt=0)

    noise = "laplace"

    @property
    def limit(self) -> Fraction:
        """ε."""
        return self.epsilon

    def parameter(self, amount: Fraction, table: Table) -> Fraction:
        """The scale for a part of ε."""
        return self._sensitivity(table).absolute / amount
