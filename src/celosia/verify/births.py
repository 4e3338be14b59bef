"""Birth dates tell no more than they may."""

from __future__ import annotations

from dataclasses import dataclass

from celosia.core.codes import spell_series
from celosia.core.errors import PromiseError
from celosia.core.microdata import Microdata

_FORMS = {"year": r"^\d{4}(-\d{4})?$", "month": r"^\d{4}(-\d{4}|-?\d{2})?$"}


@dataclass(frozen=True)
class BirthsNoFiner:
    """Every value that is not missing is a year, or a month where months may be told; for days nothing is asked."""

    variable: str
    detail: str

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise where a value tells more."""
        if self.detail == "day":
            return
        values = after.column(self.variable)
        held = spell_series(values.filter(~after.dictionary[self.variable].missing_mask(values)).unique())
        finer = int((~held.str.contains(_FORMS[self.detail])).sum())
        if finer:
            raise PromiseError("promise-birth", variable=self.variable, count=finer)
