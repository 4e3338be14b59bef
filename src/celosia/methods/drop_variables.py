"""Drop variables: what is not published cannot disclose."""

from __future__ import annotations

from typing import ClassVar

from celosia.core.errors import DataError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import Names
from celosia.core.run import Run
from celosia.verify import Absent, SameRecords, Untouched


class DropVariables(Method):
    """Take variables out of the file.

    Parameters
    ----------
    variables
        The variables that leave.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"rut": ["1-9", "2-7"], "sexo": [1, 2]})
    >>> DropVariables(variables=("rut",)).apply(frame).data.columns
    ['sexo']
    """

    do: ClassVar[str] = "drop_variables"

    variables: Names

    @property
    def record_wise(self) -> bool:
        """Nothing is read but names."""
        return True

    def _transform(self, data: Microdata, run: Run) -> Protected:
        data.require(*self.variables)
        if set(self.variables) == set(data.variables):
            raise DataError("drop-all-variables")
        return Protected(data.drop(*self.variables), method=self, run=run)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """The variables are gone; the others, and the records, as they were."""
        return (SameRecords(), Absent(self.variables), Untouched(frozenset(self.variables)))
