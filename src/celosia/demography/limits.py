"""May a file show a birth month? A limit on the people that published counts expect to be singled out, judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from pydantic import Field

from celosia.core.model import Frozen
from celosia.core.shares import Below, stays_below
from celosia.demography.births import DETAILS, Births, Detail
from celosia.demography.counts import Counts
from celosia.demography.expected import expected_anonymity

NO_DATE = "none"
"""What stands for a file that tells nothing of birth dates beyond the age groups of the counts."""


@dataclass(frozen=True)
class Answer:
    """A limit judged for one detail of the birth date.

    Attributes
    ----------
    detail
        How much of the birth date the file would show.
    people, share
        The expected people whose anonymity is k or less.
    worst
        Their share in the group where it is highest; ``share`` itself where all people are one group.
    groups, beyond
        Groups with anybody in them, and those that do not meet the limit.
    """

    detail: str
    k: int
    in_each: tuple[str, ...]
    people: float
    share: float
    worst: float
    groups: int
    beyond: int
    limit: float
    passes: bool

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain values."""
        return asdict(self) | {"in_each": list(self.in_each)}


class Limit(Frozen):
    """The people of few like them that a file may give away.

    Parameters
    ----------
    k
        Whose anonymity is k or less counts; 1 counts those who are singled out.
    below
        The share of the people that they must stay below (``5 %``).
    in_each
        Columns of the counts: the limit holds in every group of them, not only for all people together.
    shows
        The columns of the counts that the file would show; all by default.

    Examples
    --------
    >>> import polars as pl
    >>> counts = Counts.of(pl.DataFrame({"age": ["0-4", "5-9"], "count": [400, 300]}))
    >>> answer = Limit(below="5 %").finest(counts)
    >>> answer.detail, round(answer.share, 4)
    ('month', 0.0035)
    """

    k: Annotated[int, Field(ge=1)] = 1
    below: Below
    in_each: tuple[str, ...] = ()
    shows: Annotated[tuple[str, ...], Field(min_length=1)] | None = None

    def answer(self, counts: Counts, detail: Detail | int | None, births: Births | None = None) -> Answer:
        """Whether a file may show birth dates to this detail (or number of periods); ``None`` for none of it."""
        periods = 1 if detail is None else detail
        found = expected_anonymity(counts, periods, self.in_each, self.shows, births)
        people, of = found.at_most(str(periods), self.k), found.groups.people
        there = [(float(few), int(all_)) for few, all_ in zip(people, of, strict=True) if all_]
        beyond = sum(not stays_below(few, all_, self.below) for few, all_ in there)
        return Answer(
            detail=NO_DATE if detail is None else str(detail),
            k=self.k,
            in_each=self.in_each,
            people=float(people.sum()),
            share=float(people.sum()) / counts.total,
            worst=max(few / all_ for few, all_ in there),
            groups=len(there),
            beyond=beyond,
            limit=float(self.below),
            passes=beyond == 0 and stays_below(float(people.sum()), counts.total, self.below),
        )

    def answers(
        self, counts: Counts, details: Sequence[Detail | int] = DETAILS, births: Births | None = None
    ) -> tuple[Answer, ...]:
        """The answer for each of some details."""
        return tuple(self.answer(counts, detail, births) for detail in details)

    def finest(self, counts: Counts, births: Births | None = None) -> Answer | None:
        """The answer for the finest detail that a file may show; ``None`` where it may show none of the date."""
        return next((answer for answer in self.answers(counts, DETAILS, births) if answer.passes), None)
