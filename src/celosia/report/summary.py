"""The summary page of a run: what there was, what was done, what it cost, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from celosia.core.language import number, percent, text
from celosia.core.picture import chart
from celosia.methods.drop_records import Dropped
from celosia.process.inventory import inventory
from celosia.process.measuring import perturbed
from celosia.process.release import Outcome
from celosia.process.study import Study
from celosia.process.verdict import Row, Verdict
from celosia.report import anonymity
from celosia.report.blocks import Block, Figure, Note, Table, Title
from celosia.report.page import page
from celosia.report.undoing import deduction_blocks

FIGURES = ("limit", "before", "after")
"""Columns of these tables that hold figures as text."""


def summary(outcome: Outcome) -> str:
    """The page of an outcome, in both languages."""
    title = outcome.study.plan.title or outcome.study.plan.release.data
    return page(lambda: f"{text('summary.title')}: {title}", lambda: blocks(outcome))


def blocks(outcome: Outcome) -> Sequence[Block]:
    """The blocks of the page, in the language in force."""
    study, verdict = outcome.study, outcome.verdict
    title = study.plan.title or study.plan.release.data
    made: list[Block] = [
        Title(f"{text('summary.title')}: {title}", 1),
        Note(text("summary.internal"), "warning"),
        Note(
            text("verdict.passes" if verdict.passes else "verdict.fails", policy=verdict.policy),
            _tone(verdict.passes),
        ),
    ]
    if verdict.direct:
        made.append(Note(text("verdict.direct", variables=verdict.direct), "bad"))
    made += [
        Title(text("label.scenarios")),
        Table(text("summary.scenarios.caption"), scenarios(study)),
        Title(text("summary.before-after")),
        Table(text("summary.before-after.caption"), before_after(study), FIGURES),
        Title(text("summary.steps")),
        Table(text("summary.steps.caption"), steps(study)),
        *(Note(note) for note in losses(study)),
    ]
    made += [risk_figure(study, scenario.name) for scenario in study.plan.scenarios]
    made += [Title(text("summary.countings")), Table(text("summary.countings.caption"), countings(study))]
    made += deduction_blocks(study.deduced)
    made += anonymity.study_blocks(study)
    if study.plan.groups:
        made.append(Title(text("summary.groups")))
        made += [
            Table(text("summary.groups.caption", scenario=scenario.name), group_table(study, scenario.name))
            for scenario in study.plan.scenarios
        ]
    made += [
        Title(text("summary.verdict")),
        *(Note(note) for note in verdict_notes(verdict)),
        *perturbation_notes(study),
        Table(
            text("summary.verdict.caption", policy=verdict.policy),
            verdict_table(verdict),
            figures=FIGURES,
        ),
    ]
    return made


def _tone(passes: bool) -> Any:
    return "good" if passes else "bad"


def scenarios(study: Study) -> pl.DataFrame:
    """Who is thought to know what, from where; without the columns that the plan leaves empty."""
    table = inventory(study.plan)
    return table.select(name for name in table.columns if table[name].null_count() < table.height)


def before_after(study: Study) -> pl.DataFrame:
    """Risk before and after, one row a figure."""
    rows: list[tuple[str, str, str, str]] = []
    for scenario in study.plan.scenarios:
        old, new = study.root.risk(scenario.name), study.risk(scenario.name)
        strict = [state.risk(scenario.name, missing="strict").frequencies.below(3) for state in (study.root, study)]
        rows.append((scenario.name, text("figure.records"), number(old.records, 0), number(new.records, 0)))
        rows.append((scenario.name, text("figure.global"), percent(old.global_risk), percent(new.global_risk)))
        if old.household_global_risk is not None and new.household_global_risk is not None:
            pair = percent(old.household_global_risk), percent(new.household_global_risk)
            rows.append((scenario.name, text("figure.global-household"), *pair))
        for k in (2, 3, 5):
            pair = number(old.frequencies.below(k), 0), number(new.frequencies.below(k), 0)
            rows.append((scenario.name, text("figure.below", k=k), *pair))
        pair = number(strict[0], 0), number(strict[1], 0)
        rows.append((scenario.name, text("figure.below-strict", k=3), *pair))
    names = ["scenario", "figure", "before", "after"]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def steps(study: Study) -> pl.DataFrame:
    """What each step did, in cells and records."""
    rows = []
    for state in study.history[1:]:
        assert state.result is not None and state.parent is not None
        step = state.plan.steps[-1]
        changed = ", ".join(f"{name}: {number(cells, 0)}" for name, cells in state.result.changed.items())
        lost = state.parent.data.height - state.data.height
        gone = tuple(name for name in state.parent.data.variables if name not in state.data)
        rows.append((step.name, text(f"method.{step.method.do}"), changed or "–", lost, ", ".join(gone) or "–"))
    schema = {
        "step": pl.String,
        "method": pl.String,
        "changed": pl.String,
        "lost": pl.Int64,
        "dropped": pl.String,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def losses(study: Study) -> list[str]:
    """What records that were dropped stood for, in sentences."""
    said = []
    for state in study.history[1:]:
        done = state.result
        if not isinstance(done, Dropped) or done.lost_weight is None or done.lost_weight_share is None:
            continue
        facts = {"lost": number(done.lost_weight, 0), "share": percent(done.lost_weight_share)}
        said.append(text("summary.lost-weight", step=state.plan.steps[-1].name, **facts))
        if getattr(done.method, "recalibrate", False):
            said.append(text("summary.recalibrated"))
    return said


def perturbation_notes(study: Study) -> list[Note]:
    """For every scenario with perturbed keys: that its counts are no measure of its risk."""
    found = [(scenario.name, perturbed(study, scenario)) for scenario in study.plan.scenarios]
    return [
        Note(text("summary.perturbed", scenario=name, variables=variables), "warning")
        for name, variables in found
        if variables
    ]


def verdict_notes(verdict: Verdict) -> list[str]:
    """How the verdict was reached, in sentences."""
    said = []
    if verdict.counting:
        said.append(text("verdict.counting-named", counting=text(f"counting.{verdict.counting}")))
    elif any(row.other is not None for row in verdict.rows):
        said.append(text("verdict.counting-worst"))
    if verdict.level:
        said.append(text("verdict.level-named", level=text(f"level.{verdict.level}")))
    if any(row.implied_k for row in verdict.rows if row.file == "after"):
        said.append(text("verdict.implied"))
    return said


def verdict_table(verdict: Verdict) -> pl.DataFrame:
    """One row a threshold, scenario and level, as an office reads them: before, after, verdict."""
    before = {(row.scenario, row.level, row.measure): row for row in verdict.rows if row.file == "before"}
    after = [row for row in verdict.rows if row.file == "after"]
    rows = [_verdict_row(before.get((row.scenario, row.level, row.measure)), row) for row in after]
    names = ["scenario", "level", "threshold", "limit", "before", "after", "counting", "verdict", "implied_k"]
    table = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")
    return table if any(row.implied_k for row in after) else table.drop("implied_k")


def _verdict_row(before: Row | None, row: Row) -> tuple[str, ...]:
    measure, _, at = row.measure.partition(" ")
    if row.measure == "share_above 100 %":  # nothing is above: it is Tabla 20's "= 100 %"
        measure = "certain"
    limit = "0\u202f%" if row.limit == 0 else f"<\u00a0{_limit(row.limit)}"
    implied = "" if row.implied_k is None else number(row.implied_k, 0)
    return (
        row.scenario,
        text(f"level.{row.level}"),
        text(f"threshold.{measure}", at=at.replace(" ", "\u202f")),
        limit,
        _value(before),
        _value(row),
        text("label.counts-only") if row.counts_only else text(f"counting.{row.counting}"),
        text("label.meets" if row.passes else "label.exceeds"),
        f"{implied} ({text('label.idle')})".strip() if row.idle else implied,
    )


def _value(row: Row | None) -> str:
    """The value judged, and the one by the other rule of counting where it differs."""
    if row is None:
        return "–"
    return percent(row.value) if row.other is None else f"{percent(row.value)} ({percent(row.other)})"


def _limit(share: float) -> str:
    """A limit with the decimals that it has, and no more."""
    return number(round(100 * share, 6)) + "\u202f%"


def risk_figure(study: Study, scenario: str) -> Figure:
    """Records by how many share their key, before and after."""
    old, new = study.root.risk(scenario).frequencies.by_size(), study.risk(scenario).frequencies.by_size()
    parts = [part.with_columns(file=pl.lit(text(f"file.{file}"))) for file, part in (("before", old), ("after", new))]
    said = ", ".join(
        f"{f}: {percent(a)} → {percent(b)}" for f, a, b in zip(old["f"], old["share"], new["share"], strict=True)
    )
    alternative = text("picture.before-after", said=said)
    picture = chart(pl.concat(parts), "f", "share", group="file", share=True, alternative=alternative)
    return Figure(text("figure.by-size", scenario=scenario), picture)


def countings(study: Study) -> pl.DataFrame:
    """Every scenario under each way of counting."""
    table = study.scenarios().table()
    shown = ["scenario", "counting", "global_risk", "household_global_risk", "uniques", "violations_3", "violations_5"]
    return table.select(name for name in shown if table[name].null_count() < table.height)


def group_table(study: Study, scenario: str) -> pl.DataFrame:
    """The plan's groups, the whole file first."""
    table = study.by_group(scenario).table()
    shown = ["group", "records", "global_risk", "household_global_risk", "share_unique", "share_violating_3"]
    return table.select(name for name in shown if table[name].null_count() < table.height)
