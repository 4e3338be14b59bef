r"""How many records, and how many people, share each key.

For a record with key :math:`x`, :math:`f` is the number of records of the file that match it and :math:`F` the sum of
their weights, the estimated number in the population.

Under ``missing="strict"`` a missing value is a category: :math:`f(x)=n_x`, the size of its class. Under
``missing="wildcard"`` it may be anything: two keys match where in every variable they are equal or one of them is not
observed. With :math:`n_a` the records of key :math:`a`, :math:`C` the complete and :math:`I` the incomplete keys,

.. math::
    f(a) = n_a + \alpha \sum_{b \in I,\, b \sim a} n_b \quad (a \in C), \qquad
    f(a) = n_a + \sum_{c \in C,\, c \sim a} n_c + \alpha \sum_{b \in I,\, b \sim a,\, b \ne a} n_b \quad (a \in I),

where a record with no observed key at all matches everybody (:math:`f = n`), counts among the incomplete ones and,
where there are two keys or more, is not added to complete ones: the convention of sdcMicro, so that figures agree.

References
----------
Templ, Kowarik & Meindl (2015), *Statistical disclosure control for micro-data using the R package sdcMicro*,
Journal of Statistical Software 67(4). INE Chile (2021), Tabla 18.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import OptionError, warn
from celosia.core.frames import enter
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Counting, Keys, engine
from celosia.engines.contract import WEIGHT_SCALE, Ints
from celosia.kernels.wildcards import match_patterns

_BANDS = (0, 2, 3, 5, 10, 50, float("inf"))
_BAND_NAMES = ("1", "2", "3–4", "5–9", "10–49", "50+")

Numbers = npt.NDArray[np.float64] | npt.NDArray[np.int64]
Missing = Literal["wildcard", "strict"]


@dataclass(frozen=True, eq=False)
class Frequencies(Tabular):
    """Sample and population frequencies of every record.

    Attributes
    ----------
    keys
        The distinct keys; ``of_key`` and ``population_of_key`` are aligned with them.
    sample, population
        One value a record, in row order.
    """

    keys: Keys = field(repr=False)
    of_key: Numbers = field(repr=False)
    population_of_key: npt.NDArray[np.float64] = field(repr=False)
    missing: Missing
    alpha: float
    weighted: bool

    @cached_property
    def sample(self) -> Numbers:
        """f of each record."""
        return self.keys.of_records(self.of_key)

    @cached_property
    def population(self) -> npt.NDArray[np.float64]:
        """F of each record: f itself where there are no weights."""
        return self.keys.of_records(self.population_of_key)

    @property
    def records(self) -> int:
        """Number of records."""
        return self.keys.records

    def below(self, k: float) -> int:
        """Records whose f is less than k."""
        return int(self.keys.count[self.of_key < k].sum())

    def population_below(self, k: float) -> int:
        """Records whose F is less than k."""
        return int(self.keys.count[self.population_of_key < k].sum())

    def table(self) -> pl.DataFrame:
        """How many keys, and how many records, have each f."""
        return (
            pl.DataFrame({"f": self.of_key, "records": self.keys.count})
            .group_by("f")
            .agg(pl.len().cast(pl.Int64).alias("keys"), pl.col("records").sum())
            .sort("f")
        )

    def by_size(self) -> pl.DataFrame:
        """Share of the records whose f lies in each of a few bands."""
        share = [self.keys.count[(self.of_key >= low) & (self.of_key < high)].sum() for low, high in pairwise(_BANDS)]
        return pl.DataFrame({"f": _BAND_NAMES, "share": [int(n) / max(self.records, 1) for n in share]})

    def picture(self) -> Picture:
        """Records by the size of the group that shares their key."""
        said = ", ".join(f"{f}: {percent(share)}" for f, share in self.by_size().iter_rows())
        return chart(self.by_size(), "f", "share", share=True, alternative=text("picture.by-size", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Totals: records, keys, uniques, pairs."""
        return {
            "keys": list(self.keys.names),
            "missing": self.missing,
            "alpha": self.alpha,
            "weighted": self.weighted,
            "records": self.records,
            "distinct": int(self.keys.count.size),
            "uniques": self.below(2),
        }


def frequencies(
    frame: Any,
    keys: Sequence[str],
    weight: str | None = None,
    missing: Missing = "wildcard",
    alpha: float = 1.0,
    run: Run | None = None,
) -> Frequencies:
    """Count the records and the people that share each record's key.

    Parameters
    ----------
    frame
        Any table, or ``Microdata``.
    keys
        The key variables.
    weight
        The variable of the sampling weights; without it :math:`F = f`, as in a census.
    missing
        ``"wildcard"``: a missing value may be anything. ``"strict"``: it is a category.
    alpha
        Under ``wildcard``, how much of a record with missing keys counts for those it might match.

    Returns
    -------
    Frequencies
        ``.sample`` and ``.population``, one value a record.

    Examples
    --------
    INE's Tabla 18: the third record matches the other two.

    >>> import polars as pl, warnings
    >>> frame = pl.DataFrame({"sexo": ["H", "H", "H"], "educ": ["completa", "incompleta", None]})
    >>> with warnings.catch_warnings(action="ignore"):
    ...     frequencies(frame, keys=["sexo", "educ"]).sample.tolist()
    [2, 2, 3]
    """
    if not 0 <= alpha <= 1:
        raise OptionError("option-range", option="alpha", low=0, high=1)
    names = (keys,) if isinstance(keys, str) else tuple(keys)
    held = engine(enter(frame))
    counting: Counting = missing
    found = held.encode(names, counting)
    scaled = None if weight is None else held.sum_by_key(found, held.weights(weight))
    if missing == "wildcard" and (found.digits == 0).any():
        warn_of_empty_records(found)
        of_key, population = _wildcard(found, scaled, alpha, run or Run())
    else:
        of_key, population = found.count, found.count if scaled is None else scaled
    population_of_key = of_key.astype(np.float64) if scaled is None else population / WEIGHT_SCALE
    return Frequencies(found, of_key, population_of_key, missing, alpha, scaled is not None)


