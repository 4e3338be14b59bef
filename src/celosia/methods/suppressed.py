"""What a suppression gives back: the data, what they lost, and how safe they are in every way of counting."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from celosia.core.errors import CelosiaWarning
from celosia.core.method import Protected
from celosia.core.microdata import Microdata
from celosia.risk.frequencies import COUNTINGS, frequencies


@dataclass(frozen=True)
class Preview:
    """What a suppression would do, before it is done.

    Attributes
    ----------
    records, violators
        Records in the file, and those that do not reach what is asked for.
    suppressed
        Cells that would be emptied of each variable.
    dropped
        Records that would be taken out.
    left
        Records that it could not protect within its limits; where there are any it would stop.
    """

    records: int
    violators: int
    suppressed: Mapping[str, int]
    dropped: int
    left: int

    @property
    def total(self) -> int:
        """Cells that would be emptied in all."""
        return sum(self.suppressed.values())


@dataclass(frozen=True, eq=False)
class Suppressed(Protected):
    """Data with cells emptied, and how many of each variable.

    Attributes
    ----------
    suppressed
        Cells emptied, by variable.
    dropped
        Records taken out because nothing less protects them.
    violators
        Records that did not reach what was asked for before.
    """

    suppressed: dict[str, int] = field(default_factory=dict)
    dropped: int = field(default=0, kw_only=True)
    violators: int = field(default=0, kw_only=True)
    pair: tuple[Microdata, Microdata] = field(kw_only=True, repr=False)
    asked: Sequence[tuple[tuple[str, ...], int]] = field(kw_only=True, repr=False)

    @property
    def total(self) -> int:
        """Cells emptied in all."""
        return sum(self.suppressed.values())

    @cached_property
    def counts(self) -> pl.DataFrame:
        """Records below k and alone with their key, by the way of counting, before and after.

        ``intruder`` compares the published file with the true keys. Where several sets of keys are asked for, a
        record counts that is below in any of them. A risk limit has no k: 3 stands for it.
        """
        before, after = self.pair
        rows = []
        with warnings.catch_warnings(action="ignore", category=CelosiaWarning):
            for counting in COUNTINGS:
                found = []
                for data in (before, after):
                    truth = before.in_order_of(data.ids) if counting == "intruder" else None
                    below, alone = np.zeros(data.height, dtype=np.bool_), np.zeros(data.height, dtype=np.bool_)
                    for names, k in self.asked:
                        sample = frequencies(data, names, missing=counting, run=self.run, truth=truth).sample
                        below, alone = below | (sample < k), alone | (sample < 2)
                    found += [int(below.sum()), int(alone.sum())]
                rows.append((counting, *found))
        return pl.DataFrame(
            rows,
            schema={
                "counting": pl.String,
                "below_before": pl.Int64,
                "unique_before": pl.Int64,
                "below": pl.Int64,
                "unique": pl.Int64,
            },
            orient="row",
        )

    def to_dict(self) -> dict[str, Any]:
        """Cells by variable, and the counts in every way of counting."""
        return {
            "changed": dict(self.changed),
            "suppressed": dict(self.suppressed),
            "total": self.total,
            "dropped": self.dropped,
            "violators": self.violators,
            "counts": self.counts.to_dicts(),
        }
