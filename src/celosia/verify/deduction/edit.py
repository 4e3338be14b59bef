"""Edit rules, bounds and skips: conditions that every record keeps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from celosia.core.condition import holds, names
from celosia.core.microdata import Microdata
from celosia.verify.deduction.cells import Mask
from celosia.verify.deduction.rule import RecordRule


@dataclass(frozen=True)
class Edit(RecordRule):
    """If ``given`` then ``then``; without ``given``, ``then`` always."""

    then: str
    given: str = ""

    @property
    def name(self) -> str:
        """The rule as it was written."""
        return f"{self.given} → {self.then}" if self.given else self.then

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of both conditions."""
        return tuple(dict.fromkeys([*(names(self.given) if self.given else ()), *names(self.then)]))

    def fits(self, table: Microdata) -> Mask:
        """True where ``then`` holds or ``given`` does not."""
        kept = holds(self.then, table)
        return kept if not self.given else kept | ~holds(self.given, table)


@dataclass(frozen=True)
class Skip(RecordRule):
    """A question that is asked where a condition holds, and holds *not applicable* everywhere else and only there."""

    asked: str
    where: str

    @property
    def name(self) -> str:
        """The question and who is asked."""
        return f"{self.asked}: {self.where}"

    @property
    def variables(self) -> tuple[str, ...]:
        """The question and the variables of the condition."""
        return tuple(dict.fromkeys([self.asked, *names(self.where)]))

    def fits(self, table: Microdata) -> Mask:
        """True where the question is not applicable or the condition holds, not both."""
        return np.not_equal(holds(self.where, table), holds(f"not_applicable({self.asked})", table))
