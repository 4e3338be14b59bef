"""Records are the same, or some of the same: ids are compared, one by one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from celosia.core.condition import holds
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata


@dataclass(frozen=True)
class SameRecords:
    """Every record is there, in the same order unless the method shuffles."""

    ordered: bool = True

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a record is missing, added, repeated or out of place."""
        old, new = before.ids, after.ids
        if not self.ordered:
            old, new = np.sort(old), np.sort(new)
        if not np.array_equal(old, new):
            raise PromiseError("promise-records", before=old.size, after=new.size)


@dataclass(frozen=True)
class SomeRecords:
    """Every record of the output was in the input, once, and in the same order."""

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a record is new, repeated or out of place."""
        old, new = before.ids, after.ids
        order = np.argsort(old)
        found = np.searchsorted(old, new, sorter=order)
        known = found < old.size
        places = order[np.where(known, found, 0)] if old.size else np.zeros(new.size, dtype=np.int64)
        if not known.all() or (old[places] != new).any() or (np.diff(places) <= 0).any():
            raise PromiseError("promise-records", before=old.size, after=new.size)


@dataclass(frozen=True)
class KeptUnless:
    """The records are exactly those where a condition does not hold, in the same order."""

    where: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a record is there that should not be, or the other way round."""
        wanted = before.ids[~holds(self.where, before)]
        if not np.array_equal(wanted, after.ids):
            raise PromiseError("promise-records", before=before.height, after=after.height)
