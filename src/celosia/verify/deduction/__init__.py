"""Undoing suppression: cells that we emptied and that whoever knows the rules of the file can fill in again.

A rule says what is true of every record or household. For each emptied cell the codes that no rule excludes are kept;
one whose codes are all published as the same is deduced, and helps to deduce others. What is claimed is forced: in
every file that agrees with the published cells and keeps the rules the cell is the same. Not all that is forced is
found: a rule is looked at by itself, and only the codes left to single cells pass from one to another.
"""

from celosia.verify.deduction.cells import Coding
from celosia.verify.deduction.deduced import Deduced
from celosia.verify.deduction.dependency import Dependency, Prefix
from celosia.verify.deduction.edit import Edit, Skip
from celosia.verify.deduction.kin import Kin
from celosia.verify.deduction.knowledge import Terms
from celosia.verify.deduction.members import Members
from celosia.verify.deduction.rule import Rule
from celosia.verify.deduction.search import NotDeducible, deduce
from celosia.verify.deduction.shown import dependencies, shown
from celosia.verify.deduction.sums import HouseholdSum, Sum

__all__ = [
    "Coding",
    "Deduced",
    "Dependency",
    "Edit",
    "HouseholdSum",
    "Kin",
    "Members",
    "NotDeducible",
    "Prefix",
    "Rule",
    "Skip",
    "Sum",
    "Terms",
    "deduce",
    "dependencies",
    "shown",
]
