"""Linked and derived variables, and places told by codes: what one variable says of another."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import MissingKind
from celosia.core.hierarchy import Hierarchy
from celosia.core.microdata import Microdata
from celosia.verify.anonymity import RECORDS
from celosia.verify.deduction.cells import Mask
from celosia.verify.deduction.rule import RecordRule, codes_of


@dataclass(frozen=True, eq=False)
class Dependency(RecordRule):
    """``gives`` is a function of ``of``: linked and derived variables, and what members of a group share.

    Without a ``function`` (columns ``of`` and ``gives``, as codes) it is learned from the records that show both
    sides. A record with an unanswered cell in ``of`` is bound to nothing.
    """

    of: tuple[str, ...]
    gives: str
    function: pl.DataFrame | None = field(default=None, repr=False)
    shown: bool = False
    """Whether the function was learned, and is one of published codes."""

    @classmethod
    def of_hierarchy(cls, of: str, gives: str, hierarchy: Hierarchy, level: int) -> Dependency:
        """A variable that holds the codes of a level above those of another one, as region does above comuna."""
        leaves = hierarchy.mapping(level)
        return cls((of,), gives, pl.DataFrame({of: list(leaves), gives: list(leaves.values())}))

    @property
    def name(self) -> str:
        """What gives what."""
        return f"{', '.join(self.of)} → {self.gives}"

    @property
    def variables(self) -> tuple[str, ...]:
        """Both sides."""
        return (*self.of, self.gives)

    @property
    def published(self) -> bool:
        """True where the file itself taught it."""
        return self.function is None or self.shown

    def learned(self, data: Microdata) -> Dependency:
        """The function as the file shows it; of several images the most frequent one, the others are exceptions."""
        if self.function is not None:
            return self
        hidden = [data.suppressed(name) for name in self.variables]
        shown = ~pl.Series(np.any([mask.to_numpy() for mask in hidden], axis=0)) & pl.Series(_bound(data, self.of))
        columns = [data.column(name).alias(name) for name in self.variables]
        counted = pl.DataFrame(columns).filter(shown).group_by(self.variables).len(RECORDS)
        spelled = counted.select(*(spell_series(counted[name]).alias(name) for name in self.variables), RECORDS)
        best = spelled.sort(RECORDS, *self.variables, descending=True).unique(self.of, keep="first").drop(RECORDS)
        return replace(self, function=best, shown=True)

    def fits(self, table: Microdata) -> Mask:
        """True where the image is the one of the function, or the function does not say."""
        told, image = self._image(table)
        return (~told | image.eq_missing(spell_series(table.column(self.gives)))).to_numpy()

    def implied(self, table: Microdata, name: str) -> pl.Series | None:
        """The image, where it is asked for."""
        if name != self.gives:
            return None
        told, image = self._image(table)
        return image.set(~told, None)

    def _image(self, table: Microdata) -> tuple[pl.Series, pl.Series]:
        assert self.function is not None
        function = self.function.with_columns(told=pl.lit(True))
        found = codes_of(table, self.of).join(function, on=self.of, how="left", maintain_order="left", nulls_equal=True)
        return found["told"].fill_null(False) & pl.Series(_bound(table, self.of)), found[self.gives]


def _bound(data: Microdata, names: tuple[str, ...]) -> Mask:
    """Records that hold a code in all of these variables; not applicable is one."""
    bound = np.ones(data.height, dtype=np.bool_)
    for name in names:
        variable, values = data.dictionary[name], data.column(name)
        if not (variable.missing or variable.missing_ranges):
            bound &= (values.is_not_null() | (variable.null is MissingKind.NOT_APPLICABLE)).to_numpy()
            continue
        distinct = values.unique()
        kinds = [variable.kind_of(code) for code in spell_series(distinct).to_list()]
        unanswered = pl.Series([kind not in (None, MissingKind.NOT_APPLICABLE) for kind in kinds], dtype=pl.Boolean)
        bound &= ~values.is_in(distinct.filter(unanswered).implode(), nulls_equal=True).to_numpy()
    return bound


@dataclass(frozen=True)
class Prefix(RecordRule):
    """``gives`` is the code ``of`` without its last characters, as a region is of a comuna.

    Zeros in front do not count.
    """

    of: str
    gives: str
    drop: int
    number: bool = False
    """Whether ``gives`` is a column of numbers, which are written without zeros in front."""

    def learned(self, data: Microdata) -> Prefix:
        """The rule with how its codes are written."""
        return replace(self, number=data.column(self.gives).dtype.is_numeric())

    @property
    def name(self) -> str:
        """What gives what, and how."""
        return f"{self.of}[:-{self.drop}] → {self.gives}"

    @property
    def variables(self) -> tuple[str, ...]:
        """Both sides."""
        return (self.of, self.gives)

    @property
    def published(self) -> bool:
        """It is seen in the codes as they are published."""
        return True

    def fits(self, table: Microdata) -> Mask:
        """True where the one begins with the other, or one of them is no code."""
        codes = codes_of(table, self.variables)
        free = [table.dictionary[name].missing_mask(table.column(name)) for name in self.variables]
        alike = bare(start(codes[self.of], self.drop)) == bare(codes[self.gives])
        return (alike.fill_null(False) | free[0] | free[1]).to_numpy()

    def implied(self, table: Microdata, name: str) -> pl.Series | None:
        """The beginning of the code."""
        if name != self.gives:
            return None
        codes = start(codes_of(table, (self.of,))[self.of], self.drop)
        codes = codes.set(table.dictionary[self.of].missing_mask(table.column(self.of)), None)
        return bare(codes) if self.number else codes


def start(codes: pl.Series, drop: int) -> pl.Series:
    """Codes without their last characters; nothing where they have no more."""
    length = codes.str.len_chars().cast(pl.Int64)
    return codes.str.slice(0, (length - drop).clip(lower_bound=0)).set(length <= drop, None)


def bare(codes: pl.Series) -> pl.Series:
    """Codes without zeros in front."""
    return codes.str.strip_chars_start("0")
