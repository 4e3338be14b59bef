"""Code books as tables: one row a variable, or one row a code.

One row a variable: ``name, label, level, identification, sensitive, dane, role, hierarchy, unit, decimals,
format, null, note, values, missing, missing_ranges``, where ``values`` is ``1=Hombre; 2=Mujer``, ``missing``
is ``98=no responde; 99=no aplica`` (or just ``98; 99``) and ``missing_ranges`` is ``900..999=no responde``.
One row a code: ``variable, code, label, missing``; a row without a code is the label of the variable.
Headers and words in Spanish or English, in any order; only the name is required.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import FileError
from celosia.io import pairs, words

VARIABLE_FIELDS = (
    "name", "label", "level", "identification", "sensitive", "dane", "role", "hierarchy", "unit", "decimals",
    "format", "null", "note", "values", "missing", "missing_ranges",
)  # fmt: skip
CODE_FIELDS = ("name", "code", "label", "missing")
Row = Sequence[str | None]


@dataclass(frozen=True)
class Sheet:
    """A table of text with its headers, and the file it is from."""

    path: str
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    name: str = ""

    @property
    def where(self) -> str:
        """The file, and the sheet if it has several."""
        return f"{self.path} [{self.name}]" if self.name else self.path


def to_dictionary(sheets: Sequence[Sheet]) -> Dictionary:
    """The dictionary that one or more tables describe."""
    facts: dict[str, dict[str, Any]] = {}
    for sheet in sheets:
        fields = _fields(sheet)
        add = _add_code if "code" in fields else _add_variable
        for number, row in enumerate(sheet.rows, start=2):
            filled = zip(fields, row, strict=False)
            cells = {field: cell for field, cell in filled if cell is not None and cell.strip()}
            if cells:
                add(facts, cells, _Place(sheet, fields, number))
    return Dictionary(variables=tuple(Variable(name=name, **fact) for name, fact in facts.items()))


@dataclass(frozen=True)
class _Place:
    """A row of a table, to say where something is wrong."""

    sheet: Sheet
    fields: tuple[str, ...]
    number: int

    def wrong(self, code: str, field: str) -> FileError:
        """The error that names this row and the column of a field."""
        column = self.sheet.headers[self.fields.index(field)]
        return FileError(code, path=self.sheet.where, row=self.number, column=column)

    def meaning(self, field: str, word: str, within: str | None = None) -> str:
        """What a word of a field means."""
        if not words.known(field, word):
            raise self.wrong("codebook-cell", within or field)
        return words.value(field, word)


def _fields(sheet: Sheet) -> tuple[str, ...]:
    fields = []
    for position, header in enumerate(sheet.headers, start=1):
        field = words.field(header)
        if field is None:
            raise FileError("codebook-column", path=sheet.where, column=header, position=position)
        if field in fields:
            raise FileError("codebook-column-twice", path=sheet.where, column=header)
        fields.append(field)
    wrong = set(fields) - set(CODE_FIELDS if "code" in fields else VARIABLE_FIELDS)
    if "name" not in fields or wrong:
        raise FileError("codebook-layout", path=sheet.where)
    return tuple(fields)


def _add_variable(facts: dict[str, dict[str, Any]], cells: dict[str, str], place: _Place) -> None:
    name = cells.pop("name", "").strip()
    if not name:
        raise place.wrong("codebook-nameless", "name")
    if name in facts:
        raise place.wrong("codebook-repeated", "name")
    facts[name] = {field: _fact(field, cell, place) for field, cell in cells.items()}


def _fact(field: str, cell: str, place: _Place) -> Any:
    try:
        return _READ.get(field, _named)(field, cell, place)
    except ValueError:
        raise place.wrong("codebook-cell", field) from None


def _values(field: str, cell: str, place: _Place) -> dict[str, str]:
    labels = {}
    for code, label in pairs.split(cell):
        if label is None or code in labels:
            raise place.wrong("codebook-cell", field)
        labels[code] = label
    return labels


def _missing(field: str, cell: str, place: _Place) -> dict[str, str]:
    return {code: _kind(word, field, place) for code, word in pairs.split(cell)}


def _ranges(field: str, cell: str, place: _Place) -> list[dict[str, Any]]:
    return [_range(span, word, place) for span, word in pairs.split(cell)]


def _kind(word: str | None, field: str, place: _Place) -> str:
    return MissingKind.NON_RESPONSE if word is None else place.meaning("missing", word, within=field)


def _range(span: str, word: str | None, place: _Place) -> dict[str, Any]:
    low, _, high = span.partition("..")
    return {"low": float(low), "high": float(high), "kind": _kind(word, "missing_ranges", place)}


def _decimals(field: str, cell: str, place: _Place) -> int:
    if not cell.strip().isdecimal():
        raise place.wrong("codebook-cell", field)
    return int(cell)


def _named(field: str, cell: str, place: _Place) -> str:
    return place.meaning(field, cell)


_READ = {"values": _values, "missing": _missing, "missing_ranges": _ranges, "decimals": _decimals}


def _add_code(facts: dict[str, dict[str, Any]], cells: dict[str, str], place: _Place) -> None:
    name, code = cells.get("name", "").strip(), cells.get("code", "").strip()
    if not name:
        raise place.wrong("codebook-nameless", "name")
    fact = facts.setdefault(name, {})
    if not code:
        if "label" not in cells or "missing" in cells or "label" in fact:
            raise place.wrong("codebook-cell", "code")
        fact["label"] = cells["label"]
        return
    if code in fact.get("values", {}) or code in fact.get("missing", {}):
        raise place.wrong("codebook-repeated", "code")
    if "missing" in cells:
        fact.setdefault("missing", {})[code] = place.meaning("missing", cells["missing"])
    if "label" in cells or "missing" not in cells:
        fact.setdefault("values", {})[code] = cells.get("label", "")


def variable_row(variable: Variable, fields: Sequence[str]) -> list[str]:
    """The row of a variable."""
    return [_cell(variable, field) for field in fields]


def _cell(variable: Variable, field: str) -> str:
    if field == "values":
        return pairs.join(variable.values.items())
    if field == "missing":
        return pairs.join((code, str(kind)) for code, kind in variable.missing.items())
    if field == "missing_ranges":
        spans = variable.missing_ranges
        return pairs.join((f"{span.low!r}..{span.high!r}", str(span.kind)) for span in spans)
    value = getattr(variable, field)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def code_rows(variable: Variable) -> list[list[str]]:
    """The rows of a variable's codes."""
    codes = dict.fromkeys([*variable.values, *variable.missing])
    values, missing = variable.values, variable.missing
    return [[variable.name, code, values.get(code, ""), str(missing.get(code, ""))] for code in codes]
