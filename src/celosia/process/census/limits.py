"""What a census plan publishes exactly and the limits that it knows: written in the plan, or in a file by place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import polars as pl
from pydantic import BeforeValidator, model_validator

from celosia.census import Fixed, Geography, Invariants, Limit
from celosia.census.domain import TOTAL
from celosia.census.invariants import Limits
from celosia.core.errors import DataError, OptionError
from celosia.core.model import Frozen
from celosia.process.census.sources import Resolve


class Column(Frozen):
    """A column of a file: one row a place, with the columns of its level."""

    file: str
    column: str

    def read(self, resolve: Resolve, geography: Geography, level: str) -> dict[str, int]:
        """The limit of each place that has a row, by its name in the tree."""
        from celosia.io import read

        rows, depth = read(resolve(self.file)), geography.level(level)
        rows.require(self.column)
        node = geography.node(rows, depth)
        unknown = int((node < 0).sum())
        if unknown:
            raise OptionError("limit-place-unknown", level=level, count=unknown)
        values = rows.column(self.column)
        if not values.dtype.is_integer() or values.null_count():
            raise DataError("census-limits-column", column=self.column, path=self.file)
        found = dict(zip((geography.names[depth][i] for i in node), values.cast(pl.Int64).to_list(), strict=True))
        if len(found) < rows.height:
            raise DataError("census-limits-repeated", path=self.file, level=level, count=rows.height - len(found))
        return found


def _column(given: Any) -> Any:
    if isinstance(given, Mapping) and set(given) == set(Column.model_fields):
        return Column.model_validate(given)
    return given


Side = Annotated[Column | Limits, BeforeValidator(_column)]


class PlanLimit(Frozen):
    """A limit of an answer: ``at_least`` and ``at_most`` are a number, one for each place, or a column of a file."""

    query: str = TOTAL
    answer: str | None = None
    level: str
    at_least: Side | None = None
    at_most: Side | None = None

    @model_validator(mode="after")
    def _limits_something(self) -> PlanLimit:
        if self.at_least is None and self.at_most is None:
            raise OptionError("limit-empty")
        return self

    def limit(self, resolve: Resolve, geography: Geography) -> Limit:
        """The limit with its numbers."""

        def side(given: Any) -> Any:
            return given.read(resolve, geography, self.level) if isinstance(given, Column) else given

        return Limit(
            query=self.query,
            answer=self.answer,
            level=self.level,
            at_least=side(self.at_least),
            at_most=side(self.at_most),
        )


class PlanInvariants(Frozen):
    """The section of a table."""

    fixed: tuple[Fixed, ...] = ()
    limits: tuple[PlanLimit, ...] = ()

    def invariants(self, resolve: Resolve, geography: Geography) -> Invariants:
        """As the algorithm takes them."""
        return Invariants(fixed=self.fixed, limits=tuple(one.limit(resolve, geography) for one in self.limits))
