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

Under ``missing="intruder"`` it is counted as an intruder would: :math:`f` is the number of *published* records that
agree with the person's *true* key on every key that is observed in them, and :math:`F` the sum of their weights. The
true key is mapped through recodes, and what can be deduced counts as observed (``risk.truth``).

References
----------
Templ, Kowarik & Meindl (2015), *Statistical disclosure control for micro-data using the R package sdcMicro*,
Journal of Statistical Software 67(4). INE Chile (2021), Tabla 18.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import OptionError, RoleError
from celosia.core.frames import variable_names
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Counting, Engine, Keys, engine
from celosia.engines.contract import WEIGHT_SCALE, Ints
from celosia.risk.options import one_of, within
from celosia.risk.records import records_of
from celosia.risk.truth import Truth, in_published_coding
from celosia.risk.wildcards import Numbers, Packed, count_in, warn_of_empty_records, wildcard

_BANDS = (0, 2, 3, 5, 10, 50, float("inf"))
_BAND_NAMES = ("1", "2", "3–4", "5–9", "10–49", "50+")

Missing = Literal["wildcard", "strict", "intruder"]
COUNTINGS: tuple[Missing, ...] = ("wildcard", "strict", "intruder")


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

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: whether fewer than 2, 3 and 5 share its key."""
        named = {2: "share_unique", 3: "share_violating_3", 5: "share_violating_5"}
        return {name: self.sample < k for k, name in named.items()}

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

    def remarks(self) -> tuple[str, ...]:
        """How empty cells were counted."""
        return counting_remarks(self.missing, self.keys)

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


def counting_remarks(missing: Missing, keys: Keys | None = None) -> tuple[str, ...]:
    """The way of counting in words; of wildcards, where the keys have empty cells, that they are not to stand alone."""
    said = text("remark.counting", counting=text(f"counting.{missing}"))
    leans = missing == "wildcard" and keys is not None and bool((keys.digits == 0).any())
    return (said, text("remark.wildcard-alone")) if leans else (said,)


def frequencies(
    frame: Any,
    keys: Sequence[str],
    weight: str | None = None,
    missing: Missing = "wildcard",
    alpha: float = 1.0,
    truth: Any = None,
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
        ``"wildcard"``: a missing value may be anything. ``"strict"``: it is a category. ``"intruder"``: for the true
        key of each person, the published records that agree with it on every key observed in them.
    alpha
        Under ``wildcard``, how much of a record with missing keys counts for those it might match.
    truth
        Under ``intruder``: the same records before cells were suppressed or perturbed, recodes or not, or a ``Truth``
        that says besides which rules give emptied cells away.

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
    within("alpha", alpha, 0, 1)
    one_of("missing", missing, COUNTINGS)
    if (truth is not None) != (missing == "intruder"):
        raise OptionError("truth-needed" if truth is None else "truth-unused")
    names = variable_names(keys)
    if weight in names:
        raise RoleError("weight-is-key", variable=weight)
    if missing == "intruder":
        return _intruder(frame, names, weight, Truth.of(truth), alpha)
    held = engine(records_of(frame))
    scaled = None if weight is None else held.weights(weight)
    found, of_key, population = _within(held, names, missing, scaled, alpha, run or Run())
    return _counted(found, of_key, population, missing, alpha, scaled is not None)


def _within(
    held: Engine, names: tuple[str, ...], missing: Counting, scaled: Ints | None, alpha: float, run: Run
) -> tuple[Keys, Numbers, Numbers]:
    """Keys, their frequencies and (scaled) weights, among the records themselves."""
    keys = held.encode(names, missing)
    weights = keys.count if scaled is None else held.sum_by_key(keys, scaled)
    if missing == "wildcard" and (keys.digits == 0).any():
        warn_of_empty_records(keys)
        return keys, *wildcard(keys, weights, alpha, run)
    return keys, keys.count, weights


def _intruder(frame: Any, names: tuple[str, ...], weight: str | None, truth: Truth, alpha: float) -> Frequencies:
    """True keys, and the published records (and scaled weights) that agree with each."""
    shown, true_records = truth.beside(frame, names)
    held = engine(shown)
    scaled = None if weight is None else held.weights(weight)
    published, coded = held.encode_with(names, true_records)
    true = in_published_coding(published, coded)
    weights = published.count if scaled is None else held.sum_by_key(published, scaled)
    known = np.ones(true.digits.shape, dtype=np.bool_)  # what the true key leaves open is not agreed to by a value
    counts, sums = count_in(Packed.of(true, known), Packed.of(published), published.count, weights)
    return _counted(true, counts, sums, "intruder", alpha, scaled is not None)


def _counted(
    keys: Keys, of_key: Numbers, population: Numbers, missing: Missing, alpha: float, weighted: bool
) -> Frequencies:
    people = population / WEIGHT_SCALE if weighted else of_key.astype(np.float64)
    return Frequencies(keys, of_key, people, missing, alpha, weighted)
