"""``celosia demo``: a synthetic survey and a plan, written to a folder and carried out."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from celosia.cli.output import Output
from celosia.cli.plans import run_plan
from celosia.core.errors import FileError
from celosia.core.language import text


def demo(output: Output, folder: Path) -> int:
    """Write the survey and its plan, then run it as anybody would."""
    from celosia.datasets import survey
    from celosia.io import write
    from celosia.io.atomic import writing

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        raise FileError("folder-unwritable", path=folder.name) from None
    plan, text_of_plan = folder / "plan.yaml", files("celosia.cli").joinpath("demo_plan.yaml").read_text("utf-8")
    _refuse_another(plan, folder / "encuesta.csv", text_of_plan.splitlines()[0])
    write(survey(), folder / "encuesta.csv")
    with writing(plan) as temporary:
        temporary.write_text(text_of_plan, "utf-8")
    output.say(text("demo.made", folder=folder))
    return run_plan(output, plan)


def _refuse_another(plan: Path, data: Path, first: str) -> None:
    """Refuse a folder with a plan or data that are not the demonstration's own, which its plan's first line tells."""
    own = plan.is_file() and plan.read_text("utf-8", errors="replace").startswith(first)
    for path in (plan, data):
        if path.exists() and not own:
            raise FileError("example-there", path=str(path))
