r"""Interval measure: how many original values lie close to what was published of them.

Around each treated value :math:`y_{ij}` an interval is drawn, :math:`k` standard deviations of the treated variable to
each side. A record is unsafe where all its original values fall inside theirs:

.. math:: \frac1n \sum_i \prod_j I\bigl(|x_{ij} - y_{ij}| \le k\, s_j\bigr),
    \qquad s_j = \operatorname{sd}(y_{\cdot j})

with denominator :math:`n-1` in the standard deviation. A value that is missing before or after protects nobody in this
measure: it counts as inside. Far values stay far when they are perturbed: look at ``outliers`` and
``robust_interval`` as well.

References
----------
Mateo-Sanz, Sebé & Domingo-Ferrer (2004), *Outlier protection in continuous microdata masking*, PSD 2004,
LNCS 3050, 201-215. INE Chile (2021), 5-1.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.risk.before_after import Floats, deviations, pair
from celosia.risk.options import within


@dataclass(frozen=True, eq=False)
class Interval(Tabular):
    """Records whose original values lie in the intervals around their treated ones.

    Attributes
    ----------
    variables
        What was compared.
    inside
        One row a record, one column a variable: whether the original value is inside.
    """

    variables: tuple[str, ...]
    k: float
    inside: npt.NDArray[np.bool_] = field(repr=False)

    @property
    def records(self) -> int:
        """Number of records."""
        return int(self.inside.shape[0])

    @property
    def unsafe(self) -> npt.NDArray[np.bool_]:
        """Whether all values of each record are inside."""
        return np.asarray(self.inside.all(axis=1))

    @property
    def share(self) -> float:
        """Unsafe records as a share of all."""
        return float(self.unsafe.mean())

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: whether all its values are inside."""
        return {"share": self.unsafe}

    def table(self) -> pl.DataFrame:
        """Share of the values inside, for each variable."""
        return pl.DataFrame({"variable": self.variables, "inside": self.inside.mean(axis=0)})

    def picture(self) -> Picture:
        """Share of the values inside, for each variable."""
        said = ", ".join(f"{name}: {percent(share)}" for name, share in self.table().iter_rows())
        alternative = text("picture.inside", all=percent(self.share), said=said)
        return chart(self.table(), "variable", "inside", share=True, alternative=alternative)

    def to_dict(self) -> dict[str, Any]:
        """Variables, width, share."""
        return {"variables": list(self.variables), "k": self.k, "records": self.records, "share": self.share}


def interval(original: Any, masked: Any, k: float = 0.05, variables: Sequence[str] | None = None) -> Interval:
    """Share of the records whose original values all lie close to the treated ones.

    Parameters
    ----------
    original, masked
        The same records before and after: any two tables row by row, or ``Microdata`` matched by record id.
    k
        Half the width of an interval, in standard deviations.
    variables
        What to compare; by default those with the role ``numeric_key``, or all that are numeric.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"ingreso": [100.0, 200.0, 300.0, 400.0]})
    >>> after = pl.DataFrame({"ingreso": [101.0, 201.0, 350.0, 380.0]})
    >>> interval(before, after).share
    0.5
    """
    within("k", k, 0, above=True)
    both = pair(original, masked, variables)
    x, y = both.values()
    return Interval(both.variables, k, close(x, y, k * deviations(y, both.variables)))


def close(x: Floats, y: Floats, width: Floats) -> npt.NDArray[np.bool_]:
    """Whether each original value lies in the interval around its treated one; a missing value does."""
    outside = (x < y - width) | (x > y + width)
    return np.asarray(~outside)
