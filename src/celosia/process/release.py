"""Release: write the public file, read it back from disk, and confirm on it what was promised.

A study that does not meet its policy releases nothing. A file that does not read back as what was meant is
removed again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from celosia.core.codes import spell_series
from celosia.core.errors import FileError, PromiseError, RoleError, warn
from celosia.core.microdata import Microdata
from celosia.process.plan import Plan
from celosia.process.step import Step
from celosia.process.study import Study
from celosia.process.verdict import Verdict

PUBLIC = "publico"
"""The folder of what may leave the office."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of a study: its verdict, and the file where it passed."""

    study: Study
    verdict: Verdict
    data: Path | None

    @property
    def passes(self) -> bool:
        """Whether the file was released."""
        return self.data is not None

    def to_dict(self) -> dict[str, Any]:
        """Verdict, steps and file as plain values."""
        return {
            "passes": self.passes,
            "records": {"before": self.study.root.data.height, "after": self.study.data.height},
            "steps": [
                {
                    "name": state.plan.steps[-1].name,
                    "do": state.plan.steps[-1].method.do,
                    **state.result.to_dict(),
                }
                for state in self.study.history
                if state.result is not None
            ],
            "verdict": self.verdict.to_dict(),
            "deduced": self.study.deduced.to_dict(),
            "data": None if self.data is None else str(self.data),
        }


def folder(study: Study) -> Path:
    """The folder of the study's results, from the plan's folder."""
    return study.plan.resolve(study.plan.release.folder)


def public_file(study: Study) -> Path:
    """The public data file."""
    return folder(study) / PUBLIC / study.plan.release.data


def release(study: Study) -> Outcome:
    """Judge the study and, where it passes, write its public file."""
    outcome = decide(study)
    publish(outcome)
    return outcome


def decide(study: Study) -> Outcome:
    """What will become of the study; nothing is written yet."""
    verdict, file = study.check(), public_file(study)
    _warn_of_others(file, passes=verdict.passes)
    return Outcome(study, verdict, file if verdict.passes else None)


def refuse_over_inputs(plan: Plan) -> None:
    """Refuse a plan whose public file, or the dictionary beside it, would take the place of what it reads."""
    from celosia.io.atomic import keep_apart
    from celosia.io.side import side_path

    file = plan.resolve(plan.release.folder) / PUBLIC / plan.release.data
    keep_apart((file, side_path(file)), (*plan.inputs, *(side_path(path) for path in plan.inputs)))


def _warn_of_others(file: Path, *, passes: bool) -> None:
    """What stands in the public folder and is not of this run: nobody should publish it by mistake."""
    from celosia.io.side import side_path

    if not file.parent.is_dir():
        return
    own = {file.name, side_path(file).name}
    found = sorted(path.name for path in file.parent.iterdir() if not path.name.startswith("."))
    if others := tuple(name for name in found if name not in own):
        warn("public-folder-others", folder=file.parent.name, files=others)
    if not passes and file.exists():
        warn("public-file-earlier", path=file.name)


def publish(outcome: Outcome) -> None:
    """Write the public file of a study that passed, and confirm it.

    The file is written and read back in a folder of its own, and takes its place only once it is confirmed.
    """
    from celosia.io import write
    from celosia.io.atomic import unfinished

    path = outcome.data
    if path is None:
        return
    make_folder(path.parent)
    name = unfinished(path.parent.name)
    with TemporaryDirectory(dir=folder(outcome.study), prefix=name, ignore_cleanup_errors=True) as staging:
        staged = Path(staging) / path.name
        write(outcome.study.data, staged)
        confirm(outcome.study, staged)
        _take_place(staged, path)


@contextmanager
def working_in(results: Path) -> Iterator[Path]:
    """The folder of internal results, held for one run; what a killed run left unfinished is taken away first."""
    from celosia.io.atomic import clear_unfinished
    from celosia.io.lock import alone

    internal = results / "interno"
    make_folder(results)
    make_folder(internal)
    with alone(internal / ".candado", "run-busy"):
        for inside in (results, internal, results / PUBLIC):
            if inside.is_dir():
                clear_unfinished(inside)
        yield internal


def make_folder(path: Path) -> None:
    """A folder, made where it is not there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise FileError("folder-unwritable", path=path.name) from None


def _take_place(staged: Path, path: Path) -> None:
    """Move the file, and the dictionary beside it, to their places: both or none."""
    from celosia.io.atomic import writing_all
    from celosia.io.side import side_path

    made = sorted(staged.parent.iterdir(), key=lambda file: file == staged)
    with writing_all(*(path.parent / file.name for file in made)) as places:
        for file, place in zip(made, places, strict=True):
            file.replace(place)
    if len(made) == 1:
        side_path(path).unlink(missing_ok=True)


def confirm(study: Study, path: Path) -> Microdata:
    """The file as it was read back; raise where it is not what was meant, or does not keep what its steps promised."""
    from celosia.io import read

    written = read(path)
    _same_cells(study.data, written)
    for step in study.plan.steps:
        if step.where is None and not step.step_strata:
            _keeps(study, step, written)
    return written


def _keeps(study: Study, step: Step, written: Microdata) -> None:
    """Raise where the file does not keep what a step promised of it, or a later step dropped what it spoke of."""
    try:
        for promise in step.method.lasting():
            promise.check(written, written)
    except RoleError as error:
        dropped_by = study.dropped_by(str(error.facts.get("variable")))
        if error.code != "variable-unknown" or dropped_by is None:
            raise
        facts = {"step": step.name, "variable": error.facts["variable"], "dropped_by": dropped_by}
        raise RoleError("promise-variable-dropped", **facts) from None


def _same_cells(meant: Microdata, written: Microdata) -> None:
    if meant.variables != written.variables or meant.height != written.height:
        raise PromiseError("promise-file", variable="")
    for name in meant.variables:
        same = spell_series(meant.column(name)).eq_missing(spell_series(written.column(name))).all()
        if not same or not meant.suppressed(name).eq(written.suppressed(name)).all():
            raise PromiseError("promise-file", variable=name)
