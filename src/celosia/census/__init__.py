"""A census under differential privacy: domain, geography, budget, noise and the measurements they make."""

from celosia.census.accounting import epsilon
from celosia.census.attribute import Attribute, Grouping
from celosia.census.domain import Domain
from celosia.census.geography import Geography
from celosia.census.households import households
from celosia.census.measurement import Measurement
from celosia.census.query import Query
from celosia.census.rules import Rule

__all__ = [
    "Attribute",
    "Domain",
    "Geography",
    "Grouping",
    "Measurement",
    "Query",
    "Rule",
    "epsilon",
    "households",
]
