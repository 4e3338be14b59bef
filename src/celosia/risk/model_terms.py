"""Which effects a log-linear model has, and the fit that they call for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from celosia.core.errors import DataError, OptionError
from celosia.core.run import Run
from celosia.engines import Keys
from celosia.risk.cells import Cells, Floats, refuse_beyond
from celosia.risk.model_fit import ModelFit, assess
from celosia.risk.poisson import design_of, fit_design, fit_margins

Method = Literal["default", "ce", "pml", "weighted", "ipf"]
METHODS: tuple[Method, ...] = ("default", "ce", "pml", "weighted", "ipf")
Model = Literal["main", "two-way"] | Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Terms:
    """All effects of a model, and the name it goes by."""

    model: Literal["main", "two-way", "terms"]
    terms: tuple[tuple[str, ...], ...]

    @property
    def largest(self) -> tuple[tuple[str, ...], ...]:
        """The terms that no other one contains: their margins determine a model of categories."""
        return tuple(term for term in self.terms if not any(set(term) < set(other) for other in self.terms))


def terms_of(model: Model, names: Sequence[str]) -> Terms:
    """The main effects of all variables, and the interactions that the model adds."""
    main = tuple((name,) for name in names)
    if model == "main":
        return Terms("main", main)
    if model == "two-way":
        return Terms("two-way", main + tuple(combinations(names, 2)))
    if isinstance(model, str):
        raise OptionError("option-unknown", option="model", known=("main", "two-way"))
    added = tuple(tuple(term) for term in model)
    unknown = tuple(sorted({name for term in added for name in term} - set(names)))
    if unknown:
        raise OptionError("model-terms", variables=unknown)
    return Terms("terms", main + tuple(term for term in added if len(set(term)) > 1))


def fitted_model(
    cells: Cells,
    keys: Keys,
    terms: Terms,
    method: Method,
    as_numbers: Sequence[str],
    max_cells: int,
    run: Run,
) -> tuple[Floats, ModelFit]:
    """Fitted records of every cell, and the judgement on them."""
    counts, offset = cells.records, None
    if method == "pml":
        counts = np.rint(cells.people * cells.share)
    elif method == "ce":
        offset = np.divide(cells.records, cells.people, out=np.zeros_like(counts), where=cells.people > 0) + 0.1
    values = [_numbers(keys, name) if name in as_numbers else None for name in cells.names]
    if unknown := tuple(sorted(set(as_numbers) - set(cells.names))):
        raise OptionError("model-terms", variables=unknown)
    if method == "ipf" or (not as_numbers and method != "weighted"):
        margins = [cells.axes(term) for term in terms.largest]
        fitted = fit_margins(counts, cells.shape, margins, offset, run)
        return fitted, assess(cells, fitted, 1 + sum(_width(cells, term, ()) for term in terms.terms))
    refuse_beyond(max_cells, cells.records.size * (1 + len(terms.terms)))
    extra = cells.people if method == "weighted" else None
    design = design_of(cells.shape, values, [cells.axes(term) for term in terms.terms], extra)
    fitted = fit_design(counts, design, None if offset is None else np.log(offset), run)
    return fitted, assess(cells, fitted, design.shape[1])


def _width(cells: Cells, term: tuple[str, ...], as_numbers: Sequence[str]) -> int:
    """Parameters of a term."""
    free = (1 if name in as_numbers else cells.shape[cells.names.index(name)] - 1 for name in term)
    return int(np.prod([*free]))


def _numbers(keys: Keys, name: str) -> Floats:
    """The numbers that the categories of a variable are."""
    codes = keys.categories[keys.names.index(name)].codes
    try:
        values = np.array([float(code) for code in codes if code is not None])
    except ValueError:
        raise DataError("model-not-number", variable=name) from None
    if values.size < len(codes) or not np.isfinite(values).all():
        raise DataError("model-not-number", variable=name)
    if values.size < 2:
        raise DataError("model-no-variation", variable=name)
    return values
