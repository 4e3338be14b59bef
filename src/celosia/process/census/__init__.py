"""A census under differential privacy, from its plan to its published folder."""

from celosia.process.census.outcome import Outcome, Published
from celosia.process.census.plan import CensusPlan
from celosia.process.census.running import run

__all__ = ["CensusPlan", "Outcome", "Published", "run"]
