"""A disclosure scenario: the variables that one intruder has."""

from __future__ import annotations

from enum import StrEnum

from pydantic import model_validator

from celosia.core.errors import OptionError
from celosia.core.model import Frozen, Names


class FileKind(StrEnum):
    """How the records of a file stand for a population."""

    SAMPLE = "sample"
    CENSUS = "census"
    REGISTER_SAMPLE = "register-sample"
    REGISTER_CENSUS = "register-census"

    @property
    def is_whole(self) -> bool:
        """Whether the file is its population, so that F = f and weights play no part."""
        return self in (FileKind.CENSUS, FileKind.REGISTER_CENSUS)


class Scenario(Frozen):
    """What an intruder knows, and where from (INE 3-1).

    Parameters
    ----------
    keys
        The key variables of this intruder.
    intruder, sources
        Who it is and which data sets give the keys; those of the plan's inventory, where it has one.
    prioritised, reason
        Whether this is the scenario that the office puts first (at most one), and why.
    policy
        Thresholds for this scenario, where they are not the plan's own.
    person, round
        In a panel: who a record is about and when; her keys of all rounds are then one long key.
    """

    name: str
    keys: Names
    intruder: str = ""
    sources: tuple[str, ...] = ()
    prioritised: bool = False
    reason: str = ""
    policy: str | None = None
    person: str | None = None
    round: str | None = None

    @model_validator(mode="after")
    def _panel_is_whole(self) -> Scenario:
        if (self.person is None) != (self.round is None):
            raise OptionError("panel-half", scenario=self.name)
        return self

    @property
    def variables(self) -> tuple[str, ...]:
        """Every variable that the scenario speaks of."""
        return (*self.keys, *(name for name in (self.person, self.round) if name is not None))
