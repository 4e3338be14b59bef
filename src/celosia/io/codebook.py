"""Code books: a dictionary from CSV, Excel or YAML, and back."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

from celosia.core.dictionary import Dictionary
from celosia.core.errors import FileError
from celosia.io import book_table, harmless, yaml_text
from celosia.io.atomic import writing
from celosia.io.book_table import CODE_FIELDS, VARIABLE_FIELDS, Sheet
from celosia.io.formats import existing

_YAML = (".yaml", ".yml")
_TABLES = (".csv", ".tsv", ".txt")
_SUFFIXES = (*_TABLES, ".xlsx", *_YAML)


def read_dictionary(path: str | Path) -> Dictionary:
    """Read a code book; see ``book_table`` and ``book_yaml`` for the layouts."""
    suffix = _suffix(path)
    file = existing(path)
    if suffix in _YAML:
        from celosia.io.side import from_yaml

        try:
            return from_yaml(file.read_text(encoding="utf-8-sig"), str(path)).dictionary
        except UnicodeDecodeError:
            raise FileError("file-encoding", path=str(path)) from None
    return book_table.to_dictionary([_csv_sheet(file)] if suffix in _TABLES else _excel_sheets(file))


def write_dictionary(dictionary: Dictionary, path: str | Path) -> None:
    """Write a code book that ``read_dictionary`` gives back exactly."""
    suffix = _suffix(path)
    with writing(path) as file:
        if suffix in _YAML:
            from celosia.io import book_yaml

            file.write_text(yaml_text.dump(book_yaml.to_document(dictionary)), encoding="utf-8")
        elif suffix == ".xlsx":
            _write_excel(dictionary, file)
        else:
            _write_csv(dictionary, file, "\t" if suffix == ".tsv" else ",")


def _suffix(path: str | Path) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _SUFFIXES:
        raise FileError("codebook-format", path=str(path), known=_SUFFIXES)
    return suffix


def _csv_sheet(file: Path) -> Sheet:
    from celosia.io.csv_form import sniff

    form = sniff(file, decimal=".", header=True)
    with file.open(encoding=form.encoding, newline="") as stream:
        rows = list(csv.reader(stream, delimiter=form.delimiter))
    cells = [tuple(harmless.unguard_text(cell) for cell in row) for row in rows]
    return Sheet(str(file), cells[0], tuple(cells[1:]))


def _excel_sheets(file: Path) -> list[Sheet]:
    from celosia.io.excel import open_workbook

    book = open_workbook(file)
    sheets = []
    for name in book.sheet_names:
        table = book.load_sheet(name, header_row=None, dtypes="string").to_polars()
        rows: list[tuple[str | None, ...]] = table.rows()
        if rows:
            headers = tuple(cell or "" for cell in rows[0])
            label = name if len(book.sheet_names) > 1 else ""
            sheets.append(Sheet(str(file), headers, tuple(rows[1:]), label))
    if not sheets:
        raise FileError("file-empty", path=str(file))
    return sheets


def _write_csv(dictionary: Dictionary, file: Path, delimiter: str) -> None:
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(VARIABLE_FIELDS)
        for variable in dictionary:
            row = book_table.variable_row(variable, VARIABLE_FIELDS)
            writer.writerow(harmless.guard_text(cell) for cell in row)


def _write_excel(dictionary: Dictionary, file: Path) -> None:
    import xlsxwriter

    fields = tuple(field for field in VARIABLE_FIELDS if field not in ("values", "missing"))
    with xlsxwriter.Workbook(str(file)) as book:
        variables = book.add_worksheet("variables")
        _fill(variables, [fields, *(book_table.variable_row(variable, fields) for variable in dictionary)])
        codes = book.add_worksheet("codes")
        rows = [row for variable in dictionary for row in book_table.code_rows(variable)]
        _fill(codes, [CODE_FIELDS, *rows])


def _fill(sheet: object, rows: Iterable[Sequence[str]]) -> None:
    for number, row in enumerate(rows):
        for place, cell in enumerate(row):
            sheet.write_string(number, place, cell)  # type: ignore[attr-defined]
