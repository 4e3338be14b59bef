r"""Local suppression: empty as few cells as it takes for every record to share its key with k - 1 others.

Counting is strict: a suppressed cell is a category of its own, so that what is promised holds under every way of
counting. Violators are protected in groups: for a set :math:`S` of keys, the violators that become equal once
the keys in :math:`S` are emptied form a class, and a class of at least :math:`k` records is safe. Sets are
tried from the cheapest (fewest and least important keys) to the dearest; at the end a class that is still short
borrows records from safe keys that can spare them.

References
----------
Samarati & Sweeney (1998); de Waal & Willenborg (1999), *Information loss through global recoding and local
suppression*, Netherlands Official Statistics 14, 17-20.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from celosia.core.errors import DataError, OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import Names, ReadOnly, Share
from celosia.core.run import Run
from celosia.engines import Keys, engine
from celosia.verify import EmptiedOnly, KAnonymous, SameRecords, Untouched

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Suppressed(Protected):
    """Data with cells emptied, and how many in each key."""

    suppressed: dict[str, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """Cells emptied in all."""
        return sum(self.suppressed.values())


class LocalSuppression(Method):
    """Reach k-anonymity by emptying single cells.

    Parameters
    ----------
    keys, k
        The key variables, and how many records must share each key at the least.
    importance
        Rank of each key, 1 = keep if possible; keys not named rank by their number of categories.
    strata
        Variables within whose values k must hold.
    max_share
        The largest share of its keys that a record may lose.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": ["M", "H", "H", "M"], "zona": ["r", "r", "r", "u"]})
    >>> LocalSuppression(keys=("sexo", "zona"), k=2).apply(frame).suppressed
    {'sexo': 0, 'zona': 2}
    """

    do: ClassVar[str] = "local_suppression"

    keys: Names
    k: Annotated[int, Field(ge=2)]
    importance: ReadOnly[str, int] | None = None
    strata: tuple[str, ...] = ()
    max_share: Share = 0.5

    def _transform(self, data: Microdata, run: Run) -> Suppressed:
        if unknown := set(self.importance or {}) - set(self.keys):
            raise OptionError("importance-unknown", variables=tuple(sorted(unknown)))
        if data.height < self.k:
            raise DataError("fewer-than-k", k=self.k, count=data.height)
        coded = engine(data).encode((*self.strata, *self.keys), "strict")
        emptied = self._emptied(coded, run)
        masks = {name: emptied[:, j] for j, name in enumerate(self.keys)}
        treated = data.suppress({name: mask for name, mask in masks.items() if mask.any()})
        counts = {name: int(treated.suppressed(name).sum() - data.suppressed(name).sum()) for name in self.keys}
        return Suppressed(treated, method=self, run=run, suppressed=counts)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Cells of the keys emptied, and nothing else."""
        return (SameRecords(), Untouched(frozenset(self.keys)), EmptiedOnly(self.keys))

    def lasting(self) -> tuple[Promise, ...]:
        """k within strata, counted strictly."""
        return (KAnonymous(self.keys, self.k, self.strata),)

    def _emptied(self, coded: Keys, run: Run) -> Mask:
        """For each record, which keys to empty."""
        fixed = len(self.strata)
        classes = _Classes(coded, fixed, self.k)
        for number, subset in enumerate(self._subsets(coded, fixed)):
            run.check(self.do, number / 2 ** len(self.keys))
            if not classes.open.any():
                break
            classes.protect(subset, borrow=False)
        for subset in self._subsets(coded, fixed):
            if not classes.open.any():
                break
            classes.protect(subset, borrow=True)
        if classes.open.any() and self._most == len(self.keys):
            classes.empty_whole_records()
        if classes.open.any():
            raise DataError("suppression-impossible", k=self.k, count=int(classes.open_records), share=self.max_share)
        return classes.emptied()

    @property
    def _most(self) -> int:
        """How many keys a record may lose."""
        return int(self.max_share * len(self.keys) + 1e-9) or 1

    def _subsets(self, coded: Keys, fixed: int) -> Iterator[tuple[int, ...]]:
        """Sets of keys from the cheapest to the dearest that a record may lose."""
        sizes = [len(c) for c in coded.categories[fixed:]]
        given = self.importance or {}
        default = sorted(range(len(sizes)), key=lambda j: (sizes[j], j))
        rank = {j: given.get(self.keys[j], default.index(j) + 1) for j in range(len(sizes))}
        sets = [s for size in range(1, self._most + 1) for s in combinations(range(len(sizes)), size)]
        # A more important key costs more, but never as much as one more key.
        dearness = {j: 1 - rank[j] / (len(sizes) * (len(sizes) + 1)) for j in rank}
        yield from sorted(sets, key=lambda s: (sum(dearness[j] for j in s), s))


