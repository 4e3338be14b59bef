"""Household size, derived by counting members."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
import polars as pl
from pydantic import Field

from celosia.core.dictionary import Level, Variable
from celosia.core.errors import DataError
from celosia.core.method import Promise
from celosia.core.microdata import Microdata
from celosia.engines import engine
from celosia.methods.kinds import ColumnMethod, NewColumn, new_name
from celosia.verify import CountsMembers, NoMoreThanMembers


class HouseholdSize(ColumnMethod):
    """Add the number of records of each household.

    Parameters
    ----------
    household
        The variable that members of a household share.
    new_variable
        Name of the new variable.
    top
        The largest size told apart; greater ones get it, under the label ``6+``.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"hogar": ["a", "b", "a", "a"]})
    >>> HouseholdSize(household="hogar", top=2).apply(frame).data["household_size"].to_list()
    [2, 1, 2, 2]
    """

    do: ClassVar[str] = "household_size"

    household: str
    new_variable: str = "household_size"
    top: Annotated[int, Field(ge=1)] | None = None

    @property
    def touched(self) -> tuple[str, ...]:
        """The variable added."""
        return (self.new_variable,)

    @property
    def makes(self) -> tuple[str, ...]:
        """The size: who lives together can be counted."""
        return self.touched

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Members counted again."""
        return (*super().promises(before), CountsMembers(self.household, self.new_variable, self.top))

    def lasting(self) -> tuple[Promise, ...]:
        """No member left afterwards: the size would say that somebody did."""
        return (NoMoreThanMembers(self.household, self.new_variable),)

    def _columns(self, data: Microdata) -> Mapping[str, NewColumn]:
        values = data.column(self.household)
        absent = data.dictionary[self.household].missing_mask(values)
        if absent.any():
            raise DataError("group-missing", variable=self.household, count=int(absent.sum()))
        members = engine(data).group(self.household)
        sizes = np.bincount(members.index, minlength=members.size)
        labels = {}
        if self.top is not None:
            sizes = np.minimum(sizes, self.top)
            labels = {str(size): str(size) for size in range(1, self.top)} | {str(self.top): f"{self.top}+"}
        variable = Variable(name=new_name(data, self.new_variable), level=Level.DISCRETE, values=labels)
        return {self.new_variable: NewColumn(pl.Series(self.new_variable, sizes[members.index]), variable)}
