"""What is published exactly, and limits known from elsewhere: both lie outside the guarantee."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt
from pydantic import Field, model_validator

from celosia.census.bounds import NO_LIMIT, Bounds, tighten
from celosia.census.counts import Counts, answers
from celosia.census.domain import TOTAL, Domain
from celosia.census.geography import Geography
from celosia.core.codes import Code
from celosia.core.errors import DataError, OptionError
from celosia.core.model import Frozen, Names, ReadOnly

Histograms = Counts | npt.NDArray[Any]
Count = int
Limits = Count | ReadOnly[Code, Count]
"""One limit for every place of the level, or one for each place by its name."""


class Fixed(Frozen):
    """Answers that are published exactly.

    Parameters
    ----------
    query
        The query, by its name in the domain; the total by default.
    levels
        Where. On the levels above them the answers follow, and are exact as well.
    """

    query: str = TOTAL
    levels: Names

    def line(self) -> str:
        """What a ledger says of it."""
        return f"{self.query} = ({', '.join(self.levels)})"


class Limit(Frozen):
    """A limit of an answer that is known from elsewhere: no fewer persons than inhabited dwellings.

    Parameters
    ----------
    query, answer
        The query, and which of its answers by its label; a query with one answer needs no label.
    level
        Where.
    at_least, at_most
        A number for all places, or one for each place by its name; places that are not named have no limit.
    """

    query: str = TOTAL
    answer: str | None = None
    level: str
    at_least: Limits | None = None
    at_most: Limits | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> Limit:
        if self.at_least is None and self.at_most is None:
            raise OptionError("limit-empty")
        return self

    def line(self) -> str:
        """What a ledger says of it: that there is a limit and where, not its values."""
        name = self.query if self.answer is None else f"{self.query}[{self.answer}]"
        signs = [sign for sign, side in (("≥", self.at_least), ("≤", self.at_most)) if side is not None]
        return f"{name} {' '.join(signs)} ({self.level})"

    def bounds(self, domain: Domain, geography: Geography) -> Bounds:
        """The limit as arrays."""
        level, query = geography.level(self.level), domain.query(self.query)
        if (self.answer is None and query.size > 1) or self.answer not in (None, *query.answer_labels):
            raise OptionError("limit-answer", query=query.name)
        column = 0 if self.answer is None else query.answer_labels.index(self.answer)
        free = Bounds.free(level, query, geography.nodes[level])
        for limits, array in ((self.at_least, free.low), (self.at_most, free.high)):
            if limits is not None:
                rows, values = _by_place(limits, geography.names[level], self.level)
                array[rows, column] = values
        return free


def _by_place(limits: Any, names: Sequence[str], level: str) -> tuple[Any, Any]:
    given = limits.values() if not isinstance(limits, int) else (limits,)
    if any(not 0 <= value < NO_LIMIT for value in given):
        raise OptionError("option-range", option="at_least, at_most", low=0, high=NO_LIMIT)
    if isinstance(limits, int):
        return slice(None), limits
    place = {name: i for i, name in enumerate(names)}
    unknown = set(limits) - set(place)
    if unknown:
        raise OptionError("limit-place-unknown", level=level, count=len(unknown))
    return [place[name] for name in limits], list(limits.values())


@dataclass(frozen=True)
class Stated:
    """What a ledger's line says: of which query, ``=``, ``≥``, ``≤`` or ``≥ ≤``, and on which levels."""

    query: str
    sign: str
    levels: str

    @classmethod
    def of(cls, line: str) -> Stated:
        """The parts of a line."""
        found = _LINE.fullmatch(line)
        assert found is not None, "written by line()"
        return cls(**found.groupdict())


_LINE = re.compile(r"(?P<query>.*) (?P<sign>=|≥ ≤|≥|≤) \((?P<levels>.*)\)")


class Invariants(Frozen):
    """Answers published exactly and limits known from elsewhere.

    They are enforced on the released counts, and reveal what they reveal: no budget pays for them and the
    guarantee does not speak of them. All of them are checked before anything is spent.

    Examples
    --------
    >>> Invariants(fixed=[Fixed(levels=("REGION", "COMUNA"))]).lines()
    ('total = (REGION, COMUNA)',)
    """

    fixed: tuple[Fixed, ...] = ()
    limits: tuple[Limit, ...] = Field(default=())

    def lines(self) -> tuple[str, ...]:
        """What a ledger says of them."""
        return (*(one.line() for one in self.fixed), *(one.line() for one in self.limits))

    def declared_on(self, domain: Domain, geography: Geography) -> dict[str, int]:
        """The last level on which each query is fixed or limited by itself."""
        named = [(one.query, level) for one in self.fixed for level in one.levels]
        named += [(one.query, one.level) for one in self.limits]
        found: dict[str, int] = {}
        for query, name in named:
            asked, level = domain.query(query).name, geography.level(name)
            found[asked] = max(level, found.get(asked, 0))
        return found

    def declared(self, domain: Domain, geography: Geography) -> tuple[Bounds, ...]:
        """The limits that hold whatever the data, narrowed; refused where they contradict each other."""
        for one in self.fixed:
            domain.query(one.query)
            for level in one.levels:
                geography.level(level)
        return tighten([one.bounds(domain, geography) for one in self.limits], geography)

    def resolve(self, domain: Domain, geography: Geography, counts: Sequence[Histograms]) -> tuple[Bounds, ...]:
        """All limits with the exact answers of the data; ``counts`` are the histograms of each level.

        The data themselves fulfil what is returned, so that some histogram does: it is feasible.
        """
        declared = self.declared(domain, geography)
        for bounds in declared:
            true = answers(bounds.query, counts[bounds.level])
            broken = ((true < bounds.low) | (true > bounds.high)).any(axis=1)
            if broken.any():
                name = geography.levels[bounds.level]
                raise DataError("invariants-data", query=bounds.query.name, level=name, places=int(broken.sum()))
        exact = [self._exact(one.query, name, domain, geography, counts) for one in self.fixed for name in one.levels]
        return tighten([*declared, *exact], geography)

    def _exact(
        self, query: str, name: str, domain: Domain, geography: Geography, counts: Sequence[Histograms]
    ) -> Bounds:
        asked, level = domain.query(query), geography.level(name)
        true = answers(asked, counts[level])
        return Bounds(level, asked, true, true)
