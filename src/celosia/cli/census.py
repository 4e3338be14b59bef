"""``celosia census``: the plan of a census carried out, resumed, or tried with a seed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from celosia.cli.output import Output
from celosia.core.errors import CancelledError
from celosia.core.language import text


def census(output: Output, path: Path, seed: int | None) -> int:
    """Measure, estimate, evaluate and publish what a plan says; go on where a stopped run was."""
    from celosia.io.atomic import writing
    from celosia.process.census import CensusPlan, run
    from celosia.process.census.files import public_folder, publish
    from celosia.process.census.running import folder
    from celosia.report.census import census_summary
    from celosia.report.certificate import certificate_page, loss_rows

    plan = CensusPlan.load(path)
    with output.working(), _stoppable(folder(plan, seed)), output.progress() as circumstances:
        outcome = run(plan, circumstances, seed)
        summary = folder(plan, seed) / "resumen.html"
        with writing(summary) as temporary:  # it takes its place after the public folder
            temporary.write_text(census_summary(outcome), "utf-8")
            certificate = publish(outcome, certificate_page)
    output.table(loss_rows(outcome), title=text("census.ledger"))
    for one in outcome.tables:
        rows = one.release.table().drop("cells")
        output.table(rows, title=text("census.released", table=text(f"table.{one.table.value}")))
        if one.looks.evaluation is not None:
            shown = ["level", "query", "answers", "mae", "rmse", "mean_error", "q90", "zeros_kept"]
            output.table(one.looks.evaluation.table().select(shown), title=text("census.errors"))
    output.say(text("certificate.releasable" if outcome.releasable else "certificate.not-releasable"))
    output.say(f"{text('label.public-folder')}: {public_folder(outcome)}")
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
    }
    return output.done(results, outcome.releasable)


@contextmanager
def _stoppable(kept: Path) -> Iterator[None]:
    """Whoever stops a run that has measured is told where it is kept, and that it goes on."""
    try:
        yield
    except (KeyboardInterrupt, CancelledError):
        if any(kept.glob("*/checkpoint.json")):
            raise CancelledError("cancelled-census", folder=kept) from None
        raise


def census_schema(output: Output) -> int:
    """Print the JSON schema of a census plan."""
    from celosia.process.census import CensusPlan

    return output.document(CensusPlan.json_schema())
