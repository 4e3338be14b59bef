"""A census under differential privacy: domain, geography, budget, noise and the measurements they make."""

from celosia.census.accounting import epsilon
from celosia.census.attribute import Attribute, Grouping
from celosia.census.bits import SeededBits, SystemBits
from celosia.census.bounds import Bounds
from celosia.census.budget import Budget, PureBudget
from celosia.census.charge import Charge
from celosia.census.domain import Domain
from celosia.census.geography import Geography
from celosia.census.households import households
from celosia.census.invariants import Fixed, Invariants, Limit
from celosia.census.ledger import Ledger, Spending
from celosia.census.measurement import Measurement, read_measurements, write_measurements
from celosia.census.measuring import Measurer
from celosia.census.protection import Neighbours, Protection, Table, Unit
from celosia.census.query import Query
from celosia.census.release import Release
from celosia.census.rules import Rule, Skip
from celosia.census.topdown import TopDown

__all__ = [
    "Attribute",
    "Bounds",
    "Budget",
    "Charge",
    "Domain",
    "Fixed",
    "Geography",
    "Grouping",
    "Invariants",
    "Ledger",
    "Limit",
    "Measurement",
    "Measurer",
    "Neighbours",
    "Protection",
    "PureBudget",
    "Query",
    "Release",
    "Rule",
    "SeededBits",
    "Skip",
    "Spending",
    "SystemBits",
    "Table",
    "TopDown",
    "Unit",
    "epsilon",
    "households",
    "read_measurements",
    "write_measurements",
]
