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
from celosia.process.register import register
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
    guessed = missing == "intruder"
    data, keys = _with_keys(study.filled if guessed else study.data, scenario)
    household = study.household
    if household is not None and household not in data:
        home = study.root.data.in_order_of(data.ids).column(household)
        data = data.with_columns({household: home})
    known = _with_keys(study.truth, scenario)[0] if guessed else None
    return individual(data, keys, _weight(study), household, missing, truth=known, run=study.run)


def _weight(study: Study) -> str | None:
    return study.weight if study.weighted else None


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
    guessed = missing == "intruder"
    data = study.filled if guessed else study.data
    known = study.truth if guessed else None
    return panel(data, scenario.person, scenario.round, scenario.keys, _weight(study), missing, known, study.run)


def side_by_side(study: Study, missing: Sequence[Missing]) -> ScenarioRisks:
    """All scenarios under each way of counting; that of the intruder where no key was perturbed."""
    moved = frozenset(scenario.name for scenario in study.plan.scenarios if perturbed(study, scenario))
    first = next((scenario.name for scenario in study.plan.scenarios if scenario.prioritised), None)
    risks = {
        (scenario.name, rule): study.risk(scenario.name, rule)
        for scenario in study.plan.scenarios
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
        who = engine(study.data).group(scenario.person)
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
    guessed = options.get("missing") == "intruder"
    data, keys = _with_keys(study.filled if guessed else study.data, scenario)
    at_hand = {
        "frame": data,
        "masked": data,
        "original": _original(study, scenario, name),
        "truth": _with_keys(study.truth, scenario)[0] if guessed else None,
        "keys": keys,
        "weight": _weight(study),
        "population": None if study.weighted else data.height,
        "household": study.household if study.household in data else None,
        "person": scenario.person,
        "round": scenario.round,
        "run": study.run,
    }
    if knows(name, "register") and "register" not in options:
        at_hand["register"] = register(study, scenario)
    return measure(name, at_hand, options)


def _original(study: Study, scenario: Scenario, name: str) -> Microdata:
    """The records before treatment: in the coding of now where keys are compared, else as they came."""
    if name in ("best_guess", "transition_risk"):
        return _with_keys(study.truth, scenario)[0]
    return study.root.data.in_order_of(study.data.ids)
