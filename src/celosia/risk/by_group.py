"""Risk by group: a mean over the file hides those who are few.

Foreigners, indigenous peoples, small places or large households are told apart more easily than the rest; their risk is
shown beside the mean, the worst group first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import OptionError
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.risk.individual import IndividualRisk


@dataclass(frozen=True, eq=False)
class RiskByGroup(Tabular):
    """The risk of the file, and of each group in it."""

    risk: IndividualRisk = field(repr=False)
    groups: Mapping[str, npt.NDArray[np.bool_]] = field(repr=False)

    @property
    def worst(self) -> str | None:
        """The group with the highest mean risk; ``None`` where every group is empty."""
        rows = self.table().filter(pl.col("group").is_not_null() & pl.col("global_risk").is_not_null())
        return rows.sort("global_risk", descending=True)["group"][0] if rows.height else None

    def table(self) -> pl.DataFrame:
        """One row a group, the whole file first (no group), the others by falling mean risk."""
        whole = self._row(None, np.ones(self.risk.records, dtype=np.bool_))
        rows = [self._row(name, members) for name, members in self.groups.items()]
        rows.sort(key=lambda row: -(row["global_risk"] or 0.0))
        return pl.DataFrame([whole, *rows], schema_overrides={"group": pl.String, "household_global_risk": pl.Float64})

    def _row(self, name: str | None, members: npt.NDArray[np.bool_]) -> dict[str, Any]:
        count = int(members.sum())
        own, sample = self.risk.risk[members], self.risk.frequencies.sample[members]
        household = self.risk.household_risk
        return {
            "group": name,
            "records": count,
            "global_risk": float(own.mean()) if count else None,
            "household_global_risk": float(household[members].mean()) if household is not None and count else None,
            "highest": float(own.max()) if count else None,
            "uniques": int((sample < 2).sum()),
            "violations_3": int((sample < 3).sum()),
            "share_violating_3": float((sample < 3).mean()) if count else None,
        }

    def picture(self) -> Picture:
        """Mean risk of each group beside the file's."""
        rows = self.table().select(
            pl.col("group").fill_null(text("label.whole-file")), pl.col("global_risk").fill_null(0.0).alias("share")
        )
        said = ", ".join(f"{group}: {percent(share)}" for group, share in rows.iter_rows())
        return chart(rows, "group", "share", share=True, alternative=text("picture.by-group", said=said))

    def to_dict(self) -> dict[str, Any]:
        """The table as plain numbers, and the worst group."""
        return {"worst": self.worst, "groups": self.table().to_dicts()}


def by_group(risk: IndividualRisk, groups: Mapping[str, npt.NDArray[np.bool_]]) -> RiskByGroup:
    """The risk of groups of records; each group is a mask over the records.

    Examples
    --------
    >>> import numpy as np, polars as pl
    >>> from celosia.risk import individual
    >>> found = individual(pl.DataFrame({"pais": [1, 1, 1, 2]}), keys=["pais"])
    >>> by_group(found, {"extranjeros": np.array([False, False, False, True])}).worst
    'extranjeros'
    """
    for members in groups.values():
        if members.dtype != np.bool_ or members.size != risk.records:
            raise OptionError("group-mask", records=risk.records)
    return RiskByGroup(risk, dict(groups))
