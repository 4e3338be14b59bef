"""Stata's letters of missing, ``.a`` to ``.z``, as numbers that a column can hold.

A letter stands in a numeric column as the code -900001 (``.a``) to -900026 (``.z``), declared missing in the
dictionary. Where the data use one of these numbers, the next series serves: -9000001 …, -90000001 …
Writing Stata turns declared codes of any series back into their letters, so the way there and back is exact.
"""

from __future__ import annotations

import re
from string import ascii_lowercase

ALPHABET = ascii_lowercase

_SERIES = range(5, 14)
_CODE = re.compile(r"-90{3,11}(\d\d)")


def number(letter: str, series: int = _SERIES.start) -> int:
    """The number that stands for a letter."""
    return -(int(f"9{'0' * series}") + ALPHABET.index(letter) + 1)


def letter_of(code: str) -> str | None:
    """The letter that a code stands for, if any."""
    match = _CODE.fullmatch(code)
    if match is None or len(code) - 2 not in _SERIES:
        return None
    place = int(match.group(1))
    return ALPHABET[place - 1] if 1 <= place <= len(ALPHABET) else None


def free_series(used: set[str]) -> int | None:
    """The first series of numbers that none of the used codes belongs to."""
    for series in _SERIES:
        if not any(str(number(letter, series)) in used for letter in ALPHABET):
            return series
    return None
