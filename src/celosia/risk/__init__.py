"""Disclosure risk: one measure a file, each with its formula and its reference."""

from celosia.risk.attackers import Attackers, attackers
from celosia.risk.best_guess import BestGuess, best_guess
from celosia.risk.by_group import RiskByGroup, by_group
from celosia.risk.frequencies import Frequencies, frequencies
from celosia.risk.individual import IndividualRisk, individual
from celosia.risk.k_anonymity import KAnonymity, k_anonymity
from celosia.risk.k_map import KMap, k_map
from celosia.risk.panel import PanelRisk, panel
from celosia.risk.transition_risk import TransitionRisk, transition_risk

__all__ = [
    "Attackers",
    "BestGuess",
    "Frequencies",
    "IndividualRisk",
    "KAnonymity",
    "KMap",
    "PanelRisk",
    "RiskByGroup",
    "TransitionRisk",
    "attackers",
    "best_guess",
    "by_group",
    "frequencies",
    "individual",
    "k_anonymity",
    "k_map",
    "panel",
    "transition_risk",
]
