"""The keys of a lattice under their hierarchies, and the sensitive variables beside them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.core.dictionary import MissingKind
from celosia.core.errors import DataError
from celosia.core.hierarchy import Hierarchy
from celosia.engines.contract import Categories, Ints

Rows = npt.NDArray[np.int32]


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
    leaves
        The codes that are leaves.
    """

    name: str
    domain: int
    ancestor: tuple[Rows, ...]
    lines: tuple[Ints, ...]
    codes: tuple[tuple[str | None, ...], ...]
    leaves: frozenset[str]

    @property
    def height(self) -> int:
        """The highest level."""
        return len(self.codes) - 1

    @classmethod
    def of(cls, name: str, categories: Categories, hierarchy: Hierarchy) -> LeveledKey:
        """Match the categories of the data with the leaves; a missing one that is no leaf is itself at every level."""
        path = {row[0]: row for row in hierarchy.rows}
        rows = [None if code is None else path.get(code) for code in categories.codes]
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
        return cls(name, len(path), tuple(ancestor), tuple(lines), tuple(codes), frozenset(path))


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