class _Classes:
    """Distinct keys, how many of their records are still unprotected, and what each part loses."""

    def __init__(self, coded: Keys, fixed: int, k: int) -> None:
        self.coded, self.fixed, self.k = coded, fixed, k
        self.left = coded.count.copy()
        self.open = coded.count < k
        self.parts: list[tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], tuple[int, ...]]] = []

    @property
    def open_records(self) -> int:
        return int(self.left[self.open].sum())

    def protect(self, subset: tuple[int, ...], borrow: bool) -> None:
        """Empty these keys in every group of open keys that thereby reaches k."""
        rows = np.flatnonzero(self.open if not borrow else self.open | (self.left > self.k))
        group = self._projected(rows, subset)
        opened = self.open[rows]
        need = np.bincount(group, weights=self.left[rows] * opened).astype(np.int64)
        spare = np.bincount(group, weights=np.where(opened, 0, self.left[rows] - self.k)).astype(np.int64)
        enough = (need > 0) & (need + spare >= self.k)
        taken = rows[opened & enough[group]]
        self.parts.append((taken, self.left[taken].copy(), subset))
        self.left[taken] = 0
        self.open[taken] = False
        if borrow:
            self._borrow(rows[~opened], group[~opened], np.where(enough, np.maximum(self.k - need, 0), 0), subset)

    def empty_whole_records(self) -> None:
        """Where some record is still open: empty it whole, with all that lost a cell in its stratum.

        This happens in tiny files, where nothing less makes k; safe classes join, the smallest first, if need be.
        """
        everything = tuple(range(self.coded.digits.shape[1] - self.fixed))
        stratum = self._projected(np.arange(self.left.size), everything)
        for here in (stratum == s for s in np.unique(stratum[self.open])):
            parts = [part for part in self.parts if here[part[0]].any()]
            self.parts = [part for part in self.parts if not here[part[0]].any()]
            self.parts += [(rows[here[rows]], counts[here[rows]], everything) for rows, counts, _ in parts]
            self.parts += [(rows[~here[rows]], counts[~here[rows]], lost) for rows, counts, lost in parts]
            count = sum(int(counts[here[rows]].sum()) for rows, counts, _ in parts)
            candidates = np.flatnonzero(here & (self.left > 0))
            for row in candidates[np.lexsort((self.left[candidates], ~self.open[candidates]))]:
                if self.open[row] or count < self.k:
                    count += int(self.left[row])
                    self.parts.append((np.array([row]), self.left[[row]].copy(), everything))
                    self.left[row] = 0
            self.open[here & (count >= self.k)] = False

    def _borrow(self, rows: Mask, group: Mask, short: npt.NDArray[np.int64], subset: tuple[int, ...]) -> None:
        for row, g in zip(rows.tolist(), group.tolist(), strict=True):
            lent = min(int(short[g]), int(self.left[row]) - self.k)
            if lent > 0:
                self.parts.append((np.array([row]), np.array([lent]), subset))
                self.left[row] -= lent
                short[g] -= lent

    def _projected(self, rows: Mask, subset: tuple[int, ...]) -> npt.NDArray[np.int64]:
        kept = [j for j in range(self.coded.digits.shape[1]) if j - self.fixed not in subset]
        if not kept:
            return np.zeros(rows.size, dtype=np.int64)
        return np.unique(self.coded.digits[rows][:, kept], axis=0, return_inverse=True)[1].reshape(-1)

    def emptied(self) -> Mask:
        """For each record, which keys to empty: of a key's records the first ones are taken."""
        result = np.zeros((self.coded.records, len(self.coded.names) - self.fixed), dtype=bool)
        order = np.argsort(self.coded.index, kind="stable")
        start = np.concatenate([[0], np.cumsum(self.coded.count)])
        used = np.zeros(self.coded.count.size, dtype=np.int64)
        for rows, counts, subset in self.parts:
            for row, count in zip(rows.tolist(), counts.tolist(), strict=True):
                records = order[start[row] + used[row] : start[row] + used[row] + count]
                result[np.ix_(records, subset)] = True
                used[row] += count
        return result
