"""Each page speaks its own language: the tree it stands in decides the words of the theme around it."""

from __future__ import annotations

from typing import Any


def on_page_context(context: Any, page: Any, config: Any, nav: Any) -> Any:
    """Set the theme's language for this page: Spanish under ``es/``, English elsewhere."""
    config.theme["language"] = "es" if page.file.src_uri.startswith("es/") else "en"
    return context
