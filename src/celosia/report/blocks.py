"""The blocks of a page. A new part of the house adds a block to a list, never a page engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, Protocol

import polars as pl

from celosia.core.results import html_table


class Block(Protocol):
    """Something that a page shows."""

    def html(self) -> str:
        """The block as HTML, in the language in force."""
        ...


@dataclass(frozen=True)
class Title:
    """A heading; level 1 is the page's own."""

    text: str
    level: int = 2

    def html(self) -> str:
        """The heading."""
        return f"<h{self.level}>{escape(self.text)}</h{self.level}>"


@dataclass(frozen=True)
class Note:
    """A paragraph; ``good`` and ``bad`` carry a verdict, and say it in words too."""

    text: str
    tone: Literal["plain", "good", "bad", "warning"] = "plain"

    def html(self) -> str:
        """The paragraph."""
        return f'<p class="note {self.tone}">{escape(self.text)}</p>'


@dataclass(frozen=True, eq=False)
class Table:
    """A table with a caption; ``tones`` colours whole rows."""

    caption: str
    rows: pl.DataFrame

    def html(self) -> str:
        """The table in a frame that scrolls where it is too wide."""
        body = html_table(self.rows)
        return f'<figure class="table"><figcaption>{escape(self.caption)}</figcaption>{body}</figure>'


@dataclass(frozen=True, eq=False)
class Figure:
    """A chart as a Vega-Lite specification, with a text that says what it shows."""

    caption: str
    alternative: str
    specification: Mapping[str, Any]

    def html(self) -> str:
        """The chart as SVG; the text alone where the extra ``reports`` is not installed."""
        try:
            import vl_convert
        except ImportError:
            picture = f"<p>{escape(self.alternative)}</p>"
        else:
            picture = vl_convert.vegalite_to_svg(dict(self.specification)).replace("<svg", '<svg role="img"', 1)
        caption = f"<figcaption>{escape(self.caption)}</figcaption>"
        return f'<figure aria-label="{escape(self.alternative)}">{picture}{caption}</figure>'
