"""The internal page of a census: what was released, what it cost, and how far it is from the truth."""

from __future__ import annotations

from collections.abc import Sequence

from celosia.core.language import text
from celosia.process.census.outcome import Outcome, Published
from celosia.report.blocks import Block, Figure, Note, Table, Title
from celosia.report.certificate import loss_blocks, measurement_blocks, release_note
from celosia.report.page import page

_SHOWN = ("level", "query", "answers", "mae", "rmse", "mean_error", "q90", "q99", "zeros_kept", "zeros_false")
"""Figures of a table that a page has room for; the library has all."""


def census_summary(outcome: Outcome) -> str:
    """The page of an outcome, in both languages."""
    title = outcome.plan.title or outcome.plan.data
    return page(lambda: f"{text('summary.title')}: {title}", lambda: blocks(outcome))


def blocks(outcome: Outcome) -> Sequence[Block]:
    """The blocks of the page, in the language in force."""
    title = outcome.plan.title or outcome.plan.data
    made: list[Block] = [
        Title(f"{text('summary.title')}: {title}", 1),
        Note(text("census.summary.public" if outcome.plan.public else "census.summary.internal"), "warning"),
        release_note(outcome),
        *loss_blocks(outcome),
        *measurement_blocks(outcome),
    ]
    for one in outcome.tables:
        made += evaluation_blocks(one)
    return made


def evaluation_blocks(one: Published) -> list[Block]:
    """The errors of one table, and the comparison with other protections."""
    name = text(f"table.{one.table.value}")
    made: list[Block] = []
    if one.looks.evaluation is not None:
        found = one.looks.evaluation
        made += [
            Title(text("census.summary.errors", table=name)),
            Table(text("census.summary.errors.caption"), found.table().select(_SHOWN)),
            Figure(text("census.summary.errors.figure"), found.picture()),
            Table(text("census.summary.noise"), found.noise_and_post()),
            Table(text("census.summary.size"), found.by_size().select(*_SHOWN[:2], "place_size", *_SHOWN[2:-2])),
        ]
        if (groups := found.by_group()).height:
            made.append(Table(text("census.summary.groups"), groups))
    if one.looks.curve is not None:
        made += [
            Title(text("census.summary.curve", table=name)),
            Figure(text("census.summary.curve.caption"), one.looks.curve.picture()),
            Table(text("census.summary.curve.caption"), one.looks.curve.table()),
        ]
    if one.looks.comparison is not None:
        made += [
            Title(text("census.summary.comparison", table=name)),
            Table(text("census.summary.comparison.caption"), one.looks.comparison.table()),
        ]
    return made
