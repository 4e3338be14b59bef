"""The certificate of a census as one file of HTML in both languages."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from celosia.core.language import language, number, power_of_ten, text
from celosia.process.census.certificate import Certificate, losses, stated_invariants
from celosia.process.census.outcome import Outcome
from celosia.report.blocks import Block, Note, Table, Title
from celosia.report.page import page


def certificate_page(certificate: Certificate) -> str:
    """The page."""
    title = certificate.outcome.plan.title or certificate.outcome.plan.data
    return page(lambda: f"{text('certificate.title')}: {title}", lambda: blocks(certificate), "certificate.footer")


def blocks(certificate: Certificate) -> Sequence[Block]:
    """The blocks of the page, in the language in force."""
    outcome = certificate.outcome
    title = outcome.plan.title or outcome.plan.data
    made: list[Block] = [
        Title(f"{text('certificate.title')}: {title}", 1),
        release_note(outcome),
        Title(text("certificate.words")),
        *(Note(line) for line in certificate.to_dict()["summary"][language()]),
        *loss_blocks(outcome),
        Title(text("certificate.measurements")),
        *measurement_blocks(outcome),
    ]
    if stated := stated_invariants(outcome):
        rows = [
            {
                "table": text(f"table.{table.value}"),
                "query": line.query,
                "invariant": text(f"sign.{line.sign}"),
                "level": line.levels,
            }
            for table, line in stated
        ]
        made += [
            Title(text("certificate.invariants")),
            Table(text("certificate.invariants.caption"), pl.DataFrame(rows)),
        ]
    return [*made, *_files(certificate)]


def release_note(outcome: Outcome) -> Note:
    """Whether it may be published, in words."""
    if outcome.releasable:
        return Note(text("certificate.releasable"), "good")
    return Note(text("certificate.not-releasable"), "bad")


def loss_blocks(outcome: Outcome) -> list[Block]:
    """The privacy loss: of this run, of all runs, by variable and by level."""
    return [
        Title(text("certificate.loss")),
        Table(text("certificate.loss.caption"), loss_rows(outcome), figures=("rho", "epsilon", "simple_epsilon")),
        *part_blocks(outcome),
    ]


def part_blocks(outcome: Outcome) -> list[Block]:
    """The privacy loss about one variable, and about the place within one level, from all tables that tell of it."""
    ledger, made = outcome.ledger, list[Block]()
    for name, parts in (("variable", ledger.by_variable()), ("level", ledger.by_geography())):
        rows = pl.DataFrame(
            {
                "account": [text(f"account.{part.loss.account}") for part in parts],
                name: [part.name for part in parts],
                "rho": [number(float(part.loss.rho), 4) for part in parts],
                "epsilon": [number(part.loss.epsilon, 2) for part in parts],
            },
            schema=dict.fromkeys(("account", name, "rho", "epsilon"), pl.String),
        )
        if rows.height:
            made.append(Table(text(f"certificate.by-{name}"), rows, figures=("rho", "epsilon")))
    return made


def loss_rows(outcome: Outcome) -> pl.DataFrame:
    """The loss of each account that has paid, by this run and, where there are others, by all."""
    scopes = [("run", outcome.own)] + ([("all", outcome.ledger)] if outcome.ledger != outcome.own else [])
    return pl.DataFrame(
        [
            {
                "scope": text(f"certificate.scope.{scope}"),
                "account": text(f"account.{loss.account}"),
                "rho": f"{number(float(loss.rho), 4)} ({loss.rho})",
                "epsilon": number(loss.epsilon, 4),
                "simple_epsilon": number(loss.simple, 4),
                "delta": power_of_ten(float(loss.delta)),
            }
            for scope, ledger in scopes
            for loss in losses(ledger)
        ]
    )


def measurement_blocks(outcome: Outcome) -> list[Block]:
    """What was measured of each table, and with what noise."""
    made = list[Block]()
    for one in outcome.tables:
        facts = one.to_dict()
        rows = [
            {
                "level": charge["level"],
                "query": charge["query"],
                "answers": charge["answers"],
                "noise_kind": text(f"noise.{charge['noise']}"),
                "parameter": charge["parameter"],
                "deviation": number(charge["variance"] ** 0.5, 2),
            }
            for charge in facts["measurements"]
        ]
        caption = text(
            "certificate.measurements.caption",
            table=text(f"table.{one.table.value}"),
            records=number(facts["records"], 0),
            cells=number(facts["cells"], 0),
            variables=tuple(facts["variables"]),
            places=number(facts["levels"][-1]["places"], 0),
            level=facts["levels"][-1]["level"],
        )
        made.append(Table(caption, pl.DataFrame(rows), figures=("parameter", "deviation")))
    return made


def _files(certificate: Certificate) -> list[Block]:
    facts = certificate.to_dict()
    files = [{"file": name, "bytes": one["bytes"], "sha256": one["sha256"]} for name, one in facts["files"].items()]
    versions = [{"part": name, "version": said} for name, said in facts["versions"].items()]
    return [
        Title(text("certificate.files")),
        Table(text("certificate.files.caption"), pl.DataFrame(files)),
        Table(text("certificate.versions"), pl.DataFrame(versions)),
        Note(text("certificate.made", made=certificate.made, run=certificate.outcome.plan.run)),
        Note(text("certificate.plan", sha256=facts["plan"]["sha256"])),
    ]
