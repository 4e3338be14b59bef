"""Every measure by its name: one door for the command line, studies and reports.

A measure says by its parameters what it needs; what a caller has at hand (keys, weight, household, the original
file …) is handed to it where it asks for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pydantic import PydanticSchemaGenerationError, TypeAdapter, ValidationError

from celosia.core.errors import OptionError
from celosia.core.results import Result
from celosia.risk.options import one_of

OF_ONE_FILE = (
    "frequencies",
    "individual",
    "k_anonymity",
    "attackers",
    "k_map",
    "exact_linkage",
    "l_diversity",
    "t_closeness",
    "alpha_k",
    "delta_disclosure",
    "beta_likeness",
    "suda2",
    "drivers",
    "rare_patterns",
    "risky_cells",
    "population_uniqueness",
    "log_linear",
    "panel",
    "calibration",
)
"""Measures of a file as it is."""

BEFORE_AND_AFTER = (
    "best_guess",
    "transition_risk",
    "interval",
    "robust_interval",
    "outliers",
    "linkage",
    "rank_linkage",
    "probabilistic_linkage",
)
"""Measures that compare the original with the treated file."""

NAMES = (*OF_ONE_FILE, *BEFORE_AND_AFTER)


NOT_WRITTEN = ("frame", "original", "masked", "truth", "register", "matrices", "hierarchy", "hierarchies", "run")
"""What a measure asks for and nobody writes as an option: tables, trees and the run."""


def knows(name: str, option: str) -> bool:
    """Whether a measure has an option of this name."""
    return option in inspect.signature(_function(name)).parameters


def typed(name: str, written: Mapping[str, str]) -> dict[str, Any]:
    """Options as people write them, in the types that the measure takes; commas part the items of a list."""
    function = _function(name)
    _refuse_unknown(name, [p for p in inspect.signature(function).parameters if p not in NOT_WRITTEN], written)
    types = get_type_hints(function)
    return {option: _read(name, option, value.strip(), types[option]) for option, value in written.items()}


def _read(name: str, option: str, value: str, kind: Any) -> Any:
    items = [item.strip() for item in value.split(",")]
    for candidate in (items, value) if len(items) > 1 else (value, items):
        try:
            return TypeAdapter(kind).validate_python(candidate)
        except (ValidationError, PydanticSchemaGenerationError):
            continue
    if get_origin(kind) is Literal:
        one_of(option, value, get_args(kind))
    raise OptionError("option-value", option=option, measure=name)


def measure(name: str, at_hand: Mapping[str, Any], options: Mapping[str, Any] | None = None) -> Result:
    """Call a measure with what it asks for.

    Parameters
    ----------
    name
        One of ``NAMES``.
    at_hand
        What the caller has: ``frame`` or ``original`` and ``masked``, ``keys``, ``weight`` …; the measure takes
        what it knows of.
    options
        What the user asked for; an option that the measure does not know is refused.
    """
    function = _function(name)
    known = inspect.signature(function).parameters
    wanted = dict(options or {})
    _refuse_unknown(name, known, wanted)
    given = {key: value for key, value in at_hand.items() if key in known and value is not None} | wanted
    needed = [key for key, p in known.items() if p.default is inspect.Parameter.empty and key not in given]
    if needed:
        raise OptionError("measure-needs", measure=name, options=tuple(needed))
    return function(**given)  # type: ignore[no-any-return]


def _refuse_unknown(name: str, known: Iterable[str], wanted: Iterable[str]) -> None:
    if unknown := [option for option in wanted if option not in known]:
        raise OptionError("measure-option", measure=name, options=tuple(unknown), known=tuple(known))


def _function(name: str) -> Callable[..., Any]:
    one_of("measure", name, NAMES)
    from celosia import risk

    return getattr(risk, name)  # type: ignore[no-any-return]
