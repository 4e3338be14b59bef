"""What a file holds, variable by variable: missing values of each kind apart (INE Tabla 12)."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from celosia.core.codes import spell_series, type_name
from celosia.core.dictionary import MissingKind
from celosia.core.errors import warn
from celosia.core.microdata import Microdata

NEARLY_UNIQUE = 0.5
"""A key with more distinct values than this share of the records all but identifies by itself…"""
FEW = 10
"""… unless it has no more than these: a tiny file says nothing of its keys."""


def warn_of_identifiers(data: Microdata, keys: Iterable[str]) -> None:
    """Warn of every key that tells most records apart by itself."""
    for name in dict.fromkeys(key for key in keys if key in data):
        values = data.column(name)
        observed = values.filter(~data.dictionary[name].missing_mask(values))
        distinct = observed.n_unique()
        if distinct > max(FEW, NEARLY_UNIQUE * data.height):
            warn("key-nearly-unique", variable=name, share=distinct / data.height)


def describe(data: Microdata) -> pl.DataFrame:
    """One row a variable: type, distinct values, and missing cells by kind."""
    rows = []
    for name in data.variables:
        values, variable = data.column(name), data.dictionary[name]
        counts = values.value_counts(name="__cells")
        codes = spell_series(counts[name]).to_list()
        cells = dict.fromkeys(MissingKind, 0)
        present = 0
        for code, count in zip(codes, counts["__cells"].to_list(), strict=True):
            kind = variable.kind_of(code)
            present += kind is None
            if kind is not None:
                cells[kind] += count
        suppressed = int(data.suppressed(name).sum())
        cells[variable.kind_of(None) or MissingKind.NON_RESPONSE] -= suppressed
        rows.append(
            {
                "variable": name,
                "label": variable.label,
                "type": type_name(values.dtype),
                "distinct": present,
                "not_applicable": cells[MissingKind.NOT_APPLICABLE],
                "non_response": cells[MissingKind.NON_RESPONSE],
                "suppressed": suppressed,
                "undeclared": values.null_count() - suppressed if variable.null is None else 0,
            }
        )
    return pl.DataFrame(rows)
