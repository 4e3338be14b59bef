"""Names of columns as a file gives them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeGuard

from celosia.core.errors import FileError


def check_names(names: Sequence[str | None], path: Path) -> TypeGuard[Sequence[str]]:
    """Raise where a column has no name, or another's."""
    if not names:
        raise FileError("file-empty", path=str(path))
    seen: set[str] = set()
    for place, name in enumerate(names, start=1):
        if name is None or not name.strip():
            raise FileError("column-unnamed", path=str(path), position=place)
        if name.casefold() in seen:
            raise FileError("duplicate-column", path=str(path), variable=name)
        seen.add(name.casefold())
    return True
