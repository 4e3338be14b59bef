"""A disclosure scenario: the variables that one intruder has."""

from __future__ import annotations

from enum import StrEnum

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
        Who it is and which data sets give the keys.
    """

    name: str
    keys: Names
    intruder: str = ""
    sources: tuple[str, ...] = ()
