r"""(α, k)-anonymity: classes large enough, in which no sensitive value is too frequent.

.. math:: f_x \ge k \quad\text{and}\quad \max_s \frac{n_{xs}}{n_x} \le \alpha \qquad \text{for every class } x,

with :math:`f_x` the records of the class, :math:`n_x` those whose sensitive value is observed and :math:`n_{xs}` those
with value :math:`s`: any value, or only the ones that would harm. A missing key is a category. A missing sensitive
value is none, so that it cannot dilute the others; a class without observed values has no frequent one.

References
----------
Wong, Li, Fu & Wang (2006), *(α, k)-anonymity: an enhanced k-anonymity model for privacy-preserving data publishing*,
KDD 2006, 754-759.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell
from celosia.core.errors import DataError, OptionError
from celosia.core.language import number, percent, text
from celosia.core.microdata import Microdata
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines.contract import Ints
from celosia.risk.classes import ROUNDING, Floats, SensitiveClasses, one_sensitive
from celosia.risk.options import whole_number, within


@dataclass(frozen=True, eq=False)
class AlphaK(Tabular):
    """Records that violate (α, k)-anonymity.

    Attributes
    ----------
    of_class
        The share of the most frequent sensitive value in each class.
    """

    classes: SensitiveClasses = field(repr=False)
    of_class: Floats = field(repr=False)
    alpha: float
    k: int

    @cached_property
    def of_record(self) -> Floats:
        """The share of the most frequent sensitive value in each record's class, in row order."""
        return self.classes.keys.of_records(self.of_class)

    @cached_property
    def size(self) -> Ints:
        """Records of each record's class, in row order."""
        return self.classes.keys.of_records(self.classes.keys.count)

    @property
    def largest(self) -> float:
        """The α that the whole file attains."""
        return float(self.of_class.max())

    @property
    def smallest(self) -> int:
        """The k that the whole file attains."""
        return int(self.classes.keys.count.min())

    @property
    def small(self) -> int:
        """Records in classes of fewer than k."""
        return self._records(self._is_small)

    @property
    def frequent(self) -> int:
        """Records in classes where a sensitive value is more frequent than α."""
        return self._records(self._is_frequent)

    @property
    def violations(self) -> int:
        """Records that violate one condition or both."""
        return self._records(self._is_small | self._is_frequent)

    @property
    def share(self) -> float:
        """Violations as a share of the records."""
        return self.violations / self.classes.keys.records

    @property
    def _is_small(self) -> npt.NDArray[np.bool_]:
        return self.classes.keys.count < self.k

    @property
    def _is_frequent(self) -> npt.NDArray[np.bool_]:
        return self.of_class > self.alpha + ROUNDING

    def _records(self, condition: npt.NDArray[np.bool_]) -> int:
        return int(self.classes.keys.count[condition].sum())

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: whether its class violates."""
        return {"share": self.classes.keys.of_records(self._is_small | self._is_frequent)}

    def table(self) -> pl.DataFrame:
        """Violations of each condition, and of any."""
        found = {"small": self.small, "frequent": self.frequent, "any": self.violations}
        shares = [count / self.classes.keys.records for count in found.values()]
        named = [text(f"alpha-k.{reason}", k=self.k, alpha=number(self.alpha)) for reason in found]
        return pl.DataFrame({"measure": named, "violations": list(found.values()), "share": shares})

    def remarks(self) -> tuple[str, ...]:
        """What missing values count as."""
        return self.classes.remarks()

    def picture(self) -> Picture:
        """Share of the records that violate each condition."""
        rows = self.table().select("measure", "share")
        said = ", ".join(f"{reason}: {percent(share)}" for reason, share in rows.iter_rows())
        return chart(rows, "measure", "share", share=True, alternative=text("picture.alpha-k", said=said))

    def to_dict(self) -> dict[str, Any]:
        """The limits, the violations and what the file attains."""
        return {
            "keys": list(self.classes.keys.names),
            "sensitive": self.classes.sensitive,
            "alpha": self.alpha,
            "k": self.k,
            "records": self.classes.keys.records,
            "missing": int(self.classes.missing.sum()),
            "small": self.small,
            "frequent": self.frequent,
            "violations": self.violations,
            "share": self.share,
            "largest": self.largest,
            "smallest": self.smallest,
        }


def alpha_k(
    frame: Any, keys: Sequence[str], sensitive: str, alpha: float, k: int, value: Any | Sequence[Any] | None = None
) -> AlphaK:
    """Count the records in classes that are too small or in which a sensitive value is too frequent.

    Parameters
    ----------
    frame, keys
        As in ``l_diversity``.
    sensitive
        The sensitive variable.
    alpha
        The largest share that a sensitive value may have in a class.
    k
        The fewest records of a class.
    value
        The code, or codes, of the values that would harm; by default every value.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [2, 2, 1, 1], "salud": ["vih", "vih", "gripe", "gripe"]})
    >>> alpha_k(frame, keys=["sexo"], sensitive="salud", alpha=0.5, k=2).violations
    4
    >>> alpha_k(frame, keys=["sexo"], sensitive="salud", alpha=0.5, k=2, value="vih").violations
    2
    """
    within("alpha", alpha, 0, 1, above=True)
    whole_number("k", k)
    data, classes = one_sensitive(frame, keys, sensitive)
    if data.height < k:
        raise DataError("fewer-than-k", count=data.height, k=k)
    harmful = np.where(_harmful(data, classes, value)[classes.value], classes.share, 0.0)
    return AlphaK(classes, classes.largest(harmful), alpha, k)


def _harmful(data: Microdata, classes: SensitiveClasses, value: Any | Sequence[Any] | None) -> npt.NDArray[np.bool_]:
    """Which values count; a code that neither the data nor the dictionary knows would guard nothing."""
    codes = classes.categories.codes
    if value is None:
        return np.ones(len(codes), dtype=np.bool_)
    several = isinstance(value, Sequence) and not isinstance(value, str)
    wanted = {spell(one) for one in (value if several else (value,))}
    if not wanted or not wanted <= {*codes, *data.dictionary[classes.sensitive].values}:
        raise OptionError("value-unknown", option="value", variable=classes.sensitive)
    return np.array([code in wanted for code in codes])
