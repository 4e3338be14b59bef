"""Groups whose errors and risks are shown beside the mean, because a mean hides those who are few."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field, model_validator

from celosia.census.domain import Domain
from celosia.census.published import Counted, Recorded
from celosia.census.query import Query
from celosia.core.condition import Condition, holds, names
from celosia.core.errors import OptionError, RoleError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen

Mask = npt.NDArray[np.bool_]


class Group(Frozen):
    """Persons of some kind, or persons of small places.

    Parameters
    ----------
    name
        What it is called in tables.
    where
        A condition on the variables of the domain, in its categories: ``P12 == "3"``.
    level, below
        Or everybody in the places of this level with fewer persons than ``below``.
    """

    name: str
    where: Condition | None = None
    level: str | None = None
    below: int | None = Field(default=None, ge=1)

    @model_validator(mode="after")
    def _one_form(self) -> Group:
        if (self.level is None) != (self.below is None) or (self.where is None) == (self.level is None):
            raise OptionError("census-group-form", group=self.name)
        return self

    @cached_property
    def _variables(self) -> tuple[str, ...]:
        return () if self.where is None else names(self.where)

    def query(self, query: Query, domain: Domain) -> Query | None:
        """The same question asked among the group only, without the answers that nobody of it can be in."""
        if self.where is None:
            return query
        if unknown := [name for name in self._variables if name not in domain.names]:
            raise RoleError("domain-variable-unknown", variable=unknown[0], known=domain.names)
        inside = holds(self.where, Microdata(pl.DataFrame(domain.codes(np.arange(domain.size)))))
        if not inside.any():
            raise OptionError("census-group-empty", group=self.name)
        kept, place = np.unique(query.group[inside & (query.group >= 0)], return_inverse=True)
        if not kept.size:
            return None
        group = np.full(query.group.size, -1, dtype=np.int32)
        group[inside & (query.group >= 0)] = place
        labels = tuple(query.labels[answer] for answer in kept) if query.labels else ()
        variables = tuple(dict.fromkeys((*query.variables, *self._variables)))
        return replace(query, group=group, size=kept.size, labels=labels, variables=variables)

    def places(self, truth: Counted, level: int) -> Mask | None:
        """Which places of a level are in it; ``None`` where all are, no place where the level is above its own."""
        if self.level is None or self.below is None:
            return None
        own = truth.geography.level(self.level)
        if level < own:
            return np.zeros(truth.geography.nodes[level], dtype=np.bool_)
        inside = truth.totals[own] < self.below
        for depth in range(own + 1, level + 1):
            inside = inside[truth.geography.parents[depth]]
        return inside

    def members(self, records: Recorded, truth: Counted) -> Mask:
        """Which of some records are in it, as far as they tell."""
        if any(name not in records.data for name in self._variables):
            return np.zeros(records.data.height, dtype=np.bool_)
        if self.where is not None:
            return holds(self.where, records.coded)
        assert self.level is not None
        own = truth.geography.level(self.level)
        small = self.places(truth, own)
        assert small is not None
        place = records.places[own]
        return (place >= 0) & small[place]
