"""The internal page of a census: what was released, what it cost, how far it is from the truth, and beside what."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from celosia.census.evaluation import Evaluation
from celosia.core.language import number, text
from celosia.process.census.outcome import Outcome, Published
from celosia.report.blocks import Block, Details, Figure, Note, Table, Title
from celosia.report.certificate import loss_rows, measurement_blocks, part_blocks, release_note
from celosia.report.comparison import comparison_blocks
from celosia.report.figures import formatted
from celosia.report.page import page

_ASKED = ("level", "query", "answers", "mae", "rmse", "relative", "q90", "largest")
_ALL = ("level", "query", "answers", "mae", "rmse", "mean_error", "q90", "q99", "zeros_kept", "zeros_false")
"""Figures that a page has room for; the library has all."""
_WORST = 10
"""Places whose answers are farthest off that are named."""


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
        *overview_blocks(outcome),
    ]
    for one in outcome.tables:
        made += evaluation_blocks(one, outcome.plan.public)
    return made


def overview_blocks(outcome: Outcome) -> list[Block]:
    """What is published, what it cost and what is left; the parts of it folded away."""
    return [
        Table(text("census.summary.tables"), released_rows(outcome)),
        Table(text("certificate.loss.caption"), *formatted(loss_rows(outcome))),
        Table(text("census.summary.left"), *formatted(left_rows(outcome))),
        Details(text("certificate.loss"), part_blocks(outcome)),
        Details(text("certificate.measurements"), measurement_blocks(outcome)),
    ]


def released_rows(outcome: Outcome) -> pl.DataFrame:
    """One row a table: its records, its variables, and the smallest places."""
    return pl.DataFrame(
        [
            {
                "table": text(f"table.{one.table.value}"),
                "records": one.release.counts[-1].total,
                "variables": ", ".join(one.domain.names),
                "cells": one.domain.size,
                "level": one.geography.levels[-1],
                "places": one.geography.leaves,
            }
            for one in outcome.tables
        ]
    )


def left_rows(outcome: Outcome) -> pl.DataFrame:
    """The limit of each account, and what it may still pay."""
    ledger = outcome.ledger
    return pl.DataFrame(
        [
            {
                "account": text(f"account.{account.value}"),
                "limit": number(float(ledger.limits[account]), 4),
                "spent": number(float(ledger.spent(account)), 4),
                "left": number(float(ledger.left(account)), 4),
            }
            for account in ledger.protection.accounts
            if account in ledger.limits
        ]
    )


def evaluation_blocks(one: Published, public: bool) -> list[Block]:
    """The errors of one table, its curve, and the comparison with other protections.

    True counts of places are shown where the data are ``public`` alone; the answers are in a file beside the page.
    """
    name = text(f"table.{one.table.value}")
    looks, made = one.looks, list[Block]()
    if looks.evaluation is not None:
        made += [Title(text("census.summary.errors", table=name)), *error_blocks(one, public)]
    if looks.curve is not None:
        caption = text("census.summary.curve.caption")
        made += [
            Title(text("census.summary.curve", table=name)),
            Figure(caption, looks.curve.picture()),
            Details(text("label.figures"), [Table(caption, *formatted(looks.curve.table()))]),
        ]
    if looks.comparison is not None:
        made += [Title(text("census.summary.comparison", table=name)), *comparison_blocks(looks.comparison)]
    return made


def error_blocks(one: Published, public: bool) -> list[Block]:
    """The errors of what was asked first; those of all that was measured folded away."""
    found = one.looks.evaluation
    assert found is not None
    made: list[Block] = [
        Table(text("census.summary.errors.caption"), *formatted(asked_rows(found))),
        Figure(text("census.summary.errors.figure"), found.picture()),
    ]
    groups = found.by_group()
    if groups.height:
        made.append(Table(text("census.summary.groups"), *formatted(beside(found.asked(groups)))))
    if public and (worst := worst_rows(one)).height:
        made.append(Table(text("census.summary.worst", count=worst.height), worst))
    by_size = found.by_size().select(*_ALL[:2], "place_size", *_ALL[2:-3], "relative")
    folded: list[Block] = [
        Table(text("census.summary.size"), *formatted(found.asked(by_size))),
        Table(text("census.summary.noise"), *formatted(found.noise_and_post())),
        Table(text("census.summary.all"), *formatted(found.table().select(_ALL))),
    ]
    if groups.height:
        folded.append(Table(text("census.summary.groups.all"), *formatted(groups)))
    return [*made, Details(text("census.summary.more"), folded)]


def asked_rows(found: Evaluation) -> pl.DataFrame:
    """The errors of what was asked, in the figures that matter first."""
    return found.asked(found.table()).select(_ASKED)


def beside(groups: pl.DataFrame) -> pl.DataFrame:
    """The relative error of everybody and of each group side by side, and which group is worst off."""
    by = ["level", "query"]
    whole = groups.select(*by, "relative_all").unique(maintain_order=True)
    worst = groups.group_by(by, maintain_order=True).first().select(*by, pl.col("group").alias("worst_group"))
    for name in groups["group"].unique().sort().to_list():
        own = groups.filter(group=name).select(*by, pl.col("relative").alias(name))
        whole = whole.join(own, on=by, how="left", maintain_order="left")
    return whole.join(worst, on=by, how="left", maintain_order="left")


def worst_rows(one: Published) -> pl.DataFrame:
    """The answers that are farthest from the truth, by the names of their places."""
    rows = one.looks.answers
    if rows is None or rows.is_empty():
        return pl.DataFrame()
    far = rows.filter(pl.col("difference") != 0).sort(pl.col("difference").abs(), descending=True, maintain_order=True)
    named = [
        one.dictionary[level].values.get(place, place) if level in one.dictionary else place
        for level, place in far.head(_WORST).select("level", "place").iter_rows()
    ]
    return far.head(_WORST).with_columns(place=pl.Series(named, dtype=pl.String))
