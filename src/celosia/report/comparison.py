"""Protections side by side on a page: errors, then risks, one column each; the worst group in a table of its own."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from celosia.census.comparison import Comparison
from celosia.core.language import has_text, number, percent, text
from celosia.core.picture import Picture, chart
from celosia.report.blocks import Block, Details, Figure, Note, Table

_COUNTS = ("mae", "rmse", "bias")
"""Figures in records; all others are shares."""


def comparison_blocks(found: Comparison) -> list[Block]:
    """Relative errors and risks first; every other figure folded away."""
    rows = found.side_by_side()
    errors = rows.filter(look="error", figure="relative")
    risks = rows.filter(pl.col("look") != "error")
    made: list[Block] = [Note(text("census.summary.comparison.caption"))]
    if errors.height:
        made += [Figure(text("census.summary.comparison.figure"), _picture(found))]
        made += _tables("census.summary.comparison.errors", found, errors)
        made += [Note(line) for line in _untold(found)]
    if risks.height:
        made += _tables("census.summary.comparison.risks", found, risks)
        made.append(Note(text("census.summary.comparison.links")))
    return [*made, Details(text("label.figures"), _tables("census.summary.comparison.all", found, rows))]


def _tables(caption: str, found: Comparison, rows: pl.DataFrame) -> list[Block]:
    """The values of everybody, and under them those of the worst group where there is any."""
    names = [_named("protection", name) for name in found.protections]
    made: list[Block] = [Table(text(caption), _cells(found, rows, _value), figures=tuple(names))]
    worst = _cells(found, rows, _worst(found))
    some = worst.filter(pl.any_horizontal(pl.col(name) != "" for name in names))
    if some.height:
        made.append(Table(text("census.summary.comparison.worst"), some))
    return made


def _cells(found: Comparison, rows: pl.DataFrame, cell: Callable[[dict[str, object], str], str]) -> pl.DataFrame:
    """One row a figure, one column of text a protection."""
    several = rows["figure"].n_unique() > 1 or rows["look"].n_unique() > 1
    shown: dict[str, list[str]] = {"question" if not several else "of": rows["of"].to_list()}
    if several:
        shown["figure"] = [_named("figure", figure) for figure in rows["figure"]]
    for name in found.protections:
        shown[_named("protection", name)] = [cell(row, name) for row in rows.iter_rows(named=True)]
    return pl.DataFrame(shown)


def _value(row: dict[str, object], protection: str) -> str:
    return _figure(row[protection], str(row["figure"]), "–")


def _worst(found: Comparison) -> Callable[[dict[str, object], str], str]:
    by = ("look", "of", "figure", "protection")
    worst = {
        tuple(row[name] for name in by): (row["worst"], row["worst_group"])
        for row in found.table().iter_rows(named=True)
    }

    def cell(row: dict[str, object], protection: str) -> str:
        value, group = worst.get((row["look"], row["of"], row["figure"], protection), (None, None))
        return "" if group is None else f"{_figure(value, str(row['figure']), '')} ({group})"

    return cell


def _untold(found: Comparison) -> list[str]:
    """For each protection that leaves answers out, the largest share of any question."""
    rows = found.side_by_side().filter(look="error", figure="untold")
    return [
        text("census.summary.comparison.untold", protection=_named("protection", name), share=percent(most, 1))
        for name in found.protections
        if (most := float(rows[name].fill_null(0).max() or 0)) > 0  # type: ignore[arg-type]
    ]


def _picture(found: Comparison) -> Picture:
    """Relative errors of the questions, one colour a protection."""
    rows = found.table().filter(pl.col("figure") == "relative", pl.col("value").is_not_null())
    shown = pl.DataFrame(
        {
            "question": rows["of"],
            "relative": rows["value"],
            "protection": [_named("protection", name) for name in rows["protection"]],
        }
    )
    said = ", ".join(f"{of}, {name}: {percent(value, 1)}" for of, value, name in shown.iter_rows())
    alternative = text("picture.census-comparison", said=said)
    return chart(shown, "question", "relative", group="protection", share=True, alternative=alternative)


def _figure(value: object, figure: str, nothing: str) -> str:
    if not isinstance(value, float):
        return nothing
    return number(value, 2) if figure in _COUNTS else percent(value, 1)


def _named(kind: str, name: str) -> str:
    """A name in the reader's language, where the catalogue has one."""
    code = f"{kind}.{name}"
    return text(code) if has_text(code) else name
