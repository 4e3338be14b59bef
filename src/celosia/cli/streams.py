"""What the process writes: letters that a terminal has not, a reader who left and a full disk never confuse the work.

A reader who leaves (``celosia risk … | head``) misses the rest and changes no exit code. A letter that the encoding of
the stream has not is shown by a plain one. A stream that takes nothing more is an error of ours, told on the other.
"""

from __future__ import annotations

import codecs
import errno
import os
import sys
import unicodedata
from typing import Any, TextIO

from celosia.core.errors import FileError

REFUSED = "output-refused"
"""Code of the error that standard output takes nothing more."""

_PLAIN = {"«": '"', "»": '"', "–": "-", "—": "-", "−": "-", "…": "...", "→": "->", "≤": "<=", "≥": ">=", "─": "-"}
_HANDLER = "celosia-plain"


def _shown_plainly(error: UnicodeError) -> tuple[str, int]:
    """Letters that the encoding has not, by those that every one has."""
    assert isinstance(error, UnicodeEncodeError)
    return "".join(map(_plain, error.object[error.start : error.end])), error.end


def _plain(letter: str) -> str:
    bare = _PLAIN.get(letter) or unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return bare or "?"


codecs.register_error(_HANDLER, _shown_plainly)


def prepare() -> None:
    """Let both streams show any text, as well as they can."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Any = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=_HANDLER)


def all_letters() -> bool:
    """Whether standard output can show every letter as itself."""
    return (getattr(sys.stdout, "encoding", None) or "utf-8").lower().startswith("utf")


def tell(text: str) -> None:
    """Write to standard output."""
    _write(text, sys.stdout)


def tell_aside(text: str) -> None:
    """Write to standard error; where it takes nothing there is nobody left to tell."""
    try:
        _write(text, sys.stderr)
    except FileError:
        return


def _write(text: str, stream: TextIO | None) -> None:
    if stream is None:  # closed before the process began
        return
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        _let_go(stream)
        if not _reader_left(error):
            raise FileError(REFUSED, reason=error.strerror or type(error).__name__) from None


def _reader_left(error: OSError) -> bool:
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)


def _let_go(stream: TextIO) -> None:
    """Send what is left in the stream nowhere, so that it is not tried again when the process ends."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return  # a stream of no file
