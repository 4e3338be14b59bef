"""One charge to a budget: a query at one level of one table, with the noise it is paid with."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

from pydantic import model_validator

from celosia.census.distribution import DiscreteGaussian, DiscreteLaplace, Distribution
from celosia.census.exact import Exact
from celosia.census.protection import Sensitivity, Table
from celosia.core.model import Frozen


class Charge(Frozen):
    r"""What one query at all places of one level costs.

    A unit is in one place of a level, so the places of a level cost no more than one of them; levels and queries
    add up.

    Parameters
    ----------
    table, level, query
        What is measured.
    variables
        The variables that the query tells apart.
    noise
        ``gaussian``: discrete Gaussian, :math:`\rho = \Delta_2^2/(2\sigma^2)`;
        ``laplace``: discrete Laplace, :math:`\varepsilon = \Delta_1/t`.
    parameter
        σ² or t, exact.
    """

    table: Table
    level: str
    query: str
    variables: tuple[str, ...]
    noise: Literal["gaussian", "laplace"]
    parameter: Exact

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Charge:
        _ = self.law
        return self

    @property
    def law(self) -> Distribution:
        """The distribution of the noise."""
        return (DiscreteGaussian if self.noise == "gaussian" else DiscreteLaplace)(self.parameter)

    @property
    def variance(self) -> Fraction:
        """σ² of the noise of one answer."""
        return self.law.variance

    def rho(self, unit: Sensitivity) -> Fraction:
        r"""The ρ that a unit pays: :math:`\Delta_2^2/(2\sigma^2)`, or :math:`\varepsilon^2/2` of a pure ε."""
        if self.noise == "gaussian":
            return unit.squared / (2 * self.parameter)
        return self.epsilon(unit) ** 2 / 2

    def epsilon(self, unit: Sensitivity) -> Fraction:
        r"""The pure ε that a unit pays: :math:`\Delta_1/t`. Gaussian noise has none."""
        assert self.noise == "laplace"
        return unit.absolute / self.parameter
