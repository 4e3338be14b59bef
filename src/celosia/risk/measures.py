"""Every measure by its name: one door for the command line, studies and reports.

A measure says by its parameters what it needs; what a caller has at hand (keys, weight, household, the original
file …) is handed to it where it asks for it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from celosia.core.errors import OptionError
from celosia.core.results import Result

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
)
"""Measures of a file as it is."""

BEFORE_AND_AFTER = (
    "best_guess",
    "interval",
    "robust_interval",
    "outliers",
    "linkage",
    "rank_linkage",
    "probabilistic_linkage",
)
"""Measures that compare the original with the treated file."""

NAMES = (*OF_ONE_FILE, *BEFORE_AND_AFTER)


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
    if unknown := [option for option in wanted if option not in known]:
        raise OptionError("measure-option", measure=name, options=tuple(unknown), known=tuple(known))
    given = {key: value for key, value in at_hand.items() if key in known and value is not None} | wanted
    needed = [key for key, p in known.items() if p.default is inspect.Parameter.empty and key not in given]
    if needed:
        raise OptionError("measure-needs", measure=name, options=tuple(needed))
    return function(**given)  # type: ignore[no-any-return]


def _function(name: str) -> Callable[..., Any]:
    if name not in NAMES:
        raise OptionError("option-unknown", option="measure", known=NAMES)
    from celosia import risk

    return getattr(risk, name)  # type: ignore[no-any-return]
