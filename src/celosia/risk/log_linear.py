r"""Global risk by log-linear models: how many sample uniques are unique in the population, or would be matched.

Sample counts :math:`f_c` of the cells of the cross product of the keys are independent Poisson with mean
:math:`\mu_c`, fitted by a log-linear model; people :math:`F_c` are Poisson with mean :math:`\lambda_c = \mu_c/\pi_c`,
:math:`\pi_c` the chance of inclusion. For a sample unique with :math:`v_c = (1-\pi_c)\,\mu_c/\pi_c`,

.. math::
    P(F_c = 1 \mid f_c = 1) = e^{-v_c}, \qquad E[1/F_c \mid f_c = 1] = \frac{1-e^{-v_c}}{v_c},

.. math::
    \tau_1 = \sum_{f_c=1} e^{-v_c}, \qquad \tau_2 = \sum_{f_c=1} \frac{1-e^{-v_c}}{v_c}:

sample uniques that are population uniques, and correct matches if each sample unique is linked to one with its key.

sdcMicro's ``modRisk`` leaves out the division by the chance of inclusion, :math:`v = (1-p_c)\mu_c`, which overstates
the risk of small samples by orders of magnitude, and divides the sums by the number :math:`C` of cells with
:math:`0 < f_c \le` ``bound``. These figures are ``gr1`` and ``gr2``, here for comparison only.

Methods (:math:`W_c` the weights of a cell): ``default`` fits :math:`f`; ``ce`` adds the offset
:math:`\log(f/W + 0.1)`, with 0/0 = 0; ``pml`` fits :math:`W \sum f/\sum W`, rounded; ``weighted`` adds W as a numeric
predictor; ``ipf`` is ``default`` with every variable a category. ``fit`` judges the model (``risk.model_fit``).
Cells are exact: a missing value is a category, each kind its own.

References
----------
Skinner & Holmes (1998), *Estimating the re-identification risk per record in microdata*, JOS 14(4), 361-372.
Skinner & Shlomo (2008), *Assessing identification risk in survey microdata using log-linear models*, JASA 103(483),
989-1001.
Carlson (2002), *Assessing microdata disclosure risk using the Poisson-inverse Gaussian distribution*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.frames import variable_names
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Keys, engine
from celosia.risk.cells import MOST_CELLS, Cells, Floats, raised, weighed
from celosia.risk.model_fit import ModelFit
from celosia.risk.model_terms import METHODS, Fitter, Method, Model, Terms, terms_of
from celosia.risk.options import one_of, within
from celosia.risk.records import records_of

Recommended = Literal["main", "two-way", "search", "terms"]


@dataclass(frozen=True, eq=False)
class LogLinear(Tabular):
    """Risk of the sample uniques under a log-linear model.

    Attributes
    ----------
    keys, cells
        The distinct keys and the cells of the model.
    fitted
        Fitted records of each cell.
    terms, method, bound
        The model, how it was fitted, and the largest cell that ``gr1`` and ``gr2`` count.
    fit
        Whether the model is too simple or too rich: ``fit.sentence`` says it.
    """

    keys: Keys = field(repr=False)
    cells: Cells = field(repr=False)
    fitted: Floats = field(repr=False)
    terms: Terms
    method: Method
    bound: float
    fit: ModelFit

    @property
    def sample_uniques(self) -> int:
        """Records that are alone in the sample with their key."""
        return int((self.keys.count == 1).sum())

    @property
    def tau1(self) -> float:
        """Expected sample uniques that are population uniques."""
        return float(np.exp(-self._rates).sum())

    @property
    def tau2(self) -> float:
        """Expected correct matches of sample uniques."""
        return float(_match(self._rates).sum())

    @property
    def gr1(self) -> float:
        """sdcMicro's first figure, without the division by the chance of inclusion: to compare only."""
        return float(np.exp(-self._undivided).sum() / self.cells_used)

    @property
    def gr2(self) -> float:
        """sdcMicro's second figure, without the division by the chance of inclusion: to compare only."""
        return float(_match(self._undivided).sum() / self.cells_used)

    @property
    def cells_used(self) -> int:
        """Cells with 0 < f ≤ bound."""
        return int((self.keys.count <= self.bound).sum())

    @property
    def recommended(self) -> Recommended:
        """The model to try next, or this one where its fit is good; ``terms`` are interactions of three and more."""
        own = self.terms.model
        if self.fit.verdict == "good" or (own == "main" and self.fit.verdict == "over"):
            return own
        return "terms" if self.fit.verdict == "under" and own in ("two-way", "search") else "search"

    @cached_property
    def risk(self) -> Floats:
        """The chance that a match with the record is correct, for sample uniques; NaN for other records."""
        of_key = np.full(self.keys.count.size, np.nan)
        of_key[self.keys.count == 1] = _match(self._rates)
        return self.keys.of_records(of_key)

    @cached_property
    def _alone(self) -> Any:
        return self.cells.of_key[self.keys.count == 1]

    @cached_property
    def _rates(self) -> Floats:
        """v of each sample unique."""
        mean, people = self.fitted[self._alone], self.cells.people[self._alone]
        return np.asarray((people - 1) * mean)

    @cached_property
    def _undivided(self) -> Floats:
        """v of each sample unique without the division by the chance of inclusion."""
        return np.asarray((1 - 1 / self.cells.people[self._alone]) * self.fitted[self._alone])

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: the chance that a match with it is correct; 0 where it is not unique in the sample."""
        return {"share": np.nan_to_num(self.risk)}

    def table(self) -> pl.DataFrame:
        """Headline figures, then those of the fit, then sdcMicro's."""
        alone = max(self.sample_uniques, 1)
        rows = {
            "sample_uniques": self.sample_uniques,
            "tau1": self.tau1,
            "tau2": self.tau2,
            "tau1_share": self.tau1 / alone,
            "tau2_share": self.tau2 / alone,
            "fit_z1": self.fit.z_1,
            "fit_z2": self.fit.z_2,
            "deviance": self.fit.deviance,
            "parameters": self.fit.parameters,
            "cells": self.fit.cells,
            "gr1_sdcmicro": self.gr1,
            "gr2_sdcmicro": self.gr2,
        }
        return pl.DataFrame({"measure": list(rows), "value": [float(value) for value in rows.values()]})

    def views(self) -> dict[str, pl.DataFrame]:
        """Sample uniques and what is expected of them; then the fit, on which both rest."""
        figures = dict(self.table().iter_rows())
        headline, fit = ("sample_uniques", "tau1", "tau2"), ("fit_z1", "fit_z2", "deviance", "parameters", "cells")
        alone = max(self.sample_uniques, 1)
        uniques = {
            "measure": headline,
            "value": [figures[name] for name in headline],
            "share": [figures[name] / alone for name in headline],
        }
        return {
            "": pl.DataFrame(uniques),
            "tables.fit": pl.DataFrame({"measure": fit, "value": [figures[name] for name in fit]}),
        }

    def remarks(self) -> tuple[str, ...]:
        """Whether the model serves, and which to try."""
        other = self.recommended != self.terms.model or self.fit.verdict == "under"
        return (self.fit.sentence, text(f"recommended.{self.recommended}")) if other else (self.fit.sentence,)

    def picture(self) -> Picture:
        """Sample uniques as a share of the records: all, expected to be matched, expected unique in the population."""
        figures = {"sample-uniques": self.sample_uniques, "tau2": self.tau2, "tau1": self.tau1}
        rows = pl.DataFrame(
            {
                "figure": [text(f"log-linear.{name}") for name in figures],
                "share": [value / self.keys.records for value in figures.values()],
            }
        )
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        alternative = text("picture.log-linear", said=said, fit=self.fit.sentence)
        return chart(rows, "figure", "share", share=True, alternative=alternative)

    def to_dict(self) -> dict[str, Any]:
        """All figures as plain numbers, the model, and the verdict on it."""
        figures = dict(self.table().iter_rows())
        return figures | {
            "keys": list(self.keys.names),
            "model": self.terms.model,
            "terms": [list(term) for term in self.terms.terms],
            "method": self.method,
            "verdict": self.fit.verdict,
            "recommended": self.recommended,
        }


