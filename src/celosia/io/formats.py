"""What each file format can hold, as data.

Readers, writers and the documentation look here; a test compares the table with real round trips.
"""

from __future__ import annotations

import os
from enum import StrEnum
from pathlib import Path

from celosia.core.errors import FileError
from celosia.core.model import Frozen


class Missing(StrEnum):
    """How a format declares the codes that mean missing."""

    NONE = "none"
    CODES = "codes"
    """Three codes, or one range and one code (SPSS)."""
    LETTERS = "letters"
    """``.a`` to ``.z`` (Stata)."""


class Side(StrEnum):
    """When the dictionary goes to a file of its own, ``NAME.dictionary.yaml``."""

    NEVER = "never"
    NEEDED = "needed"
    """When it says something that the format cannot hold."""
    ALWAYS = "always"


class Support(Frozen):
    """What one format holds without help from a side dictionary."""

    format: str
    suffixes: tuple[str, ...]
    writes: bool = True
    variable_labels: bool = False
    value_labels: bool = False
    text_value_labels: bool = False
    missing: Missing = Missing.NONE
    display_formats: bool = False
    level: bool = False
    own_dates: bool = True
    """Dates are a type of their own; else numbers under a display format."""
    own_integers: bool = True
    empty_text: bool = False
    """Empty text is told from an empty cell."""
    trailing_blanks: bool = True
    """Blanks at the end of a text are kept; else a text of blanks alone is an empty one."""
    unicode: bool = True
    side: Side = Side.ALWAYS
    names: str = r".+"
    """Pattern of the names of variables that it takes."""
    label_length: int = 1_000_000
    value_label_length: int = 1_000_000
    text_length: int = 1_000_000_000
    records: int = 2**62


_SPSS_NAME = r"[^\W\d_][\w.@#$]{0,63}"
_STATA_NAME = r"[^\W\d]\w{0,31}"

_TABLE = (
    Support(format="csv", suffixes=(".csv", ".tsv", ".txt"), empty_text=True),
    Support(format="parquet", suffixes=(".parquet",), empty_text=True, side=Side.NEVER),
    Support(format="xlsx", suffixes=(".xlsx",), own_integers=False, text_length=32_767, records=1_048_575),
    Support(
        format="sav",
        trailing_blanks=False,
        suffixes=(".sav", ".zsav"),
        variable_labels=True,
        value_labels=True,
        text_value_labels=True,
        missing=Missing.CODES,
        display_formats=True,
        level=True,
        own_dates=False,
        own_integers=False,
        side=Side.NEEDED,
        names=_SPSS_NAME,
        label_length=256,
        value_label_length=120,
    ),
    Support(
        format="dta",
        suffixes=(".dta",),
        variable_labels=True,
        value_labels=True,
        missing=Missing.LETTERS,
        display_formats=True,
        own_dates=False,
        side=Side.NEEDED,
        names=_STATA_NAME,
        label_length=80,
        value_label_length=32_000,
    ),
    Support(
        format="por",
        trailing_blanks=False,
        suffixes=(".por",),
        variable_labels=True,
        display_formats=True,
        own_dates=False,
        own_integers=False,
        unicode=False,
        names=r"[A-Za-z][A-Za-z0-9_.@#$]{0,7}",
        label_length=255,
        text_length=255,
    ),
    Support(
        format="xpt",
        trailing_blanks=False,
        suffixes=(".xpt",),
        variable_labels=True,
        display_formats=True,
        own_dates=False,
        own_integers=False,
        names=r"[A-Za-z_][A-Za-z0-9_]{0,31}",
        label_length=255,
    ),
    Support(
        format="sas7bdat",
        suffixes=(".sas7bdat",),
        writes=False,
        variable_labels=True,
        missing=Missing.LETTERS,
        display_formats=True,
        own_dates=False,
        own_integers=False,
    ),
)


def support() -> tuple[Support, ...]:
    """What every format holds, one row a format."""
    return _TABLE


def format_of(path: str | Path) -> Support:
    """The format that a file's suffix names."""
    suffix = Path(path).suffix.lower()
    for row in _TABLE:
        if suffix in row.suffixes:
            return row
    raise FileError("format-unknown", path=str(path), known=tuple(s for row in _TABLE for s in row.suffixes))


def format_to_write(path: str | Path) -> Support:
    """The format that a file's suffix names, which must be one that can be written."""
    row = format_of(path)
    if not row.writes:
        raise FileError("format-read-only", path=str(path), format=row.format)
    return row


def existing(path: str | Path) -> Path:
    """The path of a file that is there and is not empty."""
    file = Path(path)
    if file.is_dir():
        raise FileError("file-is-folder", path=str(path))
    if not file.is_file():
        raise FileError("file-missing", path=str(path))
    if not os.access(file, os.R_OK):
        raise FileError("file-unreadable", path=str(path))
    if not file.stat().st_size:
        raise FileError("file-empty", path=str(path))
    return file
