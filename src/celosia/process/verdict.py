"""The verdict of a policy on a study: one row a threshold, scenario, level and file.

Every row says which way of counting its value rests on. Where the ways disagree it is the least favourable one, unless
the policy names its rule, and then the verdict says so. Classes are of records: k-anonymity has one level, whichever
the policy names. Where keys were emptied an intruder's count is among them: what looks like a class may be given away
by the stratum or the household.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from celosia.core.errors import PolicyError, RoleError, warn
from celosia.core.results import Tabular
from celosia.process.anonymity import Asked
from celosia.process.measuring import guess, perturbed

if TYPE_CHECKING:
    from celosia.process.policy import Policy, Threshold
    from celosia.process.scenario import Scenario
    from celosia.process.study import Study
    from celosia.risk import IndividualRisk

Level = Literal["individual", "household"]
File = Literal["before", "after"]
Counting = Literal["wildcard", "strict", "intruder"]
LEVELS: tuple[Level, ...] = ("individual", "household")
PERSONS = LEVELS[:1]
"""The level of classes, and of files without households."""
COUNTINGS: tuple[Counting, ...] = ("wildcard", "strict")
"""What every verdict looks at."""


@dataclass(frozen=True)
class Row:
    """One threshold judged: on one scenario, level and file."""

    scenario: str
    measure: str
    level: Level
    file: File
    counting: str
    """The rule the value rests on; ``both`` where they agree."""
    value: float
    other: float | None
    """The most favourable value by another rule, where they differ."""
    limit: float
    passes: bool
    implied_k: int | None
    """In a file whose risk is 1/f: the f that every record needs for this row."""
    idle: bool
    """In such a file: another row always says no before this one can."""
    policy: str
    """The policy whose threshold it is: the plan's, or the scenario's own."""
    counts_only: bool
    """Keys were perturbed: the value is a count of false values, no measure of risk."""


@dataclass(frozen=True)
class Verdict(Tabular):
    """What a policy says of a study."""

    policy: str
    counting: str | None
    """The rule that the policy names, if it names one."""
    level: str | None
    rows: tuple[Row, ...]
    direct: tuple[str, ...]
    """Direct identifiers that are still in the treated file."""
    asked: tuple[Asked, ...] = ()
    """The plan's questions to published counts, answered."""

    @property
    def passes(self) -> bool:
        """Whether the treated file meets every threshold and question, and holds no direct identifier."""
        after = [row.passes for row in self.rows if row.file == "after"]
        met = bool(after) and all(after)
        return met and not self.direct and all(one.passes for one in self.asked if one.file == "after")

    @property
    def failures(self) -> tuple[Row, ...]:
        """The rows that the treated file does not meet."""
        return tuple(row for row in self.rows if row.file == "after" and not row.passes)

    def table(self) -> pl.DataFrame:
        """All rows."""
        columns = {name: [getattr(row, name) for row in self.rows] for name in Row.__annotations__}
        return pl.DataFrame(columns, schema_overrides={"other": pl.Float64, "implied_k": pl.Int64})

    def to_dict(self) -> dict[str, Any]:
        """The verdict and its rows as plain values."""
        return {
            "policy": self.policy,
            "counting": self.counting,
            "level": self.level,
            "passes": self.passes,
            "direct": list(self.direct),
            "rows": self.table().to_dicts(),
            "anonymity": [one.to_dict() for one in self.asked],
        }


def judge(policy: Policy, study: Study) -> Verdict:
    """Apply every threshold to every scenario, before and after."""
    if not study.plan.scenarios:
        raise RoleError("scenario-missing")
    if policy.counting is not None:
        warn("policy-counting", policy=policy.name, counting=policy.counting)
    if policy.level is not None:
        warn("policy-level", policy=policy.name, level=policy.level)
    rows: list[Row] = []
    for scenario in study.plan.scenarios:
        own = policy if scenario.policy is None else study.plan.load_policy(scenario.policy)
        rows += _rows(own, study, scenario)
        rows += _guesses(own, study, scenario)
    book = study.data.dictionary
    direct = tuple(name for name in study.data.variables if book[name].is_direct)
    return Verdict(policy.name, policy.counting, policy.level, tuple(rows), direct, study.asked)


