"""Disclosure risk: one measure a file, each with its formula and its reference."""

from celosia.risk.alpha_k import AlphaK, alpha_k
from celosia.risk.attackers import Attackers, attackers
from celosia.risk.best_guess import BestGuess, best_guess
from celosia.risk.beta_likeness import BetaLikeness, beta_likeness
from celosia.risk.by_group import RiskByGroup, by_group
from celosia.risk.calibration import Calibration, calibration
from celosia.risk.delta_disclosure import DeltaDisclosure, delta_disclosure
from celosia.risk.drivers import Drivers, drivers
from celosia.risk.exact_linkage import ExactLinkage, exact_linkage
from celosia.risk.frequencies import Frequencies, frequencies
from celosia.risk.individual import IndividualRisk, individual
from celosia.risk.interval import Interval, interval
from celosia.risk.k_anonymity import KAnonymity, k_anonymity
from celosia.risk.k_map import KMap, k_map
from celosia.risk.l_diversity import LDiversity, l_diversity
from celosia.risk.linkage import Linkage, linkage
from celosia.risk.log_linear import LogLinear, log_linear
from celosia.risk.outliers import Outliers, outliers
from celosia.risk.panel import PanelRisk, panel
from celosia.risk.population_uniqueness import PopulationUniqueness, population_uniqueness
from celosia.risk.probabilistic_linkage import probabilistic_linkage
from celosia.risk.rank_linkage import rank_linkage
from celosia.risk.rare_patterns import RarePatterns, rare_patterns
from celosia.risk.risky_cells import RiskyCells, risky_cells
from celosia.risk.robust_interval import RobustInterval, robust_interval
from celosia.risk.scenarios import ScenarioRisks, scenarios
from celosia.risk.suda2 import Suda2, suda2
from celosia.risk.t_closeness import TCloseness, t_closeness
from celosia.risk.transition_risk import TransitionRisk, transition_risk
from celosia.risk.truth import Truth

__all__ = [
    "AlphaK",
    "Attackers",
    "BestGuess",
    "BetaLikeness",
    "Calibration",
    "DeltaDisclosure",
    "Drivers",
    "ExactLinkage",
    "Frequencies",
    "IndividualRisk",
    "Interval",
    "KAnonymity",
    "KMap",
    "LDiversity",
    "Linkage",
    "LogLinear",
    "Outliers",
    "PanelRisk",
    "PopulationUniqueness",
    "RarePatterns",
    "RiskByGroup",
    "RiskyCells",
    "RobustInterval",
    "ScenarioRisks",
    "Suda2",
    "TCloseness",
    "TransitionRisk",
    "Truth",
    "alpha_k",
    "attackers",
    "best_guess",
    "beta_likeness",
    "by_group",
    "calibration",
    "delta_disclosure",
    "drivers",
    "exact_linkage",
    "frequencies",
    "individual",
    "interval",
    "k_anonymity",
    "k_map",
    "l_diversity",
    "linkage",
    "log_linear",
    "outliers",
    "panel",
    "population_uniqueness",
    "probabilistic_linkage",
    "rank_linkage",
    "rare_patterns",
    "risky_cells",
    "robust_interval",
    "scenarios",
    "suda2",
    "t_closeness",
    "transition_risk",
]
