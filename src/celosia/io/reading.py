"""Reading a file of microdata, whatever its format."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from celosia.core.dictionary import Dictionary
from celosia.core.errors import FileError, OptionError
from celosia.core.microdata import Microdata
from celosia.io import wire
from celosia.io.csv_form import CsvForm, form_for, own_form
from celosia.io.formats import existing, format_of
from celosia.io.side import SideFile, beside, settle


def read(
    path: str | Path,
    *,
    dictionary: Dictionary | str | Path | None = None,
    key: bytes | None = None,
    csv: CsvForm | dict[str, Any] | None = None,
) -> Microdata:
    """Read microdata; the format goes by the suffix.

    Parameters
    ----------
    path
        A ``.csv``, ``.tsv``, ``.txt``, ``.parquet``, ``.xlsx``, ``.sav``, ``.zsav``, ``.dta``, ``.por``,
        ``.xpt`` or ``.sas7bdat`` file. A side dictionary ``FILE.dictionary.yaml``, or a code book
        ``NAME.dictionary.yaml`` where there is none, is read too.
    dictionary
        A dictionary, or the path of a code book, laid over what the file itself says.
    key
        Secret for the record ids of data with a declared id.
    csv
        The form of a CSV file, whole (``CsvForm``) or in part (``{"decimal": ","}``); the rest is found out.
    """
    support = format_of(path)
    file = existing(path)
    if csv is not None and support.format != "csv":
        raise OptionError("csv-option", path=str(path))
    given = _given(dictionary)
    raw = _raw(file, support.format, beside(file), given, csv)
    frame = settle(raw.frame, raw.side, str(file))
    book = raw.side.dictionary if raw.side.ours else raw.book.update(raw.side.dictionary)
    book = _known(book.update(given), frame, file)
    return wire.decode(frame, book, {**raw.types, **raw.side.types}, key, str(file))


@dataclass(frozen=True)
class _Raw:
    """What a file holds, before suppressed cells and types are as they were."""

    frame: pl.DataFrame
    side: SideFile
    book: Dictionary = field(default_factory=Dictionary)
    types: Mapping[str, str] = field(default_factory=dict)


def _raw(file: Path, format: str, side: SideFile, given: Dictionary, csv: CsvForm | dict[str, Any] | None) -> _Raw:
    if format == "csv":
        from celosia.io.csv_table import read_csv

        form = own_form(file) if side.ours and csv is None else form_for(file, csv)
        return _Raw(read_csv(file, form, side, side.dictionary.update(given)), side)
    if format == "parquet":
        from celosia.io.parquet import read_parquet

        frame, inside = read_parquet(file)
        return _Raw(frame, _both(inside, side))
    if format == "xlsx":
        from celosia.io.excel import read_excel

        return _Raw(read_excel(file), side)
    from celosia.io.stat_read import read_statistical

    stat = read_statistical(file, format, side.dictionary)
    return _Raw(stat.frame, side, stat.dictionary, stat.types)


def _both(inside: SideFile | None, outside: SideFile) -> SideFile:
    """What a Parquet file says of itself, with a code book beside it laid over."""
    if inside is None:
        return outside
    return SideFile(inside.dictionary.update(outside.dictionary), True, inside.columns, inside.records, inside.types)


def _given(dictionary: Dictionary | str | Path | None) -> Dictionary:
    if dictionary is None or isinstance(dictionary, Dictionary):
        return dictionary or Dictionary()
    from celosia.io.codebook import read_dictionary

    return read_dictionary(dictionary)


def _known(book: Dictionary, frame: pl.DataFrame, file: Path) -> Dictionary:
    """The book in the file's order, after checking that the file has all its variables."""
    for variable in book:
        if variable.name not in frame.columns:
            raise FileError("codebook-unknown-variable", path=str(file), variable=variable.name)
    return book.keep(frame.columns)
