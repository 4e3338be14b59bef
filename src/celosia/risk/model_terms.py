"""Which effects a log-linear model has, and the fit that they call for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import prod
from typing import Literal

import numpy as np

from celosia.core.errors import DataError, OptionError
from celosia.core.run import Run
from celosia.engines import Keys
from celosia.risk.cells import Cells, Floats, refuse_beyond
from celosia.risk.model_fit import ModelFit, assess
from celosia.risk.options import one_of
from celosia.risk.poisson import design_of, fit_design, fit_margins

Method = Literal["default", "ce", "pml", "weighted", "ipf"]
METHODS: tuple[Method, ...] = ("default", "ce", "pml", "weighted", "ipf")
Named = Literal["main", "two-way", "search"]
NAMED: tuple[Named, ...] = ("main", "two-way", "search")
Model = Named | Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Terms:
    """All effects of a model, and the name it goes by."""

    model: Named | Literal["terms"]
    terms: tuple[tuple[str, ...], ...]

    @property
    def largest(self) -> tuple[tuple[str, ...], ...]:
        """The terms that no other one contains: their margins determine a model of categories."""
        return tuple(term for term in self.terms if not any(set(term) < set(other) for other in self.terms))


def terms_of(model: Model, names: Sequence[str]) -> Terms:
    """The main effects of all variables, and the interactions that the model adds; a search starts from none."""
    main = tuple((name,) for name in names)
    if isinstance(model, str):
        one_of("model", model, NAMED)
        return Terms(model, main + (tuple(combinations(names, 2)) if model == "two-way" else ()))
    added = tuple(tuple(term) for term in model)
    unknown = tuple(sorted({name for term in added for name in term} - set(names)))
    if unknown:
        raise OptionError("model-terms", variables=unknown)
    return Terms("terms", main + tuple(term for term in added if len(set(term)) > 1))


@dataclass(frozen=True)
class Fitter:
    """How models are fitted to the cells of a file (see ``risk.log_linear`` for the methods)."""

    cells: Cells
    keys: Keys
    method: Method
    as_numbers: tuple[str, ...]
    max_cells: int
    run: Run

    def best(self, terms: Terms) -> tuple[Terms, Floats, ModelFit]:
        """The model itself, or the one that a search ends with, its fitted records and the judgement on them.

        A search adds, while the model is too simple, the interaction of two variables that leaves the smallest
        standardised bias of τ₂.
        """
        fitted, fit = self.fit(terms)
        rest = set(combinations(self.cells.names, 2)) if terms.model == "search" else set()
        while rest and fit.verdict == "under":
            tried = {pair: self.fit(replace(terms, terms=(*terms.terms, pair))) for pair in sorted(rest)}
            pair = min(tried, key=lambda pair: abs(tried[pair][1].z_2))
            if abs(tried[pair][1].z_2) >= abs(fit.z_2):
                break
            rest.remove(pair)
            terms = replace(terms, terms=(*terms.terms, pair))
            fitted, fit = tried[pair]
        return terms, fitted, fit

    def fit(self, terms: Terms) -> tuple[Floats, ModelFit]:
        """Fitted records of every cell, and the judgement on them."""
        cells, counts, offset = self.cells, self.cells.records, None
        if self.method == "pml":
            counts = np.rint(cells.people * cells.share)
        elif self.method == "ce":
            share = np.divide(counts, cells.people, out=np.zeros_like(counts), where=cells.people > 0)
            offset = share + 0.1
        if self.method == "ipf" or (not self.as_numbers and self.method != "weighted"):
            margins = [cells.axes(term) for term in terms.largest]
            fitted = fit_margins(counts, cells.shape, margins, offset, self.run)
            return fitted, assess(cells, fitted, 1 + sum(map(self._width, terms.terms)))
        refuse_beyond(self.max_cells, counts.size * (1 + len(terms.terms)))
        values = [_numbers(self.keys, name) if name in self.as_numbers else None for name in cells.names]
        extra = cells.people if self.method == "weighted" else None
        design = design_of(cells.shape, values, [cells.axes(term) for term in terms.terms], extra)
        fitted = fit_design(counts, design, None if offset is None else np.log(offset), self.run)
        return fitted, assess(cells, fitted, design.shape[1])

    def _width(self, term: tuple[str, ...]) -> int:
        """Parameters of a term of categories."""
        return prod(self.cells.shape[j] - 1 for j in self.cells.axes(term))


def _numbers(keys: Keys, name: str) -> Floats:
    """The numbers that the categories of a variable are."""
    categories = keys.categories[keys.names.index(name)]
    try:
        values = np.array([float(code) for code in categories.codes if code is not None])
    except ValueError:
        raise DataError("model-not-number", variable=name) from None
    if any(kind is not None for kind in categories.kinds) or not np.isfinite(values).all():
        raise DataError("model-not-number", variable=name)
    if values.size < 2:
        raise DataError("model-no-variation", variable=name)
    return values
