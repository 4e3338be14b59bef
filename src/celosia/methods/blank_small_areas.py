"""Blank small areas: where few people live, what they are is not said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field, model_validator

from celosia.core.errors import OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import Names
from celosia.core.run import Run
from celosia.engines import engine
from celosia.verify import SameRecords, Untouched
from celosia.verify.areas import BlankWhereFew, SparedWhereMany


@dataclass(frozen=True, eq=False)
class Blanked(Protected):
    """Data with cells emptied in small areas.

    Attributes
    ----------
    areas, persons
        Small areas, and the records in them.
    suppressed
        Variable → cells emptied.
    """

    areas: int = field(default=0, kw_only=True)
    persons: int = field(default=0, kw_only=True)
    suppressed: Mapping[str, int] = field(default_factory=dict, kw_only=True)


class BlankSmallAreas(Method):
    """Empty some variables for everybody who lives in an area of few persons.

    Every cell is emptied and marked, codes of missing values too: that something is not applicable tells of a
    person as well. Records without an area stay as they are.

    Parameters
    ----------
    area
        The variable with the areas; every record is a person.
    variables
        What is emptied.
    at_most
        Areas of at most so many persons are small.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"zona": ["a", "b", "b"], "edad": [41, 30, 2]})
    >>> BlankSmallAreas(area="zona", variables=("edad",), at_most=1).apply(frame).data["edad"].to_list()
    [None, 30, 2]
    """

    do: ClassVar[str] = "blank_small_areas"
    suppresses: ClassVar[bool] = True

    area: str
    variables: Names
    at_most: Annotated[int, Field(ge=1)]

    @model_validator(mode="after")
    def _keeps_the_area(self) -> BlankSmallAreas:
        if self.area in self.variables:
            raise OptionError("area-among-variables", variable=self.area)
        return self

    def _transform(self, data: Microdata, run: Run) -> Blanked:
        data.require(*self.variables)
        keys = engine(data).encode((self.area,), "strict")
        real = np.array([False, *(kind is None for kind in keys.categories[0].kinds)])[keys.digits[:, 0]]
        few = real & (keys.count <= self.at_most)
        mask = keys.of_records(few)
        treated = data.suppress(dict.fromkeys(self.variables, mask))
        counts = {name: int((treated.suppressed(name) & ~data.suppressed(name)).sum()) for name in self.variables}
        return Blanked(treated, method=self, run=run, areas=int(few.sum()), persons=int(mask.sum()), suppressed=counts)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Larger areas and other variables as they were."""
        spared = SparedWhereMany(self.area, self.variables, self.at_most)
        return (SameRecords(), Untouched(frozenset(self.variables)), spared)

    def lasting(self) -> tuple[Promise, ...]:
        """Small areas are blank."""
        return (BlankWhereFew(self.area, self.variables, self.at_most),)
