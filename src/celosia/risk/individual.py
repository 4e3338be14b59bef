r"""Individual risk: the chance that a record is re-identified, and what it makes of file and household.

A record with sample frequency :math:`f` and estimated population frequency :math:`F` is re-identified by an intruder
who knows its key with probability :math:`E[1/F_k \mid f]`, where :math:`F_k` given :math:`f` is negative binomial
with success probability :math:`\pi = f/F` (Benedetti & Franconi 1998):

.. math::
    r = \begin{cases}
      \dfrac{\pi}{1-\pi}\ln\dfrac1\pi & f = 1\\[1ex]
      \dfrac{\pi}{1-\pi} - \Bigl(\dfrac{\pi}{1-\pi}\Bigr)^2 \ln\dfrac1\pi & f = 2\\[1ex]
      \dfrac{\pi}{f-(1-\pi)} & f = 3, 4, \dots\\[1ex]
      1/f & F = f
    \end{cases}

The third line is the usual approximation (``estimator="usual"``, the default, as sdcMicro and INE compute it); with
``estimator="exact"``, and wherever :math:`f` is not an integer (``alpha`` < 1), it is the expectation itself,
:math:`\frac{\pi}{f}\,{}_2F_1(1,1;f+1;1-\pi)`, by a continued fraction that is stable for any :math:`f`. INE's
standard (2021, Tabla 17) writes :math:`r = 1/F` but prints the values of the usual estimator.

Global risk is the mean of :math:`r`; its sum is the expected number of re-identifications. A member's
household is re-identified when any member is: :math:`r^h = 1 - \prod_j (1 - r_j)`.

References
----------
Benedetti & Franconi (1998), *Statistical and technological solutions for controlled data dissemination*.
Franconi & Polettini (2004), *Individual risk estimation in μ-Argus: a review*, PSD 2004, LNCS 3050, 262-272.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import OptionError, warn
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Classes, engine
from celosia.kernels.counting import unite_by
from celosia.kernels.reidentification import exact_risks, usual_risks
from celosia.risk.frequencies import Frequencies, Missing, frequencies
from celosia.risk.options import one_of, within
from celosia.risk.records import records_of
from celosia.risk.threshold import highest_kept

Floats = npt.NDArray[np.float64]
Estimator = Literal["usual", "exact"]
LEVELS = (0.01, 0.05, 0.25, 0.5, 0.9)
"""Of INE's Tabla 20."""


