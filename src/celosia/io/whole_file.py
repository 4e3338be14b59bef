"""Signs that a statistical file was cut, where the library that reads it does not look for them."""

from __future__ import annotations

import re
from pathlib import Path

from celosia.core.errors import FileError

_STATA_START, _STATA_END = b"<stata_dta>", b"</stata_dta>"
_XPORT_RECORD = 80
_XPORT_COUNT = re.compile(rb"HEADER RECORD\*{7}OBSV8   HEADER RECORD!{7}\s*(\d+)")


def check(path: Path, format: str) -> None:
    """Raise where the end of the file is not there."""
    if format == "dta" and _starts(path, _STATA_START) and not _tail(path, len(_STATA_END)) == _STATA_END:
        raise FileError("file-cut", path=str(path))
    if format == "xpt" and path.stat().st_size % _XPORT_RECORD:
        raise FileError("file-cut", path=str(path))


def check_records(path: Path, format: str, records: int) -> None:
    """Raise where the file announces more records than it holds."""
    if format != "xpt":
        return
    with path.open("rb") as file:
        head = file.read(1 << 20)
    announced = _XPORT_COUNT.search(head)
    if announced and int(announced.group(1)) > records:
        raise FileError("file-cut", path=str(path))


def holds_its_records(path: Path, width: int) -> bool:
    """Whether a transport file, of records this wide, is long enough for the records that it announces."""
    with path.open("rb") as file:
        head = file.read(1 << 20)
    announced = _XPORT_COUNT.search(head)
    if announced is None:
        return False
    return path.stat().st_size >= announced.start() + _XPORT_RECORD + int(announced.group(1)) * width


def _starts(path: Path, mark: bytes) -> bool:
    with path.open("rb") as file:
        return file.read(len(mark)) == mark


def _tail(path: Path, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(-min(length, path.stat().st_size), 2)
        return file.read()
