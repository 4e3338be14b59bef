r"""Outliers: the values beyond a percentile, and those that their treated value still gives away.

A value :math:`x_{ij}` is an outlier of variable :math:`j` where it is beyond the percentile,
:math:`x_{ij} > q_p(x_{\cdot j})` (or below :math:`q_{1-p}`, by ``tail``); quantiles are interpolated (type 7). It is
unsafe after treatment where it lies in the interval around its treated value:

.. math:: |x_{ij} - y_{ij}| \le k\, s_j, \qquad s_j = \operatorname{sd}(y_{\cdot j})

A suppressed value is not unsafe: nothing is published of it. The percentile itself is the value of somebody: no result
shows it.

References
----------
Benschop, Machingauta & Welch (2021), *Statistical Disclosure Control: A Practice Guide*. INE Chile (2021), 5-1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.risk.before_after import Floats, deviations, pair
from celosia.risk.interval import close
from celosia.risk.options import one_of, within

Tail = Literal["upper", "lower", "both"]
TAILS: tuple[Tail, ...] = ("upper", "lower", "both")


@dataclass(frozen=True, eq=False)
class Outliers(Tabular):
    """Outlying values before treatment, and those still unsafe after it.

    Attributes
    ----------
    outlying, unsafe
        One row a record, one column a variable.
    """

    variables: tuple[str, ...]
    percentile: float
    tail: Tail
    k: float
    outlying: npt.NDArray[np.bool_] = field(repr=False)
    unsafe: npt.NDArray[np.bool_] = field(repr=False)

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.outlying.shape[0])

    @property
    def outlying_records(self) -> int:
        """Records with an outlier in any variable."""
        return int(self.outlying.any(axis=1).sum())

    @property
    def unsafe_records(self) -> int:
        """Records with an unsafe outlier in any variable."""
        return int(self.unsafe.any(axis=1).sum())

    @property
    def share(self) -> float:
        """Records with an unsafe outlier, as a share of those with an outlier; 0 where there are none."""
        return self.unsafe_records / max(self.outlying_records, 1)

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: whether it has an unsafe outlier, and whether it has an outlier."""
        return {"unsafe": np.asarray(self.unsafe.any(axis=1)), "outliers": np.asarray(self.outlying.any(axis=1))}

    def table(self) -> pl.DataFrame:
        """Outliers and unsafe outliers of each variable."""
        outliers, unsafe = self.outlying.sum(axis=0), self.unsafe.sum(axis=0)
        share = unsafe / np.maximum(outliers, 1)
        columns = {"variable": self.variables, "outliers": outliers, "unsafe": unsafe, "share": share}
        return pl.DataFrame(columns)

    def picture(self) -> Picture:
        """Share of the outliers of each variable that are unsafe."""
        rows = self.table().select("variable", "share")
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        return chart(rows, "variable", "share", share=True, alternative=text("picture.outliers", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Options and totals."""
        return {
            "variables": list(self.variables),
            "percentile": self.percentile,
            "tail": self.tail,
            "k": self.k,
            "records": self.records,
            "outlying_records": self.outlying_records,
            "unsafe_records": self.unsafe_records,
            "share": self.share,
        }


def outliers(
    original: Any,
    masked: Any = None,
    percentile: float = 0.99,
    k: float = 0.05,
    tail: Tail = "upper",
    variables: Sequence[str] | None = None,
) -> Outliers:
    """Values beyond a percentile, and those within ``k`` standard deviations of their treated value.

    Parameters
    ----------
    original, masked, variables, k
        As in ``interval``; without ``masked`` the original is looked at as if it were published as it is.
    percentile
        The share of the values that are not outliers on a side.
    tail
        ``"upper"``: only high values. ``"lower"``: only low ones. ``"both"``: beyond either percentile.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"ventas": [1.0, 2.0, 3.0, 4.0, 500.0]})
    >>> after = pl.DataFrame({"ventas": [1.5, 2.5, 2.0, 4.0, 490.0]})
    >>> outliers(before, after, percentile=0.9).table()["unsafe"].to_list()
    [1]
    """
    within("k", k, 0, above=True)
    within("percentile", percentile, 0.5, 1, below=True)
    one_of("tail", tail, TAILS)
    both = pair(original, original if masked is None else masked, variables)
    x, y = both.values()
    outlying = _beyond(x, percentile, tail)
    unsafe = outlying & ~np.isnan(y) & close(x, y, k * deviations(y, both.variables))
    return Outliers(both.variables, percentile, tail, k, outlying, unsafe)


def _beyond(x: Floats, percentile: float, tail: Tail) -> npt.NDArray[np.bool_]:
    high, low = np.nanquantile(x, [percentile, 1 - percentile], axis=0)
    above, below = x > high, x < low
    return np.asarray(above if tail == "upper" else below if tail == "lower" else above | below)
