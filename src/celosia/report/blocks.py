"""The blocks of a page. A new part of the house adds a block to a list, never a page engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, Protocol

import polars as pl

from celosia.core.results import cell, heading


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
    """A table with a caption; ``figures`` names the columns of figures that are already text."""

    caption: str
    rows: pl.DataFrame
    figures: tuple[str, ...] = ()

    def html(self) -> str:
        """The table in a frame that scrolls where it is too wide."""
        names = self.rows.columns
        numeric = [name in self.figures or self.rows.schema[name].is_numeric() for name in names]
        head = _cells("th", [heading(name) for name in names], numeric)
        body = "\n".join(_cells("td", [cell(value) for value in row], numeric) for row in self.rows.iter_rows())
        table = f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        return f'<figure class="table"><figcaption>{escape(self.caption)}</figcaption>{table}</figure>'


def _cells(tag: str, texts: Sequence[str], numeric: Sequence[bool]) -> str:
    marks = [' class="number"' if flag else "" for flag in numeric]
    cells = [f"<{tag}{mark}>{escape(text)}</{tag}>" for text, mark in zip(texts, marks, strict=True)]
    return f"<tr>{''.join(cells)}</tr>"


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
