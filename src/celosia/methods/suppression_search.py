"""From what a suppression must reach to the cells it empties: searches repeated until every aim holds.

One aim (the whole key) takes one search. Several (each subset of some size), or cells that must go together with
others, take turns: what one search empties may spoil what another reached. Cells only ever become empty, so the turns
end; then whatever no aim needs any more is given back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, zip_longest
from typing import Literal

import numpy as np
import numpy.typing as npt

from celosia.methods.coded_records import CodedRecords, Grouped
from celosia.methods.covering import Cover, KeySet, Task, cover
from celosia.methods.giving_back import give_back
from celosia.methods.matching import cover_matching, reached
from celosia.methods.rematching import Rematching
from celosia.methods.risk_limit import RiskLimit
from celosia.methods.whole_records import whole_records

Mask = npt.NDArray[np.bool_]

_EVERYBODY = 2_000
"""Up to so many records, those that are safe may lose something too before the search gives up."""


@dataclass(frozen=True)
class Aim:
    """Each record's values of some keys, by position, are to be shared by enough records."""

    keys: tuple[int, ...]
    need: int


@dataclass(frozen=True, eq=False)
class Terms:
    """Everything that a search must respect.

    Attributes
    ----------
    aims
        What to reach.
    counting, spare
        How records are counted, and whether violators that others cover may stay as they are.
    blocks
        Keys that are emptied together; a key that is in none is never emptied.
    prices
        What emptying one cell of each key costs.
    most
        How many keys a record may lose.
    shared
        Keys that the records of a group lose together.
    limit
        The risk that takes the place of k, where records have weights.
    effort
        How long to look for fewer cells.
    """

    aims: tuple[Aim, ...]
    counting: Literal["strict", "wildcard"]
    spare: bool
    blocks: tuple[tuple[int, ...], ...]
    prices: tuple[float, ...]
    most: int
    shared: tuple[int, ...] = ()
    limit: RiskLimit | None = None
    effort: float = 1.0

    def may_lose_all(self, keys: tuple[int, ...]) -> bool:
        """Whether a record may lose every one of some keys."""
        together = {j for block in self.blocks if set(block) & set(keys) for j in block}
        return set(keys) <= together and len(together) <= self.most

    @property
    def prices_alone(self) -> list[float]:
        """What a cell of each key costs that may be emptied by itself; infinity where it goes with others."""
        alone = {block[0] for block in self.blocks if len(block) == 1} - set(self.shared)
        return [price if j in alone else float("inf") for j, price in enumerate(self.prices)]

    def key_sets(self, keys: tuple[int, ...], limit: int = 20_000) -> list[KeySet]:
        """What may be emptied of some keys, by position among them, the cheapest first.

        A block goes whole; what it holds beside the keys asked for counts in the price and towards the most.
        """
        blocks = [block for block in self.blocks if set(block) & set(keys)]
        found: dict[tuple[int, ...], KeySet] = {}
        for size in range(1, min(self.most, len(blocks)) + 1):
            for some in combinations(blocks, size):
                lost = [j for block in some for j in block]
                if len(lost) <= self.most:
                    here = tuple(sorted(keys.index(j) for j in lost if j in keys))
                    found[here] = KeySet(here, float(sum(self.prices[j] for j in lost)), len(lost))
            if len(found) > limit:
                break
        return sorted(found.values(), key=lambda s: (s.cost, s.keys))


@dataclass(frozen=True, eq=False)
class Outcome:
    """For each record, which keys to empty, whether it could not be protected, and whether it violated any aim."""

    emptied: Mask
    left: Mask = field(repr=False)
    violators: Mask = field(repr=False)

    def rank(self, prices: Sequence[float]) -> tuple[int, float]:
        """The less the better: records that could not be protected, then what all emptied cells cost."""
        return int(self.left.sum()), float(self.emptied.sum(axis=0) @ np.array(prices))


def search(records: CodedRecords, terms: Terms, check: Callable[[float], None] = lambda done: None) -> Outcome:
    """The cells to empty so that every aim holds, and the records for which none will do."""
    found = _Search(records, terms, check).run()
    if terms.counting == "strict" and len(terms.aims) > 1:
        found = min(_Search(records, terms, check).run_whole(), found, key=lambda one: one.rank(terms.prices))
    if terms.spare and found.left.any():
        treated = _Search(records, replace(terms, spare=False), check).run()
        return treated if treated.left.sum() < found.left.sum() else found
    return found


