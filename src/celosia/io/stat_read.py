"""SPSS, Stata and SAS files, read with everything they say about their variables."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from celosia.core.codes import as_shown, spell, spell_series
from celosia.core.dictionary import Dictionary, Level, MissingKind, MissingRange, Variable
from celosia.core.errors import FileError
from celosia.io import dated, letters, sav_header, whole_file
from celosia.io.clock import SAS, SPSS, STATA, Clock
from celosia.io.missing_words import kind_by_label

CLOCKS = {"sav": SPSS, "por": SPSS, "dta": STATA, "xpt": SAS, "sas7bdat": SAS}
DEFAULT_FORMATS = {
    "sav": {"F8.2", "F8.0", "DATE11", "DATETIME20", "TIME8"},
    "por": {"F8.2", "F8.0", "DATE11", "DATETIME20", "TIME8"},
    "dta": {"%10.0g", "%12.0g", "%-9s", "%td", "%tc", "%tcHH:MM:SS"},
    "xpt": {"DATE9", "DATE", "DATETIME20", "DATETIME", "TIME8", "TIME"},
    "sas7bdat": {"BEST12", "BEST"},
}
_LEVELS = {"nominal": Level.CATEGORICAL, "ordinal": Level.CATEGORICAL, "scale": Level.CONTINUOUS}
"""A scale of integers is discrete."""
_READERS = {"sav": "sav", "dta": "dta", "por": "por", "xpt": "xport", "sas7bdat": "sas7bdat"}
_USER_MISSING = {"sav", "dta", "sas7bdat"}


@dataclass(frozen=True)
class Stat:
    """What a statistical file holds."""

    frame: pl.DataFrame
    dictionary: Dictionary
    types: dict[str, str] = field(default_factory=dict)
    """Types of columns that become dates once their suppressed cells are empty."""


def read_statistical(path: Path, format: str, book: Dictionary) -> Stat:
    """The file as a frame, a dictionary and types to come back to; ``book`` is what lies beside it."""
    whole_file.check(path, format)
    frame, meta = _parse(path, format)
    whole_file.check_records(path, format, frame.height)
    beside = {variable.name.casefold(): variable for variable in book}
    columns, variables, types = [], [], {}
    for name in meta.column_names:
        column, variable, kind = _column(frame[name], meta, format, beside.get(name.casefold()))
        columns.append(column)
        if variable != Variable(name=name):
            variables.append(variable)
        if kind is not None:
            types[name] = str(kind)
    return Stat(pl.DataFrame(columns), Dictionary(variables=tuple(variables)), types)


def _parse(path: Path, format: str) -> tuple[pl.DataFrame, Any]:
    import pyreadstat

    options: dict[str, Any] = {"user_missing": True} if format in _USER_MISSING else {}
    try:
        if format == "sav":
            sav_header.check(path)
        reader = getattr(pyreadstat, f"read_{_READERS[format]}")
        frame, meta = reader(str(path), output_format="polars", disable_datetime_conversion=True, **options)
    except FileError:
        raise
    except UnicodeError:
        raise FileError("file-encoding", path=str(path)) from None
    except Exception:  # noqa: BLE001 (over a damaged file the library may stumble anywhere)
        raise FileError("file-broken", path=str(path)) from None
    return frame, meta


def _column(
    raw: pl.Series, meta: Any, format: str, beside: Variable | None
) -> tuple[pl.Series, Variable, pl.DataType | None]:
    name, clock = raw.name, CLOCKS[format]
    display = meta.original_variable_types.get(name) or ""
    numbers, placed = _numbers(raw, meta, name)
    if meta.readstat_variable_types.get(name) == "float" and numbers.dtype == pl.Float64:
        numbers = as_shown(numbers.cast(pl.Float32))
    given = meta.variable_value_labels.get(name) or {}
    labels = {placed.get(key, key): label for key, label in given.items()}
    variable = _variable(meta, name, labels, placed, _kept_format(display, format))
    if numbers.dtype == pl.String:
        return numbers.replace("", None), variable, None
    kind = clock.kind(display)
    if kind is not None:
        dates, whole = _dates(numbers, beside or variable, kind, clock)
        if dates is not None:
            return dates, variable, kind if whole else None
    column = _integers(numbers, display)
    if column.dtype.is_integer() and variable.level is Level.CONTINUOUS:
        variable = variable.model_copy(update={"level": Level.DISCRETE})
    return column, variable, None


def _numbers(raw: pl.Series, meta: Any, name: str) -> tuple[pl.Series, dict[Any, int]]:
    """The column with numbers for letters of missing, and the number of each letter."""
    text = meta.readstat_variable_types.get(name) == "string"
    if raw.dtype == pl.Null:
        return raw.cast(pl.String if text else pl.Float64), {}
    labelled = [key for key in meta.variable_value_labels.get(name) or {} if isinstance(key, str)]
    declared = [*(meta.missing_user_values or {}).get(name, ()), *labelled]
    if text or not declared:
        return raw, {}
    values = raw.to_list()
    numeric = [value for value in values if not isinstance(value, str)]
    series = letters.free_series(set(spell_series(pl.Series(numeric, dtype=pl.Float64)).drop_nulls()))
    if series is None:
        raise FileError("letters-taken", variable=name)
    placed = {letter: letters.number(letter.lower(), series) for letter in dict.fromkeys(declared)}
    whole = meta.readstat_variable_types.get(name, "").startswith("int")
    filled = [placed[value] if isinstance(value, str) else value for value in values]
    return pl.Series(name, filled, dtype=pl.Int64 if whole else pl.Float64), placed


def _variable(meta: Any, name: str, labels: dict[Any, str], placed: dict[Any, int], display: str) -> Variable:
    values = {spell(key): label for key, label in labels.items()}
    missing: dict[str, MissingKind] = {}
    ranges = []
    for letter, number in placed.items():
        values.setdefault(str(number), f".{letter}")
        missing[str(number)] = kind_by_label(values[str(number)])
    for span in (meta.missing_ranges or {}).get(name, ()):
        if span["lo"] == span["hi"]:
            code = spell(span["lo"])
            missing[str(code)] = kind_by_label(values.get(code, ""))
        else:
            ranges.append(MissingRange(low=span["lo"], high=span["hi"]))
    for code, label in values.items():
        kind = kind_by_label(label)
        if kind is not MissingKind.NON_RESPONSE and any(span.holds(str(code)) for span in ranges):
            missing[str(code)] = kind
    facts: dict[str, Any] = {
        "label": meta.column_names_to_labels.get(name) or "",
        "values": values,
        "missing": missing,
        "missing_ranges": tuple(ranges),
        "level": _LEVELS.get((meta.variable_measure or {}).get(name, "")),
        "format": display,
    }
    return Variable(name=name, **{fact: value for fact, value in facts.items() if value})


def _kept_format(display: str, format: str) -> str:
    """The display format where it says more than the format's default."""
    text_width = format in ("sav", "por") and re.fullmatch(r"A\d+", display)
    return "" if display in DEFAULT_FORMATS[format] or text_width else display


def _dates(numbers: pl.Series, variable: Variable, kind: pl.DataType, clock: Clock) -> tuple[pl.Series | None, bool]:
    """Dates, or text where codes of missing stand among them; and whether only suppressed cells do."""
    if variable.missing_ranges:
        return None, False
    coded = spell_series(numbers).is_in(list(variable.missing)).fill_null(False)
    if not coded.any():
        return clock.from_number(numbers, kind), False
    only_suppressed = all(k is MissingKind.SUPPRESSED for k in variable.missing.values())
    return dated.to_text(numbers, coded, kind, clock), only_suppressed


def _integers(numbers: pl.Series, display: str) -> pl.Series:
    """Whole numbers shown without decimals are integers."""
    if not numbers.dtype.is_float():
        return numbers.cast(pl.Int64)
    whole = ((numbers.floor() == numbers) & (numbers.abs() < 2**53)).all()
    return numbers.cast(pl.Int64) if whole and _shows_whole(display) else numbers


def _shows_whole(display: str) -> bool:
    if display.startswith("%"):
        return display.endswith(".0f")
    decimals = re.search(r"\.(\d+)$", display)
    return decimals is None or int(decimals.group(1)) == 0
