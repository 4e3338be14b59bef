"""Merge small areas until each has enough persons and dwellings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, model_validator

from celosia.core.codes import Code, sort_key
from celosia.core.dictionary import Variable
from celosia.core.errors import DataError, OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import ReadOnly
from celosia.core.run import Run
from celosia.engines import engine
from celosia.methods.kinds import changed
from celosia.verify import KeepsMissing, NoFiner, SameRecords, Untouched
from celosia.verify.areas import Contiguous, EnoughInAreas, InRuns, WithinParent

Ints = npt.NDArray[np.int64]
Adjacency = Literal["order"] | ReadOnly[Code, tuple[Code, ...]]
"""Which areas may be merged: those that follow each other in the order of their codes, or those that are listed."""


@dataclass(frozen=True, eq=False)
class Merged(Protected):
    """Data with areas merged.

    Attributes
    ----------
    mapping
        Code of each area that was merged → the code of what it is in now.
    areas, merges
        Areas before, and how many there are less now.
    lower_bound
        Merges that no choice could have done without.
    """

    mapping: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False)
    areas: int = field(default=0, kw_only=True)
    merges: int = field(default=0, kw_only=True)
    lower_bound: int = field(default=0, kw_only=True)


class MergeAreas(Method):
    """Merge areas of the same parent until each has enough persons and dwellings, with few merges.

    Greedy: the area that is farthest from enough goes first. It joins the smallest area that is too small as well
    and makes enough with it; else the largest of those too small; else the smallest of the others. To merge as
    little as possible is a bin covering, which has no fast exact answer; the result says how many merges there
    were and how many are needed at the least. A new area has the code of the first of its areas and a plus sign
    (``01101+``), and their labels one after the other. Records without an area stay as they are.

    Parameters
    ----------
    area
        The variable with the areas; every record is a person.
    parent
        Areas of different codes here are never merged.
    minimum_persons, minimum_dwellings
        What every area must have; at least one of the two.
    dwelling
        The variable that persons of a dwelling share; a number may be used again in another area.
    adjacency
        ``order``, or a mapping of each area to its neighbours; by default any two areas of a parent may be merged.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"zona": ["a", "b", "b", "c", "c", "c"]})
    >>> result = MergeAreas(area="zona", minimum_persons=3).apply(frame)
    >>> result.data["zona"].to_list(), result.merges
    (['a+', 'a+', 'a+', 'c', 'c', 'c'], 1)
    """

    do: ClassVar[str] = "merge_areas"

    area: str
    parent: str | None = None
    minimum_persons: Annotated[int, Field(ge=1)] | None = None
    minimum_dwellings: Annotated[int, Field(ge=1)] | None = None
    dwelling: str | None = None
    adjacency: Adjacency | None = None

    @model_validator(mode="after")
    def _some_minimum(self) -> MergeAreas:
        if self.minimum_persons is None and self.minimum_dwellings is None:
            raise OptionError("areas-without-minimum")
        if (self.minimum_dwellings is None) != (self.dwelling is None):
            named = ("minimum_dwellings", "dwelling")
            option, needs = named if self.dwelling is None else named[::-1]
            raise OptionError("option-needs", option=option, needs=needs)
        return self

    def _transform(self, data: Microdata, run: Run) -> Merged:
        codes, parents, sizes = self._areas(data)
        need = np.array([self.minimum_persons or 0, self.minimum_dwellings or 0], dtype=np.int64)
        group = np.arange(len(codes))
        bound = impossible = 0
        for parent in np.unique(parents):
            here = np.flatnonzero(parents == parent)
            merging = _Merging(sizes[here], need, self._near([codes[i] for i in here]))
            bound += merging.lower_bound()
            impossible += merging.run()
            group[here] = here[merging.group]
        if impossible:
            raise DataError("areas-impossible", variable=self.area, count=impossible)
        mapping = _new_codes(codes, group)
        treated = data
        if mapping:
            book = data.dictionary.replace(self.area, **_facts(data.dictionary[self.area], mapping))
            treated = data.with_columns({self.area: engine(data).map_codes(self.area, mapping)}, book)
        merges = len(codes) - np.unique(group).size
        return Merged(
            treated, method=self, run=run, mapping=mapping, areas=len(codes), merges=merges, lower_bound=bound
        )

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Areas merged whole, within their parent, next to each other, and large enough; nothing else touched."""
        dwellings = self.minimum_dwellings or 0
        promises: list[Promise] = [
            SameRecords(),
            Untouched(frozenset([self.area])),
            NoFiner(self.area),
            KeepsMissing(self.area),
            EnoughInAreas(self.area, self.minimum_persons or 0, dwellings, self.dwelling),
        ]
        if self.parent is not None:
            promises.append(WithinParent(self.area, self.parent))
        if self.adjacency == "order":
            promises.append(InRuns(self.area, self.parent))
        elif self.adjacency is not None:
            promises.append(Contiguous(self.area, self.adjacency))
        return tuple(promises)

    def lasting(self) -> tuple[Promise, ...]:
        """Enough persons in every area."""
        return (EnoughInAreas(self.area, self.minimum_persons),) if self.minimum_persons else ()

    def _areas(self, data: Microdata) -> tuple[list[str], Ints, npt.NDArray[np.int64]]:
        """Codes of the areas in order, the parent of each, its persons and dwellings."""
        names = (self.area,) if self.parent is None else (self.area, self.parent)
        keys = engine(data).encode(names, "strict")
        category = keys.categories[0]
        real = np.array([False, *(kind is None for kind in category.kinds)])[keys.digits[:, 0]]
        digits = keys.digits[real]
        places, first = np.unique(digits[:, 0], return_index=True)
        if places.size < len(digits):
            count = len(digits) - places.size
            raise DataError("area-two-parents", variable=self.area, parent=self.parent, count=count)
        sizes = np.zeros((len(digits), 2), dtype=np.int64)
        sizes[:, 0] = keys.count[real]
        if self.dwelling is not None:
            absent = int(data.dictionary[self.dwelling].missing_mask(data.column(self.dwelling)).sum())
            if absent:
                raise DataError("group-missing", variable=self.dwelling, count=absent)
            homes = engine(data).encode((self.area, self.dwelling), "strict").digits[:, 0]
            sizes[:, 1] = np.bincount(homes, minlength=len(category) + 1)[places]
        codes = [category.codes[place - 1] or "" for place in places]
        order = np.array(sorted(range(len(codes)), key=lambda i: sort_key(codes[i])), dtype=np.int64)
        parents = digits[first][:, -1] if self.parent is not None else np.zeros(len(codes), dtype=np.int64)
        return [codes[i] for i in order], parents[order].astype(np.int64), sizes[first][order]

    def _near(self, codes: list[str]) -> list[set[int]] | None:
        """The neighbours of each area of a parent, by place; ``None`` where all are."""
        if self.adjacency is None:
            return None
        if self.adjacency == "order":
            return [{i - 1, i + 1} & set(range(len(codes))) for i in range(len(codes))]
        place = {code: i for i, code in enumerate(codes)}
        near: list[set[int]] = [set() for _ in codes]
        for one, others in self.adjacency.items():
            for other in others:
                if one in place and other in place and one != other:
                    near[place[one]].add(place[other])
                    near[place[other]].add(place[one])
        return near


