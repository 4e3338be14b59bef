"""Who is protected, and how much one of them can change a table."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import Field, model_validator

from celosia.core.errors import OptionError
from celosia.core.model import Frozen


class Unit(StrEnum):
    """What a guarantee speaks of: one person, or one dwelling with all its members."""

    PERSON = "person"
    DWELLING = "dwelling"


class Neighbours(StrEnum):
    """Which two files must look alike: one unit replaced by any other, or one unit added or taken away."""

    BOUNDED = "bounded"
    UNBOUNDED = "unbounded"


class Table(StrEnum):
    """What the records of a table are; ``households`` are dwellings joined with the number of their persons."""

    PERSONS = "persons"
    DWELLINGS = "dwellings"
    HOUSEHOLDS = "households"


@dataclass(frozen=True)
class Sensitivity:
    """The most that the answers of one query at one level change: sum of squares, and sum of absolute values."""

    squared: int
    absolute: int


class Protection(Frozen):
    """The protected unit and the neighbouring files, stated.

    Parameters
    ----------
    unit
        ``person``: each record of a person, and each record of a dwelling, is protected in an account of its own.
        ``dwelling``: a dwelling with all its members is protected in a single account.
    neighbours
        ``bounded``: a unit replaced by any other, anywhere; the number of units is known.
        ``unbounded``: a unit added or taken away.
    members
        With ``dwelling``, the most persons that a dwelling may have; larger ones are refused before anything is spent.
    """

    unit: Unit
    neighbours: Neighbours
    members: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _members_where_needed(self) -> Protection:
        if (self.unit is Unit.DWELLING) != (self.members is not None):
            raise OptionError("protection-members")
        return self

    @property
    def accounts(self) -> tuple[Unit, ...]:
        """The accounts of a ledger: whose loss is added up."""
        return (Unit.PERSON, Unit.DWELLING) if self.unit is Unit.PERSON else (Unit.DWELLING,)

    def account(self, table: Table) -> Unit:
        """The account that a table's budget is counted in."""
        return Unit.PERSON if table is Table.PERSONS and self.unit is Unit.PERSON else Unit.DWELLING

    def sensitivities(self, table: Table) -> dict[Unit, Sensitivity]:
        r"""What one unit of each account changes in one query at one level of a table.

        A unit's record adds 1 to one answer: added or taken away, :math:`\Delta_2^2 = 1`; replaced,
        :math:`1^2 + 1^2 = 2`. All :math:`m` members of a dwelling may share an answer: :math:`m^2`, or
        :math:`2m^2` replaced. One person who comes or goes moves one dwelling to another size:
        :math:`(-1)^2 + 1^2 = 2`; replaced, two dwellings move, perhaps alike: :math:`(-2)^2 + 2^2 = 8`.
        """
        replaced = self.neighbours is Neighbours.BOUNDED
        record = Sensitivity(2, 2) if replaced else Sensitivity(1, 1)
        if self.unit is Unit.DWELLING:
            if table is not Table.PERSONS:
                return {Unit.DWELLING: record}
            most = self.members or 1
            return {Unit.DWELLING: Sensitivity(record.squared * most**2, record.absolute * most)}
        if table is Table.PERSONS:
            return {Unit.PERSON: record}
        if table is Table.DWELLINGS:
            return {Unit.DWELLING: record}
        return {Unit.DWELLING: record, Unit.PERSON: Sensitivity(8, 4) if replaced else Sensitivity(2, 2)}

    def changes(self, table: Table) -> dict[Unit, Sensitivity]:
        """What a unit of each account changes that stays, but with another variable or place: one less, one more."""
        return self.model_copy(update={"neighbours": Neighbours.BOUNDED}).sensitivities(table)
