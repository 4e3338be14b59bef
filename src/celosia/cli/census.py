"""``celosia census``: the plan of a census carried out, resumed, or tried with a seed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from celosia.cli.output import Output
from celosia.core.errors import CancelledError
from celosia.core.language import text

if TYPE_CHECKING:
    from celosia.process.census import Outcome


def census(output: Output, path: Path, seed: int | None) -> int:
    """Measure, estimate, evaluate and publish what a plan says; go on where a stopped run was."""
    from celosia.io.atomic import clear_unfinished, writing
    from celosia.process.census import CensusPlan, run
    from celosia.process.census.files import keep_answers, public_folder, publish
    from celosia.process.census.running import folder
    from celosia.process.release import working_in
    from celosia.report.census import census_summary
    from celosia.report.certificate import certificate_page

    plan = CensusPlan.load(path)
    kept = folder(plan, seed)
    with output.working(), _stoppable(kept), working_in(plan.resolve(plan.folder)), output.progress() as circumstances:
        if kept.is_dir():
            clear_unfinished(kept)
        outcome = run(plan, circumstances, seed)
        summary = kept / "resumen.html"
        with writing(summary) as temporary:  # it takes its place after the public folder
            temporary.write_text(census_summary(outcome), "utf-8")
            answers = keep_answers(outcome, kept)
            certificate = publish(outcome, certificate_page)
    _show(output, outcome)
    output.say(text("certificate.releasable" if outcome.releasable else "certificate.not-releasable"))
    label = text("label.public-folder" if outcome.releasable else "label.unfit-folder")
    output.say(f"{label}: {public_folder(outcome)}")
    output.say(f"{text('label.summary-page')}: {summary}")
    results = {
        "releasable": outcome.releasable,
        "run": plan.run,
        "tables": [one.to_dict() for one in outcome.tables],
        "losses": certificate.to_dict()["this_run"],
        "ledger": certificate.to_dict()["ledger"],
        "errors": [
            {"table": one.table.value, "confidential": one.looks.evaluation.confidential}
            | {"rows": one.looks.evaluation.table().to_dicts()}
            for one in outcome.tables
            if one.looks.evaluation is not None
        ],
        "folder": str(public_folder(outcome)),
        "files": {name: dict(facts) for name, facts in certificate.files.items()},
        "summary": str(summary),
        "answers": [str(file) for file in answers],
    }
    return output.done(results, outcome.releasable)


def _show(output: Output, outcome: Outcome) -> None:
    """What was released, what it cost and what is left, and the errors of what was asked."""
    from celosia.report.census import asked_rows, left_rows, released_rows
    from celosia.report.certificate import loss_rows
    from celosia.report.figures import formatted

    output.table(released_rows(outcome), title=text("census.summary.tables"))
    output.table(*formatted(loss_rows(outcome)), title=text("census.ledger"))
    output.table(*formatted(left_rows(outcome)), title=text("census.summary.left"))
    for one in outcome.tables:
        if one.looks.evaluation is not None:
            errors = "census.errors.confidential" if one.looks.evaluation.confidential else "census.errors"
            title = text(errors, table=text(f"table.{one.table.value}"))
            output.table(*formatted(asked_rows(one.looks.evaluation)), title=title)


@contextmanager
def _stoppable(kept: Path) -> Iterator[None]:
    """Whoever stops a run that has measured is told where it is kept, and that it goes on."""
    try:
        yield
    except (KeyboardInterrupt, CancelledError):
        if any(kept.glob("*/checkpoint.json")):
            raise CancelledError("cancelled-census", folder=kept) from None
        raise


def check_census(output: Output, path: Path) -> int:
    """Check a published folder against its certificate: that of a plan, or any."""
    from celosia.process.census import CensusPlan
    from celosia.process.census.checking import check
    from celosia.process.census.files import PUBLIC

    folder = path
    if not path.is_dir():
        plan = CensusPlan.load(path)
        folder = plan.resolve(plan.folder) / PUBLIC
    with output.working():
        found = check(folder)
    output.table(found.table(), title=text("check.census", folder=folder))
    output.say(text("check.census.passes" if found.passes else "check.census.fails"))
    if not found.releasable:
        output.say(text("certificate.not-releasable"))
    return output.done(found.to_dict(), found.passes)


def census_example(output: Output, folder: Path) -> int:
    """Write a small synthetic census and a plan for it, to begin from."""
    from celosia.cli.example import census_files

    with output.working():
        files = census_files(folder)
    output.say(text("census.example.made", folder=folder))
    output.say(f"  celosia census {folder / 'plan.yaml'}")
    output.say(f"  celosia census-check {folder / 'plan.yaml'}")
    return output.done({"folder": str(folder), "files": [str(file) for file in files]})


def census_schema(output: Output) -> int:
    """Print the JSON schema of a census plan."""
    from celosia.process.census import CensusPlan

    return output.document(CensusPlan.json_schema())
