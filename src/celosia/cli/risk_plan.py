"""``celosia risk PLAN``: the scenarios of a plan side by side, or any measure for each of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from celosia.cli.output import Output
from celosia.cli.risk import beside, plain, refuse_idle, show, show_result, shown, typed_options
from celosia.core.errors import RoleError
from celosia.core.language import text
from celosia.core.results import Result
from celosia.core.run import Run

if TYPE_CHECKING:
    from celosia.process import Plan, Study
    from celosia.process.scenario import Scenario


def is_plan(path: Path) -> bool:
    """Whether a file is a plan, by its suffix."""
    return path.suffix.lower() in (".yaml", ".yml")


def plan_risk(
    output: Output,
    path: Path,
    missing: str | None,
    names: Sequence[str],
    more: Mapping[str, Any],
    options: Sequence[str],
    treated: bool,
) -> int:
    """Measure the source of a plan, or the file that its steps make of it, in each of its scenarios."""
    from celosia.process import Plan

    plan = Plan.load(path)
    if not plan.scenarios:
        raise RoleError("scenario-missing")
    scenarios = [plan.scenario(name) for name in more["scenario"]] or plan.scenarios
    with output.working(), output.progress(_key(plan)) as run:
        study = _study(plan, run, treated)
        if names:
            results = _measured(output, study, scenarios, missing, names, more, options)
        else:
            results = _side_by_side(output, study, scenarios, missing, more)
    output.say(text("risk.of-treated" if treated else "risk.of-source"))
    return output.done({"treated": treated, **results})


def _key(plan: Plan) -> bytes | None:
    """The key of the project where it has been run, so that what is measured is what was made."""
    from celosia.core.keystore import project_key

    path = plan.resolve(plan.release.folder) / "interno" / "clave"
    return project_key(path) if path.exists() else None


def _study(plan: Plan, run: Run, treated: bool) -> Study:
    from celosia.process import Study

    study = Study.open(plan, run)
    return study.replay(plan) if treated else study


def _side_by_side(
    output: Output, study: Study, scenarios: Sequence[Scenario], missing: str | None, more: Mapping[str, Any]
) -> dict[str, Any]:
    """All scenarios in one table, the rounds of panels, and the risk in each group."""
    refuse_idle((), None, more)
    from celosia.process.inventory import inventory
    from celosia.risk.frequencies import COUNTINGS
    from celosia.risk.options import one_of

    if missing is not None:
        one_of("missing", missing, COUNTINGS)
    together = study.scenarios([missing] if missing else COUNTINGS, [s.name for s in scenarios])  # type: ignore[list-item]
    panels: dict[str, Result] = {s.name: study.panel(s.name) for s in scenarios if s.person is not None}
    groups: dict[str, Result] = {s.name: study.by_group(s.name) for s in scenarios if study.plan.groups}
    known = inventory(study.plan).filter(pl.col("scenario").is_in([s.name for s in scenarios]))
    output.table(shown(known), title=text("label.inventory"))
    show_result(output, together, text("label.scenarios"))
    for name, panel in panels.items():
        show_result(output, panel, text("risk.rounds", scenario=name))
    for name, group in groups.items():
        show_result(output, group, text("risk.by-group", measure=name))
    return {"inventory": known.to_dicts(), **together.to_dict(), "panels": plain(panels), "groups": plain(groups)}


def _measured(
    output: Output,
    study: Study,
    scenarios: Sequence[Scenario],
    missing: str | None,
    names: Sequence[str],
    more: Mapping[str, Any],
    options: Sequence[str],
) -> dict[str, Any]:
    """Each measure for each scenario."""
    from celosia.risk.by_group import tells_of_the_file
    from celosia.risk.measures import knows

    refuse_idle(names, missing, more)
    told = {**beside(more), "missing": missing}
    given = {option: value for option, value in told.items() if value is not None and value != {}}
    wanted, measured = typed_options(names, options), {}
    for scenario in scenarios:
        found: dict[str, Result] = {}
        for name in names:
            own = {option: value for option, value in given.items() if knows(name, option)}
            found[name] = study.measure(name, scenario.name, **(own | wanted[name]))
        groups: dict[str, Result] = {
            name: study.grouped(result, scenario.name)
            for name, result in found.items()
            if study.plan.groups and tells_of_the_file(result)
        }
        show(output, found, groups, title=f"{scenario.name} · ")
        measured[scenario.name] = {"measures": plain(found)} | ({"groups": plain(groups)} if groups else {})
    return {"scenarios": measured}
