r"""How many people are alone in the population with their key, estimated from a sample.

A record whose key nobody else in the *population* has can be re-identified with certainty. With the sampling fraction
:math:`f = n/N` and the sizes of the sample's classes, one of these estimates their number :math:`U`:

``pitman``
    Pitman's sampling formula by maximum likelihood (``risk.pitman``).
``zayatz``
    Sample uniques times the chance that one is a population unique (``risk.zayatz``).
``snb``
    Shifted negative binomial sizes of classes (``risk.snb``); ``snb_shlosser`` with Shlosser's number of classes.
``dankar``
    The rule of Dankar and others: Pitman for :math:`f \le 0.1`, else the smaller of Zayatz and ``snb``; Zayatz where
    what it asks for has no estimate. The others are shown beside it.

Classes are exact: a missing value is a category, each kind its own. A file that is the whole population is counted.

References
----------
Dankar, El Emam, Neisa & Roffey (2012), *Estimating the re-identification risk of clinical data sets*,
BMC Medical Informatics and Decision Making 12:66.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import polars as pl

from celosia.core.errors import DataError, OptionError, RoleError, warn
from celosia.core.frames import variable_names
from celosia.core.language import number, percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines import engine
from celosia.engines.contract import WEIGHT_SCALE
from celosia.risk.class_sizes import ClassSizes, Estimate
from celosia.risk.options import one_of, within
from celosia.risk.pitman import pitman
from celosia.risk.records import records_of
from celosia.risk.snb import snb, snb_shlosser
from celosia.risk.zayatz import zayatz

ESTIMATORS: Mapping[str, Callable[[ClassSizes, float], Estimate]] = {
    "pitman": pitman,
    "zayatz": zayatz,
    "snb": snb,
    "snb_shlosser": snb_shlosser,
}
_OF_THE_RULE = ("pitman", "zayatz", "snb")
_SMALL_FRACTION = 0.1
_TOO_SMALL = 0.01
"""Samples on which every estimator has been seen to err by several times (``risk.calibration``)."""

Estimator = Literal["dankar", "pitman", "zayatz", "snb", "snb_shlosser"]


@dataclass(frozen=True, eq=False)
class PopulationUniqueness(Tabular):
    """Estimated uniques of the population.

    Attributes
    ----------
    population, records, sample_uniques
        People, records of the sample, and its uniques.
    method, estimator, reason
        What was asked for, what gave the estimate, and the code of why.
    estimates, failures
        Every estimator that was tried: its estimate, or the code of the error that says why it has none.
    """

    population: float
    records: int
    sample_uniques: int
    method: str
    estimator: str
    reason: str
    estimates: Mapping[str, Estimate] = field(repr=False)
    failures: Mapping[str, str] = field(repr=False)

    @property
    def uniques(self) -> float:
        """Estimated number of people who are alone with their key."""
        return self.estimates[self.estimator].uniques

    @property
    def share(self) -> float:
        """Estimated uniques as a share of the population."""
        return self.uniques / self.population

    @property
    def fraction(self) -> float:
        """The sampling fraction."""
        return self.records / self.population

    @property
    def facts(self) -> Mapping[str, float]:
        """What the fit of the estimator came to: its parameters."""
        return self.estimates[self.estimator].facts

    @property
    def why(self) -> str:
        """Why this estimator, in a sentence."""
        return text(f"uniqueness.{self.reason}", estimator=self.estimator, fraction=percent(self.fraction))

    def table(self) -> pl.DataFrame:
        """A row an estimator: its uniques, their share, whether it is the one taken, and why it has none."""
        rows = [
            (name, found.uniques, found.uniques / self.population, name == self.estimator, None)
            for name, found in self.estimates.items()
        ]
        failed = [(name, None, None, False, text(f"uniqueness.{code}")) for name, code in self.failures.items()]
        schema = {"estimator": pl.String, "uniques": pl.Float64, "share": pl.Float64, "taken": pl.Boolean}
        return pl.DataFrame(rows + failed, schema=schema | {"why": pl.String}, orient="row")

    def remarks(self) -> tuple[str, ...]:
        """Why this estimator."""
        small = self.fraction < _TOO_SMALL
        return (self.why, text("remark.small-fraction")) if small else (self.why,)

    def picture(self) -> Picture:
        """Share of the population that each estimator calls unique."""
        rows = self.table().drop_nulls("share").select("estimator", "share")
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        alternative = text("picture.population-uniques", said=said, population=number(self.population, 0))
        return chart(rows, "estimator", "share", share=True, alternative=alternative)

    def to_dict(self) -> dict[str, Any]:
        """The estimate, how it came about, and the other estimates, as plain numbers."""
        return {
            "population": self.population,
            "records": self.records,
            "fraction": self.fraction,
            "sample_uniques": self.sample_uniques,
            "method": self.method,
            "estimator": self.estimator,
            "reason": self.reason,
            "uniques": self.uniques,
            "share": self.share,
            "facts": dict(self.facts),
            "estimates": {name: found.uniques for name, found in self.estimates.items()},
            "failures": dict(self.failures),
        }


def population_uniqueness(
    frame: Any,
    keys: Sequence[str],
    population: float | None = None,
    weight: str | None = None,
    method: Estimator = "dankar",
) -> PopulationUniqueness:
    """Estimate the uniques of the population from a sample.

    Parameters
    ----------
    frame, keys
        Any table, or ``Microdata``, and its key variables.
    population, weight
        The size of the population, or the variable of the weights, whose sum is its size; one of the two.
    method
        The estimator, or ``"dankar"`` for the rule that chooses one.

    Examples
    --------
    >>> from celosia.datasets import bench_population
    >>> sample = bench_population(20_000).head(2_000)
    >>> found = population_uniqueness(sample, ["region", "sex", "age"], population=40_000)
    >>> found.estimator, round(found.share, 3)
    ('zayatz', 0.126)
    """
    one_of("method", method, get_args(Estimator))
    if (population is None) == (weight is None):
        raise OptionError("population-or-weight")
    if population is not None:
        within("population", population, 0)
    names = variable_names(keys)
    if weight in names:
        raise RoleError("weight-is-key", variable=weight)
    held = engine(records_of(frame))
    found = held.encode(names, "strict")
    people = float(held.weights(weight).sum()) / WEIGHT_SCALE if weight is not None else float(population or 0)
    if people < found.records:
        raise DataError("population-too-small", population=round(people), records=found.records)
    return of_sizes(ClassSizes.of(found.count), people, method)


def of_sizes(sizes: ClassSizes, population: float, method: str = "dankar") -> PopulationUniqueness:
    """Estimate the uniques from the classes of a sample already counted."""
    if sizes.number < 2:
        raise DataError("keys-one-class")
    estimates: dict[str, Estimate] = {}
    failures: dict[str, str] = {}
    if population == sizes.records:
        estimates["count"] = Estimate(sizes.having(1))
        estimator, reason = "count", "census"
    elif method != "dankar":
        estimates[method] = _within(population, ESTIMATORS[method](sizes, population), method)
        estimator, reason = method, "asked"
    else:
        for name in _OF_THE_RULE:
            try:
                estimates[name] = _within(population, ESTIMATORS[name](sizes, population), name)
            except DataError as error:
                failures[name] = error.code
        estimator, reason = _chosen(estimates, sizes.records / population)
    if estimator == "zayatz" and sizes.having(1) == sizes.records:
        warn("sample-all-unique")
    return PopulationUniqueness(
        population, int(sizes.records), int(sizes.having(1)), method, estimator, reason, estimates, failures
    )


def _chosen(estimates: Mapping[str, Estimate], fraction: float) -> tuple[str, str]:
    """The estimator that Dankar's rule takes, and why."""
    if fraction <= _SMALL_FRACTION:
        return ("pitman", "small-fraction") if "pitman" in estimates else ("zayatz", "fallback")
    if "snb" not in estimates:
        return "zayatz", "fallback"
    return min(("zayatz", "snb"), key=lambda name: estimates[name].uniques), "smaller"


def _within(population: float, found: Estimate, estimator: str) -> Estimate:
    if not found.uniques <= population * (1 + 1e-9):
        raise DataError("estimator-beyond-population", estimator=estimator)
    return found
