"""From the root down: every level is estimated from its measurements and from the level above, and verified."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

import numpy as np

from celosia.census.chain import Chain
from celosia.census.checkpoint import Checkpoint, Drawn
from celosia.census.counts import Counts
from celosia.census.domain import Domain
from celosia.census.estimation import Level
from celosia.census.evidence import collect
from celosia.census.geography import Geography
from celosia.census.limits import Limits, of_all
from celosia.core.run import Run
from celosia.verify.census import children_add_up, counts_hold, limits_hold

_CHUNKS = 64
"""Into how many parts the parents of a level are divided for the threads."""


@dataclass(frozen=True, eq=False)
class Descent:
    """The estimation of a census.

    Attributes
    ----------
    domain, geography
        As declared.
    drawn
        What was measured, and what is limited.
    declared
        The last level on which each limited query is limited by itself.
    run
        Threads, progress and the stop button.
    """

    domain: Domain
    geography: Geography
    drawn: Drawn
    declared: Mapping[str, int]
    run: Run

    def levels(self, checkpoint: Checkpoint | None = None) -> Iterator[Counts]:
        """The counts of each level, root first; those that were estimated before are read."""
        evidence = collect(self.drawn.measurements, self.geography)
        done = [] if checkpoint is None else checkpoint.levels(self.domain)
        yield from done
        above = done[-1] if done else None
        for level in range(len(done), self.geography.depth):
            limits = Limits.of(self.drawn.bounds, self.declared, self.geography, level)
            totals = next((one for one in self.drawn.bounds if one.level == level and of_all(one.query)), None)
            known = Level(self.chain(limits), evidence[level], totals, limits)
            found = self._level(level, above, known)
            self._verify(level, above, found)
            above = found
            if checkpoint is not None:
                checkpoint.keep_level(level, above)
            yield above

    def chain(self, limits: Limits | None) -> Chain:
        """The chain of queries: the one that most is paid for, through the parts that are limited."""
        paid: dict[str, Fraction] = {}
        for charge in self.drawn.spending.charges:
            paid[charge.query] = paid.get(charge.query, Fraction(0)) + 1 / charge.variance
        whole = sum(paid.values()) + 1
        for name in {one.query.name for one in self.drawn.bounds if of_all(one.query)}:
            paid[name] = paid.get(name, Fraction(0)) + whole
        parts = None if limits is None else limits.parts
        return Chain.of([self.domain.query(query) for query in paid], paid, self.domain.size, parts)

    def _level(self, level: int, above: Counts | None, known: Level) -> Counts:
        """The counts of one level, from those of the level above."""
        name = self.geography.levels[level]
        if above is None:
            every = np.arange(self.domain.size, dtype=np.int32)
            root = Counts.of_table(known.root()[None, :], every, self.domain.size)
            self.run.check(name, 1.0)
            return root
        parents = np.linspace(0, above.places, min(above.places, _CHUNKS) + 1).astype(int)
        runs = [range(start, stop) for start, stop in pairwise(parents.tolist())]
        found = []
        with ThreadPoolExecutor(self.run.threads) as pool:
            try:
                for done in pool.map(lambda some: self._children(level, above, known, some), runs):
                    found.append(done)
                    self.run.check(name, len(found) / len(runs))
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        return Counts.of_rows(found)

    def _children(self, level: int, above: Counts, known: Level, parents: range) -> Counts:
        """The counts of the children of a run of parents."""
        rows = []
        for parent in parents:
            cells, table = known.children(self.geography.children(level - 1, parent), *above.of_place(parent))
            rows.append(Counts.of_table(table, cells, self.domain.size))
        return Counts.of_rows(rows)

    def _verify(self, level: int, above: Counts | None, found: Counts) -> None:
        """Nothing goes on that does not hold together, whatever made it."""
        name = self.geography.levels[level]
        counts_hold(name, found.count)
        if above is not None:
            children_add_up(name, self.geography.parents[level], above.entries, found.entries)
        for one in self.drawn.bounds:
            if one.level == level:
                limits_hold(name, one.query.name, found.answers(one.query), one.low, one.high)
