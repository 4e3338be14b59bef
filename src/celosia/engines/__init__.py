"""Engines: what counts, joins and maps the records, behind one narrow contract (``contract.Engine``)."""

from __future__ import annotations

from celosia.core.microdata import Microdata
from celosia.engines.contract import Classes, Counting, Engine, Keys

__all__ = ["Classes", "Counting", "Engine", "Keys", "engine"]


def engine(data: Microdata) -> Engine:
    """The engine that holds these data."""
    from celosia.engines.embedded import EmbeddedEngine

    return EmbeddedEngine(data)
