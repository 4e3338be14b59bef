"""What became of a census: its tables, what they cost, and the evaluation that stays inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from celosia.census import Domain, Geography, Ledger, Release, Spending, Table
from celosia.core.dictionary import Dictionary, Variable
from celosia.core.microdata import Microdata
from celosia.process.census.evaluating import Evaluated
from celosia.process.census.plan import CensusPlan

STEM = {Table.PERSONS: "personas", Table.DWELLINGS: "viviendas", Table.HOUSEHOLDS: "hogares"}
"""How the files of a table are called."""


@dataclass(frozen=True, eq=False)
class Published:
    """One table of the census.

    Attributes
    ----------
    release
        Its counts, records and measurements.
    dictionary
        That of the confidential file; only what it says of the codes of the domain is published.
    looks
        Errors, other protections and other budgets beside the truth; confidential unless the truth is public.
    """

    table: Table
    release: Release = field(repr=False)
    dictionary: Dictionary = field(repr=False)
    spending: Spending = field(repr=False)
    looks: Evaluated = field(default=Evaluated(), repr=False)

    @property
    def domain(self) -> Domain:
        """The cells."""
        return self.release.domain

    @property
    def geography(self) -> Geography:
        """The places."""
        return self.release.geography

    @property
    def place_columns(self) -> tuple[str, ...]:
        """The levels that are written; a root that stands alone is not."""
        return self.geography.levels[1:] if self.geography.nodes[0] == 1 else self.geography.levels

    @cached_property
    def microdata(self) -> Microdata:
        """The records with the labels of their codes: places and the variables of the domain, nothing else."""
        places = {name: Variable(name=name) for name in self.place_columns}
        told = {one.name: self._told(one.name, one.categories) for one in self.domain.attributes}
        known = {name: places.get(name) or told[name] for name in self.release.microdata.variables}
        return self.release.microdata.with_dictionary(Dictionary.of(*known.values()))

    def _told(self, name: str, categories: tuple[str, ...]) -> Variable:
        """What the dictionary says of a variable, for the codes that can be published."""
        if name not in self.dictionary:
            return Variable(name=name)
        known = self.dictionary[name]
        return Variable(
            name=name,
            label=known.label,
            unit=known.unit,
            values={code: said for code, said in known.values.items() if code in categories},
            missing={code: kind for code, kind in known.missing.items() if code in categories},
            null=known.null,
        )

    def to_dict(self) -> dict[str, Any]:
        """Totals of what is published, and how it was measured."""
        return {
            "table": self.table.value,
            "records": self.release.counts[-1].total,
            "variables": list(self.domain.names),
            "cells": self.domain.size,
            "levels": [
                {"level": level, "places": places}
                for level, places in zip(self.geography.levels, self.geography.nodes, strict=True)
            ],
            "measurements": [
                {
                    "level": charge.level,
                    "query": charge.query,
                    "answers": self.domain.query(charge.query).size,
                    "noise": charge.noise,
                    "parameter": str(charge.parameter),
                    "variance": float(charge.variance),
                }
                for charge in self.spending.charges
            ],
            "invariants": list(self.spending.invariants),
        }


@dataclass(frozen=True, eq=False)
class Outcome:
    """The whole census of a plan.

    Attributes
    ----------
    ledger
        Everything that was spent on these data so far, this run included.
    seed
        Of a test; ``None`` where the noise came from the operating system.
    """

    plan: CensusPlan
    tables: tuple[Published, ...]
    ledger: Ledger
    seed: int | None = None

    @property
    def releasable(self) -> bool:
        """Whether it may be published: no noise of it came from a test source."""
        return self.seed is None and all(one.release.releasable for one in self.tables)

    @property
    def own(self) -> Ledger:
        """What this run alone has spent."""
        mine = tuple(one.spending for one in self.tables)
        return self.ledger.model_copy(update={"spendings": mine})
