"""``celosia run`` and ``celosia check``: a plan carried out, or judged as its file stands on disk."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from celosia.cli.output import Output
from celosia.core.language import text

if TYPE_CHECKING:
    from celosia.process.verdict import Verdict
    from celosia.verify.deduction import Deduced


def run_plan(output: Output, path: Path) -> int:
    """Carry out a plan: protect, judge, write the public file where it passes, and the summary page."""
    from celosia.core.keystore import project_key
    from celosia.io.atomic import writing
    from celosia.process import Plan, Study
    from celosia.process.release import decide, publish, refuse_over_inputs, working_in
    from celosia.report import summary
    from celosia.report.summary import FIGURES, before_after, verdict_table

    plan = Plan.load(path)
    refuse_over_inputs(plan)
    with (
        output.working(),
        working_in(plan.resolve(plan.release.folder)) as internal,
        output.progress(project_key(internal / "clave")) as run,
    ):
        study = Study.open(plan, run).replay(plan)
        run.check("judging", 1.0)
        outcome = decide(study)
        run.check("writing", 1.0)
        with writing(internal / "resumen.html") as temporary:  # it takes its place after the public file
            temporary.write_text(summary(outcome), "utf-8")
            publish(outcome)
    output.table(before_after(study), title=text("summary.before-after"), figures=FIGURES)
    if not outcome.passes:
        output.table(verdict_table(outcome.verdict), title=text("summary.verdict"), figures=FIGURES)
    _say_deduced(output, study.deduced)
    _say_asked(output, outcome.verdict)
    output.say(text("verdict.passes" if outcome.passes else "verdict.fails", policy=outcome.verdict.policy))
    if outcome.verdict.direct:
        output.say(text("verdict.direct", variables=outcome.verdict.direct))
    if outcome.data is not None:
        output.say(f"{text('label.public-file')}: {outcome.data}")
    output.say(f"{text('label.summary-page')}: {internal / 'resumen.html'}")
    results = {**outcome.to_dict(), "summary": str(internal / "resumen.html")}
    return output.done(results, outcome.passes)


def check_plan(output: Output, path: Path) -> int:
    """Judge the public file as it stands on disk."""
    from celosia.core.errors import FileError, PromiseError
    from celosia.core.keystore import project_key
    from celosia.process import Plan, Study
    from celosia.process.release import confirm, public_file
    from celosia.process.undoing import undone
    from celosia.report.summary import FIGURES, verdict_table

    plan = Plan.load(path)
    internal = plan.resolve(plan.release.folder) / "interno"
    if not (internal / "clave").exists():
        raise FileError("not-run-yet", path=path.name)
    with output.working(), output.progress(project_key(internal / "clave")) as run:
        study = Study.open(plan, run).replay(plan)
        run.check("judging", 1.0)
        file = public_file(study)
        verdict = study.check()
        deduced = study.deduced
        found: Literal["confirmed", "no-file", "not-the-file"] = "no-file"
        if file.exists():
            try:
                deduced = undone(study, confirm(study, file))
                found = "confirmed"
            except PromiseError:
                found = "not-the-file"
    output.table(verdict_table(verdict), title=text("summary.verdict"), figures=FIGURES)
    _say_deduced(output, deduced)
    _say_asked(output, verdict)
    output.say(text(f"check.{found}", path=file.name))
    output.say(text("check.passes" if verdict.passes else "check.fails", policy=verdict.policy))
    results = {
        "verdict": verdict.to_dict(),
        "deduced": deduced.to_dict(),
        "file": found,
        "confirmed": found == "confirmed",
    }
    return output.done(results, verdict.passes and found == "confirmed")


def _say_deduced(output: Output, found: Deduced) -> None:
    """Whether emptied cells follow from what remains, and which."""
    from celosia.report.undoing import deduction_table, sentences

    if found.total:
        output.table(deduction_table(found), title=text("summary.deduced"))
    for line in sentences(found):
        output.say(line)


def _say_asked(output: Output, verdict: Verdict) -> None:
    """The plan's questions to published counts, answered."""
    from celosia.report.anonymity import question_table

    if verdict.asked:
        output.table(question_table(verdict.asked), title=text("anonymity.answers"))


def plan_schema(output: Output) -> int:
    """Print the JSON schema of a plan."""
    from celosia.process import Plan

    return output.document(Plan.json_schema())
