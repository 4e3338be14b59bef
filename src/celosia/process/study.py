"""A study: a source, a plan and the data as its steps have made them. Immutable; undo is its parent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import polars as pl

from celosia.core.condition import names
from celosia.core.dictionary import Role
from celosia.core.errors import DataError, OptionError, PlanError, RoleError
from celosia.core.method import Method, Protected
from celosia.core.microdata import Microdata
from celosia.core.results import Result
from celosia.core.run import Run
from celosia.demography.record_anonymity import RecordAnonymity
from celosia.process import intruder, measuring, undoing
from celosia.process.anonymity import Asked, Inquiry
from celosia.process.inspection import warn_of_identifiers
from celosia.process.plan import Plan
from celosia.process.policy import Policy
from celosia.process.scenario import FileKind
from celosia.process.step import Step
from celosia.process.verdict import Verdict
from celosia.risk import IndividualRisk, PanelRisk, RiskByGroup, ScenarioRisks
from celosia.risk.frequencies import COUNTINGS, Missing
from celosia.verify.deduction import Deduced


@dataclass(frozen=True, eq=False)
class Study:
    """One state of the protection of a file.

    Attributes
    ----------
    plan
        Scenarios, policy and the steps so far.
    data
        The data after those steps.
    parent
        The study one step before, ``None`` at the root.
    result
        What the last step reported.
    makers
        At the root: the plan's steps that derive keys of its scenarios, which are looked at before these steps too.
    """

    plan: Plan
    data: Microdata = field(repr=False)
    run: Run = field(default_factory=Run, repr=False)
    parent: Study | None = field(default=None, repr=False)
    result: Protected | None = field(default=None, repr=False)
    makers: tuple[Step, ...] = field(default=(), repr=False)

    # -- beginnings --------------------------------------------------------------------------------

    @classmethod
    def open(cls, plan: Plan | str | Path, run: Run | None = None) -> Study:
        """The study at its root: the source of a plan, read, before any step."""
        from celosia.io import read, read_dictionary

        loaded = plan if isinstance(plan, Plan) else Plan.load(plan)
        if loaded.source is None:
            raise PlanError("plan-without-source", where=loaded.path)
        run = run or Run()
        codebook = loaded.codebook()
        book = loaded.dictionary if codebook is None else read_dictionary(codebook).update(loaded.dictionary)
        form = dict(loaded.csv) or None
        data = read(loaded.resolve(loaded.source), dictionary=book, key=run.step("record-ids").secret, csv=form)
        return cls.of(data, loaded, run)

    @classmethod
    def of(cls, data: Any, plan: Plan, run: Run | None = None) -> Study:
        """The study of data at hand, at its root; the plan's steps are not done yet."""
        held = data if isinstance(data, Microdata) else Microdata(data)
        held.require(*plan.dictionary.names)
        held = held.with_dictionary(held.dictionary.update(plan.dictionary).keep(held.variables))
        keys = {key for scenario in plan.scenarios for key in scenario.keys}
        makers = tuple(step for step in plan.steps if keys & set(step.method.makes) - set(held.variables))
        study = cls(plan.without_steps(), held, run or Run(), makers=makers)
        study._require()
        return study

    def _require(self) -> None:
        if self.data.height == 0:
            raise DataError("no-records")
        made = {name for step in self.makers for name in step.method.makes}
        for scenario in self.plan.scenarios:
            self.data.require(*(name for name in scenario.variables if name not in made))
        for condition in self.plan.groups.values():
            self.data.require(*names(condition))
        kind = self.plan.kind
        if kind is None and self.weight is None:
            raise RoleError("file-kind-missing")
        if kind in (FileKind.SAMPLE, FileKind.REGISTER_SAMPLE) and self.weight is None:
            raise RoleError("weight-missing-role")
        keys = [key for scenario in self.plan.scenarios for key in scenario.keys if key in self.data]
        warn_of_identifiers(self.data, keys)

    def replay(self, plan: Plan | str | Path | None = None) -> Study:
        """This root with every step of a plan applied."""
        loaded = self.plan if plan is None else plan if isinstance(plan, Plan) else Plan.load(plan)
        study = self
        for number, step in enumerate(loaded.steps):
            self.run.check(step.name, number / len(loaded.steps))
            study = study.apply(step)
        return study

    # -- steps -------------------------------------------------------------------------------------

    def apply(
        self,
        step: Step | Method | Mapping[str, Any],
        name: str | None = None,
        level: Literal["record", "household"] | None = None,
        where: str | None = None,
    ) -> Study:
        """A new study with one more step; this one stays as it is.

        ``name``, ``level`` and ``where`` are of the step, where it does not say them itself.
        """
        step = Step.of(step, self.plan.free_name, name=name, level=level, where=where)
        if any(done.name == step.name for done in self.plan.steps):
            raise OptionError("step-name-taken", step=step.name)
        try:
            done = step.apply(self.data, self.run)
        except RoleError as error:
            raise self._explained(error, step) from None
        return Study(self.plan.with_step(step), done.data, self.run, self, done)

    def _explained(self, error: RoleError, step: Step) -> RoleError:
        """The error itself, or that an earlier step had dropped the variable."""
        variable = str(error.facts.get("variable"))
        by = self.dropped_by(variable) if error.code == "variable-unknown" else None
        if by is None:
            return error
        return RoleError("step-variable-dropped", step=step.name, variable=variable, dropped_by=by)

    def dropped_by(self, variable: str) -> str | None:
        """The step that dropped a variable of the source, if one did."""
        if variable in self.data or variable not in self.root.data:
            return None
        return next(state for state in self.history if variable not in state.data).plan.steps[-1].name

    def undo(self) -> Study:
        """The study one step before."""
        if self.parent is None:
            raise OptionError("nothing-to-undo")
        return self.parent

    def household_level(self) -> HouseholdLevel:
        """The same study seen by households: a step applied here is done once a household."""
        if self.household is None:
            raise RoleError("household-missing", step="")
        return HouseholdLevel(self)

    @property
    def root(self) -> Study:
        """The study before any step."""
        state = self
        while state.parent is not None:
            state = state.parent
        return state

    @cached_property
    def history(self) -> tuple[Study, ...]:
        """All states from the root to this one."""
        states = [self]
        while states[-1].parent is not None:
            states.append(states[-1].parent)
        return tuple(reversed(states))

    # -- what it is --------------------------------------------------------------------------------

    @property
    def weight(self) -> str | None:
        """The weight of the data as they are now."""
        return self.data.role(Role.WEIGHT)

    @property
    def household(self) -> str | None:
        """The household of the data as they are now, or of the root where a step dropped it.

        Who lives together can be told from a file that kept no id, so the level stays.
        """
        return self.root.data.role(Role.HOUSEHOLD)

    @property
    def weighted(self) -> bool:
        """Whether the file stands for a population by its weights."""
        whole = self.plan.kind is not None and self.plan.kind.is_whole
        return self.weight is not None and not whole

    @cached_property
    def perturbed_variables(self) -> frozenset[str]:
        """Variables that some step replaced by false values."""
        perturbing = (s for s in self.history if s.result is not None and s.plan.steps[-1].method.perturbs)
        return frozenset(name for state in perturbing if state.result is not None for name in state.result.changed)

    # -- what published counts say -----------------------------------------------------------------

    @cached_property
    def inquiry(self) -> Inquiry | None:
        """The published counts of the plan and its questions; one for all states."""
        if self.parent is not None:
            return self.root.inquiry
        return None if self.plan.anonymity is None else Inquiry(self.plan.anonymity)

    @cached_property
    def asked(self) -> tuple[Asked, ...]:
        """The plan's questions about birth dates, answered for the file before its steps and as it is now."""
        return () if self.inquiry is None else self.inquiry.asked(self)

    def record_anonymity(self, scenario: str | None = None) -> RecordAnonymity | None:
        """How many share each record's key by the published counts; ``None`` where they cannot tell."""
        return None if self.inquiry is None else self.inquiry.records(self, self.plan.scenario(scenario))

    # -- what an intruder holds --------------------------------------------------------------------

    @cached_property
    def truth(self) -> Microdata:
        """The records in the coding of now, with every cell as it was before suppression and perturbation."""
        return intruder.truth(self)

    @cached_property
    def deduced(self) -> Deduced:
        """The emptied cells that follow from what remains."""
        return undoing.undone(self)

    @cached_property
    def filled(self) -> Microdata:
        """The data with every emptied cell filled in that follows from the others, and rightly."""
        return self.deduced.filled(only=self.truth) if self.deduced.total else self.data

    # -- what is looked at, computed once ----------------------------------------------------------

    @cached_property
    def _measured(self) -> dict[tuple[str, str], IndividualRisk]:
        return {}

    def risk(self, scenario: str | None = None, missing: Missing = "wildcard") -> IndividualRisk:
        """Individual, household and global risk of a scenario (by default the prioritised one, else the first)."""
        chosen = self.plan.scenario(scenario)
        place = (chosen.name, missing)
        if place not in self._measured:
            self._measured[place] = measuring.risk(self, chosen, missing)
        return self._measured[place]

    def scenarios(self, missing: Sequence[Missing] = COUNTINGS, names: Sequence[str] | None = None) -> ScenarioRisks:
        """All scenarios, or those of these names, under each way of counting, side by side.

        Where keys were perturbed nobody can be looked up by agreement: the intruder's way is the best guess there.
        """
        return measuring.side_by_side(self, missing, names)

    def by_group(self, scenario: str | None = None, measure: str = "individual", **options: Any) -> RiskByGroup:
        """A risk of each group that the plan names, the worst beside the mean: the individual one, or any by name."""
        found: Any = self.risk(scenario) if measure == "individual" else self.measure(measure, scenario, **options)
        return self.grouped(found, scenario)

    def grouped(self, found: Any, scenario: str | None = None) -> RiskByGroup:
        """A measure already taken of a scenario, in each group that the plan names."""
        return measuring.groups(self, self.plan.scenario(scenario), found)

    def panel(self, scenario: str | None = None, missing: Missing = "wildcard") -> PanelRisk:
        """Risk of each round of a panel scenario alone, and of the chain."""
        return measuring.panel_risk(self, self.plan.scenario(scenario), missing)

    def measure(self, name: str, scenario: str | None = None, **options: Any) -> Result:
        """Any measure of ``risk.measures`` for a scenario, with what the study has at hand."""
        return measuring.named(self, name, self.plan.scenario(scenario), options)

    def check(self, policy: Policy | str | None = None) -> Verdict:
        """The verdict of a policy, by default the plan's own."""
        chosen = policy if policy is not None else self.plan.policy
        if chosen is None:
            raise PlanError("plan-without-policy", where=self.plan.path)
        return (chosen if isinstance(chosen, Policy) else self.plan.load_policy(chosen)).check(self)

    def table(self) -> pl.DataFrame:
        """One row a state: step, records, risks of the first scenario."""
        rows = []
        for state in self.history:
            risk = state.risk()
            rows.append(
                {
                    "step": state.plan.steps[-1].name if state.plan.steps else "",
                    "records": state.data.height,
                    "global_risk": risk.global_risk,
                    "household_global_risk": risk.household_global_risk,
                    "uniques": risk.frequencies.below(2),
                    "violations_3": risk.frequencies.below(3),
                    "violations_5": risk.frequencies.below(5),
                    "changed": sum(state.result.changed.values()) if state.result else 0,
                }
            )
        return pl.DataFrame(rows, infer_schema_length=None)


@dataclass(frozen=True, eq=False)
class HouseholdLevel:
    """A study seen by households."""

    study: Study

    @cached_property
    def data(self) -> Microdata:
        """One record a household: its first member's, to look at."""
        first = self.study.data.frame.with_row_index("__row").group_by(self.study.household).agg(pl.col("__row").min())
        return self.study.data.take(first["__row"].sort().to_numpy())

    def apply(self, step: Method | Mapping[str, Any], name: str | None = None) -> Study:
        """The study with a step done once a household and given back to every member."""
        return self.study.apply(step, name=name, level="household")
