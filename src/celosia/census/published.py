"""What a protection lets out, asked like any other: counts, records with blanks in them, or noisy measurements."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from celosia.census.attribute import EMPTY, Attribute
from celosia.census.counts import Counts
from celosia.census.domain import Domain
from celosia.census.geography import Geography
from celosia.census.measurement import Measurement
from celosia.census.query import Query
from celosia.core.codes import spell_series
from celosia.core.dictionary import Dictionary, MissingKind
from celosia.core.errors import OptionError
from celosia.core.frames import enter
from celosia.core.microdata import Microdata
from celosia.engines import Keys, engine
from celosia.engines.contract import Categories

Floats = npt.NDArray[np.float64]


class Published(Protocol):
    """What any protection gives: swapping and blanking give records, cell keys give answers, TopDown gives both."""

    @property
    def name(self) -> str:
        """What it is called in tables."""
        ...

    def answers(self, level: int, query: Query, nodes: slice) -> Floats:
        """What it says of a run of places of a level, one column an answer; NaN where it says nothing."""
        ...

    @property
    def data(self) -> Microdata | None:
        """The records that it publishes; ``None`` where there are only tables."""
        ...


@dataclass(frozen=True, eq=False)
class Counted:
    """Records counted into places and cells: the truth, or what TopDown releases.

    Attributes
    ----------
    leaves
        The counts of the leaves of the geography.
    """

    name: str
    geography: Geography
    leaves: Counts = field(repr=False)
    data: Microdata | None = field(default=None, repr=False)

    @classmethod
    def of(cls, name: str, data: Any, domain: Domain, geography: Geography) -> Counted:
        """Count records; every one must have a place and a cell."""
        held = enter(data)
        place, cell = geography.place(held), domain.encode(held)
        return cls(name, geography, Counts.of_records(place, cell, geography.leaves, domain.size), held)

    @cached_property
    def levels(self) -> tuple[Counts, ...]:
        """The counts of every level, root first."""
        return Counts.levels(self.leaves, self.geography)

    @cached_property
    def totals(self) -> tuple[npt.NDArray[np.int64], ...]:
        """Records of every place, by level."""
        return tuple(counts.answers(Query.total(counts.cells))[:, 0] for counts in self.levels)

    def answers(self, level: int, query: Query, nodes: slice) -> Floats:
        """The counts, summed."""
        return self.levels[level].part(nodes).answers(query).astype(np.float64)


@dataclass(frozen=True, eq=False)
class Measured:
    """Noisy measurements as they were drawn."""

    name: str
    geography: Geography
    measurements: Sequence[Measurement] = field(repr=False)
    data: None = None

    def of(self, level: int, query: str) -> Measurement | None:
        """The measurement of a query at a level, where it was taken."""
        name = self.geography.levels[level]
        return next((one for one in self.measurements if one.level == name and one.query.name == query), None)

    def answers(self, level: int, query: Query, nodes: slice) -> Floats:
        """The noisy values; NaN where the query was not measured."""
        found = self.of(level, query.name)
        if found is None:
            return np.full((nodes.stop - nodes.start, query.size), np.nan)
        return found.values[nodes].astype(np.float64)


@dataclass(frozen=True, eq=False)
class Recorded:
    """Records as somebody else would publish them: cells may be blank, small places may have been merged.

    A record counts in every answer that its known values decide. A place without records, in a parent some of whose
    records name no known place, may be one of them: nothing is said of it.
    """

    name: str
    domain: Domain
    geography: Geography
    data: Microdata = field(repr=False)

    def answers(self, level: int, query: Query, nodes: slice) -> Floats:
        """Counted anew for each query."""
        place = self.places[level]
        answer = self._answer(query)
        size = self.geography.nodes[level]
        known = (place >= 0) & (answer >= 0)
        flat = place[known].astype(np.int64) * query.size + answer[known]
        counts = np.bincount(flat, minlength=size * query.size).reshape(size, query.size).astype(np.float64)
        counts[self._untold[level]] = np.nan
        return counts[nodes]

    @cached_property
    def places(self) -> tuple[npt.NDArray[np.int32], ...]:
        """The node of each record at each level, -1 where it is not told."""
        return tuple(self.geography.node(self.data, level) for level in range(self.geography.depth))

    @cached_property
    def coded(self) -> Microdata:
        """The records in the categories of the domain; a code that is in none of them stays."""
        columns = {}
        for attribute in self.domain.attributes:
            if attribute.name in self.data:
                codes = spell_series(self.data.column(attribute.name))
                declared = codes.fill_null(EMPTY) if EMPTY in attribute.codes else codes
                recoded = declared.replace(dict(attribute.recode))
                columns[attribute.name] = recoded.set(self.data.suppressed(attribute.name), None)
        return self.data.with_columns(columns).with_dictionary(Dictionary())

    @cached_property
    def _untold(self) -> tuple[npt.NDArray[np.bool_], ...]:
        """For each level, the places of which nothing is said."""
        untold = [np.zeros(1, dtype=np.bool_)] if self.geography.nodes[0] == 1 else [np.zeros(0, dtype=np.bool_)]
        for level in range(1, self.geography.depth):
            parents, size = self.geography.parents[level], self.geography.nodes[level]
            above, here = self.places[level - 1], self.places[level]
            astray = np.zeros(self.geography.nodes[level - 1], dtype=np.bool_)
            astray[above[(above >= 0) & (here < 0)]] = True
            seen = np.bincount(here[here >= 0], minlength=size) > 0
            untold.append(~seen & (astray | untold[-1])[parents])
        return tuple(untold)

    @cached_property
    def _keys(self) -> tuple[Keys, npt.NDArray[np.int32]]:
        """The distinct combinations of codes, and their categories in the domain (-1: not known)."""
        names = [name for name in self.domain.names if name in self.data]
        if not names:
            raise OptionError("published-without-variables", name=self.name)
        keys = engine(self.data.select(names).with_dictionary(Dictionary())).encode(tuple(names), "strict")
        digits = np.full((len(keys.digits), len(self.domain.names)), -1, dtype=np.int32)
        for column, name in enumerate(names):
            place = self.domain.names.index(name)
            digits[:, place] = _digits(self.domain.attributes[place], keys.categories[column])[keys.digits[:, column]]
        return keys, digits

    def _answer(self, query: Query) -> npt.NDArray[np.int32]:
        """The answer that each record counts in; -1 where its known values do not decide one."""
        keys, digits = self._keys
        columns = [self.domain.names.index(name) for name in query.variables]
        shape = [self.domain.shape[column] for column in columns]
        cells = _flat(self.domain.cells[:, columns], shape)
        known, first = np.unique(cells, return_index=True)
        asked = _flat(np.maximum(digits[:, columns], 0), shape)
        at = np.minimum(np.searchsorted(known, asked), known.size - 1)
        decided = (known[at] == asked) & (digits[:, columns] >= 0).all(axis=1)
        return keys.of_records(np.where(decided, query.group[first[at]], -1).astype(np.int32))


def _digits(attribute: Attribute, categories: Categories) -> npt.NDArray[np.int32]:
    """The category of the domain that each code of the file is, -1 for one that is none and for emptied cells."""
    known = {code: i for i, code in enumerate(attribute.categories)} | attribute.digit_of
    of_code = [
        -1 if kind is MissingKind.SUPPRESSED else known.get(EMPTY if code is None else code, -1)
        for code, kind in zip(categories.codes, categories.kinds, strict=True)
    ]
    return np.array([-1, *of_code], dtype=np.int32)


def _flat(digits: npt.NDArray[np.int32], shape: Sequence[int]) -> npt.NDArray[np.int64]:
    flat = np.zeros(len(digits), dtype=np.int64)
    for column, size in zip(digits.T, shape, strict=True):
        flat = flat * size + column
    return flat
