"""SPSS, Stata and SAS transport files, written with everything they can hold about their variables."""

from __future__ import annotations

import os
import re
import shutil
from errno import EIO, ENOSPC
from pathlib import Path
from typing import Any

import polars as pl

from celosia.core.dictionary import Level, Variable
from celosia.core.errors import FileError, warn
from celosia.io import letters, spss_missing, whole_file
from celosia.io.formats import Missing, Support
from celosia.io.wire import Wire

_FORMATS = {
    "sav": re.compile(r"[A-Z]+\d+(\.\d+)?"),
    "por": re.compile(r"[A-Z]+\d+(\.\d+)?"),
    "dta": re.compile(r"%\S+"),
    "xpt": re.compile(r"\$?[A-Z]+\d*(\.\d*)?"),
}
_MEASURES = {
    Level.CATEGORICAL: "nominal",
    Level.OPEN: "nominal",
    Level.DISCRETE: "scale",
    Level.CONTINUOUS: "scale",
}
_STATA_LARGEST = 2_147_483_620
_SMALL_DISK = 1 << 20


def write_statistical(wire: Wire, path: Path, support: Support) -> None:
    """The frame in this format."""
    names = {name: name.upper() if support.format == "por" else name for name in wire.frame.columns}
    columns, options = [], _Options(support)
    for column in wire.frame.get_columns():
        variable = wire.dictionary[column.name]
        check_holds(column, support)
        held, codes = _letters(column, variable) if support.missing is Missing.LETTERS else (column, {})
        display = wire.formats.get(column.name) or _display(variable, column, support)
        options.add(names[column.name], variable, column, codes, display)
        columns.append(held.alias(names[column.name]))
    if support.missing is Missing.LETTERS:
        _warn_of_numbers(wire)
    _call(pl.DataFrame(columns), path, support, options.given)


def _warn_of_numbers(wire: Wire) -> None:
    """Missing codes that are numbers stay numbers where only letters are missing: readers would count with them."""
    described = [wire.dictionary[name] for name in wire.frame.columns]
    if kept := tuple(one.name for one in described if any(letters.letter_of(code) is None for code in one.missing)):
        warn("missing-as-numbers", variables=kept)


def check_holds(column: pl.Series, support: Support) -> None:
    """Raise where a name or a text is not one that the format can hold."""
    if not re.fullmatch(support.names, column.name):
        raise FileError("name-not-held", variable=column.name, format=support.format)
    if column.dtype != pl.String:
        return
    if (column.str.len_bytes() > support.text_length).any():
        facts = {"variable": column.name, "format": support.format, "limit": support.text_length}
        raise FileError("text-too-long", **facts)
    if not support.trailing_blanks and _merged_by_trimming(column):
        raise FileError("text-blanks", variable=column.name, format=support.format)
    if not support.unicode and column.str.contains(r"[^ -~]").any():
        raise FileError("text-not-ascii", variable=column.name, format=support.format)


def _merged_by_trimming(column: pl.Series) -> bool:
    """Whether two different texts differ only in blanks at their end."""
    distinct = column.unique()
    return distinct.str.strip_chars_end(" ").n_unique() < distinct.len()


class _Options:
    """The options of ``pyreadstat`` as they gather, variable by variable."""

    def __init__(self, support: Support) -> None:
        self._support = support
        self.given: dict[str, dict[str, Any]] = {"column_labels": {}, "variable_format": {}}

    def add(self, name: str, variable: Variable, column: pl.Series, codes: dict[str, str], display: str) -> None:
        """What one variable adds."""
        support = self._support
        self._put("column_labels", name, held_label(variable.label, support))
        self._put("variable_format", name, display)
        if support.value_labels:
            self._put("variable_value_labels", name, _value_labels(variable, column, codes, support))
        if support.missing is Missing.CODES:
            self._put("missing_ranges", name, spss_missing.declared(variable, column))
        if support.missing is Missing.LETTERS:
            self._put("missing_user_values", name, sorted(set(codes.values())))
        if support.level and variable.level is not None:
            self._put("variable_measure", name, _MEASURES[variable.level])

    def _put(self, option: str, name: str, value: Any) -> None:
        if value:
            self.given.setdefault(option, {})[name] = value