def log_linear(
    frame: Any,
    keys: Sequence[str],
    weight: str | None = None,
    population: float | None = None,
    model: Model = "main",
    method: Method = "default",
    as_numbers: Sequence[str] = (),
    bound: float = float("inf"),
    max_cells: int = MOST_CELLS,
    run: Run | None = None,
) -> LogLinear:
    """Estimate how many sample uniques are population uniques, and how many would be matched.

    Parameters
    ----------
    frame, keys
        Any table, or ``Microdata``, and its key variables: each has a main effect.
    weight, population
        The variable of the weights, or the size of the population where all records had the same chance.
    model
        ``"main"`` effects; ``"two-way"`` interactions; ``"search"``, which adds interactions of two variables one by
        one while the model is too simple; or the interactions to add to the main effects, each a tuple of names.
    method
        ``"default"``, ``"ce"``, ``"pml"``, ``"weighted"`` or ``"ipf"``.
    as_numbers
        Variables with numeric codes that enter with one slope instead of an effect for each category.
    bound
        Largest sample frequency of a cell that counts for ``gr1`` and ``gr2``.
    max_cells
        The largest cross product to try.

    Examples
    --------
    >>> from celosia.datasets import bench_population
    >>> sample = bench_population(20_000).head(2_000)
    >>> found = log_linear(sample, ["sex", "age", "edu"], population=20_000)
    >>> found.sample_uniques, round(found.tau1), round(found.tau2), found.fit.verdict
    (455, 20, 88, 'under')
    """
    one_of("method", method, METHODS)
    if (population is None) == (weight is None):
        raise OptionError("population-or-weight")
    if population is not None:
        within("population", population, 0)
    if bound != float("inf"):
        within("bound", bound, 1)
    names = variable_names(keys)
    if weight in names:
        raise RoleError("weight-is-key", variable=weight)
    held = engine(records_of(frame))
    found = held.encode(names, "strict")
    people = weighed(held, found, weight) if weight is not None else raised(found, float(population or 0))
    return of_keys(found, people, model, method, as_numbers, bound, max_cells, run or Run())


def of_keys(
    keys: Keys,
    people: Floats,
    model: Model,
    method: Method = "default",
    as_numbers: Sequence[str] = (),
    bound: float = float("inf"),
    max_cells: int = MOST_CELLS,
    run: Run | None = None,
) -> LogLinear:
    """The risk of keys already counted, which have so many people each."""
    if keys.count.size < 2:
        raise DataError("keys-one-class")
    terms = terms_of(model, keys.names)
    if unknown := tuple(sorted(set(as_numbers) - set(keys.names))):
        raise OptionError("model-terms", variables=unknown)
    cells = Cells.of(keys, people, max_cells)
    fitter = Fitter(cells, keys, method, tuple(as_numbers), max_cells, run or Run())
    terms, fitted, fit = fitter.best(terms)
    return LogLinear(keys, cells, fitted, terms, method, bound, fit)


def _match(v: Floats) -> Floats:
    """(1 - exp(-v))/v, 1 at 0."""
    return np.asarray(np.divide(-np.expm1(-v), v, out=np.ones_like(v), where=v > 0))
