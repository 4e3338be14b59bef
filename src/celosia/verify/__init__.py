"""Plain checkers of what methods promise. They import core only and share nothing with the methods."""

from celosia.verify.anonymity import KAnonymous
from celosia.verify.births import BirthsNoFiner
from celosia.verify.cells import Absent, EmptiedOnly, Untouched
from celosia.verify.drawn import Expanded, ShareDrawn
from celosia.verify.households import CountsMembers, NoMoreThanMembers, Together, WholeGroups
from celosia.verify.losses import EmptiedTogether, LosesAtMost, LostTogether, VariablesLoseAtMost
from celosia.verify.matching import KAnonymousWildcard, Treated
from celosia.verify.recoded import Band, Banded, InIntervals, Recoded
from celosia.verify.records import KeptUnless, SameRecords, SomeRecords
from celosia.verify.renumbered import Renumbered
from celosia.verify.risk_limit import RiskAtMost
from celosia.verify.totals import SameTotals
from celosia.verify.values import Domain, KeepsMissing, NoFiner, OneToOne, OnGrid

OF_THE_WHOLE = (SameRecords, SomeRecords, Untouched, OneToOne, CountsMembers, WholeGroups, Together, SameTotals)
"""Promises of all records or of whole groups: kept in each part of a file, they are not yet kept in the file."""

__all__ = [
    "OF_THE_WHOLE",
    "Absent",
    "Band",
    "Banded",
    "BirthsNoFiner",
    "CountsMembers",
    "Domain",
    "EmptiedOnly",
    "EmptiedTogether",
    "Expanded",
    "InIntervals",
    "KAnonymous",
    "KAnonymousWildcard",
    "KeepsMissing",
    "KeptUnless",
    "LosesAtMost",
    "LostTogether",
    "NoFiner",
    "NoMoreThanMembers",
    "OnGrid",
    "OneToOne",
    "Recoded",
    "Renumbered",
    "RiskAtMost",
    "SameRecords",
    "SameTotals",
    "ShareDrawn",
    "SomeRecords",
    "Together",
    "Treated",
    "Untouched",
    "VariablesLoseAtMost",
    "WholeGroups",
]
