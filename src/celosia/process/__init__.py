"""The office's process: plans, studies, policies and their verdicts."""

from celosia.process.plan import Plan
from celosia.process.policy import Policy, Threshold
from celosia.process.scenario import FileKind, Scenario
from celosia.process.step import Step
from celosia.process.study import Study
from celosia.process.verdict import Verdict

__all__ = ["FileKind", "Plan", "Policy", "Scenario", "Step", "Study", "Threshold", "Verdict"]
