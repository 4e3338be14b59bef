"""What every measure gives back: numbers first, display second."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any, Protocol, runtime_checkable

import polars as pl

from celosia.core.language import has_text, number, percent, power_of_ten, text


@runtime_checkable
class Result(Protocol):
    """A small typed value with a table, a mapping and a display in notebooks."""

    def table(self) -> pl.DataFrame:
        """The result as a table."""
        ...

    def views(self) -> Mapping[str, pl.DataFrame]:
        """The tables that people read, by the code of their title."""
        ...

    def remarks(self) -> tuple[str, ...]:
        """What the tables must not be read without."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """The result as plain numbers, with English keys."""
        ...


class Tabular:
    """Display of a result, from its tables and what has to be read beside them."""

    def table(self) -> pl.DataFrame:
        """The result as a table."""
        raise NotImplementedError

    def views(self) -> Mapping[str, pl.DataFrame]:
        """The tables that people read, by the code of their title; the first one has none."""
        return {"": self.table()}

    def remarks(self) -> tuple[str, ...]:
        """What the tables must not be read without, in sentences of the reader's language."""
        return ()

    def _repr_html_(self) -> str:
        first = next(iter(self.views().values()))
        return html_table(first) + "".join(f"<p>{escape(remark)}</p>" for remark in self.remarks())


_BEGIN = ("share", "above_")
_SHARES = {
    *("inside", "contribution", "distinction", "separation", "prosecutor", "journalist", "dis"),
    *("risk_without", "risk_fall", "risk_recoded", "recode_fall"),
}
"""Columns of shares, by the beginning of their name or by the whole of it; those that end in ``risk`` are others."""

_LEAST = 1e-5
"""What is less, and not nothing, is written as a power of ten."""


def heading(name: str) -> str:
    """A column's heading in the reader's language, where the catalogue has one."""
    code = f"column.{name}"
    return text(code) if has_text(code) else name


def cell(value: object, column: str = "") -> str:
    """A cell as a reader sees it; names that the catalogue knows under its column are in the reader's language."""
    if value is None:
        return text(f"none.{column}") if has_text(f"none.{column}") else ""
    if isinstance(value, bool):
        return text("label.yes") if value else text("label.no")
    if isinstance(value, int):
        return number(value, 0)
    if isinstance(value, float) and column == "at":
        return f"{number(100 * value)}\u202f%"
    if isinstance(value, float) and (column in _SHARES or column.startswith(_BEGIN) or column.endswith("risk")):
        return percent(value, 3)
    if isinstance(value, float):
        small = 0 < abs(value) < _LEAST
        digits = len(f"{abs(value):.0f}")
        return power_of_ten(value) if small else number(value, at_most=max(1, 6 - digits))
    known = f"{column}.{value}"
    return text(known) if column and has_text(known) else str(value)


def html_table(table: pl.DataFrame) -> str:
    """A table as HTML, escaped, numbers aligned."""
    numeric = [dtype.is_numeric() for dtype in table.dtypes]
    side = [' class="number"' if flag else "" for flag in numeric]
    head = "".join(f"<th{c}>{escape(heading(n))}</th>" for n, c in zip(table.columns, side, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{c}>{escape(cell(v, n))}</td>" for n, v, c in zip(table.columns, row, side, strict=True))
        + "</tr>"
        for row in table.iter_rows()
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
