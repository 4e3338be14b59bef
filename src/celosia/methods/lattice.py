"""The lattice of levels: the records of a file, grouped at any choice of a level for each key.

A choice of levels is a node. The groups of a node are unions of those of any more detailed one, so that they are
counted from the smallest grouping at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from celosia.core.hierarchy import Hierarchy
from celosia.engines.contract import Ints, Keys
from celosia.methods.leveled_keys import LeveledKey, Rows, Sensitive
from celosia.methods.packing import Levels, Packing, Words

Floats = npt.NDArray[np.float64]

_ROOM = 40_000_000
"""Numbers that stored groupings may hold together."""


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of records that are equal at a node, in the order in which the distinct keys show them.

    Attributes
    ----------
    levels
        The node.
    packed
        The ancestors of each group.
    size
        Records of each.
    tallies
        Records of each group by value, for each sensitive variable.
    """

    levels: Levels
    packed: Words
    size: Ints
    tallies: tuple[Ints, ...]

    @property
    def room(self) -> int:
        """Numbers that it holds."""
        return int(self.packed.size + self.size.size + sum(tally.size for tally in self.tallies))


@dataclass(eq=False)
class Lattice:
    """The records of a file under the hierarchies of their keys.

    Attributes
    ----------
    keys
        The keys with their levels.
    digits, count
        The distinct keys and the records of each.
    tallies
        Records of each distinct key by value, for each sensitive variable.
    """

    keys: tuple[LeveledKey, ...]
    digits: Rows
    count: Ints
    sensitive: tuple[Sensitive, ...] = ()
    tallies: tuple[Ints, ...] = ()

    @classmethod
    def of(cls, coded: Keys, hierarchies: Sequence[Hierarchy]) -> Lattice:
        """From keys whose first variables have these hierarchies and whose others are sensitive."""
        many = len(hierarchies)
        named = list(zip(coded.names, coded.categories, strict=True))
        keys = tuple(
            LeveledKey.of(name, categories, tree)
            for (name, categories), tree in zip(named[:many], hierarchies, strict=True)
        )
        sensitive = tuple(Sensitive.of(name, categories) for name, categories in named[many:])
        digits = np.ascontiguousarray(coded.digits[:, :many])
        if not sensitive:
            return cls(keys, digits, coded.count)
        distinct, index = np.unique(digits, axis=0, return_inverse=True)
        index = index.reshape(-1)
        count = np.bincount(index, weights=coded.count).astype(np.int64)
        tallies = []
        for j, variable in enumerate(sensitive, start=many):
            value = variable.value_of[coded.digits[:, j]]
            seen = value >= 0
            tally = np.zeros((len(distinct), len(variable.codes)), dtype=np.int64)
            np.add.at(tally, (index[seen], value[seen]), coded.count[seen])
            tallies.append(tally)
        return cls(keys, distinct, count, sensitive, tuple(tallies))

    @cached_property
    def records(self) -> int:
        """Number of records."""
        return int(self.count.sum())

    @cached_property
    def whole(self) -> tuple[Ints, ...]:
        """Records of the file by value, for each sensitive variable; a part of the file has those of all of it."""
        return tuple(tally.sum(axis=0) for tally in self.tallies)

    @cached_property
    def heights(self) -> Levels:
        """The highest level of each key."""
        return tuple(key.height for key in self.keys)

    @cached_property
    def packing(self) -> Packing:
        """How its keys are packed."""
        return Packing.of(self.keys)

    @cached_property
    def ground(self) -> Grouping:
        """Every distinct key for itself."""
        ancestors = [key.ancestor[0][self.digits[:, j]] for j, key in enumerate(self.keys)]
        return Grouping((0,) * len(self.keys), self.packing.pack(ancestors), self.count, self.tallies)

    def group(self, levels: Levels) -> Grouping:
        """The groups at a node."""
        source = self._known.nearest(levels)
        return source if source.levels == levels else self._known.keep(self._rolled(source, levels)[0])

    def group_of(self, levels: Levels) -> Rows:
        """The number of the group at a node of each distinct key."""
        return self._rolled(self.ground, levels)[1]

    def part(self, chosen: npt.NDArray[np.bool_]) -> Lattice:
        """The lattice of some of the distinct keys alone."""
        tallies = tuple(tally[chosen] for tally in self.tallies)
        rest = Lattice(self.keys, self.digits[chosen], self.count[chosen], self.sensitive, tallies)
        rest.packing, rest.whole = self.packing, self.whole
        return rest

    def _rolled(self, source: Grouping, levels: Levels) -> tuple[Grouping, Rows]:
        """The groups at a node from those of a more detailed one, and into which each of these goes."""
        from celosia.kernels import lattice as kernel

        packing, room = self.packing, Room(source)
        at = packing.between(source.levels, np.array(levels))
        found = kernel.roll_up(
            source.packed, source.size, packing.word, packing.shift, packing.mask, at, packing.climbs, *room
        )
        tallies = []
        for tally in source.tallies:
            total = np.zeros((found, tally.shape[1]), dtype=np.int64)
            kernel.add_rows(room.index, tally, total)
            tallies.append(total)
        return Grouping(levels, room.packed[:found].copy(), room.size[:found].copy(), tuple(tallies)), room.index

    @cached_property
    def _known(self) -> _Known:
        return _Known(self.ground)


class Room:
    """What a kernel fills when it groups: a table, the packed keys and sizes of the groups, the group of each row."""

    def __init__(self, source: Grouping) -> None:
        rows = source.size.size
        self.table = np.empty(1 << max(2, int(2 * rows - 1).bit_length()), dtype=np.int32)
        self.packed = np.empty_like(source.packed)
        self.size = np.empty(rows, dtype=np.int64)
        self.index = np.empty(rows, dtype=np.int32)

    def __iter__(self) -> Iterator[npt.NDArray[np.generic]]:
        yield from (self.table, self.packed, self.size, self.index)


class _Known:
    """The groupings that were counted, as long as there is room."""

    def __init__(self, ground: Grouping) -> None:
        self._held, self._stored = 0, [ground]
        self._levels = np.zeros((64, len(ground.levels)), dtype=np.int64)
        self._sizes = np.full(64, ground.size.size, dtype=np.int64)

    def nearest(self, levels: Levels) -> Grouping:
        """The smallest grouping that is nowhere more general."""
        from celosia.kernels import lattice as kernel

        number: int = kernel.nearest(self._levels, self._sizes, len(self._stored), np.array(levels))
        return self._stored[number]

    def keep(self, grouping: Grouping) -> Grouping:
        """The same, kept if there is room."""
        if self._held + grouping.room > _ROOM:
            return grouping
        number = len(self._stored)
        if number == self._sizes.size:
            self._levels = np.concatenate([self._levels, np.zeros_like(self._levels)])
            self._sizes = np.concatenate([self._sizes, np.zeros_like(self._sizes)])
        self._levels[number], self._sizes[number] = grouping.levels, grouping.size.size
        self._held += grouping.room
        self._stored.append(grouping)
        return grouping
