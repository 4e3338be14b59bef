r"""The anonymity that an intruder with published counts finds for every record of a file.

Population frequencies of a survey are estimated from its weights; where the office publishes counts by the same
variables they are known. If a record's key is as coarse as the counts, the people who share it are those of its cells:
:math:`K = n`, the k-map of the counts. Where it is finer (a birth day, or a year of age, against five-year groups) the
cell does not say how many share it, only how many might: with p the chance of the people of the cell to have the
record's day, month or year of birth,

.. math::
    K = 1 + \mathrm{Binomial}(n - 1, p), \qquad E(K) = 1 + (n-1)p, \qquad P(K = 1) = (1-p)^{n-1}, \qquad
    E(1/K) = \frac{1 - (1-p)^n}{np},

with :math:`p = 1/N` where N periods are alike. The cell count itself would overstate the anonymity N times.

A record in a cell where the counts know nobody does not prove itself safe: it counts as singled out, and how many there
are is said. A key that the record leaves open may be anything: its cells are all that agree with the rest.

References
----------
Gil Bellosta (2011), *Microdatos y k-anonimidad: un enfoque cuantitativo en el contexto español*. Golle (2006),
*Revisiting the uniqueness of simple demographics in the US population*, WPES '06, 77-80. El Emam & Dankar (2008),
*Protecting privacy using k-anonymity*, JAMIA 15(5), 627-637.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from celosia.core.errors import warn
from celosia.core.frames import variable_names
from celosia.core.language import number, percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular, heading
from celosia.demography.births import Births, Floats, Ints
from celosia.demography.counts import Counts
from celosia.demography.record_cells import columns_of, people_of_records
from celosia.risk import Frequencies, frequencies
from celosia.risk.options import whole_number
from celosia.risk.records import records_of

LEVELS = (2, 3, 5, 10)
"""Levels of anonymity that the table shows."""


@dataclass(frozen=True, eq=False)
class RecordAnonymity(Tabular):
    """How many people share each record's key: in the sample, as estimated, and by the counts.

    Attributes
    ----------
    frequencies
        f of each record, and F as its weights estimate it.
    cell, chance
        The people of each record's cells, and their chance to share what its key says more than the counts do; 1
        where it says no more.
    unmatched
        Records of cells where the counts know nobody.
    """

    frequencies: Frequencies = field(repr=False)
    cell: Ints = field(repr=False)
    chance: Floats = field(repr=False)
    unmatched: int

    @property
    def finer(self) -> bool:
        """Whether some record's key says more than the counts."""
        return bool((self.chance < 1).any())

    @cached_property
    def mean(self) -> Floats:
        """E(K) of each record."""
        return 1 + (self.cell - 1) * self.chance

    @cached_property
    def unique(self) -> Floats:
        """P(K = 1) of each record."""
        return self._others_at_most(0)

    @cached_property
    def risk(self) -> Floats:
        """E(1/K) of each record: the chance of an intruder who picks one of those who agree."""
        certain = np.minimum(self.chance, np.nextafter(1.0, 0.0))
        finer = -np.expm1(self.cell * np.log1p(-certain)) / (self.cell * certain)
        return np.where(self.chance < 1, finer, 1 / self.cell)

    @property
    def global_risk(self) -> float:
        """Mean of E(1/K) over the records."""
        return float(self.risk.mean())

    def below(self, k: int) -> Floats:
        """P(K < k) of each record."""
        whole_number("k", k)
        return self._others_at_most(k - 2) if k > 1 else np.zeros(self.cell.size)

    def _others_at_most(self, others: int) -> Floats:
        """The probability that at most so many others share each record's key."""
        from scipy.special import bdtr

        kinds = pl.DataFrame({"cell": self.cell, "chance": self.chance})
        distinct = kinds.unique()
        people, chance = distinct["cell"].to_numpy() - 1, distinct["chance"].to_numpy()
        few = people <= others
        found = np.where(few, 1.0, bdtr(np.minimum(others, people), np.maximum(people, 1), chance))
        values = distinct.with_columns(value=pl.Series(found))
        return kinds.join(values, on=["cell", "chance"], how="left", maintain_order="left")["value"].to_numpy()

    def by_record(self) -> dict[str, Floats]:
        """Of each record: E(1/K), and the probability that nobody else shares its key."""
        return {"mean": self.risk, "share": self.unique}

    def table(self) -> pl.DataFrame:
        """For a few levels, the records below: in the sample, as weights estimate, and expected by the counts."""
        records = self.frequencies.records
        rows = [
            {
                "k": k,
                "sample": self.frequencies.below(k),
                "estimated": self.frequencies.population_below(k) if self.frequencies.weighted else None,
                "counted": float(self.below(k).sum()),
                "share": float(self.below(k).sum()) / records,
            }
            for k in LEVELS
        ]
        return pl.DataFrame(rows, schema_overrides={"estimated": pl.Int64})

    def views(self) -> dict[str, pl.DataFrame]:
        """The table; without weights nothing is estimated."""
        table = self.table().with_columns(pl.col("counted").round(2))
        return {"": table if self.frequencies.weighted else table.drop("estimated")}

    def remarks(self) -> tuple[str, ...]:
        """Whether the keys say more than the counts, the mean risk, and the records that nobody agrees with."""
        facts = {"keys": self.frequencies.keys.names, "risk": percent(self.global_risk, 3)}
        facts["unique"] = number(float(self.unique.sum()), 1)
        said = text("anonymity.finer" if self.finer else "anonymity.coarse", **facts)
        return (said, text("anonymity.unmatched", count=self.unmatched)) if self.unmatched else (said,)

    def picture(self) -> Picture:
        """Share of the records below each level, by what is known of the population."""
        table, records = self.table(), self.frequencies.records
        ways = [way for way in ("sample", "estimated", "counted") if table[way].null_count() == 0]
        rows = pl.concat(
            table.select(
                pl.col("k").cast(pl.String),
                (pl.col(way).cast(pl.Float64) / records).alias("share"),
                pl.lit(heading(way)).alias("basis"),
            )
            for way in ways
        )
        said = "; ".join(
            f"k < {k}: " + ", ".join(f"{heading(way)} {percent(row[way] / records)}" for way in ways)
            for k, row in zip(table["k"], table.iter_rows(named=True), strict=True)
        )
        alternative = text("picture.record-anonymity", said=said)
        return chart(rows, "k", "share", group="basis", share=True, alternative=alternative)

    def to_dict(self) -> dict[str, Any]:
        """Totals, the mean risk and the levels."""
        return {
            "keys": list(self.frequencies.keys.names),
            "records": self.frequencies.records,
            "weighted": self.frequencies.weighted,
            "finer": self.finer,
            "unmatched": self.unmatched,
            "global_risk": self.global_risk,
            "unique": float(self.unique.sum()),
            "mean": float(self.mean.mean()),
            "levels": self.table().to_dicts(),
        }