def _rows(policy: Policy, study: Study, scenario: Scenario) -> Iterator[Row]:
    levels = LEVELS if study.household else PERSONS
    if policy.level is not None:
        if policy.level not in levels:
            raise PolicyError("policy-level-household", policy=policy.name)
        levels = (policy.level,)
    files: tuple[tuple[File, Study], ...] = (("before", study.root), ("after", study))
    hidden = bool(perturbed(study, scenario))
    for file, state in files:
        counts_only = hidden and file == "after"
        risks = {rule: state.risk(scenario.name, missing=rule) for rule in _rules(policy, state, scenario, counts_only)}
        for level in LEVELS:
            for threshold in (one for one in policy.thresholds if level in (PERSONS if one.k else levels)):
                yield _row(policy, threshold, scenario, level, file, risks, not state.weighted, counts_only)


def _rules(policy: Policy, state: Study, scenario: Scenario, counts_only: bool) -> tuple[Counting, ...]:
    """The ways of counting that a verdict looks at; an intruder's where keys were emptied and none was perturbed."""
    emptied = any(key in state.data.marked for key in scenario.keys)
    guessed = emptied and not counts_only and policy.counting is None
    return (*COUNTINGS, "intruder") if guessed else COUNTINGS


def _guesses(policy: Policy, study: Study, scenario: Scenario) -> Iterator[Row]:
    """Where keys were perturbed: the share of right best guesses, within the limit of the global risk."""
    if not perturbed(study, scenario):
        return
    found = guess(study, scenario)
    right, records = float(found.chance.sum()), found.chance.size
    for threshold in policy.thresholds:
        if threshold.measure == "global_risk":
            yield Row(
                scenario=scenario.name,
                measure="best_guess",
                level="individual",
                file="after",
                counting="intruder",
                value=found.share,
                other=None,
                limit=float(threshold.below),
                passes=threshold.allows(right, records),
                implied_k=None,
                idle=False,
                policy=policy.name,
                counts_only=False,
            )


def _row(
    policy: Policy,
    threshold: Threshold,
    scenario: Scenario,
    level: Level,
    file: File,
    risks: dict[Counting, IndividualRisk],
    whole: bool,
    counts_only: bool,
) -> Row:
    units: dict[Counting, float | Fraction] = {rule: _units(threshold, risk, level) for rule, risk in risks.items()}
    worst = policy.counting if policy.counting is not None else max(units, key=lambda rule: units[rule])
    agree = len(set(units.values())) == 1
    records = risks["strict"].records
    individual = level == "individual"
    return Row(
        scenario=scenario.name,
        measure=threshold.name,
        level=level,
        file=file,
        counting="both" if agree and policy.counting is None else worst,
        value=float(units[worst] / records) if records else 0.0,
        other=None if agree else float(min(units.values()) / records),
        limit=float(threshold.below),
        passes=threshold.allows(units[worst], records),
        implied_k=threshold.implied_k if whole and individual else None,
        idle=whole and individual and policy.idle(threshold),
        policy=policy.name,
        counts_only=counts_only,
    )


def _units(threshold: Threshold, risk: IndividualRisk, level: Level) -> float | Fraction:
    """How many records (or expected records) a threshold counts."""
    household = level == "household"
    if threshold.measure == "global_risk":
        expected = risk.household_expected if household else _expected(risk)
        assert expected is not None
        return expected
    if threshold.measure == "k_anonymity":
        assert threshold.k is not None
        return Fraction(risk.frequencies.below(threshold.k))
    assert threshold.at is not None
    if threshold.at == 1:
        return Fraction(risk.certain(household))
    return Fraction(risk.above(float(threshold.at), household))


def _expected(risk: IndividualRisk) -> float | Fraction:
    """Expected re-identifications: exact where the risk is 1/f, so that a file on the limit is not below it."""
    frequencies = risk.frequencies
    if frequencies.weighted:
        return risk.expected
    sizes = pl.DataFrame({"f": frequencies.of_key, "records": frequencies.keys.count}).group_by("f").sum()
    return sum((Fraction(records) / Fraction(f) for f, records in sizes.iter_rows()), Fraction(0))
