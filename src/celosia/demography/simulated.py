r"""The people that a birth date, a sex and a place single out, simulated: medians and intervals.

A replicate gives every person of a cell a period by chance and counts who shares it with whom. Which person it is does
not matter, only how many periods have how many people; so that is drawn, not the births one by one
(``kernels.occupancy_draws``). Two exact samplers:

*By levels.* The births of n people in N equal periods are N independent Poisson numbers of mean :math:`\lambda = n/N`,
given that they add up to n. Hence the numbers of periods with k people, :math:`M_0, M_1, \dots`, are independent
Poisson numbers of mean :math:`N e^{-\lambda} \lambda^k / k!`, given :math:`\sum_k M_k = N` and
:math:`\sum_k k M_k = n`. All but the two most frequent levels i and i + 1 are drawn from tables; both sums leave one
solution for these, and the draw is kept with probability
:math:`P(M_i)P(M_{i+1}) / \max P(M_i) \max P(M_{i+1})`.

*By periods*, where there are few of them or their chances differ. Poisson numbers with means :math:`s p_b`, s a little
below n, redrawn while their sum passes n; given their sum they are the births of so many people, whatever it is. Each
of the people still missing then takes a period with chances :math:`p_b`.

Poisson tables leave out tails of less than :math:`e^{-44} < 10^{-19}`; a cell whose every period has more people than
the largest class names, but for such a tail, is not drawn.

References
----------
Gil Bellosta (2011), *Microdatos y k-anonimidad: un enfoque cuantitativo en el contexto español*, Cuadro 1. Kolchin,
Sevast'yanov & Chistyakov (1978), *Random allocations*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.language import percent, text
from celosia.core.picture import Picture
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.demography.births import Births, Detail, Floats, Ints, details
from celosia.demography.classes import NATIONAL, checked, described, lowest
from celosia.demography.counts import Counts, published
from celosia.demography.pictures import by_class, by_population
from celosia.demography.rows import Groups, Rows
from celosia.risk.options import whole_number, within

_AT_ONCE = 1 << 24
"""Numbers that all threads together hold of the groups under work."""
_BLOCK = 128
"""Rows that a thread draws before it looks whether somebody stopped the work."""


@dataclass(frozen=True, eq=False)
class SimulatedAnonymity(Tabular):
    """Medians and intervals of the people of every class of k.

    Attributes
    ----------
    counts, groups
        What was counted, and what it is reported by.
    tops
        Largest k of each class but the last.
    simulations, level
        How many replicates, and the probability that the intervals hold.
    people, at_least
        For each detail: quantiles (low, median, high) of the people of each group and class, and of the people whose
        k is at least the smallest of the class.
    """

    counts: Counts = field(repr=False)
    groups: Groups = field(repr=False)
    births: Births
    tops: tuple[int, ...]
    simulations: int
    level: float
    people: Mapping[str, Floats] = field(repr=False)
    at_least: Mapping[str, Floats] = field(repr=False)

    @property
    def details(self) -> tuple[str, ...]:
        """The details of the birth date that were looked at."""
        return tuple(self.people)

    def table(self) -> pl.DataFrame:
        """A row a group, detail and class: median (``people``) and interval, exactly in it and at least its k."""
        return pl.concat([self._table(detail) for detail in self.details])

    def _table(self, detail: str) -> pl.DataFrame:
        kinds, size = described(self.tops), self.groups.size
        group = np.repeat(np.arange(size), kinds.height)
        low, middle, high = self.people[detail].reshape(3, -1)
        least_low, least, least_high = self.at_least[detail].reshape(3, -1)
        rows = pl.concat([kinds] * size).select(pl.lit(detail).alias("periods"), pl.all())
        shares = middle / np.maximum(self.groups.people[group], 1)
        rows = rows.with_columns(
            people=middle, low=low, high=high, share=shares, at_least=least, at_least_low=least_low,
            at_least_high=least_high,
        )  # fmt: skip
        return self.groups.beside(group, rows)

    def views(self) -> dict[str, pl.DataFrame]:
        """Cuadro 1 of all people together; by group, the table."""
        return {"": self.table() if self.groups.names else self.overview()}

    def remarks(self) -> tuple[str, ...]:
        """How many simulations the medians and intervals rest on."""
        return (text("anonymity.simulated", count=self.simulations, level=percent(self.level, 0)),)

    def overview(self) -> pl.DataFrame:
        """A row a class and three columns a detail, as in Cuadro 1: share, median and half the interval."""
        own = described(self.tops).select("class")
        parts = [
            self.groups.beside(np.repeat(np.arange(self.groups.size), own.height), pl.concat([own] * self.groups.size))
        ]
        for detail in self.details:
            rows = self._table(detail)
            margin = (rows["high"] - rows["low"]) / 2
            parts.append(
                pl.DataFrame(
                    {
                        f"share_{detail}": rows["share"],
                        f"people_{detail}": rows["people"].round().cast(pl.Int64),
                        f"margin_{detail}": margin.round().cast(pl.Int64),
                    }
                )
            )
        return pl.concat(parts, how="horizontal")

    def shares(self) -> pl.DataFrame:
        """A row a group and detail: its people, and the median share of them in the first class."""
        return self.groups.shares({detail: self.people[detail][1, :, 0] for detail in self.details})

    def picture(self) -> Picture:
        """Median share of 1-anonymous people against population where there are groups; else of each class."""
        return by_population(self.shares()) if self.groups.names else by_class(self.table())

    def to_dict(self) -> dict[str, Any]:
        """The circumstances, and every row where all people are together."""
        return {
            "people": self.counts.total,
            "simulations": self.simulations,
            "level": self.level,
            "by": list(self.groups.names),
            "groups": self.groups.size,
            "classes": [] if self.groups.names else self.table().to_dicts(),
        }


def simulate_anonymity(
    counts: Any,
    periods: Any,
    by: Sequence[str] = (),
    keys: Sequence[str] | None = None,
    births: Births | None = None,
    simulations: int = 1000,
    tops: Sequence[int] = NATIONAL,
    level: float = 0.95,
    run: Run | None = None,
) -> SimulatedAnonymity:
    """Medians and intervals of the people of every class of k, over so many simulated populations.

    Parameters
    ----------
    counts, periods, by, keys, births
        As ``expected_anonymity`` takes them.
    simulations
        How many replicates.
    tops
        Largest k of each class but the last.
    level
        Probability of the intervals: as much is left out above as below.
    run
        Key, threads, progress and stop button: the same key gives the same figures, whatever the threads.

    Examples
    --------
    >>> frame = pl.DataFrame({"age": ["0-4", "5-9"], "count": [10, 400]})
    >>> simulate_anonymity(frame, "year", simulations=100, run=Run(key=1)).table()["people"][0] <= 4
    True
    """
    whole_number("simulations", simulations, 2)
    within("level", level, 0, 1, above=True, below=True)
    read, calendar, run = published(counts, keys), births or Births(), run or Run()
    groups, wanted = Groups.of(read, by), details(periods)
    drawing = _Drawing(groups, checked(tops), int(simulations), float(level))
    found = {str(detail): drawing.quantiles(read, detail, calendar, run.step(str(detail))) for detail in wanted}
    return SimulatedAnonymity(
        read,
        groups,
        calendar,
        drawing.tops,
        drawing.simulations,
        drawing.level,
        {detail: pair[0] for detail, pair in found.items()},
        {detail: pair[1] for detail, pair in found.items()},
    )


@dataclass(frozen=True)
class _Drawing:
    """What is drawn, and how it is summed up."""

    groups: Groups
    tops: tuple[int, ...]
    simulations: int
    level: float

    def quantiles(self, counts: Counts, detail: Detail | int, births: Births, run: Run) -> tuple[Floats, Floats]:
        """Quantiles of people by class, and of people at least of its k: (low, median, high) × group × class."""
        rows = Rows.of(counts, self.groups, detail, births)
        together = max(1, _AT_ONCE // (self.simulations * (self.tops[-1] + 1) * run.threads))
        parts = []
        for first in range(0, self.groups.size, together):
            run.check(str(detail), first / self.groups.size)
            last = min(first + together, self.groups.size)
            parts.append(self._summed_up(self._drawn(rows, first, last, run), self.groups.people[first:last]))
        return np.concatenate([part[0] for part in parts], axis=1), np.concatenate([part[1] for part in parts], axis=1)

    def _drawn(self, rows: Rows, first: int, last: int, run: Run) -> Ints:
        """Periods by group, replicate and k, summed over the threads."""
        from celosia.kernels.occupancy_draws import draw_people

        begin, end = np.searchsorted(rows.group, [first, last])
        key = np.frombuffer(run.secret[:16], dtype=np.uint64)
        blocks = [np.arange(start, min(start + _BLOCK, end)) for start in range(begin, end, _BLOCK)]
        threads = max(1, min(run.threads, len(blocks)))
        place = rows.group - first

        def draw(mine: Sequence[npt.NDArray[np.int64]]) -> Ints:
            periods = np.zeros((last - first, self.simulations, self.tops[-1] + 1), dtype=np.int64)
            for block in mine:
                run.check()
                draw_people(
                    block, rows.structure, rows.size, rows.cells, place, rows.starts, rows.number, rows.chance,
                    key[0], key[1], self.tops[-1], periods,
                )  # fmt: skip
            return periods

        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(draw, [blocks[t::threads] for t in range(threads)]))
        total: Ints = np.sum(parts, axis=0, dtype=np.int64)
        return total

    def _summed_up(self, periods: Ints, people: Ints) -> tuple[Floats, Floats]:
        by_k = periods * np.arange(periods.shape[2])
        inside = np.add.reduceat(by_k, lowest(self.tops)[:-1], axis=2)
        above = people[:, None, None] - inside.sum(axis=2, keepdims=True)
        of_class = np.concatenate([inside, above], axis=2)
        at_least = of_class[:, :, ::-1].cumsum(axis=2)[:, :, ::-1]
        tail = (1 - self.level) / 2
        levels = (tail, 0.5, 1 - tail)
        return np.quantile(of_class, levels, axis=1), np.quantile(at_least, levels, axis=1)
