"""One figure for every class of equal keys: what t-closeness, δ-disclosure and β-likeness give back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.language import number, percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.risk.classes import ROUNDING, Floats, SensitiveClasses
from celosia.risk.options import within


@dataclass(frozen=True, eq=False)
class ClassFigure(Tabular):
    """How far each class is from the whole file; larger is worse.

    Attributes
    ----------
    classes
        The classes and the sensitive values in them.
    of_class
        The figure of each class; 0 where no value is observed.
    """

    classes: SensitiveClasses = field(repr=False)
    of_class: Floats = field(repr=False)

    measure: ClassVar[str]
    levels: ClassVar[tuple[float, ...]]
    """Limits that the table shows."""
    highest: ClassVar[float] = float("inf")
    """The largest limit that means anything."""
    strict: ClassVar[bool] = False
    """Whether a class at the limit violates it."""

    @cached_property
    def of_record(self) -> Floats:
        """The figure of each record's class, in row order."""
        return self.classes.keys.of_records(self.of_class)

    @property
    def largest(self) -> float:
        """The figure of the worst class: what the whole file attains."""
        return float(self.of_class.max())

    def beyond(self, limit: float) -> npt.NDArray[np.bool_]:
        """The classes with an observed value that do not comply with a limit."""
        within("limit", limit, 0, self.highest, above=True)
        hair = ROUNDING * max(1.0, limit)
        fails = self.of_class >= limit - hair if self.strict else self.of_class > limit + hair
        return fails & (self.classes.observed > 0)

    def violations(self, limit: float) -> int:
        """Records in classes that do not comply with a limit."""
        return int(self.classes.keys.count[self.beyond(limit)].sum())

    def share(self, limit: float) -> float:
        """Violations as a share of the records."""
        return self.violations(limit) / self.classes.keys.records

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: the figure of its class."""
        return {"mean": self.of_record}

    def table(self) -> pl.DataFrame:
        """Records that violate each of a few limits."""
        found = [self.violations(limit) for limit in self.levels]
        shares = [count / self.classes.keys.records for count in found]
        return pl.DataFrame({"limit": list(self.levels), "violations": found, "share": shares})

    def remarks(self) -> tuple[str, ...]:
        """What missing values count as."""
        return self.classes.remarks()

    def picture(self) -> Picture:
        """Share of the records that violate each of a few limits."""
        rows = pl.DataFrame({"limit": [number(limit) for limit in self.levels], "share": self.table()["share"]})
        said = ", ".join(f"{limit}: {percent(share)}" for limit, share in rows.iter_rows())
        return chart(rows, "limit", "share", share=True, alternative=text(f"picture.{self.measure}", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Totals and the worst figure; ``None`` where it has no bound."""
        known = self.classes
        return {
            "measure": self.measure,
            "keys": list(known.keys.names),
            "sensitive": known.sensitive,
            "records": known.keys.records,
            "classes": int(known.keys.count.size),
            "missing": int(known.missing.sum()),
            "largest": self.largest if np.isfinite(self.largest) else None,
        }
