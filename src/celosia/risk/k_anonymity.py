r"""k-anonymity: how many records share their key with fewer than k - 1 others.

.. math:: V_k = \sum_i I(f_i < k)

A record with :math:`f = k` complies (INE's prose says "greater than k", its measure counts :math:`f < k`).

References
----------
Samarati & Sweeney (1998), *Protecting privacy when disclosing information*. INE Chile (2021), 3-2.1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt
import polars as pl

from celosia.core.errors import warn
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.risk.frequencies import Frequencies, Missing, frequencies
from celosia.risk.options import whole_number


@dataclass(frozen=True, eq=False)
class KAnonymity(Tabular):
    """Records that violate k-anonymity."""

    frequencies: Frequencies = field(repr=False)
    k: int
    violations: int

    @property
    def share(self) -> float:
        """Violations as a share of the records."""
        return self.violations / self.frequencies.records

    @property
    def population_violations(self) -> int:
        """Records whose estimated population frequency is below k."""
        return self.frequencies.population_below(self.k)

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: whether it violates."""
        return {"share": self.frequencies.sample < self.k}

    def table(self) -> pl.DataFrame:
        """Violations for every level up to k."""
        levels = list(range(2, self.k + 1)) or [self.k]
        records = self.frequencies.records
        violations = [self.frequencies.below(level) for level in levels]
        return pl.DataFrame({"k": levels, "violations": violations, "share": [v / records for v in violations]})

    def remarks(self) -> tuple[str, ...]:
        """How empty cells were counted."""
        return self.frequencies.remarks()

    def picture(self) -> Picture:
        """Share of the records that violate each level up to k."""
        rows = self.table().select(pl.col("k").cast(pl.String), "share")
        said = ", ".join(f"{k}: {percent(share)}" for k, share in rows.iter_rows())
        return chart(rows, "k", "share", share=True, alternative=text("picture.violations", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Level, violations and share."""
        return {
            "k": self.k,
            "violations": self.violations,
            "share": self.share,
            "missing": self.frequencies.missing,
        }


def k_anonymity(
    frame: Any,
    keys: Sequence[str],
    k: int,
    weight: str | None = None,
    missing: Missing = "wildcard",
    alpha: float = 1.0,
    truth: Any = None,
    run: Run | None = None,
) -> KAnonymity:
    """Count the records whose key fewer than k records share (parameters as in ``frequencies``)."""
    whole_number("k", k)
    found = frequencies(frame, keys, weight, missing, alpha, truth, run)
    if found.records < k:
        warn("fewer-than-k", count=found.records, k=k)
    return KAnonymity(found, int(k), found.below(k))
