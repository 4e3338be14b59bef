"""The one door through which every kernel is compiled.

Compiled code is kept in the user's cache folder, or in ``CELOSIA_CACHE``, in a folder named after the text of
all kernels, the numba version and the processor: numba's own cache does not notice an edited callee.
Kernels release the GIL; none is parallel or uses fast-math, so that a result never depends on threads.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from llvmlite import binding
from numba.core import config

F = TypeVar("F", bound=Callable[..., Any])


def _user_cache() -> Path:
    if chosen := os.environ.get("CELOSIA_CACHE"):
        return Path(chosen).absolute()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "celosia"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "celosia"
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "celosia"


@cache
def cache_folder() -> Path | None:
    """Where compiled kernels are kept, or ``None`` where nothing can be written."""
    digest = hashlib.blake2b(digest_size=8)
    for source in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(source.read_bytes())
    digest.update(
        f"{numba.__version__} {binding.get_host_cpu_name()} {os.environ.get('NUMBA_BOUNDSCHECK', '0')}".encode()
    )
    folder = _user_cache() / f"kernels-{digest.hexdigest()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return None
    return folder


def jit(function: F) -> F:
    """Compile on first call, from the cache where there is one."""
    folder = cache_folder()
    if folder is None:
        return cast(F, numba.njit(nogil=True)(function))
    before: str = getattr(config, "CACHE_DIR")  # noqa: B009 (numba makes it at run time)
    setattr(config, "CACHE_DIR", str(folder))  # noqa: B010
    try:
        return cast(F, numba.njit(nogil=True, cache=True)(function))
    finally:
        setattr(config, "CACHE_DIR", before)  # noqa: B010


def woven(function: F) -> F:
    """Compile into every caller: for a few lines that a loop calls often, with many arrays at hand."""
    return cast(F, numba.njit(nogil=True, inline="always")(function))