def record_anonymity(
    frame: Any,
    keys: Sequence[str],
    counts: Any,
    match: Mapping[str, str] | None = None,
    births: Births | None = None,
    weight: str | None = None,
) -> RecordAnonymity:
    """How many people share each record's key, by published counts of the population.

    Parameters
    ----------
    frame, keys, weight
        The file, its key variables and its weight.
    counts
        Any table with a row a cell and a column ``count``, or ``Counts``.
    match
        Variable of the file → column of the counts, where they have other names. The one that stands for the age
        groups may hold them, ages, wider groups, or birth dates, whole or in part.
    births
        The calendar of births; birth dates need its ``date``.

    Examples
    --------
    >>> survey = pl.DataFrame({"sexo": [1, 2], "edad": [3, 7]})
    >>> known = pl.DataFrame({"sexo": [1, 2], "edad": ["0-4", "5-9"], "count": [401, 6]})
    >>> found = record_anonymity(survey, ["sexo", "edad"], Counts.of(known, absent="zero"))
    >>> found.mean.tolist(), found.unique.round(3).tolist()
    ([81.0, 2.0], [0.0, 0.328])
    """
    data, names = records_of(frame), variable_names(keys)
    known = Counts.of(counts)
    found = people_of_records(data, columns_of(data, names, known, dict(match or {})), known, births or Births())
    sample = frequencies(data, names, weight)
    nobody = found["people"] < 1
    if unmatched := int(nobody.sum()):
        warn("counts-unmatched", count=unmatched)
    people = found["people"].clip(lower_bound=1).to_numpy()
    return RecordAnonymity(sample, people, found["chance"].set(nobody, 1.0).to_numpy(), unmatched)
