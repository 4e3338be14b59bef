"""A census under differential privacy: domain, geography, budget, noise and the measurements they make."""

from celosia.census.accounting import epsilon
from celosia.census.geography import Geography
from celosia.census.measurement import Measurement
from celosia.census.query import Query

__all__ = ["Geography", "Measurement", "Query", "epsilon"]
