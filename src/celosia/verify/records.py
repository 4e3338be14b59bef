"""Records are the same, or some of the same: ids are compared, one by one."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from celosia.core.condition import holds
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata


@dataclass(frozen=True)
class SameRecords:
    """Every record is there, in the same order unless the method shuffles."""

    ordered: bool = True

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a record is missing, added, repeated or out of place."""
        old, new = before.ids.tolist(), after.ids.tolist()
        if (old != new) if self.ordered else (sorted(old) != sorted(new)):
            raise PromiseError("promise-records", before=len(old), after=len(new))


@dataclass(frozen=True)
class SomeRecords:
    """Every record of the output was in the input, once, and in the same order."""

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a record is new, repeated or out of place."""
        place = {record: i for i, record in enumerate(before.ids.tolist())}
        places = [place.get(record, -1) for record in after.ids.tolist()]
        if any(a >= b for a, b in pairwise(places)) or (places and places[0] < 0):
            raise PromiseError("promise-records", before=before.height, after=after.height)


@dataclass(frozen=True)
class KeptUnless:
    """The records are exactly those where a condition does not hold, in the same order."""

    where: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a record is there that should not be, or the other way round."""
        wanted = before.ids[~holds(self.where, before)]
        if wanted.tolist() != after.ids.tolist():
            raise PromiseError("promise-records", before=before.height, after=after.height)
