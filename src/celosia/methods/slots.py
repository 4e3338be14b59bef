"""Slots: for each set of keys to empty, the violators that it makes equal, and the safe keys that could join them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import Ints
from celosia.kernels import slots as kernel
from celosia.methods.bits import Words

Small = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Slots:
    """The slots of some sets: their units, and the safe keys that could lend to them, one after the other."""

    set_of: Small
    first: Ints
    members: Small
    first_lender: Ints
    lenders: Small

    def __len__(self) -> int:
        return self.set_of.size

    @staticmethod
    def joined(parts: Sequence[Slots]) -> Slots:
        """The slots of all parts, in their order."""
        starts, starts_of_lenders, members, lenders = [np.zeros(1, np.int64)], [np.zeros(1, np.int64)], 0, 0
        for part in parts:
            starts.append(part.first[1:] + members)
            starts_of_lenders.append(part.first_lender[1:] + lenders)
            members, lenders = members + part.members.size, lenders + part.lenders.size
        few = np.empty(0, dtype=np.int32)
        return Slots(
            np.concatenate([few, *(part.set_of for part in parts)]),
            np.concatenate(starts),
            np.concatenate([few, *(part.members for part in parts)]),
            np.concatenate(starts_of_lenders),
            np.concatenate([few, *(part.lenders for part in parts)]),
        )

    def of_units(self, units: int) -> tuple[Ints, Small]:
        """Where the slots of each unit begin, and all of them."""
        first, slots = np.empty(units + 1, dtype=np.int64), np.empty(self.members.size, dtype=np.int32)
        kernel.slots_of_units(self.first, self.members, first, slots)
        return first, slots


@dataclass(frozen=True, eq=False)
class SlotFinder:
    """What slots are found among.

    Attributes
    ----------
    packed, mass
        The units: their keys in bit fields, and what they count for.
    packed_safe, lendable
        The safe keys, and what they can lend.
    need
        What a class must come to.
    """

    packed: Words
    mass: Ints
    packed_safe: Words
    lendable: Ints
    need: int

    def slots(self, s: int, mask: Words, units: Ints, lending: npt.NDArray[np.bool_] | None = None) -> Slots:
        """The slots that some units form when set ``s`` is emptied, but for those that can never be safe.

        ``lending`` says which of the safe keys may lose the set.
        """
        packed, mass = _some(units, self.packed, self.mass)
        safe = np.arange(self.lendable.size) if lending is None else np.flatnonzero(lending)
        packed_safe, lendable = _some(safe, self.packed_safe, self.lendable)
        found = kernel.find_slots(packed, mass, mask, packed_safe, lendable, self.need)
        first, members, first_lender, lenders = found
        if units.size < len(self.packed):
            members = units[members].astype(np.int32)
        if safe.size < self.lendable.size:
            lenders = safe[lenders].astype(np.int32)
        return Slots(np.full(first.size - 1, s, dtype=np.int32), first, members, first_lender, lenders)


def _some(rows: Ints, packed: Words, amount: Ints) -> tuple[Words, Ints]:
    """Some rows of both, without a copy where they are all."""
    return (packed, amount) if rows.size == amount.size else (packed[rows], amount[rows])
