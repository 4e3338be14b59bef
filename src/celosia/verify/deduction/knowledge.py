"""What a reader knows of the records: the cells of each variable, narrowed by one rule after the other.

Records that know the same of some variables are looked at once; there a rule is tried on every combination of codes
that is possible still.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from celosia.core.condition import holds
from celosia.core.condition import names as names_of
from celosia.core.dictionary import Dictionary
from celosia.core.microdata import Microdata
from celosia.verify.deduction.cells import ANY, Cells, Coding, Floats, Ints, Mask

MOST = 4096
"""Combinations of codes that a rule is tried on in one record; a rule that would need more says nothing."""
_AT_ONCE = 1 << 19
"""Combinations that are tried together."""

Fits = Callable[[Microdata], Mask]


@dataclass(frozen=True, eq=False)
class Terms:
    """In which terms the file is read.

    Attributes
    ----------
    book
        What is known of the codes as they were before coding; by default, of those that are published.
    codings
        Variable → code as it was → code as it is published; the codes that are listed are all it may hold.
    answered
        Whether an emptied cell held an answer for sure, or *not applicable*, but no non-response.
    """

    book: Dictionary | None = None
    codings: Mapping[str, Coding] = field(default_factory=dict)
    answered: bool = False


@dataclass(frozen=True, eq=False)
class Trial:
    """Combinations of codes, of some of the kinds of record at a time.

    ``kinds`` are these kinds by number, ``owner`` the place among them of each combination, ``digits`` its codes by
    variable, and ``table`` the same written out.
    """

    kinds: Ints
    owner: Ints
    digits: Sequence[Ints]
    table: Microdata


class Knowledge:
    """Some records, the cells of the variables that rules speak of, and how many of them which rule settled."""

    def __init__(self, data: Microdata, names: Collection[str], terms: Terms) -> None:
        self.data, self.book = data, data.dictionary if terms.book is None else terms.book
        self.cells = {n: Cells(data, n, terms.codings.get(n), terms.answered) for n in dict.fromkeys(names)}
        self.credit: dict[tuple[str, str], int] = {}
        self.moves = 0

    @property
    def everybody(self) -> Ints:
        """The places of all records."""
        return np.arange(self.data.height)

    # -- what is known ---------------------------------------------------------------------------------

    def group(self, name: str) -> Ints:
        """The group of each record by the published codes of a variable; -1 where it names none."""
        values = self.data.column(name)
        absent = self.data.dictionary[name].missing_mask(values) | self.data.suppressed(name)
        found = values.rank("dense").fill_null(0).cast(pl.Int64).to_numpy() - 1
        return np.where(absent.to_numpy(), -1, found)

    def judged(self, condition: str) -> tuple[Mask, Mask]:
        """The records where a condition may hold, and where it must; without one it holds."""
        may, must = (np.full(self.data.height, value) for value in (True, not condition))
        if condition:
            names = names_of(condition)
            kinds, kind = self._kinds(names, self.everybody)
            can, cannot = np.ones(len(kinds), dtype=np.bool_), np.ones(len(kinds), dtype=np.bool_)
            for trial in self._trials(names, kinds, published=False):
                true = holds(condition, trial.table)
                can[trial.kinds] = np.bincount(trial.owner, true, trial.kinds.size) > 0
                cannot[trial.kinds] = np.bincount(trial.owner, ~true, trial.kinds.size) > 0
            may, must = can[kind], ~cannot[kind]
        return may, must

    def bounds(self, name: str) -> tuple[Floats, Floats]:
        """The least and the greatest number that each record may hold; infinite where it may be no number."""
        cells = self.cells[name]
        return cells.bounds(cells.state, self.book[name])

    def contradicted(self, names: Sequence[str], fits: Fits, published: bool = False) -> Mask:
        """The records of which no combination of codes fits."""
        kinds, kind = self._kinds(names, self.everybody)
        none = np.zeros(len(kinds), dtype=np.bool_)
        for trial in self._trials(names, kinds, published):
            none[trial.kinds] = np.bincount(trial.owner, fits(trial.table), trial.kinds.size) == 0
        return none[kind]

    def lone_gaps(self, names: Sequence[str]) -> Iterator[tuple[str, Ints]]:
        """For each variable, the records where it alone may hold any code, and the others are settled."""
        settled = {name: self.cells[name].state >= 0 for name in names}
        for name in names:
            others = [settled[other] for other in names if other != name]
            rows = np.flatnonzero((self.cells[name].state == ANY) & np.logical_and.reduce(others))
            if rows.size and not self.cells[name].listed:
                yield name, rows

    def written(self, names: Sequence[str], rows: Ints) -> Microdata:
        """The codes of records whose cells are all settled; of others, nothing."""
        columns = []
        for name in names:
            cells = self.cells[name]
            codes = cells.codes.gather(np.maximum(cells.state[rows], 0)) if cells.codes.len() else _nothing(rows.size)
            columns.append(codes.set(pl.Series(cells.state[rows] < 0), None).alias(name))
        return Microdata(pl.DataFrame(columns)).with_dictionary(self.book.keep(names))

    # -- what is learned -------------------------------------------------------------------------------

    def keep(self, names: Sequence[str], rows: Ints, fits: Fits, by: str, published: bool = False) -> None:
        """Of these records, only combinations of codes that fit; where none does the rules contradict each other."""
        rows = rows[np.any([self.cells[name].state[rows] < 0 for name in names], axis=0)]
        kinds, kind = self._kinds(names, rows)
        larger = [~self.cells[n].is_single(column, published) for n, column in zip(names, kinds.T, strict=True)]
        worth = np.flatnonzero(np.any(larger, axis=0))
        sizes = [self.cells[n].listing(column, published).size for n, column in zip(names, kinds.T, strict=True)]
        new = kinds.copy()
        for trial in self._trials(names, kinds, published, worth):
            kept = np.flatnonzero(fits(trial.table))
            for j, name in enumerate(names):
                for owner, codes in _survivors(trial.owner[kept], trial.digits[j][kept]):
                    one = trial.kinds[owner]
                    if codes.size < sizes[j][one]:
                        new[one, j] = self.cells[name].within(int(kinds[one, j]), codes, published)
        for j, name in enumerate(names):
            self._know(name, rows, new[kind, j], by)

    def clip(self, name: str, rows: Ints, low: Floats, high: Floats, by: str, only: bool = False) -> None:
        """Of these records, only numbers from ``low`` to ``high``; codes that are no number go where ``only``."""
        cells = self.cells[name]
        numbers = cells.numbers(self.book[name])
        limits = np.unique(
            np.stack([cells.state[rows].astype(np.float64), low, high], axis=1), axis=0, return_inverse=True
        )
        new = np.zeros(len(limits[0]), dtype=np.int64)
        for i, (state, least, most) in enumerate(limits[0]):
            new[i] = int(state)
            if state != ANY:
                members = cells.members(int(state))
                held = numbers[members]
                kept = members[(np.isnan(held) & (not only)) | ((held >= least) & (held <= most))]
                new[i] = cells.number(kept) if kept.size else int(state)
        self._know(name, rows, new[limits[1].ravel()], by)

    def settle(self, name: str, rows: Ints, codes: pl.Series, by: str) -> None:
        """Of these records, the code itself, where a rule gives one; one that is not possible is passed over."""
        cells = self.cells[name]
        given = codes.is_not_null().to_numpy()
        rows, codes = rows[given], codes.filter(pl.Series(given))
        if cells.listed:
            places = cells.find(codes)
            possible = [p >= 0 and p in cells.members(int(cells.state[r])) for p, r in zip(places, rows, strict=True)]
            rows, places = rows[possible], places[possible]
        else:
            open_ = cells.state[rows] == ANY
            rows, places = rows[open_], cells.add(codes.filter(pl.Series(open_)))
        self._know(name, rows, places, by)

    def _know(self, name: str, rows: Ints, states: Ints, by: str) -> None:
        cells = self.cells[name]
        changed = cells.state[rows] != states
        rows, states = rows[changed], states[changed]
        told = cells.emptied[rows] & (cells.told(cells.state[rows]) < 0) & (cells.told(states) >= 0)
        cells.state[rows] = states
        self.moves += rows.size
        if told.any():
            self.credit[name, by] = self.credit.get((name, by), 0) + int(told.sum())

    # -- combinations ----------------------------------------------------------------------------------

    def _kinds(self, names: Sequence[str], rows: Ints) -> tuple[Ints, Ints]:
        """What is known of some variables: the distinct kinds of record, and the kind of each."""
        states = np.stack([self.cells[name].state[rows] for name in names], axis=1)
        low = states.min(axis=0, initial=0)
        span = states.max(axis=0, initial=0) - low + 1
        if float(np.prod(span.astype(np.float64))) >= 2**62:
            kinds, kind = np.unique(states, axis=0, return_inverse=True)
            return kinds, kind.ravel()
        packed = np.ravel_multi_index(tuple((states - low).T), tuple(span))
        _, first, kind = np.unique(packed, return_index=True, return_inverse=True)
        return states[first], kind

    def _trials(self, names: Sequence[str], kinds: Ints, published: bool, among: Ints | None = None) -> Iterator[Trial]:
        """Every combination of codes, of the kinds of record that have not too many."""
        listings = [self.cells[n].listing(column, published) for n, column in zip(names, kinds.T, strict=True)]
        count = np.prod([listing.size.astype(np.float64) for listing in listings], axis=0)
        few = np.flatnonzero((count > 0) & (count <= MOST))
        chosen = few if among is None else np.intersect1d(few, among)
        ends = np.cumsum(count[chosen])
        cuts = np.searchsorted(ends, np.arange(_AT_ONCE, ends[-1] if ends.size else 0, _AT_ONCE))
        for part in np.split(chosen, cuts):
            if not part.size:
                continue
            size = count[part].astype(np.int64)
            owner = np.repeat(np.arange(part.size), size)
            within = np.arange(owner.size) - np.repeat(np.cumsum(size) - size, size)
            digits = []
            for listing in listings:
                base = listing.size[part][owner]
                digits.append(listing.members[listing.first[part][owner] + within % base])
                within //= base
            yield Trial(part, owner, digits, self._table(names, digits, published))

    def _table(self, names: Sequence[str], digits: Sequence[Ints], published: bool) -> Microdata:
        book = self.data.dictionary if published else self.book
        texts = [self.cells[n].published if published else self.cells[n].codes for n in names]
        columns = [text.gather(d).alias(n) for n, text, d in zip(names, texts, digits, strict=True)]
        return Microdata(pl.DataFrame(columns)).with_dictionary(book.keep(names))


def _survivors(owner: Ints, digit: Ints) -> Iterator[tuple[int, Ints]]:
    """Owner → the codes that are left to it, in order."""
    pairs = np.unique(np.stack([owner, digit], axis=1), axis=0)
    cuts = np.flatnonzero(np.diff(pairs[:, 0])) + 1
    for part in np.split(pairs, cuts) if len(pairs) else []:
        yield int(part[0, 0]), part[:, 1]


def _nothing(size: int) -> pl.Series:
    return pl.repeat(None, size, dtype=pl.String, eager=True)
