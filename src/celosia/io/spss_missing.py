"""User-missing codes as SPSS holds them: three codes, or one range and one code.

Codes that are more are merged into a range only where no valid value, in the data or in the value labels,
falls between.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from celosia.core.dictionary import Variable
from celosia.core.errors import FileError

Span = tuple[float, float]
_TEXT_BYTES = 8


def declared(variable: Variable, column: pl.Series) -> list[Any]:
    """What ``pyreadstat`` takes as missing ranges for one variable."""
    if column.dtype == pl.String:
        return _texts(variable)
    spans = sorted({*_codes(variable), *((span.low, span.high) for span in variable.missing_ranges)})
    if not spans:
        return []
    valid = _valid(variable, column)
    for merged in (spans, *_mergings(spans)):
        new = [span for span in merged if span not in spans]
        if _fits(merged) and not any(low < value < high for low, high in new for value in valid):
            return [low if low == high else {"lo": low, "hi": high} for low, high in merged]
    raise FileError("spss-missing", variable=variable.name, count=len(spans))


def _texts(variable: Variable) -> list[Any]:
    codes = list(variable.missing)
    if len(codes) > 3 or any(len(code.encode()) > _TEXT_BYTES for code in codes):
        raise FileError("spss-missing-text", variable=variable.name)
    return codes


def _codes(variable: Variable) -> list[Span]:
    found = []
    for code in variable.missing:
        if any(span.holds(code) for span in variable.missing_ranges):
            continue
        try:
            found.append((float(code), float(code)))
        except ValueError:
            continue
    return found


def _valid(variable: Variable, column: pl.Series) -> list[float]:
    """Numbers that mean something: values of the data and labelled codes that are not missing."""
    values = column.filter(~variable.missing_mask(column)).unique().cast(pl.Float64).to_list()
    for code in variable.values:
        if variable.kind_of(code) is None:
            try:
                values.append(float(code))
            except ValueError:
                continue
    return values


def _fits(spans: Sequence[Span]) -> bool:
    ranges = sum(low < high for low, high in spans)
    return len(spans) <= 3 if ranges == 0 else ranges == 1 and len(spans) <= 2


def _mergings(spans: Sequence[Span]) -> list[list[Span]]:
    """Neighbouring spans joined into one range, the shortest joins first."""
    joined = []
    for size in range(2, len(spans) + 1):
        for start in range(len(spans) - size + 1):
            inside = spans[start : start + size]
            whole = (inside[0][0], max(high for _, high in inside))
            joined.append([*spans[:start], whole, *spans[start + size :]])
    return joined
