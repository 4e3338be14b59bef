r"""Distance-based record linkage: how many original records an intruder finds again by looking for the nearest.

The intruder holds the original values :math:`x_i` and picks the treated record closest to each. With :math:`B_i` the
treated records at the smallest distance,

.. math:: B_i = \{j : d(x_i, y_j) = \min_l d(x_i, y_l)\}, \qquad
    r = \frac1n \sum_i \frac{I(i \in B_i)}{|B_i|},

so that a tie of five, one's own among them, counts one fifth: what a guess among them finds. Distances that rounding
cannot tell apart are ties. A record of which nothing can be compared has :math:`B_i` = everybody. Linking at random
gives :math:`1/n`.

``method="assignment"`` links one to one so that the sum of all distances is least: an intruder who knows that
everybody is in the file once. Where several assignments are equally good, the one with most correct links is taken: an
upper bound, whatever the order of the records. It takes the full matrix, so it serves some thousand records.

Each file is standardised by its own means and standard deviations, so that shifting or stretching a variable protects
nobody. Distances and missing values are in ``mixed_distance``.

References
----------
Pagliuca & Seri (1999), *Some results of individual ranking method on the system of enterprise accounts annual survey*.
Domingo-Ferrer & Torra (2001), *A quantitative comparison of disclosure control methods for microdata*, in
*Confidentiality, Disclosure and Data Access*, 111-134.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import DataError, OptionError
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.risk.before_after import Floats, Pair, pair, standardised
from celosia.risk.mixed_distance import Space, euclidean, gower, manhattan
from celosia.risk.neighbours import neighbours
from celosia.risk.options import one_of

Method = Literal["nearest", "assignment"]
Distance = Literal["euclidean", "manhattan", "gower"]
METHODS: tuple[Method, ...] = ("nearest", "assignment")
DISTANCES: tuple[Distance, ...] = ("euclidean", "manhattan", "gower")
MOST_ASSIGNED = 10_000
"""Records above which the full matrix is refused."""
_PREFERENCE = 1e-12
"""By how much of a mean distance one's own record is preferred, so that ties have one answer: the intruder's best."""


@dataclass(frozen=True, eq=False)
class Linkage(Tabular):
    """Records that an intruder links to their own treated record.

    Attributes
    ----------
    correct
        For each record the chance that it is linked to its own: 0, 1, or a share of a tie.
    distances
        For each record the distance to the one it is linked to (for probabilistic linkage, the weight of the link).
    candidates
        For each record how many treated ones are equally near.
    """

    method: str
    variables: tuple[str, ...]
    correct: Floats = field(repr=False)
    distances: Floats = field(repr=False)
    candidates: npt.NDArray[np.int64] = field(repr=False)

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.correct.size)

    @property
    def expected(self) -> float:
        """Expected number of correct links."""
        return float(self.correct.sum())

    @property
    def share(self) -> float:
        """Expected correct links as a share of the records."""
        return self.expected / self.records

    @property
    def certain(self) -> int:
        """Records linked to their own without a rival."""
        return int((self.correct == 1).sum())

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: the chance that it is linked to its own."""
        return {"share": self.correct}

    def table(self) -> pl.DataFrame:
        """Correct links, beside what chance would give."""
        rows = [
            ("correct_links", self.share),
            ("correct_without_rival", self.certain / self.records),
            ("correct_by_chance", 1 / self.records),
        ]
        names = [text(f"figure.{name}") for name, _ in rows]
        return pl.DataFrame({"figure": names, "share": [share for _, share in rows]})

    def picture(self) -> Picture:
        """Share of correct links, beside what chance would give."""
        said = ", ".join(f"{name}: {percent(share)}" for name, share in self.table().iter_rows())
        return chart(self.table(), "figure", "share", share=True, alternative=text("picture.linkage", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Totals."""
        return {
            "method": self.method,
            "variables": list(self.variables),
            "records": self.records,
            "expected": self.expected,
            "share": self.share,
            "certain": self.certain,
        }


def linkage(
    original: Any,
    masked: Any,
    variables: Sequence[str] | None = None,
    method: Method = "nearest",
    distance: Distance = "euclidean",
    standardise: bool = True,
    categorical: Sequence[str] = (),
    ordered: Sequence[str] = (),
    importance: Mapping[str, float] | None = None,
    run: Run | None = None,
) -> Linkage:
    """Share of the records that distance links to their own.

    Parameters
    ----------
    original, masked, variables
        As in ``interval``; under ``"gower"`` variables may be categories.
    method
        ``"nearest"``: each to its nearest, ties split. ``"assignment"``: one to one, least total distance (of
        several equally good assignments, that with most correct links).
    distance
        ``"euclidean"``, ``"manhattan"`` or, for mixed data, ``"gower"``.
    standardise
        Whether each file is standardised first; Gower's distance has its own scale.
    categorical, ordered, importance
        Under ``"gower"``, as in ``mixed_distance.gower``.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"ingreso": [100, 200, 300, 400], "edad": [30, 40, 50, 60]})
    >>> after = pl.DataFrame({"ingreso": [110, 210, 350, 350], "edad": [30, 42, 55, 55]})
    >>> linkage(before, after).share
    0.75
    """
    one_of("method", method, METHODS)
    one_of("distance", distance, DISTANCES)
    if distance != "gower" and (categorical or ordered or importance):
        raise OptionError("gower-only", options=("categorical", "ordered", "importance"))
    both = pair(original, masked, variables)
    if distance == "gower":
        space = gower(both, categorical, ordered, importance)
    else:
        space = _numeric(both, distance, standardise)
    if method == "assignment":
        return _assigned(space, both.variables)
    return by_distance(space, "nearest", both.variables, run or Run())


def by_distance(space: Space, method: str, variables: tuple[str, ...], run: Run) -> Linkage:
    """Each record linked to the nearest in a space."""
    found = neighbours(space, run)
    return Linkage(method, variables, found.own / found.candidates, space.distance(found.sums), found.candidates)


def _numeric(both: Pair, distance: Distance, standardise: bool) -> Space:
    x, y = both.values()
    if standardise:
        x, y = standardised(x, both.variables), standardised(y, both.variables)
    return euclidean(x, y) if distance == "euclidean" else manhattan(x, y)


def _assigned(space: Space, variables: tuple[str, ...]) -> Linkage:
    from scipy.optimize import linear_sum_assignment

    records = len(space.masked)
    if records > MOST_ASSIGNED:
        raise DataError("linkage-too-large", records=records, limit=MOST_ASSIGNED)
    cost = np.empty((records, records))
    candidates = np.empty(records, dtype=np.int64)
    for rows in space.blocks():
        sums = space.sums(rows)
        candidates[rows] = (sums <= space.ties(sums.min(axis=1))[:, None]).sum(axis=1)
        cost[rows] = space.distance(sums)
    unknown = np.isinf(cost)
    if unknown.any():  # nothing to compare: linked last
        cost[unknown] = 2 * np.max(cost, where=~unknown, initial=0.0) * records + 1
    own = cost.diagonal().copy()
    np.fill_diagonal(cost, own - _PREFERENCE * float(cost.mean()))
    linked = linear_sum_assignment(cost)[1]
    np.fill_diagonal(cost, own)
    everyone = np.arange(records)
    distances = np.where(unknown[everyone, linked], np.inf, cost[everyone, linked])
    return Linkage("assignment", variables, (everyone == linked).astype(np.float64), distances, candidates)
