"""The header of an SPSS file, walked record by record before the library that reads it is let near.

That library trusts what it reads: a label for a variable that is not there, or a labelled code that is no text in the
file's encoding, ends the whole process. Layout: the PSPP developers' *System File Format*.
"""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from celosia.core.errors import FileError

_VARIABLE, _LABELS, _LABELLED, _DOCUMENT, _EXTENSION, _END = 2, 3, 4, 6, 7, 999
_ENCODING = 20
_NUMERIC, _CONTINUED = 0, -1
_HEAD, _LAYOUT_AT, _LAYOUTS = 176, 64, (2, 3)


class _BrokenError(Exception):
    """The header is not one."""


@dataclass
class _Header:
    """What must fit together: the cells of a record by their type, the labelled codes, the encoding."""

    cells: list[int] = field(default_factory=list)
    text_codes: list[bytes] = field(default_factory=list)
    encoding: str | None = None


def check(path: Path) -> None:
    """Raise where the header does not hold together."""
    try:
        with path.open("rb") as file:
            header = _walked(file, path.stat().st_size)
    except (_BrokenError, struct.error):
        raise FileError("file-broken", path=str(path)) from None
    if header.encoding is not None and not all(_decodes(code, header.encoding) for code in header.text_codes):
        raise FileError("file-encoding", path=str(path))


def _decodes(code: bytes, encoding: str) -> bool:
    try:
        code.decode(encoding)
    except UnicodeError:
        return False
    return True


def _walked(file: BinaryIO, size: int) -> _Header:
    head = file.read(_HEAD)
    order = next((o for o in "<>" if _number(head, _LAYOUT_AT, o) in _LAYOUTS), None)
    if order is None:
        raise _BrokenError
    header, codes = _Header(), list[bytes]()
    for kind, numbers in _records(file, order, size):
        if kind == _VARIABLE:
            header.cells.append(numbers[0])
            _skip_variable(file, order, numbers)
        elif kind == _LABELS:
            codes = list(_labelled_codes(file, numbers[0]))
        elif kind == _LABELLED:
            if not all(1 <= place <= len(header.cells) for place in numbers):
                raise _BrokenError
            types = {header.cells[place - 1] for place in numbers}
            if _CONTINUED in types or len({kind == _NUMERIC for kind in types}) > 1:
                raise _BrokenError
            header.text_codes += [] if types == {_NUMERIC} else codes
        elif kind == _EXTENSION:
            content = _read(file, numbers[1] * numbers[2])
            if numbers[0] == _ENCODING:
                header.encoding = _known(content)
    _check_cells(header.cells)
    return header


def _check_cells(cells: list[int]) -> None:
    """A text takes a cell for every eight bytes; those after the first say that they continue it."""
    place = 0
    while place < len(cells):
        more = -(-cells[place] // 8) - 1 if cells[place] > _NUMERIC else 0
        if cells[place] == _CONTINUED or cells[place + 1 : place + 1 + more] != [_CONTINUED] * more:
            raise _BrokenError
        place += 1 + more


def _records(file: BinaryIO, order: str, size: int) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each record's kind and the numbers that it begins with, up to the end of the header."""
    counts = {_VARIABLE: 5, _LABELS: 1, _EXTENSION: 3}
    while (kind := _integers(file, order, 1)[0]) != _END:
        if kind in counts:
            numbers = _integers(file, order, counts[kind])
            if kind == _EXTENSION and (min(numbers[1:]) < 0 or numbers[1] * numbers[2] > size):
                raise _BrokenError
            if kind == _VARIABLE:
                _read(file, 8)  # its name
            yield kind, numbers
        elif kind in (_LABELLED, _DOCUMENT):
            count = _integers(file, order, 1)[0]
            if not 0 <= count <= size // 4:
                raise _BrokenError
            if kind == _DOCUMENT:
                _read(file, 80 * count)
            else:
                yield kind, _integers(file, order, count)
        else:
            raise _BrokenError


def _skip_variable(file: BinaryIO, order: str, numbers: tuple[int, ...]) -> None:
    kind, labelled, missing = numbers[:3]
    if kind < _CONTINUED or labelled not in (0, 1) or not -3 <= missing <= 3:
        raise _BrokenError
    if labelled:
        length = _integers(file, order, 1)[0]
        if length < 0:
            raise _BrokenError
        _read(file, -(-length // 4) * 4)
    _read(file, 8 * abs(missing))


def _labelled_codes(file: BinaryIO, count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield _read(file, 8)
        length = _read(file, 1)[0]
        _read(file, -(-(length + 1) // 8) * 8 - 1)


def _known(content: bytes) -> str | None:
    """The encoding, where there is one of this name; an unknown one is the library's own affair."""
    try:
        return codecs.lookup(content.decode("ascii", "ignore").strip("\0 ")).name
    except LookupError:
        return None


def _integers(file: BinaryIO, order: str, count: int) -> tuple[int, ...]:
    return struct.unpack(f"{order}{count}i", _read(file, 4 * count))


def _number(head: bytes, place: int, order: str) -> int:
    return int(struct.unpack_from(f"{order}i", head, place)[0])


def _read(file: BinaryIO, length: int) -> bytes:
    content = file.read(length)
    if len(content) < length:
        raise _BrokenError
    return content