def held_label(label: str, support: Support) -> str:
    """The part of a variable's label that the format holds."""
    if not support.unicode and not label.isascii():
        return ""
    return _cut(label, support.label_length, in_bytes=support.format != "dta")


def _cut(label: str, length: int, *, in_bytes: bool) -> str:
    return label.encode()[:length].decode(errors="ignore") if in_bytes else label[:length]


def _value_labels(variable: Variable, column: pl.Series, codes: dict[str, str], support: Support) -> dict[Any, str]:
    labels: dict[Any, str] = {}
    for code, label in variable.values.items():
        key = codes.get(code) or _key(code, column, support)
        if key is not None:
            labels[key] = _cut(label, support.value_label_length, in_bytes=True)
    return labels


def _key(code: str, column: pl.Series, support: Support) -> str | int | float | None:
    """A code as the format's own value, where it can carry a label."""
    if column.dtype == pl.String:
        return code if support.text_value_labels else None
    try:
        number = float(code)
    except ValueError:
        return None
    if support.format == "dta":
        return int(number) if number.is_integer() and abs(number) <= _STATA_LARGEST else None
    return number if column.dtype.is_float() or not number.is_integer() else int(number)


def _letters(column: pl.Series, variable: Variable) -> tuple[pl.Series, dict[str, str]]:
    """A column for Stata: its codes that stand for letters as letters, its integers in Stata's range."""
    if not column.dtype.is_numeric():
        return column, {}
    codes = {code: letter for code in variable.missing if (letter := letters.letter_of(code))}
    by_number = {int(code): letter for code, letter in codes.items()}
    column = column.cast(pl.Int64 if column.dtype.is_integer() else pl.Float64)
    small = column.dtype == pl.Int64 and not _beyond_stata(column)
    filled = column.len() > column.null_count()
    if filled and (by_number or (small and column.null_count())):
        values = column.to_list() if small else column.cast(pl.Float64).to_list()
        return pl.Series([by_number.get(value, value) for value in values], dtype=pl.Object), codes
    return column.cast(pl.Int32 if small and filled else pl.Float64), codes


def _display(variable: Variable, column: pl.Series, support: Support) -> str:
    """The display format, where it is one of this format's own and fits the type."""
    pattern = _FORMATS[support.format]
    if variable.format and pattern.fullmatch(variable.format):
        about_text = bool(re.match(r"A\d|%-?\d+s|\$", variable.format))
        if about_text == (column.dtype == pl.String) and not (about_text and support.format != "dta"):
            return variable.format
    if column.dtype.is_integer() and support.format in ("sav", "por"):
        return "F8.0"
    return "%20.0f" if support.format == "dta" and column.dtype.is_integer() and _beyond_stata(column) else ""


def _beyond_stata(column: pl.Series) -> bool:
    """Whether some integer lies outside Stata's largest integer type."""
    return bool((column.cast(pl.Int64).abs() > _STATA_LARGEST).any())


def _call(frame: pl.DataFrame, path: Path, support: Support, options: dict[str, dict[str, Any]]) -> None:
    import pyreadstat

    writer = {"sav": "sav", "dta": "dta", "por": "por", "xpt": "xport"}[support.format]
    compressed = {"compress": True} if path.suffix.lower() == ".zsav" else {}
    try:
        getattr(pyreadstat, f"write_{writer}")(frame, str(path), **options, **compressed)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError) as error:
        full = shutil.disk_usage(path.parent).free < _SMALL_DISK
        if full or "write data" in str(error):
            raise _stopped(path) from None
        raise FileError("format-refuses", format=support.format) from None
    if support.format == "xpt":
        _check_transport(path)


def _check_transport(path: Path) -> None:
    """Raise where the file is shorter than it says: its writer does not look whether its bytes were taken."""
    import pyreadstat

    meta = pyreadstat.read_xport(str(path), metadataonly=True, output_format="polars")[1]
    if not whole_file.holds_its_records(path, sum(meta.variable_storage_width.values())):
        raise _stopped(path)


def _stopped(path: Path) -> OSError:
    """The system took no more bytes: for want of room, or for another reason that nobody told."""
    if shutil.disk_usage(path.parent).free < _SMALL_DISK:
        return OSError(ENOSPC, os.strerror(ENOSPC), str(path))
    return OSError(EIO, os.strerror(EIO), str(path))
