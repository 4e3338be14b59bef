"""Household size by counting: how many members a household has, or how many of a kind."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from celosia.core.condition import holds, names
from celosia.core.microdata import Microdata
from celosia.verify.deduction.cells import Floats, Ints, Mask
from celosia.verify.deduction.knowledge import Knowledge
from celosia.verify.deduction.rule import Rule


@dataclass(frozen=True)
class Members(Rule):
    """``size`` is the number of records of the group where a condition holds, at most ``top``; or that is ``exactly``.

    The file holds every member. With :math:`l` members for whom the condition must hold and :math:`h` for whom it
    may, the size is between both; where it is :math:`l` it holds for nobody else, where it is :math:`h` for all.
    """

    group: str
    size: str | None = None
    top: int | None = None
    where: str = ""
    exactly: int | None = None
    hidden: bool = False
    """Whether the group of some record was emptied: then no count is sure."""

    def learned(self, data: Microdata) -> Members:
        """The rule with what it is to know of the groups."""
        return replace(self, hidden=bool(data.suppressed(self.group).any()))

    @property
    def name(self) -> str:
        """What is counted."""
        counted = f"#{self.group}{f'[{self.where}]' if self.where else ''}"
        return f"{counted} = {self.exactly if self.size is None else self.size}"

    @property
    def variables(self) -> tuple[str, ...]:
        """The size and the variables of the condition."""
        said = names(self.where) if self.where else ()
        return tuple(dict.fromkeys([*([self.size] if self.size else []), *said]))

    @property
    def household(self) -> str | None:
        """The group."""
        return self.group

    def wrong(self, known: Knowledge) -> Mask:
        """Groups that have more members, or fewer, than they say."""
        found = self._count(known)
        if found is None:
            return np.zeros(0, dtype=np.bool_)
        top = np.inf if self.top is None else self.top
        return (np.minimum(found.low, top) > found.most) | (np.minimum(found.high, top) < found.least)

    def narrow(self, known: Knowledge, rows: Ints) -> None:
        """Sizes that the members leave, and members that the size leaves."""
        found = self._count(known)
        if found is None:
            return
        mine = rows[found.home[rows] >= 0]
        home = found.home[mine]
        if self.size is not None:
            top = np.inf if self.top is None else self.top
            low, high = np.minimum(found.low, top)[home], np.minimum(found.high, top)[home]
            if known.cells[self.size].listed:
                known.clip(self.size, mine, low, high, self.name, only=True)
            else:
                told = low == high
                codes = pl.Series(low[told].astype(np.int64)).cast(pl.String)
                known.settle(self.size, mine[told], codes, self.name)
        if self.where:
            may, must = known.judged(self.where)
            open_ = may[mine] & ~must[mine]
            for wanted, full in ((False, found.most == found.low), (True, found.least == found.high)):
                chosen = mine[open_ & full[home]]
                if chosen.size:
                    fits = lambda table, wanted=wanted: holds(self.where, table) == wanted  # noqa: E731
                    known.keep(names(self.where), chosen, fits, self.name)

    def _count(self, known: Knowledge) -> _Count | None:
        if self.hidden:
            return None
        home = known.group(self.group)
        inside = home >= 0
        groups = int(home.max(initial=-1)) + 1
        may, must = known.judged(self.where)
        low = np.bincount(home[inside], must[inside], groups).astype(np.float64)
        high = np.bincount(home[inside], may[inside], groups).astype(np.float64)
        least, most = np.zeros(groups), np.full(groups, np.inf)
        if self.size is None:
            least[:], most[:] = self.exactly, self.exactly
        else:
            below, above = known.bounds(self.size)
            if self.top is not None:
                above = np.where(above >= self.top, np.inf, above)
            np.maximum.at(least, home[inside], below[inside])
            np.minimum.at(most, home[inside], above[inside])
        return _Count(home, low, high, least, most)


@dataclass(frozen=True, eq=False)
class _Count:
    """The group of each record; by group, the members that must and may count, and what its size may be."""

    home: Ints
    low: Floats
    high: Floats
    least: Floats
    most: Floats
