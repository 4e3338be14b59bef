"""What became of a census: its tables, what they cost, and the evaluation that stays inside."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from celosia.census import Domain, Geography, Ledger, Release, Spending, Table
from celosia.core.dictionary import Dictionary
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
    file
        The public file of its records; the suffix says the format.
    release
        Its counts, records and measurements.
    dictionary
        What is published of the places and of the codes of the domain.
    looks
        Errors, other protections and other budgets beside the truth; confidential unless the truth is public.
    """

    table: Table
    file: str
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

    @cached_property
    def microdata(self) -> Microdata:
        """The records with the labels of their codes: places and the variables of the domain, nothing else."""
        return self.release.microdata.with_dictionary(self.dictionary)

    def to_dict(self) -> dict[str, Any]:
        """Totals of what is published, and how it was measured."""
        return {
            "table": self.table.value,
            "file": self.file,
            "records": self.release.counts[-1].total,
            "variables": list(self.domain.names),
            "cells": self.domain.size,
            "levels": [
                {"level": level, "places": places, "groups": level in self.geography.groups}
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
