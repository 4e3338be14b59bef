"""The form of a CSV file, found out from its first lines; what stays in doubt is asked, never guessed."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Mapping, Sequence
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationError, WithJsonSchema

from celosia.core.errors import FileError, OptionError
from celosia.core.model import Frozen
from celosia.io.formats import existing

DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 2_000
_CHUNK = 1 << 20
_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")
_C1 = frozenset(range(0x80, 0xA0))
_NUMBER = re.compile(r"[+-]?\d+([.,]\d+)*")
_WITH_MARK = {",": re.compile(r"[+-]?\d+,\d+"), ".": re.compile(r"[+-]?\d+\.\d+")}
_GROUPED = {
    ",": re.compile(r"[+-]?\d{1,3}(\.\d{3})+,\d+"),
    ".": re.compile(r"[+-]?\d{1,3}(,\d{3})+\.\d+"),
}
_LIKE_GROUPS = re.compile(r"[+-]?[1-9]\d{0,2}[.,]\d{3}")


Delimiter = Annotated[
    Literal[",", ";", "\t", "|"],
    BeforeValidator(lambda sign: "\t" if sign in ("tab", "\\t") else sign),
    WithJsonSchema({"enum": [*DELIMITERS, "tab"]}),
]
"""What separates the cells; ``tab`` where the sign itself cannot be typed."""


class CsvForm(Frozen):
    """How a CSV file is written. ``sniff`` finds it out; give it back as ``read(…, csv=form)``."""

    delimiter: Delimiter = ","
    decimal: Literal[".", ","] = "."
    encoding: Literal["utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252"] = "utf-8"
    header: bool = True


def sniff(
    path: str | Path,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
) -> CsvForm:
    """The form of a CSV file; what is given is taken as known.

    Raises ``FileError`` naming the option where two readings are equally likely.
    """
    given = {"delimiter": delimiter, "decimal": decimal, "encoding": encoding, "header": header}
    known = known_form({option: value for option, value in given.items() if value is not None})
    file = existing(path)
    spoken = known.get("encoding") or _encoding(file)
    rows_by_delimiter = _candidates(file, spoken, known.get("delimiter"))
    chosen = known.get("delimiter") or _delimiter(rows_by_delimiter, str(path))
    rows = rows_by_delimiter[chosen]
    return CsvForm.model_validate(
        {
            "delimiter": chosen,
            "decimal": known.get("decimal") or _decimal(rows, chosen, str(path)),
            "encoding": spoken,
            "header": known["header"] if "header" in known else _header(rows, str(path)),
        }
    )


def form_for(path: Path, csv: CsvForm | dict[str, Any] | None) -> CsvForm:
    """The form a caller gave whole or in part, the rest found out."""
    if isinstance(csv, CsvForm):
        return csv
    return sniff(path, **known_form(csv or {}))


def known_form(given: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a form that somebody wrote down, checked."""
    try:
        form = CsvForm.model_validate(given)
    except ValidationError as error:
        option = ".".join(map(str, error.errors()[0]["loc"]))
        raise OptionError("csv-option-value", option=option, known=tuple(CsvForm.model_fields)) from None
    return {option: getattr(form, option) for option in given}


def own_form(path: Path) -> CsvForm:
    """The form in which we write."""
    return CsvForm(delimiter="\t" if path.suffix.lower() == ".tsv" else ",")


def _encoding(file: Path) -> str:
    """UTF-8 (or 16) where the bytes say so, else Latin-1, or Windows' version of it."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    utf8, used, last = True, set[int](), b""
    with file.open("rb") as stream:
        start = stream.read(4)
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "utf-16"
        stream.seek(0)
        while chunk := stream.read(_CHUNK):
            used |= set(chunk)
            last = chunk
            if utf8:
                try:
                    decoder.decode(chunk)
                except UnicodeDecodeError:
                    utf8 = False
    if 0 in used:
        raise FileError("csv-not-text", path=str(file))
    if utf8:
        if decoder.getstate()[0]:
            raise FileError("file-cut", path=str(file))
        return "utf-8-sig" if start.startswith(codecs.BOM_UTF8) else "utf-8"
    if start.startswith(codecs.BOM_UTF8) or used & _UNDEFINED or not last:
        raise FileError("csv-encoding", path=str(file))
    return "cp1252" if used & _C1 else "latin-1"


def _candidates(file: Path, encoding: str, delimiter: str | None) -> dict[str, list[list[str]]]:
    """The first rows of the file as each delimiter splits them."""
    try:
        with file.open(encoding=encoding, newline="") as stream:
            lines = list(islice(stream, _SAMPLE_ROWS + 1))
    except UnicodeError:
        raise FileError("csv-encoding", path=str(file)) from None
    whole = len(lines) <= _SAMPLE_ROWS
    text = "".join(lines[:_SAMPLE_ROWS])
    if not text.strip():
        raise FileError("file-empty", path=str(file))
    found, refusal = {}, None
    for sign in delimiter or DELIMITERS:
        try:
            found[sign] = _rows(text, sign, whole)
        except csv.Error as error:  # under another sign the same row may be many cells
            refusal = refused(error, file)
    if refusal is not None and not found:
        raise refusal
    return found


def _rows(text: str, delimiter: str, whole: bool) -> list[list[str]]:
    rows = [row for row in csv.reader(StringIO(text), delimiter=delimiter) if row]
    return rows if whole or len(rows) < 2 else rows[:-1]


def refused(error: csv.Error, file: Path) -> FileError:
    """What the reader of rows could not make out, in our words."""
    told = str(error)
    known = {"end of data": "file-cut", "field limit": "csv-cell-long", "new-line": "csv-line-ends"}
    code = next((code for words, code in known.items() if words in told), "csv-quotes")
    return FileError(code, path=str(file))


def _delimiter(candidates: dict[str, list[list[str]]], path: str) -> str:
    """The one delimiter that splits the first row and all others alike."""
    splitting = [d for d, rows in candidates.items() if rows and len(rows[0]) > 1]
    if not splitting:
        return ","
    even = [d for d in splitting if len({len(row) for row in candidates[d]}) == 1]
    if len(even) == 1:
        return even[0]
    if not even and len(splitting) == 1:
        return splitting[0]
    clean = [d for d in even if not any(set(cell) & set(DELIMITERS) for cell in candidates[d][0])]
    if len(clean) == 1:
        return clean[0]
    raise FileError("csv-delimiter-doubt", path=path, candidates=tuple(repr(d) for d in even or splitting))


def _decimal(rows: Sequence[Sequence[str]], delimiter: str, path: str) -> str:
    """The mark that the decimals of the numbers use."""
    cells = [cell for row in rows[1:] for cell in row]
    votes = {mark: [c for c in cells if p.fullmatch(c)] for mark, p in _WITH_MARK.items()}
    for mark, pattern in _GROUPED.items():
        if any(pattern.fullmatch(cell) for cell in cells):
            raise FileError("csv-thousands", path=path, mark=mark)
    used = [mark for mark, found in votes.items() if found]
    if len(used) == 2:
        raise FileError("csv-decimal-doubt", path=path)
    if not used:
        return "."
    mark = used[0]
    expected = "." if delimiter == "," else None
    if mark != expected and all(_LIKE_GROUPS.fullmatch(cell) for cell in votes[mark]):
        raise FileError("csv-decimal-doubt", path=path)
    return mark


def _header(rows: Sequence[Sequence[str]], path: str) -> bool:
    """True where the first row can only be names; a number among them leaves it in doubt."""
    if any(_NUMBER.fullmatch(cell.strip()) for cell in rows[0]):
        raise FileError("csv-header-doubt", path=path)
    return True