class _Merging:
    """The areas of one parent while they are merged; a group is called by the place of its first area."""

    def __init__(self, sizes: Ints, need: Ints, near: list[set[int]] | None) -> None:
        self.sizes, self.need, self.near = sizes.copy(), need, near
        self.group = np.arange(len(sizes))
        self.alive = np.ones(len(sizes), dtype=np.bool_)
        self.reach = self._reach(self.sizes)

    def lower_bound(self) -> int:
        """Merges that nothing can save: one merge helps two areas at most, and there is enough for so many areas."""
        short = int((self.sizes < self.need).any(axis=1).sum())
        room = min(int(total // need) for total, need in zip(self.sizes.sum(axis=0), self.need, strict=True) if need)
        return max((short + 1) // 2, len(self.sizes) - room if room else 0)

    def run(self) -> int:
        """Merge; how many groups are too small and have nobody left to join."""
        stuck = np.zeros_like(self.alive)
        while True:
            short = np.flatnonzero(self.alive & ~stuck & (self.reach < 1))
            if not short.size:
                return int(stuck.sum())
            first = int(short[np.lexsort((short, self.sizes[short, 0], self.reach[short]))[0]])
            others = self._others(first, short)
            if others.size:
                self._join(first, self._best(first, others))
            else:
                stuck[first] = True

    def _reach(self, sizes: Ints) -> npt.NDArray[np.float64]:
        """How far each is towards enough, in [0, 1]."""
        share: npt.NDArray[np.float64] = sizes / np.maximum(self.need, 1)
        least: npt.NDArray[np.float64] = np.where(self.need > 0, np.minimum(share, 1), 1.0).min(axis=1)
        return least

    def _others(self, first: int, short: Ints) -> Ints:
        """Whom it may join; where all are neighbours, the others that are too small if there are any."""
        if self.near is not None:
            return np.array(sorted(self.near[first]), dtype=np.int64)
        near = short if short.size > 1 else np.flatnonzero(self.alive)
        others: Ints = near[near != first]
        return others

    def _best(self, first: int, others: Ints) -> int:
        sizes = self.sizes[others]
        together = self._reach(sizes + self.sizes[first])
        rank = np.where(self.reach[others] < 1, np.where(together >= 1, 0, 1), 2)
        size = np.where(rank == 1, -together, sizes[:, 0].astype(np.float64))
        return int(others[np.lexsort((others, size, rank))[0]])

    def _join(self, one: int, other: int) -> None:
        low, high = min(one, other), max(one, other)
        self.sizes[low] += self.sizes[high]
        self.reach[low] = self._reach(self.sizes[[low]])[0]
        self.alive[high] = False
        self.group[self.group == high] = low
        if self.near is not None:
            self.near[low] = (self.near[low] | self.near[high]) - {low, high}
            for neighbour in self.near[high] - {low}:
                self.near[neighbour].discard(high)
                self.near[neighbour].add(low)


def _new_codes(codes: list[str], group: Ints) -> dict[str, str]:
    """Code of each area that was merged → the code of its group, which no area has."""
    taken, names = set(codes), {}
    for first in np.unique(group[group != np.arange(group.size)]).tolist():
        name = f"{codes[first]}+"
        while name in taken:
            name += "+"
        names[first] = name
    return {code: names[first] for code, first in zip(codes, group.tolist(), strict=True) if first in names}


def _facts(variable: Variable, mapping: Mapping[str, str]) -> dict[str, object]:
    """What the dictionary says of the areas now: labels of the merged ones one after the other."""
    listed: dict[str, list[str]] = {}
    for code, new in mapping.items():
        listed.setdefault(new, []).append(variable.values.get(code, code))
    kept = {code: label for code, label in variable.values.items() if code not in mapping}
    values = kept | {new: ", ".join(labels) for new, labels in listed.items()}
    return changed(variable, values=values).model_dump(exclude={"name"})