def _wildcard(keys: Keys, scaled: Ints | None, alpha: float, run: Run) -> tuple[Numbers, Numbers]:
    """Frequencies of the distinct keys, and their scaled weights, where 0 may be anything."""
    weights = keys.count if scaled is None else scaled
    matches = Matches.of(keys, weights, run)
    return matches.frequency(keys.count, 0, alpha), matches.frequency(weights, 1, alpha)


@dataclass(frozen=True, eq=False)
class Matches:
    """For every distinct key, its matches among the other complete and the other incomplete keys."""

    observed: npt.NDArray[np.int64]
    variables: int
    records: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]
    weights: tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]

    @classmethod
    def of(cls, keys: Keys, weights: Ints, run: Run) -> Matches:
        """Count the matches over all pairs of patterns that occur, in the threads of the run."""
        present = keys.digits > 0
        patterns, pattern = _patterns(present)
        order = np.argsort(pattern, kind="stable")
        starts = np.searchsorted(pattern[order], np.arange(len(patterns) + 1)).astype(np.int64)
        packed, masks = _pack(keys, patterns, order)
        observing = np.logical_or.reduce(patterns, axis=1)
        p, q = np.triu_indices(len(patterns), 1)
        pairs = np.stack([p, q], axis=1)[observing[p] & observing[q]].astype(np.int64)
        complete = patterns.all(axis=1)
        count, weight = keys.count[order], weights[order]

        def match(part: Ints) -> tuple[Ints, Ints]:
            counts = np.zeros((2, count.size), dtype=np.int64)
            sums = np.zeros((2, count.size), dtype=np.int64)
            match_patterns(packed, count, weight, starts, masks, complete, part, counts, sums)
            return counts, sums

        threads = max(1, min(run.threads, len(pairs)))
        with ThreadPoolExecutor(threads) as pool:
            parts = list(pool.map(match, [pairs[t::threads] for t in range(threads)]))
        back = np.empty_like(order)
        back[order] = np.arange(order.size)
        counts = np.sum([part[0] for part in parts], axis=0)[:, back]
        sums = np.sum([part[1] for part in parts], axis=0)[:, back]
        observed = present.sum(axis=1)
        return cls(observed, len(keys.names), (counts[0], counts[1]), (sums[0], sums[1]))

    def frequency(self, own: Ints, which: int, alpha: float) -> Numbers:
        """The frequency of every key by the definition of this module, from its own and its matches."""
        among_complete, among_incomplete = (self.records, self.weights)[which]
        empty = self.observed == 0
        everybody, nobody = int(own.sum()), int(own[empty].sum())
        incomplete = (self.observed < self.variables) & ~empty
        maybe = among_incomplete + np.where(incomplete | (self.variables == 1), nobody, 0)
        extra: Numbers = maybe if alpha == 1 else alpha * maybe.astype(np.float64)
        return np.where(empty, everybody, own + among_complete + extra)


def _patterns(present: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.int64]]:
    """The patterns of observed variables that occur, and the pattern of each key."""
    bits = np.packbits(present, axis=1)
    padded = np.zeros((len(bits), -(-bits.shape[1] // 8) * 8), dtype=np.uint8)
    padded[:, : bits.shape[1]] = bits
    words = padded.view(np.uint64)
    if words.shape[1] == 1:
        _, first, pattern = np.unique(words[:, 0], return_index=True, return_inverse=True)
    else:
        _, first, pattern = np.unique(words, axis=0, return_index=True, return_inverse=True)
    return present[first], pattern.reshape(-1)


def _pack(keys: Keys, patterns: Any, order: Any) -> tuple[npt.NDArray[np.uint64], npt.NDArray[np.uint64]]:
    """Keys in bit fields over as many 64-bit words as they need, and the bits that each pattern observes."""
    widths = [len(c).bit_length() for c in keys.categories]
    places: list[tuple[int, int]] = []
    word, used = 0, 0
    for width in widths:
        if used + width > 64:
            word, used = word + 1, 0
        places.append((word, used))
        used += width
    packed = np.zeros((order.size, word + 1), dtype=np.uint64)
    masks = np.zeros((len(patterns), word + 1), dtype=np.uint64)
    for j, ((word, shift), width) in enumerate(zip(places, widths, strict=True)):
        packed[:, word] |= keys.digits[order, j].astype(np.uint64) << np.uint64(shift)
        bits = np.uint64(((1 << width) - 1) << shift)
        masks[:, word] |= np.where(patterns[:, j], bits, np.uint64(0))
    return packed, masks


def warn_of_empty_records(keys: Keys) -> None:
    """Say how many records have no observed key at all."""
    count = int(keys.count[(keys.digits == 0).all(axis=1)].sum())
    if count:
        warn("all-missing", count=count)