class _Search:
    """One search: cells emptied so far."""

    def __init__(self, records: CodedRecords, terms: Terms, check: Callable[[float], None]) -> None:
        self.records, self.terms, self.check = records, terms, check
        self.emptied = np.zeros((records.height, len(records.names)), dtype=np.bool_)
        self.left = np.zeros(records.height, dtype=np.bool_)

    def run(self) -> Outcome:
        """Sweep over the aims until a sweep empties nothing."""
        terms = self.terms
        each = terms.counting == "wildcard" and not terms.spare
        violators = [self._short(aim) for aim in terms.aims]
        todo = violators if each and self.several else []
        while True:
            before = int(self.emptied.sum())
            for aim, must in zip_longest(terms.aims, todo):
                self._reach(aim, must)
                self._share()
            todo = []
            if not (self.several or terms.shared) or int(self.emptied.sum()) == before:
                break
        aims = [(aim.keys, aim.need) for aim in terms.aims]
        if terms.counting == "wildcard":
            game = Rematching(self.records, self.emptied, aims, violators, each, terms.prices_alone, terms.most)
            self.left = game.run(terms.effort)
            if self.left.any() and self.records.height <= _EVERYBODY:
                self.left = game.of_everybody().run(terms.effort)
        elif self.several and not self.left.any():
            give_back(self.records, self.emptied, aims, terms.prices_alone)
        over = self.emptied.sum(axis=1) > terms.most
        return Outcome(self.emptied, self.left | over, np.logical_or.reduce(violators))

    def run_whole(self) -> Outcome:
        """Give those that violate some aim company in the whole key: strictly, that holds for every part of it.

        What they lose or lend may leave others short; then these are protected with them, from the start.
        """
        terms = self.terms
        violators = [self._short(aim) for aim in terms.aims]
        every = tuple(range(len(self.records.names)))
        whole = Aim(every, max(aim.need for aim in terms.aims))
        short = must = np.logical_or.reduce(violators)
        while short.any():
            self.emptied[:], self.left[:] = False, False
            now = self.records.now(self.emptied, every, must.astype(np.int32))
            self._protect(whole, now, now.task(whole.need).of(now.flag > 0))
            self._share()
            short = np.logical_or.reduce([self._short(aim) for aim in terms.aims])
            if not (short & ~must).any():
                break
            must = must | short
        if not short.any():
            give_back(self.records, self.emptied, [(aim.keys, aim.need) for aim in terms.aims], terms.prices_alone)
        over = self.emptied.sum(axis=1) > terms.most
        return Outcome(self.emptied, self.left | short | over, np.logical_or.reduce(violators))

    @property
    def several(self) -> bool:
        """Whether there are several aims."""
        return len(self.terms.aims) > 1

    def _share(self) -> None:
        """What one record of a group lost of its shared keys, all of them lose."""
        group = self.records.group
        if group is None:
            return
        for j in self.terms.shared:
            lost = np.zeros(group.size, dtype=np.bool_)
            lost[group.index[self.emptied[:, j]]] = True
            self.emptied[:, j] = lost[group.index]

    def _reach(self, aim: Aim, untreated: Mask | None) -> None:
        """Empty what one aim asks for; with ``untreated``, of those that lost none of its keys yet as well."""
        flag = self.left.astype(np.int32)
        if untreated is not None:
            flag += 2 * (untreated & ~self.emptied[:, list(aim.keys)].any(axis=1))
        now = self.records.now(self.emptied, aim.keys, flag if flag.any() else None)
        lost = self.emptied.sum(axis=1)
        task = now.task(aim.need, self.terms.most - lost if lost.any() else None)
        short = self._violating(now, task)
        self._protect(aim, now, task.of((short | (now.flag >= 2)) & (now.flag % 2 == 0)))

    def _protect(self, aim: Aim, now: Grouped, task: Task) -> None:
        """Empty what the keys need that must be protected."""
        sets = self.terms.key_sets(aim.keys)
        sets = [KeySet(tuple(j + task.fixed for j in s.keys), s.cost, s.cells) for s in sets]
        found = self._cover(task, sets)
        if found.left and self.terms.counting == "strict" and self.terms.may_lose_all(aim.keys):
            found = whole_records(task, found)
        lost, left = now.of_records(found, self.records.ids)
        lost = lost[:, task.fixed :]
        if self.terms.counting == "wildcard":
            lost &= (now.digits[:, task.fixed :] > 0)[now.index]  # what is not there cannot be lost
        self.emptied[:, list(aim.keys)] |= lost
        for block in self.terms.blocks:
            if len(block) > 1:
                self.emptied[:, list(block)] |= self.emptied[:, list(block)].any(axis=1, keepdims=True)
        self.left |= left

    def _violating(self, now: Grouped, task: Task) -> Mask:
        """Distinct keys that do not reach what they need."""
        wildcard, limit = self.terms.counting == "wildcard", self.terms.limit
        if limit is None:
            return reached(task, now.count) < task.need if wildcard else task.must
        if wildcard:
            return limit.exceeded(reached(task, now.count), reached(task, now.weight))
        return limit.exceeded(now.count, now.weight)

    def _short(self, aim: Aim) -> Mask:
        """Records that violate an aim as the file came."""
        now = self.records.now(self.emptied, aim.keys)
        return self._violating(now, now.task(aim.need))[now.index]

    def _cover(self, task: Task, sets: list[KeySet]) -> Cover:
        if self.terms.counting == "wildcard":
            return cover_matching(task, sets, self.terms.spare, self.check)
        return cover(task, sets, self.terms.effort, self.check)
