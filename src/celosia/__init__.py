"""Celosía: publish microdata, tables and a census without publishing anybody.

>>> import celosia
>>> data = celosia.datasets.survey(n=500)
>>> celosia.risk.individual(data, keys=["region", "sexo", "edad"], weight="factor").global_risk < 0.1
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from celosia.core.lazy import lazy

if TYPE_CHECKING:
    from celosia import census, datasets, demography, methods, process, report, risk
    from celosia.core.dictionary import Dictionary, MissingKind, Variable
    from celosia.core.errors import CelosiaError, CelosiaWarning
    from celosia.core.hierarchy import Hierarchy
    from celosia.core.microdata import Microdata
    from celosia.core.run import Run
    from celosia.io import read, write
    from celosia.process import Plan, Policy, Study

__version__ = "0.1.0"

__all__ = [
    "CelosiaError",
    "CelosiaWarning",
    "Dictionary",
    "Hierarchy",
    "Microdata",
    "MissingKind",
    "Plan",
    "Policy",
    "Run",
    "Study",
    "Variable",
    "census",
    "datasets",
    "demography",
    "methods",
    "process",
    "read",
    "report",
    "risk",
    "write",
]

_PACKAGES = ("census", "datasets", "demography", "methods", "process", "report", "risk")
_HOME_OF = {
    "CelosiaError": "celosia.core.errors",
    "CelosiaWarning": "celosia.core.errors",
    "Dictionary": "celosia.core.dictionary",
    "Hierarchy": "celosia.core.hierarchy",
    "Microdata": "celosia.core.microdata",
    "MissingKind": "celosia.core.dictionary",
    "Plan": "celosia.process",
    "Policy": "celosia.process",
    "Run": "celosia.core.run",
    "Study": "celosia.process",
    "Variable": "celosia.core.dictionary",
    "read": "celosia.io",
    "write": "celosia.io",
}

__getattr__ = lazy(__name__, _HOME_OF | {package: f"celosia.{package}" for package in _PACKAGES})


def __dir__() -> list[str]:
    return __all__
