"""Disclosure risk: one measure a file, each with its formula and its reference."""

from celosia.risk.frequencies import Frequencies, frequencies
from celosia.risk.individual import IndividualRisk, individual
from celosia.risk.k_anonymity import KAnonymity, k_anonymity

__all__ = ["Frequencies", "IndividualRisk", "KAnonymity", "frequencies", "individual", "k_anonymity"]
