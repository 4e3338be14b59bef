"""What is looked at in a study: risk by scenario and way of counting, by group, and any measure by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from celosia.core.condition import holds
from celosia.core.errors import PlanError
from celosia.core.microdata import Microdata
from celosia.core.results import Result
from celosia.engines import engine
from celosia.process.levels import hierarchies
from celosia.process.register import register
from celosia.process.weighing import weighed
from celosia.risk import (
    BestGuess,
    IndividualRisk,
    PanelRisk,
    RiskByGroup,
    ScenarioRisks,
    best_guess,
    by_group,
    individual,
    panel,
)
from celosia.risk.by_group import OfRecords
from celosia.risk.frequencies import Missing
from celosia.risk.measures import knows, measure

if TYPE_CHECKING:
    from celosia.process.scenario import Scenario
    from celosia.process.study import Study

_SAME = "__same"


def risk(study: Study, scenario: Scenario, missing: Missing) -> IndividualRisk:
    """The risk of a scenario; of a panel, that of the chain of all rounds."""
    if scenario.person is not None:
        return panel_risk(study, scenario, missing).chain
    data, keys, known = _seen(study, scenario, missing)
    return individual(data, keys, _weight(study), study.household, missing, truth=known, run=study.run)


def _seen(study: Study, scenario: Scenario, missing: Any) -> tuple[Microdata, list[str], Microdata | None]:
    """The records that a scenario's intruder sees, its keys in them, and the true records where he is the one counting.

    Who lives together, and which records of a panel are one person's, can be told from a file that kept no id: a step
    that drops it hides neither.
    """
    guessed = missing == "intruder"
    data, keys = _with_keys(_with_made(study, study.filled if guessed else study.data), scenario)
    told = (study.household, scenario.person, scenario.round)
    gone = [name for name in told if name is not None and name not in data]
    if gone:
        first = study.root.data.in_order_of(data.ids)
        data = data.with_columns({name: first.column(name) for name in gone})
    data = weighed(study, data)
    return data, keys, _with_keys(_with_made(study, study.truth), scenario)[0] if guessed else None


def _weight(study: Study) -> str | None:
    return study.weight if study.weighted else None


def _with_made(study: Study, data: Microdata) -> Microdata:
    """The data with the keys that steps of the plan have still to make: what they derive, an intruder derives."""
    for step in study.root.makers:
        if step.name not in study.plan.step_names:
            data = step.apply(data, study.run).data
    return data


def _with_keys(data: Microdata, scenario: Scenario) -> tuple[Microdata, list[str]]:
    """The keys of a scenario that are still in the data; where none is, all records look alike."""
    keys = [key for key in scenario.keys if key in data]
    if keys:
        return data, keys
    return data.with_columns({_SAME: pl.Series([1] * data.height)}), [_SAME]


def panel_risk(study: Study, scenario: Scenario, missing: Missing = "wildcard") -> PanelRisk:
    """Risk of each round of a panel alone, and of the chain."""
    if scenario.person is None or scenario.round is None:
        raise PlanError("not-a-panel", scenario=scenario.name)
    data, keys, known = _seen(study, scenario, missing)
    person, time = scenario.person, scenario.round
    return panel(data, person, time, keys, _weight(study), study.household, missing, known, study.run)


def side_by_side(study: Study, missing: Sequence[Missing], names: Sequence[str] | None = None) -> ScenarioRisks:
    """Scenarios under each way of counting; that of the intruder where no key was perturbed."""
    moved = frozenset(scenario.name for scenario in study.plan.scenarios if perturbed(study, scenario))
    first = next((scenario.name for scenario in study.plan.scenarios if scenario.prioritised), None)
    risks = {
        (scenario.name, rule): study.risk(scenario.name, rule)
        for scenario in study.plan.scenarios
        if names is None or scenario.name in names
        for rule in missing
        if rule != "intruder" or scenario.name not in moved
    }
    return ScenarioRisks(risks, first, moved)


def groups(study: Study, scenario: Scenario, risk: OfRecords) -> RiskByGroup:
    """A risk in each of the plan's groups, as the original data tell who is in them.

    Of a panel the people are looked at: somebody is in a group who is in it in any round.
    """
    original = study.root.data.in_order_of(study.data.ids)
    members = {name: holds(condition, original) for name, condition in study.plan.groups.items()}
    if scenario.person is not None:
        who = engine(_seen(study, scenario, None)[0]).group(scenario.person)
        members = {name: np.bincount(who.index, mask, who.size) > 0 for name, mask in members.items()}
    return by_group(risk, members)


def perturbed(study: Study, scenario: Scenario) -> tuple[str, ...]:
    """The keys of a scenario that some step replaced by false values: their counts are no measure of risk."""
    return tuple(key for key in scenario.keys if key in study.perturbed_variables)


def guess(study: Study, scenario: Scenario) -> BestGuess:
    """How often the best guess names the right record of the treated file."""
    data, keys = _with_keys(study.data, scenario)
    return best_guess(_with_keys(study.truth, scenario)[0], data, keys)


def named(study: Study, name: str, scenario: Scenario, options: Mapping[str, Any]) -> Result:
    """Any measure by its name, with the study's keys, weight, household, original and register at hand.

    What a panel's records are is told by their persons: there, only measures that know of rounds are meant.
    """
    if scenario.person is not None and name != "panel":
        raise PlanError("measure-of-panel", measure=name, scenario=scenario.name)
    data, keys, known = _seen(study, scenario, options.get("missing"))
    at_hand: dict[str, Any] = {
        "frame": data,
        "masked": data,
        "original": _original(study, scenario, name),
        "truth": known,
        "keys": keys,
        "weight": _weight(study),
        "population": None if study.weighted else data.height,
        "household": study.household,
        "person": scenario.person,
        "round": scenario.round,
        "run": study.run,
    }
    if knows(name, "register") and "register" not in options:
        at_hand["register"] = register(study, scenario)
    if knows(name, "hierarchies"):
        at_hand["hierarchies"] = hierarchies(study, data, keys)
    if options.get("distance") == "hierarchical" and isinstance(sensitive := options.get("sensitive"), str):
        at_hand["hierarchy"] = hierarchies(study, data, [sensitive]).get(sensitive)
    return measure(name, at_hand, options)


def _original(study: Study, scenario: Scenario, name: str) -> Microdata:
    """The records before treatment: in the coding of now where keys are compared, else as they came."""
    if name in ("best_guess", "transition_risk"):
        return _with_keys(study.truth, scenario)[0]
    return study.root.data.in_order_of(study.data.ids)
