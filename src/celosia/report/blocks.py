"""The blocks of a page. A new part of the house adds a block to a list, never a page engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Literal, Protocol

import polars as pl

from celosia.core.errors import OptionError
from celosia.core.picture import Picture
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
        body = "\n".join(
            _cells("td", [cell(value, name) for name, value in zip(self.rows.columns, row, strict=True)], numeric)
            for row in self.rows.iter_rows()
        )
        table = f"<table>\n<thead>{head}</thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        return f'<figure class="table"><figcaption>{escape(self.caption)}</figcaption>{table}</figure>'


def _cells(tag: str, texts: Sequence[str], numeric: Sequence[bool]) -> str:
    marks = [' class="number"' if flag else "" for flag in numeric]
    cells = [f"<{tag}{mark}>{escape(text)}</{tag}>" for text, mark in zip(texts, marks, strict=True)]
    return f"<tr>{''.join(cells)}</tr>"


@dataclass(frozen=True, eq=False)
class Details:
    """Blocks that are folded away under one line until somebody wants them; printed in full."""

    summary: str
    blocks: Sequence[Block]

    def html(self) -> str:
        """The line and what is under it."""
        inside = "\n".join(block.html() for block in self.blocks)
        return f"<details>\n<summary>{escape(self.summary)}</summary>\n{inside}\n</details>"


@dataclass(frozen=True, eq=False)
class Figure:
    """A picture with a caption; its text alternative alone where the extra ``reports`` is not installed."""

    caption: str
    picture: Picture

    def html(self) -> str:
        """The picture as SVG."""
        said = escape(self.picture.alternative)
        try:
            drawn = self.picture.svg().replace("<svg", '<svg role="img"', 1)
        except OptionError:
            drawn = f"<p>{said}</p>"
        return f'<figure aria-label="{said}">{drawn}<figcaption>{escape(self.caption)}</figcaption></figure>'
