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
from celosia.methods.merging import Ints, anywhere, by_neighbours, enough, in_order, lower_bound
from celosia.verify import KeepsMissing, NoFiner, SameRecords, Untouched
from celosia.verify.areas import Contiguous, EnoughInAreas, InRuns, WithinParent

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

    Areas that are too small are put together with each other, as many groups as can be; what is left over joins the
    smallest group. In the order of the codes, and for up to ten small areas of a parent, no choice has fewer merges.
    Else the choice is greedy, since the fewest merges are a bin covering, which has no fast exact answer; the result
    says how many merges there were and how many are needed at the least. A new area has the code of the first of its
    areas and a plus sign (``01101+``), and their labels one after the other. Records without an area stay as they
    are.

    Parameters
    ----------
    area
        The variable with the areas; every record is a person.
    parent
        Areas of different codes here are never merged.
    minimum_persons, minimum_dwellings
        What every area must have; at least one of the two.
    dwelling
        The variable that persons of a dwelling share. A number of one dwelling is used again at most under another
        parent: within one, merging would make a single dwelling of two.
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
        for here in _runs(parents):
            run.check()
            found = self._grouping(sizes[here], need, [codes[i] for i in here])
            totals = np.stack([np.bincount(found, weights=size)[np.unique(found)] for size in sizes[here].T], axis=1)
            bound += lower_bound(sizes[here], need)
            impossible += int((~enough(totals.astype(np.int64), need)).sum())
            group[here] = here[found]
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

    def _grouping(self, sizes: Ints, need: Ints, codes: list[str]) -> Ints:
        """The areas of one parent, put together."""
        if self.adjacency is None:
            return anywhere(sizes, need)
        if self.adjacency == "order":
            return in_order(sizes, need)
        return by_neighbours(sizes, need, _near(self.adjacency, codes))

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Areas merged whole, within their parent, next to each other, and large enough; nothing else touched."""
        promises: list[Promise] = [
            SameRecords(),
            Untouched(frozenset([self.area])),
            NoFiner(self.area),
            KeepsMissing(self.area),
        ]
        if self.parent is not None:
            promises.append(WithinParent(self.area, self.parent))
        if self.adjacency == "order":
            promises.append(InRuns(self.area, self.parent))
        elif self.adjacency is not None:
            promises.append(Contiguous(self.area, self.adjacency))
        return tuple(promises)

    def lasting(self) -> tuple[Promise, ...]:
        """Enough persons and dwellings in every area."""
        return (EnoughInAreas(self.area, self.minimum_persons or 0, self.minimum_dwellings or 0, self.dwelling),)

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
            sizes[:, 1] = self._homes(data, self.dwelling, len(category))[places]
        codes = [category.codes[place - 1] or "" for place in places]
        order = np.array(sorted(range(len(codes)), key=lambda i: sort_key(codes[i])), dtype=np.int64)
        parents = digits[first][:, -1] if self.parent is not None else np.zeros(len(codes), dtype=np.int64)
        return [codes[i] for i in order], parents[order].astype(np.int64), sizes[first][order]

    def _homes(self, data: Microdata, dwelling: str, areas: int) -> Ints:
        """Dwellings by the digit of their area."""
        if absent := int(data.dictionary[dwelling].missing_mask(data.column(dwelling)).sum()):
            raise DataError("group-missing", variable=dwelling, count=absent)
        names = (self.area, dwelling) if self.parent is None else (self.area, dwelling, self.parent)
        keys = engine(data).encode(names, "strict")
        real = np.array([False, *(kind is None for kind in keys.categories[0].kinds)])[keys.digits[:, 0]]
        homes = keys.digits[real]
        if split := len(homes) - len(np.unique(homes[:, 1:], axis=0)):
            raise DataError("dwelling-two-areas", variable=dwelling, area=self.area, count=split)
        return np.bincount(homes[:, 0], minlength=areas + 1)


def _runs(parents: Ints) -> list[Ints]:
    """The places of the areas of each parent."""
    order = np.argsort(parents, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(parents[order])) + 1) if order.size else []


def _near(adjacency: Mapping[str, tuple[str, ...]], codes: list[str]) -> list[set[int]]:
    """The neighbours of each area of a parent, by place; who is next to one has it next to them."""
    place = {code: i for i, code in enumerate(codes)}
    near: list[set[int]] = [set() for _ in codes]
    for code, one in place.items():
        for other in adjacency.get(code, ()):
            if other in place and other != code:
                near[one].add(place[other])
                near[place[other]].add(one)
    return near


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
