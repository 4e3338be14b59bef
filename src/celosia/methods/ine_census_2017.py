"""The rules that INE published for the census of 2017, as one step with its own names of variables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

import polars as pl
from pydantic import Field, model_validator

from celosia.core.codes import Code, spell_series
from celosia.core.errors import DataError, OptionError
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.run import Run
from celosia.methods.blank_small_areas import Blanked, BlankSmallAreas
from celosia.methods.merge_areas import Adjacency, MergeAreas, Merged
from celosia.methods.recode_categories import RecodeCategories
from celosia.methods.recode_intervals import RecodeIntervals
from celosia.methods.top_bottom_coding import TopBottomCoding
from celosia.verify import Absent, EmptiedOnly, SameRecords, Untouched
from celosia.verify.areas import BlankWhereWereFew, EnoughInAreas

PERSONS = 3
"""In areas of at most so many persons, what they are is blank."""
DWELLINGS = 4
"""Areas are put together until each has so many dwellings: more than three."""
OLDEST = 100
"""Persons above this age are of this age."""
PERIODS = (1990, 2000, 2010)
"""Years of arrival are published by the periods of the questionnaire (question 12)."""
MIGRATION = (
    *("P10", "P10COMUNA", "P10PAIS"),
    *("P11", "P11COMUNA", "P11PAIS"),
    *("P12", "P12COMUNA", "P12PAIS", "P12_LLEGADA", "P12_TRAMO"),
)

Variables = tuple[str, ...]


@dataclass(frozen=True, eq=False)
class As2017(Protected):
    """Data under the rules of 2017.

    Attributes
    ----------
    pooled
        Variable → how many codes were pooled.
    small_areas, persons
        Areas of few persons, and the persons in them.
    suppressed
        Variable → cells emptied there.
    areas, merges, lower_bound
        As in ``MergeAreas``.
    mapping
        Code of each area that was merged → the code of what it is in now; a file of dwellings is recoded with it.
    """

    pooled: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    small_areas: int = field(default=0, kw_only=True)
    persons: int = field(default=0, kw_only=True)
    suppressed: Mapping[str, int] = field(default_factory=dict, kw_only=True)
    areas: int = field(default=0, kw_only=True)
    merges: int = field(default=0, kw_only=True)
    lower_bound: int = field(default=0, kw_only=True)
    mapping: Mapping[str, str] = field(default_factory=dict, kw_only=True, repr=False)


class IneCensus2017(Method):
    """Pool what is rare, blank who lives in areas of three persons or fewer, merge areas of three dwellings or fewer.

    The names of the variables are those of the questionnaire, and can be changed. INE says neither in which order
    its rules were applied nor which countries and peoples were pooled. Here pooling goes first; then blanking, which
    speaks of the areas as they are; merging is last. A code is pooled that fewer than ``rare_below`` persons have,
    and the rarest others with them until the pool has so many persons itself.

    Parameters
    ----------
    area
        The block or rural entity (*manzana*, *entidad*), the smallest area of the file.
    rare_below
        Codes of countries and peoples that fewer persons have are pooled.
    dwelling
        The variable that persons of a dwelling share.
    parent, adjacency
        As in ``MergeAreas``; with the zone or locality as parent, no zone is merged with another.
    sex, age, peoples, migration
        What is blank in small areas.
    countries
        Variables of countries whose rare codes are pooled; those of ``peoples`` are pooled too.
    arrival
        The year of arrival, published as a period.
    pooled_code
        The code of what was pooled.
    keep_area
        Whether the area itself stays in the file; INE publishes zones and localities only.

    Examples
    --------
    >>> from celosia.datasets import census
    >>> persons = census(3_000).persons
    >>> result = IneCensus2017(area="DC", parent="REGION", rare_below=20).apply(persons)
    >>> result.suppressed["P08"] == result.persons > 0, "DC" in result.data
    (True, False)

    References
    ----------
    INE (2018), *Manual de usuario de la base de datos del Censo de Población y Vivienda 2017*, as reported in
    Kullmer (2024), *Manteniendo la privacidad en los censos nacionales*, Universidad de Chile, section 7.2.
    """

    do: ClassVar[str] = "ine_census_2017"
    suppresses: ClassVar[bool] = True

    area: str
    rare_below: Annotated[int, Field(ge=1)]
    dwelling: str = "ID_VIVIENDA"
    parent: str | None = None
    adjacency: Adjacency | None = None
    sex: str = "P08"
    age: str = "P09"
    peoples: Variables = ("P16", "P16A", "P16_OTRO")
    migration: Variables = MIGRATION
    countries: Variables = ("P10PAIS", "P11PAIS", "P12PAIS")
    arrival: str | None = "P12_LLEGADA"
    pooled_code: Code = "otros"
    keep_area: bool = False

    @model_validator(mode="after")
    def _keeps_the_area(self) -> IneCensus2017:
        if self.area in self.blanked:
            raise OptionError("area-among-variables", variable=self.area)
        return self

    @property
    def blanked(self) -> Variables:
        """Sex, age, indigenous people and migration."""
        return tuple(dict.fromkeys((self.sex, self.age, *self.peoples, *self.migration)))

    def _transform(self, data: Microdata, run: Run) -> As2017:
        data.require(*self.blanked, *self.countries, self.area, self.dwelling)
        treated, pooled = data, {}
        for name in dict.fromkeys((*self.countries, *self.peoples)):
            if rare := self._rare(treated, name):
                pooled[name] = len(rare)
                mapping = dict.fromkeys(rare, self.pooled_code)
                treated = RecodeCategories(variables=(name,), mapping=mapping).apply(treated, run).data
        if self.arrival is not None:
            periods = RecodeIntervals(variable=self.arrival, breaks=PERIODS, open_low=True, open_high=True)
            treated = periods.apply(treated, run).data
        treated = TopBottomCoding(variable=self.age, top=OLDEST).apply(treated, run).data
        blank = BlankSmallAreas(area=self.area, variables=self.blanked, at_most=PERSONS).apply(treated, run)
        merging = MergeAreas(
            area=self.area,
            parent=self.parent,
            minimum_dwellings=DWELLINGS,
            dwelling=self.dwelling,
            adjacency=self.adjacency,
        )
        merged = merging.apply(blank.data, run)
        assert isinstance(blank, Blanked) and isinstance(merged, Merged)
        return As2017(
            merged.data if self.keep_area else merged.data.drop(self.area),
            method=self,
            run=run,
            pooled=pooled,
            small_areas=blank.areas,
            persons=blank.persons,
            suppressed=blank.suppressed,
            areas=merged.areas,
            merges=merged.merges,
            lower_bound=merged.lower_bound,
            mapping=merged.mapping,
        )

    def _rare(self, data: Microdata, name: str) -> tuple[str, ...]:
        """Codes of few persons, from the rarest on; none where no code is rare."""
        values = data.column(name)
        held = spell_series(values.filter(~data.dictionary[name].missing_mask(values))).alias("code")
        counts = pl.DataFrame([held]).group_by("code").len().sort("len", "code")
        if self.pooled_code in held:
            raise DataError("recode-code-taken", variable=name)
        if counts.is_empty() or counts["len"][0] >= self.rare_below:
            return ()
        before = counts["len"].cum_sum() - counts["len"]
        pooled = counts.filter((pl.col("len") < self.rare_below) | (before < self.rare_below))
        return tuple(pooled["code"].to_list())

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Small areas are blank, merged ones large enough; all else is as it was. Each part kept its own promises."""
        recoded = {self.age, self.arrival, *self.countries, *self.peoples}
        touched = frozenset([*self.blanked, *self.countries, self.area, *([self.arrival] if self.arrival else [])])
        plain = tuple(name for name in self.blanked if name not in recoded)
        always: tuple[Promise, ...] = (
            SameRecords(),
            Untouched(touched),
            EmptiedOnly(plain),
            BlankWhereWereFew(self.area, self.blanked, PERSONS),
        )
        return always if self.keep_area else (*always, Absent((self.area,)))

    def lasting(self) -> tuple[Promise, ...]:
        """Enough dwellings in every area that is told."""
        return (EnoughInAreas(self.area, 0, DWELLINGS, self.dwelling),) if self.keep_area else ()
