r"""Lists of codes in one cell of a code book: ``1=Hombre; 2=Mujer``.

A backslash before ``;``, ``=``, a blank or a backslash makes it part of the text.
"""

from __future__ import annotations

from collections.abc import Iterable

_SPECIAL = "\\;="


def join(items: Iterable[tuple[str, str]]) -> str:
    """The cell for these pairs."""
    return "; ".join(f"{_escape(left)}={_escape(right)}" for left, right in items)


def split(cell: str) -> list[tuple[str, str | None]]:
    """The pairs of a cell; one without ``=`` has ``None`` on its right.

    Raises ``ValueError`` where a second ``=`` leaves in doubt what is code and what is text.
    """
    return [_pair(part) for part in _parts(_marks(cell), ";") if _text(part)]


_Marks = list[tuple[str, bool]]
"""Characters, and whether a backslash made them part of the text."""


def _escape(text: str) -> str:
    escaped = "".join(f"\\{c}" if c in _SPECIAL else c for c in text)
    if text[:1].isspace():
        escaped = f"\\{escaped}"
    if len(text) > 1 and text[-1:].isspace():
        escaped = f"{escaped[:-1]}\\{escaped[-1]}"
    return escaped


def _marks(cell: str) -> _Marks:
    marks: _Marks = []
    escaped = False
    for character in cell:
        if character == "\\" and not escaped:
            escaped = True
            continue
        marks.append((character, escaped))
        escaped = False
    return marks


def _parts(marks: _Marks, separator: str) -> list[_Marks]:
    parts: list[_Marks] = [[]]
    for mark in marks:
        if mark == (separator, False):
            parts.append([])
        else:
            parts[-1].append(mark)
    return parts


def _pair(part: _Marks) -> tuple[str, str | None]:
    sides = _parts(part, "=")
    if len(sides) > 2:
        raise ValueError
    return _text(sides[0]), _text(sides[1]) if len(sides) == 2 else None


def _text(marks: _Marks) -> str:
    start, end = 0, len(marks)
    while start < end and marks[start][0].isspace() and not marks[start][1]:
        start += 1
    while end > start and marks[end - 1][0].isspace() and not marks[end - 1][1]:
        end -= 1
    return "".join(character for character, _ in marks[start:end])
