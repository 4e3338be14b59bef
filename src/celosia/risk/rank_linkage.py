r"""Rank-based record linkage: the intruder compares positions, not values.

In each file every value is replaced by its rank in its variable (the mean rank where values are equal), and records
are linked by the smallest distance between ranks,

.. math:: d(x_i, y_j)^2 = \sum_v \Bigl(\frac{R(x_{iv})}{n_v} - \frac{R(y_{jv})}{m_v}\Bigr)^2,

with :math:`n_v`, :math:`m_v` the values observed before and after. Whatever keeps the order (multiplying, shifting,
taking logarithms) protects nobody; swapping near ranks is measured on its own ground. Ties and missing values are as in
``linkage``.

References
----------
Muralidhar & Domingo-Ferrer (2016), *Rank-based record linkage for re-identification risk assessment*, PSD 2016,
LNCS 9867, 225-236.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from celosia.core.run import Run
from celosia.risk.before_after import Floats, deviations, pair
from celosia.risk.linkage import Linkage, by_distance
from celosia.risk.mixed_distance import euclidean, manhattan
from celosia.risk.options import one_of

RankDistance = Literal["euclidean", "manhattan"]
RANK_DISTANCES: tuple[RankDistance, ...] = ("euclidean", "manhattan")


def rank_linkage(
    original: Any,
    masked: Any,
    variables: Sequence[str] | None = None,
    distance: RankDistance = "euclidean",
    run: Run | None = None,
) -> Linkage:
    """Share of the records that their ranks link to their own.

    Parameters
    ----------
    original, masked, variables
        As in ``interval``.
    distance
        How differences of ranks add up: ``"euclidean"`` or ``"manhattan"``.

    Examples
    --------
    A change of scale hides nobody from ranks:

    >>> import polars as pl
    >>> before = pl.DataFrame({"ventas": [1.0, 10.0, 100.0, 1000.0]})
    >>> rank_linkage(before, before.select(pl.col("ventas").log())).share
    1.0
    """
    one_of("distance", distance, RANK_DISTANCES)
    both = pair(original, masked, variables)
    sides = both.values()
    for side in sides:
        deviations(side, both.variables)
    x, y = (np.column_stack([ranks(side[:, j]) for j in range(side.shape[1])]) for side in sides)
    space = euclidean(x, y) if distance == "euclidean" else manhattan(x, y)
    return by_distance(space, "rank", both.variables, run or Run())


def ranks(values: Floats) -> Floats:
    """Mean rank of each value as a share of the observed ones; NaN stays."""
    observed = ~np.isnan(values)
    _, place, count = np.unique(values[observed], return_inverse=True, return_counts=True)
    last = np.cumsum(count)
    found = np.full(values.size, np.nan)
    found[observed] = ((2 * last - count + 1) / 2)[place] / observed.sum()
    return found
