"""A page that would fetch anything from elsewhere stops the build: offices read this without a network."""

from __future__ import annotations

import re
from typing import Any

from mkdocs.exceptions import PluginError

_FETCHED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"(?:https?:)?//"
    r"|<link\b[^>]*\brel=\"(?:stylesheet|preconnect|preload|icon)\"[^>]*\bhref=\"(?:https?:)?//"
    r"|<link\b[^>]*\bhref=\"(?:https?:)?//[^>]*\brel=\"(?:stylesheet|preconnect|preload|icon)\"",
)


def on_post_page(output: str, page: Any, **_: Any) -> str:
    """Refuse a page with a script, picture, style or font of another host."""
    if found := _FETCHED.search(output):
        raise PluginError(f"{page.file.src_uri} fetches from elsewhere: {found[0]}")
    return output
