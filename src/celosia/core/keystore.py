"""The secret key of a project: one small file that only its owner reads, made once and never replaced."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from celosia.core.errors import FileError
from celosia.core.run import KEY_BYTES


def project_key(path: Path) -> bytes:
    """The key kept in this file; a fresh one from the system where there is none yet."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read(path)
    except OSError:
        raise FileError("folder-unwritable", path=path.parent.name) from None
    with os.fdopen(handle, "w") as file:
        key = secrets.token_bytes(KEY_BYTES)
        file.write(key.hex() + "\n")
    return key


def _read(path: Path) -> bytes:
    try:
        key = bytes.fromhex(path.read_text("ascii").strip())
    except (OSError, ValueError):
        raise FileError("key-unreadable", path=path.name) from None
    if len(key) != KEY_BYTES:
        raise FileError("key-unreadable", path=path.name)
    return key
