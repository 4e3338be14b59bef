"""Transition matrices as people give them: mappings, or a table with a row a transition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.core.codes import spell, spell_series
from celosia.core.errors import DataError, OptionError
from celosia.core.frames import enter
from celosia.core.values import numeric
from celosia.engines import Keys

Floats = npt.NDArray[np.float64]
Matrix = Mapping[str, Mapping[str, float]]
"""From code → to code → probability."""

_COLUMNS = ("variable", "from", "to", "probability")


def by_key(given: Any) -> Mapping[str, Matrix]:
    """Matrices as mappings, from these or from a table of transitions."""
    if isinstance(given, Mapping):
        return given
    table = enter(given)
    table.require(*_COLUMNS)
    variable, source, target = (spell_series(table.column(name)) for name in _COLUMNS[:3])
    chance = numeric(table, "probability")
    if not np.isfinite(chance).all() or any(codes.null_count() for codes in (variable, source, target)):
        raise DataError("matrix-table")
    found: dict[str, dict[str, dict[str, float]]] = {}
    for name, a, b, p in zip(variable, source, target, chance.tolist(), strict=True):
        if b in (row := found.setdefault(name, {}).setdefault(a, {})):
            raise DataError("matrix-table")
        row[b] = p
    return found


def over_digits(keys: Keys, j: int, given: Matrix) -> Floats:
    """The matrix of one key over its digits; a code without a row stays as it is."""
    codes = keys.categories[j].codes
    place = {code: i for i, code in enumerate(codes)}
    matrix = np.eye(len(codes))
    for source, row in given.items():
        total = sum(row.values())
        if not abs(total - 1) <= 1e-6 or not min(row.values()) >= 0:
            raise OptionError("matrix-row", variable=keys.names[j])
        at = place.get(spell(source))
        if at is None:
            continue
        matrix[at] = 0.0
        for target, chance in row.items():
            to = place.get(spell(target))
            if to is not None:
                matrix[at, to] = chance
    return matrix
