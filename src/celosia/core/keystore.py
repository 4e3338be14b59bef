"""The secret key of a project: one small file that only its owner reads, made once and never replaced."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from celosia.core.errors import FileError
from celosia.core.run import KEY_BYTES


def project_key(path: Path) -> bytes:
    """The key kept in this file; a fresh one from the system where there is none yet."""
    if path.exists():
        return _read(path)
    made = path.with_name(f".{path.name}.{secrets.token_hex(6)}")
    try:
        with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(secrets.token_bytes(KEY_BYTES).hex() + "\n")
            file.flush()
            os.fsync(file.fileno())
        made.replace(path)
    except OSError:
        raise FileError("folder-unwritable", path=path.parent.name) from None
    finally:
        made.unlink(missing_ok=True)
    return _read(path)


def _read(path: Path) -> bytes:
    try:
        key = bytes.fromhex(path.read_text("ascii").strip())
    except (OSError, ValueError):
        raise FileError("key-unreadable", path=path.name) from None
    if len(key) != KEY_BYTES:
        raise FileError("key-unreadable", path=path.name)
    return key
