"""Protection methods: one a file, called by keyword, verified on the way out.

The registry of names loads only the method that is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from celosia.core.errors import PlanError
from celosia.core.lazy import lazy
from celosia.core.method import Method, Protected

if TYPE_CHECKING:
    from celosia.methods.blank_small_areas import BlankSmallAreas
    from celosia.methods.coarsen_birth import CoarsenBirth
    from celosia.methods.drop_records import DropRecords
    from celosia.methods.drop_variables import DropVariables
    from celosia.methods.generalization import Generalization
    from celosia.methods.household_size import HouseholdSize
    from celosia.methods.ine_census_2017 import IneCensus2017
    from celosia.methods.local_recoding import LocalRecoding
    from celosia.methods.local_suppression import LocalSuppression
    from celosia.methods.merge_areas import MergeAreas
    from celosia.methods.mondrian import Mondrian
    from celosia.methods.new_ids import NewIds
    from celosia.methods.recode_categories import RecodeCategories
    from celosia.methods.recode_intervals import RecodeIntervals
    from celosia.methods.record_suppression import RecordSuppression, cheaper
    from celosia.methods.rounding import Rounding
    from celosia.methods.sample import Sample
    from celosia.methods.shuffle_order import ShuffleOrder
    from celosia.methods.top_bottom_coding import TopBottomCoding

REGISTRY = {
    "blank_small_areas": "BlankSmallAreas",
    "coarsen_birth": "CoarsenBirth",
    "drop_variables": "DropVariables",
    "drop_records": "DropRecords",
    "generalization": "Generalization",
    "household_size": "HouseholdSize",
    "ine_census_2017": "IneCensus2017",
    "local_recoding": "LocalRecoding",
    "local_suppression": "LocalSuppression",
    "merge_areas": "MergeAreas",
    "mondrian": "Mondrian",
    "new_ids": "NewIds",
    "recode_categories": "RecodeCategories",
    "recode_intervals": "RecodeIntervals",
    "record_suppression": "RecordSuppression",
    "rounding": "Rounding",
    "sample": "Sample",
    "shuffle_order": "ShuffleOrder",
    "top_bottom_coding": "TopBottomCoding",
}
"""Name of the step in a plan → class, in the module of the step's name."""

__all__ = [
    "REGISTRY",
    "BlankSmallAreas",
    "CoarsenBirth",
    "DropRecords",
    "DropVariables",
    "Generalization",
    "HouseholdSize",
    "IneCensus2017",
    "LocalRecoding",
    "LocalSuppression",
    "MergeAreas",
    "Method",
    "Mondrian",
    "NewIds",
    "Protected",
    "RecodeCategories",
    "RecodeIntervals",
    "RecordSuppression",
    "Rounding",
    "Sample",
    "ShuffleOrder",
    "TopBottomCoding",
    "cheaper",
    "method",
]


def method(do: str) -> type[Method]:
    """The method that a plan calls by this name."""
    if do not in REGISTRY:
        raise PlanError("method-unknown", do=do, known=tuple(sorted(REGISTRY)))
    return getattr(import_module(f"celosia.methods.{do}"), REGISTRY[do])  # type: ignore[no-any-return]


__getattr__ = lazy(
    __name__,
    {
        **{name: f"celosia.methods.{step}" for step, name in REGISTRY.items()},
        "cheaper": "celosia.methods.record_suppression",
    },
)
