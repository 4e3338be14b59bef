"""Models of attribute and sample risk counted again, plainly: one published group after the other."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import polars as pl

from celosia.core.codes import sort_key
from celosia.core.dictionary import MissingKind
from celosia.core.errors import PromiseError
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_rules import HierarchyRule
from celosia.core.microdata import Microdata
from celosia.verify.anonymity import RECORDS, published
from celosia.verify.generalised import groups, sizes

Counts = Mapping[str, int]

_ROUNDING = 1e-9


@dataclass(frozen=True)
class _OfGroups(ABC):
    """Something that the sensitive values of every group fulfil; missing ones are none."""

    keys: tuple[str, ...]
    sensitive: str

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        return (*self.keys, self.sensitive)

    def _for(self, data: Microdata) -> _OfGroups:
        """The same with all that it needs of the data."""
        return self

    @abstractmethod
    def _holds(self, group: Counts, whole: Counts) -> bool:
        """Whether a group with these values complies, in a file with those."""

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of records in groups that do not comply."""
        kinds = after.dictionary[self.sensitive]
        values = published(after, self.sensitive)
        none = [
            code
            for code in values.unique().to_list()
            if code.startswith("\x00") or kinds.kind_of(code) in (MissingKind.NON_RESPONSE, MissingKind.SUPPRESSED)
        ]
        seen = values.filter(~values.is_in(none)).value_counts(name=RECORDS)
        whole = dict(seen.iter_rows())
        cells = groups(after, self.keys, self.sensitive).filter(~pl.col(self.sensitive).is_in(none))
        counted = cells.group_by(*self.keys, self.sensitive).len(RECORDS)
        held = counted.group_by(self.keys).agg(self.sensitive, RECORDS).select(self.sensitive, RECORDS)
        short, judge = 0, self._for(after)
        for codes, records in held.iter_rows():
            if not judge._holds(dict(zip(codes, records, strict=True)), whole):
                short += sum(records)
        if short:
            raise PromiseError("promise-model", variable=self.sensitive, count=short)


@dataclass(frozen=True)
class Diverse(_OfGroups):
    """Every group has l values, effective ones, or well-mixed ones."""

    l: float  # noqa: E741 (its name in the literature)
    kind: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: float = 2.0

    def _holds(self, group: Counts, whole: Counts) -> bool:
        down = sorted(group.values(), reverse=True)
        if self.kind == "distinct":
            return len(down) >= self.l
        if self.kind == "entropy":
            n = sum(down)
            return math.exp(-sum(f / n * math.log(f / n) for f in down)) >= self.l - _ROUNDING
        tail = sum(down[math.ceil(self.l) - 1 :])
        return len(down) >= self.l and down[0] < self.c * tail


@dataclass(frozen=True)
class Close(_OfGroups):
    """Every group is within t of the file."""

    t: float
    distance: Literal["equal", "ordered", "hierarchical"] = "equal"
    tree: Hierarchy | HierarchyRule | None = field(default=None, repr=False)

    def _for(self, data: Microdata) -> Close:
        return replace(self, tree=self.tree.on(data, self.sensitive)) if self.tree else self

    def _holds(self, group: Counts, whole: Counts) -> bool:
        n, total = sum(group.values()), sum(whole.values())
        apart = {code: group.get(code, 0) / n - whole[code] / total for code in sorted(whole, key=sort_key)}
        if self.distance == "ordered":
            reached, work = 0.0, 0.0
            for step in apart.values():
                reached += step
                work += abs(reached)
            return work / max(1, len(apart) - 1) <= self.t + _ROUNDING
        if self.distance == "equal":
            return sum(map(abs, apart.values())) / 2 <= self.t + _ROUNDING
        return self._in_tree(apart) <= self.t + _ROUNDING

    def _in_tree(self, apart: Mapping[str, float]) -> float:
        assert isinstance(self.tree, Hierarchy)
        path = {row[0]: row for row in self.tree.rows}
        height = max(1, self.tree.depth - (len({row[-1] for row in self.tree.rows}) == 1))
        work = 0.0
        for level in range(height):
            branch: dict[str, float] = {}
            for code, step in apart.items():
                branch[path[code][level]] = branch.get(path[code][level], 0.0) + step
            work += sum(map(abs, branch.values())) / 2
        return work / height


@dataclass(frozen=True)
class NoneFrequent(_OfGroups):
    """No value of a group has more than a share of it."""

    alpha: float

    def _holds(self, group: Counts, whole: Counts) -> bool:
        return max(group.values()) <= (self.alpha + _ROUNDING) * sum(group.values())


@dataclass(frozen=True)
class OddsStay(_OfGroups):
    """No value that a group holds is more, or less, than two to the delta times as frequent as in the file."""

    delta: float

    def _holds(self, group: Counts, whole: Counts) -> bool:
        n, total = sum(group.values()), sum(whole.values())
        return all(abs(math.log2(f / n / (whole[code] / total))) < self.delta for code, f in group.items())


@dataclass(frozen=True)
class LittleGain(_OfGroups):
    """No value of a group gains more than beta on the file; in the enhanced sense, nor than -ln of its share."""

    beta: float
    kind: Literal["basic", "enhanced"] = "basic"

    def _holds(self, group: Counts, whole: Counts) -> bool:
        n, total = sum(group.values()), sum(whole.values())
        for code, f in group.items():
            p = whole[code] / total
            most = min(self.beta, -math.log(p)) if self.kind == "enhanced" else self.beta
            if f / n / p - 1 > most + _ROUNDING:
                return False
        return True


@dataclass(frozen=True)
class FewGroups:
    """Groups per record, and records in groups too small, are at most so many; one group for all is no risk."""

    keys: tuple[str, ...]
    risk: float
    highest: float | None = None
    at_risk: float = 0.0

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        return self.keys

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where they are more."""
        found = sizes(after, self.keys).to_list()
        records = sum(found)
        if len(found) < 2:
            return
        exposed = sum(size for size in found if self.highest is not None and 1 / size > self.highest + 1e-12)
        if len(found) > self.risk * records * (1 + 1e-9) or exposed > self.at_risk * records * (1 + 1e-9):
            raise PromiseError("promise-average-risk", share=self.risk)


@dataclass(frozen=True)
class Mapped:
    """Every group has the records that one of k people of the population would seldom exceed in the sample."""

    keys: tuple[str, ...]
    k: int
    population: float
    alpha: float
    zero_truncated: bool = False

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        return self.keys

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of records in smaller groups."""
        rate = self.k * after.height / self.population
        first = int(self.zero_truncated)
        scale = 1 - math.exp(-rate) if self.zero_truncated else 1.0
        chance = [math.exp(i * math.log(rate) - rate - math.lgamma(i + 1)) / scale for i in range(self.k + first)]
        reached = [sum(chance[first : first + terms]) >= 1 - self.alpha - _ROUNDING for terms in range(1, self.k)]
        least = min(self.k, reached.index(True) + 2) if any(reached) else self.k
        records = sizes(after, self.keys)
        short = records.filter(records < least).sum()
        if short:
            raise PromiseError("promise-k", k=least, count=int(short), counting="strict")
