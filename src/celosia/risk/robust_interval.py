r"""Robust interval measure: intervals that widen for records far from the rest.

With :math:`z_i`, :math:`z'_i` the original and treated records, each file standardised by its own means and standard
deviations, and :math:`C` the robust covariance of the :math:`z_i` (minimum covariance determinant),

.. math:: d_i = 0.05 \sqrt{(z_i - \bar z)^\top C^{-1} (z_i - \bar z)}

measures how far out a record lies. It is *close* to its treated record where in at least one variable
:math:`|z'_{ij} - z_{ij}| < k\, d_i`, and *exposed* where it is close and no other treated record is within
:math:`k_2` of its own, :math:`\min_{l \ne i} \lVert z'_i - z'_l \rVert > k_2`. With :math:`h` close and :math:`e`
exposed records of :math:`n`,

.. math:: r_1 = \frac hn, \quad r_1^w = r_1 \sum_{\text{close}} d_i, \qquad r_2 = \frac en, \quad
    r_2^w = r_2 \sum_{\text{exposed}} d_i.

Only records without a missing value before and after are measured.

References
----------
Templ & Meindl (2008), *Robust statistics meets SDC: new disclosure risk measures for continuous microdata masking*,
PSD 2008, LNCS 5262, 177-189. INE Chile (2021), 5-1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import DataError, OptionError
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.risk.before_after import Floats, pair, standardised
from celosia.risk.mixed_distance import euclidean
from celosia.risk.neighbours import crowded
from celosia.risk.options import within
from celosia.risk.robust_covariance import Location, minimum_covariance

Mask = npt.NDArray[np.bool_]
_SHARE_OF_DISTANCE = 0.05


@dataclass(frozen=True, eq=False)
class RobustInterval(Tabular):
    """Records close to their treated one, for how far out they lie.

    Attributes
    ----------
    outlyingness
        d of each record; NaN where it was not measured.
    close, exposed
        Whether each record is close to its treated one, and whether that stands alone besides.
    """

    variables: tuple[str, ...]
    k: float
    k2: float
    outlyingness: Floats = field(repr=False)
    close: Mask = field(repr=False)
    exposed: Mask = field(repr=False)

    @property
    def measured(self) -> int:
        """Records without a missing value before and after."""
        return int((~np.isnan(self.outlyingness)).sum())

    @property
    def risk1(self) -> float:
        """Share of the measured records that are close."""
        return float(self.close.sum() / self.measured)

    @property
    def risk2(self) -> float:
        """Share of the measured records that are exposed."""
        return float(self.exposed.sum() / self.measured)

    @property
    def share(self) -> float:
        """The same as ``risk1``."""
        return self.risk1

    @property
    def wrisk1(self) -> float:
        """``risk1`` times how far out the close records lie, all together."""
        return self.risk1 * float(self.riskvec1.sum())

    @property
    def wrisk2(self) -> float:
        """``risk2`` times how far out the exposed records lie, all together."""
        return self.risk2 * float(self.riskvec2.sum())

    @property
    def riskvec1(self) -> Floats:
        """How far out each close record lies; 0 for the others."""
        return np.where(self.close, self.outlyingness, 0.0)

    @property
    def riskvec2(self) -> Floats:
        """How far out each exposed record lies; 0 for the others."""
        return np.where(self.exposed, self.outlyingness, 0.0)

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: whether it is close, and whether it is exposed."""
        return {"risk1": self.close, "risk2": self.exposed}

    def table(self) -> pl.DataFrame:
        """Close and exposed records, as shares and weighted by how far out they lie."""
        return pl.DataFrame(
            {
                "figure": [text("figure.close"), text("figure.exposed")],
                "share": [self.risk1, self.risk2],
                "weighted": [self.wrisk1, self.wrisk2],
            }
        )

    def picture(self) -> Picture:
        """Share of close and of exposed records."""
        rows = self.table().select("figure", "share")
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        return chart(rows, "figure", "share", share=True, alternative=text("picture.robust-interval", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Options and risks."""
        return {
            "variables": list(self.variables),
            "k": self.k,
            "k2": self.k2,
            "measured": self.measured,
            "risk1": self.risk1,
            "wrisk1": self.wrisk1,
            "risk2": self.risk2,
            "wrisk2": self.wrisk2,
        }


def robust_interval(
    original: Any,
    masked: Any,
    k: float = 0.01,
    k2: float = 0.05,
    variables: Sequence[str] | None = None,
    covariance: npt.ArrayLike | None = None,
    run: Run | None = None,
) -> RobustInterval:
    """Share of the records close to their treated one, in units of how far out they lie.

    Parameters
    ----------
    original, masked, variables
        As in ``interval``.
    k
        Half the width of an interval, in robust distances.
    k2
        Distance within which another treated record hides one.
    covariance
        The robust covariance of the standardised original, where it is known; else it is estimated.
    run
        Its key chooses the random starts of the estimate; by default they are the same each time.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"a": [1.0, 2.0, 3.0, 40.0], "b": [2.0, 1.0, 4.0, 50.0]})
    >>> found = robust_interval(before, before, covariance=[[1.0, 0.5], [0.5, 1.0]])
    >>> found.risk1, found.risk2
    (1.0, 1.0)
    """
    within("k", k, 0, above=True)
    within("k2", k2, 0)
    both = pair(original, masked, variables)
    x, y = both.values()
    whole: Mask = np.asarray(~np.isnan(x + y).any(axis=1))
    if not whole.any():
        raise DataError("no-complete-records", variables=both.variables)
    run = run or Run(key=0)
    z, zy = standardised(x[whole], both.variables), standardised(y[whole], both.variables)
    away = _outlyingness(z, both.variables, covariance, run)
    near: Mask = np.asarray((np.abs(zy - z) < k * away[:, None]).any(axis=1))
    alone: Mask = near.copy()
    alone[near] = ~crowded(euclidean(zy[near], zy), k2, 2, run)
    return RobustInterval(
        both.variables, k, k2, _spread(away, whole, np.nan), _spread(near, whole, False), _spread(alone, whole, False)
    )


def _outlyingness(z: Floats, variables: tuple[str, ...], covariance: npt.ArrayLike | None, run: Run) -> Floats:
    if covariance is None:
        matrix = minimum_covariance(z, variables, run).covariance
    else:
        matrix = np.asarray(covariance, dtype=np.float64)
        if matrix.shape != (len(variables), len(variables)):
            raise OptionError("covariance-shape", variables=len(variables))
        if not np.allclose(matrix, matrix.T) or np.linalg.eigvalsh(matrix)[0] <= 0:
            raise DataError("covariance-singular", variables=variables)
    return _SHARE_OF_DISTANCE * np.sqrt(Location(z.mean(axis=0), matrix).squares(z))


def _spread(values: npt.NDArray[Any], rows: Mask, rest: Any) -> npt.NDArray[Any]:
    """Values of some records in an array of all."""
    spread = np.full(rows.size, rest, dtype=values.dtype)
    spread[rows] = values
    return spread