@dataclass(frozen=True, eq=False)
class IndividualRisk(Tabular):
    """Risk of every record, of the file, and of the households where they are known.

    Attributes
    ----------
    frequencies
        The f and F behind the risks.
    of_key
        Risk of each distinct key.
    levels, max_global_risk
        The levels that the table shows, and the limit that a threshold is sought for, as asked.
    """

    frequencies: Frequencies = field(repr=False)
    of_key: Floats = field(repr=False)
    households: Classes | None = field(repr=False)
    levels: tuple[float, ...] = LEVELS
    max_global_risk: float | None = None

    @cached_property
    def risk(self) -> Floats:
        """Risk of each record."""
        return self.frequencies.keys.of_records(self.of_key)

    @cached_property
    def of_household(self) -> Floats | None:
        """Risk of each household."""
        if self.households is None:
            return None
        united = np.zeros(self.households.size)
        unite_by(self.households.index, self.risk, united)
        return united

    @cached_property
    def household_risk(self) -> Floats | None:
        """Risk of each record's household: the same for all its members."""
        if self.households is None:
            return None
        of_household = self.of_household
        assert of_household is not None
        return of_household[self.households.index]

    @property
    def records(self) -> int:
        """Number of records."""
        return self.frequencies.records

    @cached_property
    def expected(self) -> float:
        """Expected number of re-identified records."""
        return float(self.of_key @ self.frequencies.keys.count)

    @property
    def global_risk(self) -> float:
        """Expected share of re-identified records."""
        return self.expected / self.records

    @cached_property
    def household_expected(self) -> float | None:
        """Expected number of records whose household is re-identified."""
        if self.households is None or self.of_household is None:
            return None
        return float(self.of_household @ np.bincount(self.households.index, minlength=self.households.size))

    @property
    def household_global_risk(self) -> float | None:
        """Expected share of records whose household is re-identified."""
        return None if self.household_expected is None else self.household_expected / self.records

    def above(self, level: float, household: bool = False) -> int:
        """Records whose risk (or household's risk) is above a level."""
        if not household:
            return int(self.frequencies.keys.count[self.of_key > level].sum())
        if self.household_risk is None:
            raise OptionError("household-unknown")
        return int((self.household_risk > level).sum())

    def certain(self, household: bool = False) -> int:
        """Records that are re-identified for sure: risk 1."""
        return self.above(float(np.nextafter(1, 0)), household)

    def share_above(self, level: float, household: bool = False) -> float:
        """Share of records whose risk (or household's risk) is above a level."""
        return self.above(level, household) / self.records

    @cached_property
    def high(self) -> int:
        """Records far above the rest: r > median + 3 · 1.4826 · MAD, and r > 0.1."""
        median = np.median(self.risk)
        spread = 1.4826 * np.median(np.abs(self.risk - median))
        return int(((self.risk > median + 3 * spread) & (self.risk > 0.1)).sum())

    def threshold(self, max_global_risk: float) -> float | None:
        """The highest risk that records may keep if the mean over all is to stay below a limit (``risk.threshold``).

        ``None`` where the file is below already, 0 where no risk is low enough.
        """
        within("max_global_risk", max_global_risk, 0, 1, above=True)
        return highest_kept(self.of_key, self.frequencies.keys.count, max_global_risk)

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: its risk, its household's, and whether fewer than 2 and 3 share its key."""
        sample, household = self.frequencies.sample, self.household_risk
        found: dict[str, npt.NDArray[Any]] = {"global_risk": self.risk}
        if household is not None:
            found["household_global_risk"] = household
        return found | {"share_unique": sample < 2, "share_violating_3": sample < 3}

    def table(self) -> pl.DataFrame:
        """Global figures and shares above each level, for records and households."""
        levels = [False] if self.households is None else [False, True]
        rows: list[tuple[str, str, float | None, float | None]] = []
        for household in levels:
            level = "household" if household else "individual"
            mean = self.household_global_risk if household else self.global_risk
            rows.append((level, "global_risk", None, mean))
            rows += [(level, "share_above", at, self.share_above(at, household)) for at in self.levels]
        return pl.DataFrame(rows, schema=["level", "measure", "at", "value"], orient="row")

    def views(self) -> dict[str, pl.DataFrame]:
        """The same figures, which are all shares."""
        return {"": self.table().rename({"value": "share"})}

    def remarks(self) -> tuple[str, ...]:
        """How empty cells were counted, what stands behind F, and the threshold that was asked for."""
        basis = text("risk.weighted" if self.frequencies.weighted else "risk.whole")
        return (*self.frequencies.remarks(), basis, *self._on_the_threshold())

    def _on_the_threshold(self) -> tuple[str, ...]:
        if self.max_global_risk is None:
            return ()
        found = self.threshold(self.max_global_risk)
        kind = "met" if found is None else "none" if found == 0 else "found"
        facts = {"limit": percent(self.max_global_risk, 3), "threshold": percent(found or 0.0, 3)}
        return (text(f"threshold-search.{kind}", **facts),)

    def picture(self) -> Picture:
        """Share of the records above each level of risk, for records and households."""
        rows = (
            self.table()
            .filter(pl.col("measure") == "share_above")
            .select(
                pl.col("at").map_elements(lambda at: percent(at, 0), return_dtype=pl.String),
                pl.col("value").alias("share"),
                pl.col("level").map_elements(lambda level: text(f"level.{level}"), return_dtype=pl.String),
            )
        )
        said = ", ".join(f"{level} > {at}: {percent(share)}" for at, share, level in rows.iter_rows())
        alternative = text("picture.above", said=said)
        return chart(rows, "at", "share", group="level", share=True, alternative=alternative)

    def to_dict(self) -> dict[str, Any]:
        """Global figures as plain numbers."""
        return {
            "records": self.records,
            "expected": self.expected,
            "global_risk": self.global_risk,
            "household_expected": self.household_expected,
            "household_global_risk": self.household_global_risk,
            "share_above": {f"{at:g}": self.share_above(at) for at in self.levels},
        } | ({} if self.max_global_risk is None else {"threshold": self.threshold(self.max_global_risk)})


def individual(
    frame: Any,
    keys: Sequence[str],
    weight: str | None = None,
    household: str | None = None,
    missing: Missing = "wildcard",
    alpha: float = 1.0,
    truth: Any = None,
    estimator: Estimator = "usual",
    levels: Sequence[float] = LEVELS,
    max_global_risk: float | None = None,
    run: Run | None = None,
) -> IndividualRisk:
    r"""Individual, household and global risk.

    Parameters
    ----------
    frame, keys, weight, missing, alpha, truth
        As in ``frequencies``; without weights F = f and the risk is 1/f, as in a census.
    household
        The variable that identifies the household (or firm, or school).
    estimator
        ``"usual"`` or ``"exact"``: how :math:`E[1/F_k \mid f]` is computed for f above 2.
    levels
        Levels of risk above which the table counts records.
    max_global_risk
        A limit of the global risk, to search for the risk that records may keep (see ``threshold``).

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [1, 1, 2], "peso": [100, 80, 120]})
    >>> individual(frame, keys=["sexo"], weight="peso").risk.round(4).tolist()
    [0.0107, 0.0107, 0.0402]
    """
    for at in levels:
        within("levels", at, 0, 1)
    if max_global_risk is not None:
        within("max_global_risk", max_global_risk, 0, 1, above=True)
    data = records_of(frame)
    found = frequencies(data, keys, weight, missing, alpha, truth, run)
    households = None if household is None else engine(data).group(household)
    risk = of_frequencies(found, households, estimator)
    return replace(risk, levels=tuple(levels), max_global_risk=max_global_risk)


def of_frequencies(
    found: Frequencies, households: Classes | None = None, estimator: Estimator = "usual"
) -> IndividualRisk:
    """Individual risk from frequencies already counted."""
    sample = found.of_key.astype(np.float64)
    population = found.population_of_key
    short = population < sample
    if short.any():
        warn("population-below-sample", count=int(found.keys.count[short].sum()))
        population = np.maximum(population, sample)
    one_of("estimator", estimator, get_args(Estimator))
    of_key = np.empty(sample.size)
    if estimator == "exact":
        exact_risks(sample, population, of_key)
    else:
        usual_risks(sample, population, of_key)
    return IndividualRisk(found, of_key, households)
