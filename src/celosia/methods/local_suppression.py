r"""Local suppression: empty as few cells as it takes for every record to share its key with k - 1 others.

Counting is strict: a suppressed cell is a category of its own, so that what is promised holds under every way of
counting. Which cells to empty is searched by ``methods.covering``, on distinct keys: violators that become equal once a
set of keys is emptied form a class, and a class of at least :math:`k` records is safe.

References
----------
Samarati & Sweeney (1998); de Waal & Willenborg (1999), *Information loss through global recoding and local
suppression*, Netherlands Official Statistics 14, 17-20.
"""

from __future__ import annotations

from dataclasses import dataclass, field
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
from celosia.methods.covering import Cover, KeySet, cover, key_sets
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
    suppresses: ClassVar[bool] = True

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
        emptied = self._emptied(coded, data.ids, run)
        masks = {name: emptied[:, j] for j, name in enumerate(self.keys)}
        treated = data.suppress({name: mask for name, mask in masks.items() if mask.any()})
        counts = {name: int((treated.suppressed(name) & ~data.suppressed(name)).sum()) for name in self.keys}
        return Suppressed(treated, method=self, run=run, suppressed=counts)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Cells of the keys emptied, and nothing else."""
        return (SameRecords(), Untouched(frozenset(self.keys)), EmptiedOnly(self.keys))

    def lasting(self) -> tuple[Promise, ...]:
        """k within strata, counted strictly."""
        return (KAnonymous(self.keys, self.k, self.strata),)

    def _emptied(self, coded: Keys, ids: npt.NDArray[np.uint64], run: Run) -> Mask:
        """For each record, which keys to empty."""
        fixed = len(self.strata)
        sets = [KeySet(tuple(j + fixed for j in s.keys), s.cost) for s in key_sets(self._costs(), self._most)]
        found = cover(coded.digits, coded.count, self.k, sets, check=lambda done: run.check(self.do, done))
        if found.left.size:
            found = _whole_records(coded, found, fixed, self.k) if self._most == len(self.keys) else found
        if found.left.size:
            count = int(coded.count[found.left].sum())
            raise DataError("suppression-impossible", k=self.k, count=count, share=self.max_share)
        return _of_records(coded, found, ids)[:, fixed:]

    @property
    def _most(self) -> int:
        """How many keys a record may lose."""
        return int(self.max_share * len(self.keys) + 1e-9) or 1

    def _costs(self) -> list[float]:
        """What emptying one cell of each key costs: twice as much for each rank of importance."""
        ranks = {name: (self.importance or {}).get(name, len(self.keys)) for name in self.keys}
        last = max(ranks.values())
        return [2.0 ** (last - ranks[name]) for name in self.keys]


def _whole_records(coded: Keys, found: Cover, fixed: int, k: int) -> Cover:
    """Where some key is still open: empty it whole, with all that lost a cell in its stratum.

    This happens in tiny files, where nothing less makes k; safe keys join, the smallest first, if need be.
    """
    everything = KeySet(tuple(range(fixed, coded.digits.shape[1])), float("inf"))
    stratum = np.unique(coded.digits[:, :fixed], axis=0, return_inverse=True)[1].reshape(-1) if fixed else None
    rows, counts, sets = found.rows.copy(), found.counts.copy(), found.sets.copy()
    left = []
    lost = np.bincount(rows, weights=counts, minlength=coded.count.size)
    for s in np.unique(stratum[found.left]) if stratum is not None else [0]:
        here = np.ones(coded.count.size, dtype=np.bool_) if stratum is None else stratum == s
        sets[here[rows]] = len(found.key_sets)
        joining = found.left[here[found.left]]
        have = int(counts[here[rows]].sum() + coded.count[joining].sum())
        keeping = coded.count - lost
        for row in np.flatnonzero(here & (keeping > 0) & ~np.isin(np.arange(here.size), joining)):
            if have >= k:
                break
            joining = np.append(joining, row)
            have += int(keeping[row])
        if have < k:
            left += joining.tolist()
            continue
        rows = np.concatenate([rows, joining])
        counts = np.concatenate([counts, keeping[joining].astype(np.int64)])
        sets = np.concatenate([sets, np.full(joining.size, len(found.key_sets))])
    return Cover([*found.key_sets, everything], rows, counts, sets, np.array(left, dtype=np.int64))


def _of_records(coded: Keys, found: Cover, ids: npt.NDArray[np.uint64]) -> Mask:
    """For each record, which keys to empty; of the records of one key, those with the lowest ids are taken."""
    emptied = np.zeros((coded.records, len(coded.names)), dtype=np.bool_)
    order = np.lexsort((ids, coded.index))
    start = np.concatenate([[0], np.cumsum(coded.count)])
    parts = np.argsort(found.rows, kind="stable")
    rows, counts = found.rows[parts], found.counts[parts]
    before = np.cumsum(counts) - counts
    new_row = np.concatenate([[True], rows[1:] != rows[:-1]]) if rows.size else np.empty(0, dtype=np.bool_)
    offset = before - np.maximum.accumulate(np.where(new_row, before, 0))
    masks = np.zeros((len(found.key_sets), len(coded.names)), dtype=np.bool_)
    for s, key_set in enumerate(found.key_sets):
        masks[s, list(key_set.keys)] = True
    places = np.repeat(start[rows] + offset - before, counts) + np.arange(int(counts.sum()))
    emptied[order[places]] = np.repeat(masks[found.sets[parts]], counts, axis=0)
    return emptied
