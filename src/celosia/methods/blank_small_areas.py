"""Blank small areas: where few people live, what they are is not said. With INE's rules of the 2017 census."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from celosia.core.errors import OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import Names
from celosia.core.run import Run
from celosia.engines import engine
from celosia.methods.merge_areas import Adjacency, MergeAreas
from celosia.methods.recode_categories import RecodeCategories
from celosia.methods.top_bottom_coding import TopBottomCoding
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


def ine_census_2017(
    *,
    area: str,
    dwelling: str,
    age: str,
    personal: Sequence[str],
    parent: str | None = None,
    adjacency: Adjacency | None = None,
    pooled: Mapping[str, Mapping[Any, Any]] | None = None,
) -> tuple[Method, ...]:
    """The rules that INE published for Chile's census of 2017, as methods to be applied in this order.

    Rare codes are pooled, ages above 100 are 100; where a block or rural entity has at most 3 persons their sex, age,
    indigenous people and migration are blank; blocks that do not have more than 3 dwellings are put together.
    INE does not say in which order: blanking goes first, because it speaks of the blocks as they are. Nor does it
    say which countries, peoples and years of arrival were pooled: that is the office's to give.

    Parameters
    ----------
    area, dwelling
        The block (*manzana* or *entidad*), and the dwelling within it.
    age
        The age in years; blanked with the ``personal`` ones.
    personal
        Sex, indigenous people and migration: every variable that tells of them.
    parent, adjacency
        As in ``MergeAreas``.
    pooled
        For each variable with rare codes (country, people, year of arrival) code → pooled code.

    References
    ----------
    INE (2018), *Manual de usuario de la base de datos del Censo de Población y Vivienda 2017*, as reported in
    Kullmer (2024), *Manteniendo la privacidad en los censos nacionales*, Universidad de Chile, section 7.2.
    """
    coded = [RecodeCategories(variables=(name,), mapping=codes) for name, codes in (pooled or {}).items()]
    return (
        *coded,
        TopBottomCoding(variable=age, top=100),
        BlankSmallAreas(area=area, variables=tuple(dict.fromkeys([age, *personal])), at_most=3),
        MergeAreas(area=area, parent=parent, minimum_dwellings=4, dwelling=dwelling, adjacency=adjacency),
    )
