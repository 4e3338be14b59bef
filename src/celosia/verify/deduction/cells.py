"""One variable as a reader of the file knows it: for each cell the set of codes that it may hold.

A published cell is a set as well: the codes that are published so. A cell that was emptied may hold any code of its
domain. Rules make sets smaller, never larger.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import MissingKind, Variable
from celosia.core.microdata import Microdata

Mask = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Coding = Mapping[str | None, str | None]
"""Code as it was → code as it is published; all codes that the variable may hold."""

ANY = -1
"""The set of a cell of which nothing is known, where codes cannot be listed."""


@dataclass(frozen=True)
class Listing:
    """The members of every set, one after the other."""

    first: Ints
    size: Ints
    members: Ints


class Cells:
    """The cells of one variable.

    Attributes
    ----------
    codes
        Codes as they were before coding, and ``image``, the place in ``published`` of each.
    state
        The set of each cell: a single code by its place, a larger set by a number of its own, or ``ANY``.
    emptied, start
        True where the cell was emptied, and the set of such a cell before any rule.
    """

    def __init__(self, data: Microdata, name: str, coding: Coding | None, answered: bool) -> None:
        if coding is not None and len(coding) == 1 and all(code == image for code, image in coding.items()):
            coding = None  # a list of one code would tell every cell before any rule does
        self.variable = data.dictionary[name]
        self.emptied: Mask = data.suppressed(name).to_numpy()
        self.listed = coding is not None
        texts = spell_series(data.column(name))
        shown = texts.filter(pl.Series(~self.emptied)).unique().sort()
        if coding is None:
            self.codes, self.published = shown, shown
            self.image = np.arange(shown.len())
        else:
            images = set(coding.values())
            full = {**coding, **{code: code for code in shown.to_list() if code not in images}}
            self.codes = pl.Series(list(full), dtype=pl.String)
            self.published = pl.Series(list(dict.fromkeys(full.values())), dtype=pl.String)
            self.image = _places(pl.Series(list(full.values()), dtype=pl.String), self.published)
        self._larger: list[Ints] = []
        self._numbers: dict[bytes, int] = {}
        places = _places(texts, self.published)
        self.state = self._published_sets()[places] if self.listed else places
        self.start = self._open(answered) if self.listed else ANY
        self.state[self.emptied] = self.start

    def _published_sets(self) -> Ints:
        """The set that stands behind each published code."""
        order = np.argsort(self.image, kind="stable")
        parts = np.split(order, np.flatnonzero(np.diff(self.image[order])) + 1) if order.size else []
        return np.array([self.number(np.sort(part)) for part in parts] or [ANY], dtype=np.int64)

    def _open(self, answered: bool) -> int:
        """The set of a cell that was emptied: every code, but for non-response where it was an answer."""
        kinds = [self.variable.kind_of(code) for code in self.published.to_list()]
        gone = np.array([answered and kind is MissingKind.NON_RESPONSE for kind in kinds], dtype=np.bool_)
        kept = np.flatnonzero(~gone[self.image])
        return self.number(kept if kept.size else np.arange(self.codes.len()))

    # -- sets ------------------------------------------------------------------------------------------

    def number(self, members: Ints) -> int:
        """The number of a set; its members are in order."""
        if members.size == 1:
            return int(members[0])
        key = members.tobytes()
        if key not in self._numbers:
            self._numbers[key] = -2 - len(self._larger)  # apart from single codes, which may still become more
            self._larger.append(members)
        return self._numbers[key]

    def members(self, state: int) -> Ints:
        """The codes of a set, by place."""
        return np.array([state], dtype=np.int64) if state >= 0 else self._larger[-2 - state]

    def listing(self, states: Ints, published: bool) -> Listing:
        """The members of these sets, as codes or as what they are published as; none of ``ANY``."""
        distinct, inverse = np.unique(states, return_inverse=True)  # larger sets first, single codes after
        larger = [self._view(int(state), published) for state in distinct[distinct < 0]]
        single = distinct[distinct >= 0]
        flat = np.concatenate([*larger, self.image[single] if published else single])
        size = np.array([*(part.size for part in larger), *np.ones(single.size)], dtype=np.int64)
        return Listing((np.cumsum(size) - size)[inverse], size[inverse], flat.astype(np.int64))

    def _view(self, state: int, published: bool) -> Ints:
        if state == ANY:
            return np.zeros(0, dtype=np.int64)
        members = self.members(state)
        return np.unique(self.image[members]) if published else members

    def within(self, state: int, left: Ints, published: bool) -> int:
        """The set of the codes that are left of another: these, or those that are published as these."""
        members = self.members(state)
        return self.number(members[np.isin(self.image[members] if published else members, left)])

    def told(self, states: Ints) -> Ints:
        """The published code that all codes of a set have, by place; -1 where they differ."""
        found = np.full(states.size, -1, dtype=np.int64)
        single = states >= 0
        found[single] = self.image[states[single]]
        distinct, inverse = np.unique(states[~single], return_inverse=True)
        parts = [self._view(int(state), True) for state in distinct]
        found[~single] = np.array([p[0] if p.size == 1 else -1 for p in parts], dtype=np.int64)[inverse]
        return found

    def is_single(self, states: Ints, published: bool) -> Mask:
        """True where a set has one code, or one published code."""
        return self.told(states) >= 0 if published else states >= 0

    # -- numbers ---------------------------------------------------------------------------------------

    def numbers(self, book: Variable) -> Floats:
        """The number that each code is; NaN where it is none."""
        missing = book.missing_mask(self.codes)
        return self.codes.set(missing, None).cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()

    def bounds(self, states: Ints, book: Variable) -> tuple[Floats, Floats]:
        """The least and the greatest number of each set; infinite where some code is no number."""
        distinct, inverse = np.unique(states, return_inverse=True)
        numbers = self.numbers(book)
        ends = np.full((distinct.size, 2), (-np.inf, np.inf))
        single = distinct >= 0
        ends[single] = np.where(np.isnan(numbers), (-np.inf,), numbers)[distinct[single], None]
        ends[single, 1] = np.where(np.isinf(ends[single, 0]), np.inf, ends[single, 1])
        for place in np.flatnonzero(~single & (distinct != ANY)):
            held = numbers[self.members(int(distinct[place]))]
            if not np.isnan(held).any():
                ends[place] = held.min(), held.max()
        return ends[inverse, 0], ends[inverse, 1]

    # -- what is learned -------------------------------------------------------------------------------

    def find(self, codes: pl.Series) -> Ints:
        """The places of codes; -1 where one is not among those that are listed."""
        table = pl.DataFrame({"code": self.codes, "place": np.arange(self.codes.len(), dtype=np.int64)})
        found = codes.to_frame("code").join(table, on="code", how="left", nulls_equal=True, maintain_order="left")
        return found["place"].fill_null(-1).to_numpy()

    def add(self, codes: pl.Series) -> Ints:
        """The places of codes, which may be new: for variables whose codes are not listed."""
        new, old = codes.unique().sort().to_frame("code"), self.codes.to_frame("code")
        fresh = new.join(old, on="code", how="anti", nulls_equal=True, maintain_order="left")["code"]
        self.codes = pl.concat([self.codes, fresh.rename(self.codes.name)])
        self.published, self.image = self.codes, np.arange(self.codes.len())
        return _places(codes, self.codes)


def _places(texts: pl.Series, among: pl.Series) -> Ints:
    """The place of each text among distinct ones; 0 where it is not there."""
    table = pl.DataFrame({"code": among, "place": np.arange(among.len(), dtype=np.int64)})
    found = texts.to_frame("code").join(table, on="code", how="left", nulls_equal=True, maintain_order="left")
    return found["place"].fill_null(0).to_numpy().astype(np.int64)
