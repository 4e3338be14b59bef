r"""β-likeness: how much more frequent a sensitive value is in a class than in the whole file.

With :math:`q_s` the share of value :math:`s` in a class and :math:`p_s` in the whole file, both among observed values,
the gain of an intruder is relative, so that rare values are as well guarded as common ones:

.. math::
    \text{basic: } \frac{q_s - p_s}{p_s} \le \beta, \qquad
    \text{enhanced: } \frac{q_s - p_s}{p_s} \le \min(\beta, -\ln p_s), \qquad \text{for every } s \text{ with } q_s > 0.

The figure of a class is the smallest :math:`\beta` it complies with: the largest gain; in the enhanced sense
infinite where some value gains more than :math:`-\ln p_s`, which no :math:`\beta` mends. A missing key is
a category, a missing sensitive value is none (see ``risk.classes``).

References
----------
Cao & Karras (2012), *Publishing microdata with a robust privacy guarantee*, PVLDB 5(11), 1388-1399.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np

from celosia.risk.class_figure import ClassFigure
from celosia.risk.classes import ROUNDING, one_sensitive
from celosia.risk.options import one_of

Kind = Literal["basic", "enhanced"]


@dataclass(frozen=True, eq=False)
class BetaLikeness(ClassFigure):
    """The smallest β that every class complies with."""

    kind: Kind = "basic"

    measure = "beta_likeness"
    levels = (0.5, 1.0, 2.0, 4.0, 8.0)

    def to_dict(self) -> dict[str, Any]:
        """Totals and the worst β; ``None`` where none suffices."""
        return super().to_dict() | {"kind": self.kind}


def beta_likeness(frame: Any, keys: Sequence[str], sensitive: str, kind: Kind = "basic") -> BetaLikeness:
    """Measure β for every class of equal keys.

    Parameters
    ----------
    frame, keys
        As in ``l_diversity``.
    sensitive
        The sensitive variable.
    kind
        ``"basic"``, or ``"enhanced"``, which also bounds the gain of each value by -ln of its share.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [2, 2, 1, 1], "salud": ["asma", "asma", "gripe", "tos"]})
    >>> beta_likeness(frame, keys=["sexo"], sensitive="salud").largest
    1.0
    """
    one_of("kind", kind, get_args(Kind))
    _, classes = one_sensitive(frame, keys, sensitive)
    whole = classes.whole[classes.value]
    gain = np.maximum(classes.share / whole - 1, 0)
    if kind == "enhanced":
        gain[gain > -np.log(whole) + ROUNDING] = np.inf
    return BetaLikeness(classes, classes.largest(gain), kind)
