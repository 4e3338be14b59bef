"""Engines: what counts, joins and maps the records, behind one narrow contract (``contract.Engine``)."""

from __future__ import annotations

from functools import cache

from celosia.core.errors import warn
from celosia.core.microdata import Microdata
from celosia.engines.contract import Classes, Counting, Engine, Keys

__all__ = ["Classes", "Counting", "Engine", "Keys", "engine"]


def engine(data: Microdata) -> Engine:
    """The engine that holds these data."""
    from celosia.engines.embedded import EmbeddedEngine

    _warn_of_cache()
    return EmbeddedEngine(data)


@cache
def _warn_of_cache() -> None:
    """Say once that compiled kernels cannot be kept."""
    from celosia.kernels import cache_folder

    if cache_folder() is None:
        warn("kernel-cache")
