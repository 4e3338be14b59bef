"""Whether a dictionary says more than its file's format can hold."""

from __future__ import annotations

import polars as pl

from celosia.core.dictionary import Level, MissingKind, Variable
from celosia.io.formats import Missing, Support
from celosia.io.letters import letter_of
from celosia.io.missing_words import kind_by_label
from celosia.io.wire import Wire

_IN_NO_FORMAT = frozenset(
    ("null", "identification", "sensitive", "dane", "role", "hierarchy", "unit", "decimals", "note")
)
_HELD_TYPES = frozenset(map(str, (pl.Int64(), pl.Float64(), pl.String(), pl.Date(), pl.Time(), pl.Datetime("us"))))


def says_more(wire: Wire, support: Support) -> bool:
    """True where reading the file alone would not give this dictionary and these types back."""
    if any(_type_lost(column, wire.types.get(column.name)) for column in wire.frame.get_columns()):
        return True
    return any(_more(wire.dictionary[name], wire, support) for name in wire.frame.columns if name in wire.dictionary)


def _type_lost(column: pl.Series, before: str | None) -> bool:
    return before not in _HELD_TYPES or (column.dtype == pl.String and before != "String")


def _more(variable: Variable, wire: Wire, support: Support) -> bool:
    said = variable.model_dump(exclude={"name"}, exclude_defaults=True)
    kind = wire.frame[variable.name].dtype
    is_text = kind == pl.String
    return bool(
        said.keys() & _IN_NO_FORMAT
        or variable.level is Level.OPEN
        or variable.level is (Level.CONTINUOUS if kind.is_integer() else Level.DISCRETE)
        or (variable.level and not support.level)
        or _labels_cut(variable, support, is_text=is_text)
        or _missing_lost(variable, support)
        or _format_lost(variable, wire, support)
    )


def _labels_cut(variable: Variable, support: Support, *, is_text: bool) -> bool:
    if len(variable.label.encode()) > support.label_length:
        return True
    if not variable.values:
        return False
    if is_text:
        return not support.text_value_labels
    labels = variable.values.values()
    cut = any(not label or len(label.encode()) > support.value_label_length for label in labels)
    return cut or not all(_is_number(code, whole=support.format == "dta") for code in variable.values)


def _missing_lost(variable: Variable, support: Support) -> bool:
    if support.missing is Missing.LETTERS and (
        variable.missing_ranges or any(letter_of(code) is None for code in variable.missing)
    ):
        return True
    values, missing = variable.values, variable.missing
    kinds = any(kind_by_label(values.get(code, "")) is not kind for code, kind in missing.items())
    ranges = any(span.kind is not MissingKind.NON_RESPONSE for span in variable.missing_ranges)
    spans = variable.missing_ranges
    apart = [code for code in missing if not any(span.holds(code) for span in spans)]
    one_each = len(apart) + len(spans) > 3 or len(spans) > 1
    unlabelled = any(
        missing.get(code) is None and kind_by_label(label) is not MissingKind.NON_RESPONSE
        for code, label in values.items()
        if any(span.holds(code) for span in spans)
    )
    return kinds or ranges or one_each or unlabelled or (bool(spans) and len(apart) > 1)


def _format_lost(variable: Variable, wire: Wire, support: Support) -> bool:
    if not variable.format:
        return False
    family_differs = variable.format.startswith("%") != (support.format == "dta")
    return family_differs or wire.formats.get(variable.name, variable.format) != variable.format


def _is_number(code: str, *, whole: bool) -> bool:
    try:
        return float(code).is_integer() or not whole
    except ValueError:
        return False
