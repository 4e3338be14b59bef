"""The lattice of levels: the keys of a file under their hierarchies, and its records grouped at any node.

A node is one level for each key. The groups of a node are unions of those of any more detailed one, so that they are
counted from the smallest grouping at hand.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from celosia.core.dictionary import MissingKind
from celosia.core.errors import DataError
from celosia.core.hierarchy import Hierarchy
from celosia.engines.contract import Categories, Ints, Keys

Levels = tuple[int, ...]
Rows = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]

_ROOM = 40_000_000
"""Numbers that stored groupings may hold together."""


@dataclass(frozen=True, eq=False)
class LeveledKey:
    """One key: what each digit of the data becomes at each level.

    Attributes
    ----------
    name, domain
        The variable, and the leaves of its hierarchy.
    ancestor
        Number of each digit's ancestor, for each level.
    lines
        Leaves under that ancestor, for each level.
    codes
        What is published of each digit, for each level; ``None`` is an empty cell.
    """

    name: str
    domain: int
    ancestor: tuple[Rows, ...]
    lines: tuple[Ints, ...]
    codes: tuple[tuple[str | None, ...], ...]

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.codes) - 1

    @classmethod
    def of(cls, name: str, categories: Categories, hierarchy: Hierarchy) -> LeveledKey:
        """Match the categories of the data with the leaves; a missing one that is no leaf is itself at every level."""
        path = {row[0]: row for row in hierarchy.rows}
        rows = [None if code is None else path.get(code) for code in categories.codes]
        kinds = categories.kinds
        if unknown := sum(row is None and kind is None for row, kind in zip(rows, kinds, strict=True)):
            raise DataError("hierarchy-codes-unknown", variable=name, count=unknown)
        ancestor, lines, codes = [], [], []
        for level, known in enumerate(hierarchy.codes):
            number = {code: i for i, code in enumerate(known)}
            leaves = np.bincount([number[row[level]] for row in hierarchy.rows], minlength=len(known))
            mine = [len(known)] + [
                len(known) + 1 + i if row is None else number[row[level]] for i, row in enumerate(rows)
            ]
            ancestor.append(np.array(mine, dtype=np.int32))
            lines.append(np.array([1 if i >= len(known) else leaves[i] for i in mine], dtype=np.int64))
            shown = [code if row is None else row[level] for code, row in zip(categories.codes, rows, strict=True)]
            codes.append((None, *shown))
        return cls(name, len(hierarchy.rows), tuple(ancestor), tuple(lines), tuple(codes))


@dataclass(frozen=True, eq=False)
class Sensitive:
    """One sensitive variable: its values, and which of them each digit is; -1 is none."""

    name: str
    codes: tuple[str, ...]
    kinds: tuple[MissingKind | None, ...]
    value_of: Ints

    @classmethod
    def of(cls, name: str, categories: Categories) -> Sensitive:
        """The observed values; non-response and suppressed cells hold none."""
        observed = [
            code is not None and kind in (None, MissingKind.NOT_APPLICABLE)
            for code, kind in zip(categories.codes, categories.kinds, strict=True)
        ]
        if not any(observed):
            raise DataError("sensitive-empty", variable=name)
        value_of = np.full(len(observed) + 1, -1, dtype=np.int64)
        value_of[1:][observed] = np.arange(sum(observed))
        codes = tuple(code for code, seen in zip(categories.codes, observed, strict=True) if seen and code is not None)
        kinds = tuple(kind for kind, seen in zip(categories.kinds, observed, strict=True) if seen)
        return cls(name, codes, kinds, value_of)


@dataclass(frozen=True, eq=False)
class Grouping:
    """The groups of records that are equal at a node.

    Attributes
    ----------
    levels
        The node.
    rows
        One distinct key of each group.
    size
        Records of each.
    tallies
        Records of each group by value, for each sensitive variable.
    """

    levels: Levels
    rows: Rows
    size: Ints
    tallies: tuple[Ints, ...]

    @property
    def room(self) -> int:
        """Numbers that it holds."""
        return int(self.rows.size + self.size.size + sum(tally.size for tally in self.tallies))


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
    _stored: list[Grouping] = field(default_factory=list, repr=False)
    _levels: Ints = field(init=False, repr=False)
    _sizes: Ints = field(init=False, repr=False)
    _held: int = 0

    def __post_init__(self) -> None:
        self._levels = np.zeros((0, len(self.keys)), dtype=np.int64)
        self._sizes = np.zeros(0, dtype=np.int64)

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

    @property
    def heights(self) -> Levels:
        """The highest level of each key."""
        return tuple(key.height for key in self.keys)

    @property
    def nodes(self) -> int:
        """Number of nodes."""
        product = 1
        for height in self.heights:
            product *= height + 1
        return product

    @cached_property
    def start(self) -> Ints:
        """Where the digits of each key begin when those of all keys stand in a row; then the end."""
        widths = [max(key.ancestor[0].size, *(int(a.max()) + 1 for a in key.ancestor)) for key in self.keys]
        return np.concatenate([[0], np.cumsum(widths)]).astype(np.int64)

    def above(self, levels: Levels) -> Iterator[Levels]:
        """The nodes one step more general."""
        for j, height in enumerate(self.heights):
            if levels[j] < height:
                yield (*levels[:j], levels[j] + 1, *levels[j + 1 :])

    def in_a_row(self, arrays: Sequence[Sequence[npt.NDArray[np.generic]]], levels: Levels) -> Ints:
        """One array of each key at its level, one after the other, each from its start."""
        row = np.zeros(int(self.start[-1]), dtype=np.int64)
        for j, level in enumerate(levels):
            row[self.start[j] : self.start[j] + arrays[j][level].size] = arrays[j][level]
        return row

    def group(self, levels: Levels) -> Grouping:
        """The groups at a node."""
        from celosia.kernels import lattice as kernel

        source = self._nearest(levels)
        if source.levels == levels:
            return source
        room = source.rows.size
        keys = np.empty((room, int(self._word.max()) + 1), dtype=np.uint64)
        table = np.full(1 << max(2, int(2 * room - 1).bit_length()), -1, dtype=np.int32)
        index, first = np.empty(room, dtype=np.int32), np.empty(room, dtype=np.int32)
        fields = np.zeros(int(self.start[-1]), dtype=np.uint64)
        for j, level in enumerate(levels):
            part = self._fields[j][level]
            fields[self.start[j] : self.start[j] + part.size] = part
        found = kernel.group(self.digits, fields, self.start, self._word, source.rows, table, keys, index, first)
        size = np.bincount(index, weights=source.size, minlength=found).astype(np.int64)
        tallies = []
        for tally in source.tallies:
            total = np.zeros((found, tally.shape[1]), dtype=np.int64)
            kernel.add_rows(index, tally, total)
            tallies.append(total)
        return self._keep(Grouping(levels, first[:found].copy(), size, tuple(tallies)))

    def part(self, chosen: npt.NDArray[np.bool_]) -> Lattice:
        """The lattice of some of the distinct keys alone."""
        tallies = tuple(tally[chosen] for tally in self.tallies)
        return Lattice(self.keys, self.digits[chosen], self.count[chosen], self.sensitive, tallies)

    def members(self, grouping: Grouping, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Which distinct keys belong to the chosen groups."""
        at = [key.ancestor[level][self.digits[:, j]] for j, (key, level) in self._leveled(grouping.levels)]
        of_group = np.stack([column[grouping.rows[chosen]] for column in at], axis=1)
        return _rows_among(np.stack(at, axis=1), of_group)

    def _leveled(self, levels: Levels) -> Iterator[tuple[int, tuple[LeveledKey, int]]]:
        yield from enumerate(zip(self.keys, levels, strict=True))

    def _nearest(self, levels: Levels) -> Grouping:
        """The smallest grouping at hand that is nowhere more general."""
        if not self._stored:
            whole = np.arange(self.count.size, dtype=np.int32)
            self._keep(Grouping((-1,) * len(self.keys), whole, self.count, self.tallies))
        usable = (self._levels[: len(self._stored)] <= np.array(levels)).all(axis=1)
        return self._stored[int(np.where(usable, self._sizes[: len(self._stored)], np.iinfo(np.int64).max).argmin())]

    def _keep(self, grouping: Grouping) -> Grouping:
        number = len(self._stored)
        if number and self._held + grouping.room > _ROOM:
            return grouping
        if number >= self._sizes.size:
            self._levels = np.concatenate([self._levels, np.zeros((number + 64, len(self.keys)), dtype=np.int64)])
            self._sizes = np.concatenate([self._sizes, np.zeros(number + 64, dtype=np.int64)])
        self._levels[number], self._sizes[number] = grouping.levels, grouping.size.size
        self._held += grouping.room
        self._stored.append(grouping)
        return grouping

    @cached_property
    def _bits(self) -> list[int]:
        return [max(int(a.max()).bit_length() for a in key.ancestor) for key in self.keys]

    @cached_property
    def _places(self) -> list[tuple[int, int]]:
        """The word and the first bit of each key."""
        places, word, used = [], 0, 0
        for width in self._bits:
            if used + width > 64:
                word, used = word + 1, 0
            places.append((word, used))
            used += width
        return places

    @cached_property
    def _word(self) -> Ints:
        return np.array([word for word, _ in self._places], dtype=np.int64)

    @cached_property
    def _fields(self) -> list[list[npt.NDArray[np.uint64]]]:
        """The ancestors of each key's digits at each level, shifted to their bits."""
        return [
            [ancestor.astype(np.uint64) << np.uint64(shift) for ancestor in key.ancestor]
            for key, (_, shift) in zip(self.keys, self._places, strict=True)
        ]


def _rows_among(rows: Rows, some: Rows) -> npt.NDArray[np.bool_]:
    """Which rows of a table are among those of another."""
    both = np.concatenate([some, rows])
    number = np.unique(both, axis=0, return_inverse=True)[1].reshape(-1)
    return np.asarray(np.isin(number[len(some) :], number[: len(some)]))
