"""A lock that the system takes back when its process dies, however it dies."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from celosia.core.errors import FileError


@contextmanager
def alone(path: str | Path, code: str) -> Iterator[None]:
    """Hold ``path`` for this process; refuse with the error ``code`` where another one holds it."""
    lock = Path(path)
    try:
        file = lock.open("a+b")
    except OSError as error:
        raise _refusal(error, lock) from error
    with file:
        try:
            taken = _taken(file)
        except OSError as error:  # a folder on a network may know no locks
            raise _refusal(error, lock) from error
        if not taken:
            raise FileError(code, path=str(lock.parent))
        yield  # closing the file gives it back


def _refusal(error: OSError, lock: Path) -> FileError:
    return FileError("write-failed", path=str(lock), reason=error.strerror or "")


def _taken(file: IO[bytes]) -> bool:
    """Whether the lock could be had at once."""
    try:
        if sys.platform == "win32":
            import msvcrt

            file.seek(0)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True
