"""Small text files that people write: read whole, or refused with the reason."""

from __future__ import annotations

from pathlib import Path

from celosia.core.errors import FileError


def read_text(path: Path) -> str:
    """The text of a UTF-8 file, with or without a byte-order mark."""
    name = path.name or str(path)
    if path.is_dir():
        raise FileError("file-is-folder", path=name)
    try:
        return path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise FileError("file-missing", path=name) from None
    except (OSError, UnicodeDecodeError):
        raise FileError("file-unreadable", path=name) from None
