"""Demographic anonymity: how many people a birth date, a sex and a place single out, from published counts."""

from celosia.demography.births import Births, Periods
from celosia.demography.classes import NATIONAL, PLACES
from celosia.demography.counts import Counts, CountsForm
from celosia.demography.expected import ExpectedAnonymity, expected_anonymity
from celosia.demography.limits import Answer, Limit
from celosia.demography.published import PublishedCounts
from celosia.demography.record_anonymity import RecordAnonymity, record_anonymity
from celosia.demography.simulated import SimulatedAnonymity, simulate_anonymity

__all__ = [
    "NATIONAL",
    "PLACES",
    "Answer",
    "Births",
    "Counts",
    "CountsForm",
    "ExpectedAnonymity",
    "Limit",
    "Periods",
    "PublishedCounts",
    "RecordAnonymity",
    "SimulatedAnonymity",
    "expected_anonymity",
    "record_anonymity",
    "simulate_anonymity",
]
