"""What a rule sees of a column, and what makes it speak."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from celosia.core.dictionary import DaneClass, Identification, Level, Role
from celosia.io.words import plain

_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True)
class Column:
    """What the rules see of a column."""

    name: str
    words: str
    """Words of the name and the label, plain, between underscores: ``_factor_de_expansion_``."""
    dtype: pl.DataType
    sample: Sequence[str]
    records: int
    filled: int
    distinct: int
    smallest: float | None

    @property
    def unique(self) -> bool:
        """A value of its own in every record, which is no measurement."""
        return self.filled == self.records == self.distinct >= 20 and not self.dtype.is_float()

    @property
    def many(self) -> bool:
        """Values that repeat, but in more groups than a classification has."""
        return self.distinct > max(1, self.records // 20) and self.distinct <= self.records


@dataclass(frozen=True)
class Rule:
    """How to recognise one kind of variable, and what follows from it."""

    code: str
    names: str = ""
    contents: Callable[[Column], bool] | None = None
    also: Callable[[Column], bool] | None = None
    """What must hold besides the name."""
    but: str = ""
    """Words that the name must not have."""
    level: Level | None = None
    identification: Identification | None = None
    sensitive: bool | None = None
    role: Role | None = None
    dane: DaneClass | None = None

    def evidence(self, column: Column) -> Literal["name", "contents"] | None:
        """What speaks for this rule, if anything does."""
        if self._named(column) and (self.also is None or self.also(column)):
            return "name"
        return "contents" if self.contents is not None and self.contents(column) else None

    def _named(self, column: Column) -> bool:
        excluded = bool(self.but) and _has(self.but, column.words)
        return bool(self.names) and not excluded and _has(self.names, column.words)


def name_words(text: str) -> str:
    """A name or label as plain words between underscores."""
    return f"_{re.sub(r'[^a-z0-9]+', '_', plain(_CAMEL.sub('_', text)))}_"


def _has(words: str, text: str) -> bool:
    return re.search(rf"_(?:{words})\d*_", text) is not None
