r"""How many people a birth date, a sex and a place single out, expected from published counts.

Of the n people of a cell (a place, a sex, an age group …), born in N periods with chances :math:`p_1, \dots, p_N`, the
expected number of periods in which exactly k are born is

.. math::
    f_k(n) = \sum_{i=1}^N \binom{n}{k} p_i^k (1 - p_i)^{n-k},

with equal chances :math:`\binom{n}{k} N^{1-n} (N-1)^{n-k}`, and :math:`k f_k(n)` people are k-anonymous: exactly k
people share place, sex and period with each of them, herself included. In the other order,

.. math::
    k f_k(n) = n \sum_i p_i \, P(1 + B_i = k), \qquad B_i \sim \mathrm{Binomial}(n - 1, p_i),

which is how it is computed: who is born in period i shares it with :math:`B_i` of the others. Hence
:math:`\sum_k k f_k(n) = n`. Sums over cells give any place, province or country. Where a file shows less than the
counts (no place, only the province), its cells are sums of theirs.

References
----------
Golle (2006), *Revisiting the uniqueness of simple demographics in the US population*, WPES '06, 77-80. Gil Bellosta
(2011), *Microdatos y k-anonimidad: un enfoque cuantitativo en el contexto español*, formula (1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from celosia.core.language import number, text
from celosia.core.picture import Picture
from celosia.core.results import Tabular
from celosia.demography.births import DETAILS, Births, Floats, Ints, details
from celosia.demography.classes import NATIONAL, PLACES, checked, described, lowest, names
from celosia.demography.counts import Counts, published
from celosia.demography.pictures import by_class, by_population, by_size, spoken
from celosia.demography.rows import Groups, Rows
from celosia.risk.options import whole_number


@dataclass(frozen=True, eq=False)
class Spread:
    """The expected people of every k, group after group: those of group g begin at ``first[g]``, with k = 1."""

    first: Ints
    people: Floats

    def between(self, low: int, high: int | None) -> Floats:
        """The expected people of each group whose k is from low to high."""
        begin = np.minimum(self.first[:-1] + low - 1, self.first[1:])
        end = self.first[1:] if high is None else np.minimum(self.first[:-1] + high, self.first[1:])
        sums = np.add.reduceat(np.append(self.people, 0.0), np.stack([begin, end], axis=1).ravel())[::2]
        return np.where(end > begin, sums, 0.0)


@dataclass(frozen=True, eq=False)
class ExpectedAnonymity(Tabular):
    """Expected people by the size of the group that they cannot be told apart from.

    Attributes
    ----------
    counts, groups
        What was counted, and what it is reported by.
    spreads
        For each detail of the birth date, the expected people of every k.
    """

    counts: Counts = field(repr=False)
    groups: Groups = field(repr=False)
    births: Births
    spreads: Mapping[str, Spread] = field(repr=False)

    @property
    def details(self) -> tuple[str, ...]:
        """The details of the birth date that were looked at."""
        return tuple(self.spreads)

    def at_most(self, detail: str, k: int) -> Floats:
        """The expected people of each group whose anonymity is k or less."""
        whole_number("k", k)
        return self.spreads[detail].between(1, k)

    def share_at_most(self, detail: str, k: int) -> float:
        """Share of all people whose anonymity is k or less."""
        return float(self.at_most(detail, k).sum()) / self.counts.total

    def table(self) -> pl.DataFrame:
        """Every k: people of exactly that anonymity, of at least that anonymity, and their shares."""
        return pl.concat([self._table(detail) for detail in self.details])

    def _table(self, detail: str) -> pl.DataFrame:
        spread = self.spreads[detail]
        lengths = np.diff(spread.first)
        group = np.repeat(np.arange(self.groups.size), lengths)
        k = np.arange(spread.people.size) - np.repeat(spread.first[:-1], lengths) + 1
        of_group = pl.Series(np.maximum(self.groups.people, 1)[group])
        at_least = pl.col("people").cum_sum(reverse=True).over(pl.Series(group))
        rows = pl.DataFrame({"k": k, "people": spread.people}).select(
            pl.lit(detail).alias("periods"),
            "k",
            "people",
            (pl.col("people") / of_group).alias("share"),
            at_least.alias("at_least"),
            (at_least / of_group).alias("share_at_least"),
        )
        return self.groups.beside(group, rows)

    def views(self) -> dict[str, pl.DataFrame]:
        """All people together by class of k, and the share of 1-anonymous people by the size of the group."""
        whole = {"": self.overview()}
        return whole | {"anonymity.sizes.caption": self.sizes()} if self.groups.names else whole

    def remarks(self) -> tuple[str, ...]:
        """What was counted, and what was taken to be so."""
        counts, births = self.counts, self.births
        facts = {"people": number(counts.total, 0), "cells": number(int(counts.people.size), 0)}
        said = [text("anonymity.basis", columns=counts.names, **facts)]
        if counts.totals:
            said.append(text("anonymity.totals", count=counts.totals))
        if not set(self.details) & set(DETAILS):
            return tuple(said)
        for label, group in counts.ages.items():
            if group is not None and group.last is None:
                last = group.first + counts.years(label) - 1
                said.append(text("anonymity.open-group", group=label, first=group.first, last=last))
        if births.date is None:
            return (*said, text("anonymity.equal-periods"))
        uneven = births.weekdays is not None or births.months is not None
        return (*said, text("anonymity.uneven" if uneven else "anonymity.calendar", date=births.date.isoformat()))

    def sizes(self) -> pl.DataFrame:
        """Share of 1-anonymous people by the size of the group: a row a detail and size."""
        table = by_size(self.shares()).filter(pl.col("groups") > 0)
        return table.with_columns(pl.Series("periods", [spoken(detail) for detail in table["periods"]]))

    def classes(self, tops: Sequence[int] = NATIONAL) -> pl.DataFrame:
        """People in classes of k; ``tops`` are the largest k of each class but the last."""
        wanted = checked(tops)
        return pl.concat([self._classes(detail, wanted) for detail in self.details])

    def _classes(self, detail: str, tops: tuple[int, ...]) -> pl.DataFrame:
        kinds, size = described(tops), self.groups.size
        bounds = zip(kinds["k"], kinds["to"], strict=True)
        people = np.stack([self.spreads[detail].between(low, high) for low, high in bounds], axis=1)
        group = np.repeat(np.arange(size), kinds.height)
        rows = pl.concat([kinds] * size).select(pl.lit(detail).alias("periods"), pl.all())
        shares = people / np.maximum(self.groups.people, 1)[:, None]
        return self.groups.beside(group, rows.with_columns(people=people.ravel(), share=shares.ravel()))

    def overview(self, tops: Sequence[int] = NATIONAL) -> pl.DataFrame:
        """A row a class of all people together, and share and people of each detail, as in Cuadro 1."""
        wanted = checked(tops)
        columns: dict[str, Any] = {"class": names(wanted)}
        for detail in self.details:
            bounds = zip(lowest(wanted), (*wanted, None), strict=True)
            people = np.array([self.spreads[detail].between(low, high).sum() for low, high in bounds])
            columns[f"share_{detail}"] = people / self.counts.total
            columns[f"people_{detail}"] = np.rint(people).astype(np.int64)
        return pl.DataFrame(columns)

    def layout(self, detail: str, tops: Sequence[int] = PLACES) -> pl.DataFrame:
        """A row a group and a column a class, as in Cuadros 2, 3 and 4: whole people, and their total."""
        wanted = checked(tops)
        titles, bounds = names(wanted), zip(lowest(wanted), (*wanted, None), strict=True)
        columns = {
            name: np.rint(self.spreads[detail].between(low, high)).astype(np.int64)
            for name, (low, high) in zip(titles, bounds, strict=True)
        }
        return self.groups.beside(np.arange(self.groups.size), pl.DataFrame({**columns, "total": self.groups.people}))

    def shares(self, k: int = 1) -> pl.DataFrame:
        """A row a group and detail: its people, and the share of them whose anonymity is k or less."""
        return self.groups.shares({detail: self.at_most(detail, k) for detail in self.details})

    def picture(self) -> Picture:
        """Share of 1-anonymous people against population, where there are groups; else the share of each class."""
        return by_population(self.shares()) if self.groups.names else by_class(self.classes())

    def to_dict(self) -> dict[str, Any]:
        """Totals, and the classes of k of all people together."""
        whole = [self._whole(detail) for detail in self.details]
        return {
            "people": self.counts.total,
            "cells": int(self.counts.people.size),
            "totals": self.counts.totals,
            "columns": list(self.counts.names),
            "by": list(self.groups.names),
            "groups": self.groups.size,
            "details": whole,
        }

    def _whole(self, detail: str) -> dict[str, Any]:
        kinds = described(NATIONAL)
        spread = self.spreads[detail]
        people = [float(spread.between(low, high).sum()) for low, high in zip(kinds["k"], kinds["to"], strict=True)]
        rows = kinds.with_columns(people=pl.Series(people), share=pl.Series(people) / self.counts.total)
        return {"periods": detail, "unique": people[0] / self.counts.total, "classes": rows.to_dicts()}


def expected_anonymity(
    counts: Any,
    periods: Any,
    by: Sequence[str] = (),
    keys: Sequence[str] | None = None,
    births: Births | None = None,
) -> ExpectedAnonymity:
    """Expected people by the size of the group that they cannot be told apart from.

    Parameters
    ----------
    counts
        Any table with a row a cell and a column ``count``, or ``Counts`` where it is laid out otherwise.
    periods
        What is known of the birth date: ``"day"``, ``"month"``, ``"year"``, the number of periods in an age group, or
        several of these.
    by
        Columns to report by (place, province); all people together by default.
    keys
        The columns that a file would show; all by default. What it does not show puts cells together.
    births
        The calendar of births: leap days, the date of the counts, unequal weekdays and months.

    Examples
    --------
    >>> frame = pl.DataFrame({"place": ["a", "b"], "age": ["0-4", "0-4"], "count": [10, 400]})
    >>> found = expected_anonymity(frame, "year", by=["place"])
    >>> found.shares().select("place", pl.col("share").round(3)).rows()
    [('a', 0.134), ('b', 0.0)]
    """
    read = published(counts, keys)
    groups, calendar = Groups.of(read, by), births or Births()
    spreads = {str(detail): _spread(Rows.of(read, groups, detail, calendar), groups) for detail in details(periods)}
    return ExpectedAnonymity(read, groups, calendar, spreads)


def _spread(rows: Rows, groups: Groups) -> Spread:
    from celosia.kernels.occupancy import expected_people, spread_lengths

    lengths = np.ones(groups.size, dtype=np.int64)
    spread_lengths(rows.group, rows.structure, rows.size, rows.starts, rows.chance, lengths)
    first = np.concatenate([[0], np.cumsum(lengths)])
    people = np.zeros(first[-1])
    expected_people(
        rows.group, rows.structure, rows.size, rows.cells, rows.starts, rows.number, rows.chance, first, people
    )
    return Spread(first, people)
