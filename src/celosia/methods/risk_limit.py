r"""A limit of the individual risk as a sum that every class must reach, so that suppression can work towards it.

Without weights the risk of a class of :math:`f` records is :math:`1/f`: a limit :math:`t` asks for
:math:`k = \lceil 1/t \rceil` records. With weights, for :math:`f \ge 3` the risk
:math:`r = p/(f - (1 - p))`, :math:`p = f/F`, is at most :math:`t` once :math:`F \ge F_3 = \tfrac32\,(1-t)/t`, and at
more records once :math:`F` is less. A record of weight :math:`w` counts :math:`\min(w/F_3,\ 1/3)`: a sum of 1 takes
three records and :math:`F_3` persons, and what sums to 1 keeps the limit. That asks for a little more than the limit
does, and never for less.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.engines.contract import WEIGHT_SCALE, Ints
from celosia.kernels.reidentification import usual_risks

_WHOLE = 3_000_000
"""The sum of 1, in integers."""


@dataclass(frozen=True)
class RiskLimit:
    """The individual risk that no record may exceed."""

    at_most: float

    @property
    def records(self) -> int:
        """How many records keep the limit where there are no weights."""
        return max(2, int(np.ceil(1 / self.at_most - 1e-9)))

    @property
    def need(self) -> int:
        """What the records of a class must sum to."""
        return _WHOLE

    def mass(self, weights: Ints) -> Ints:
        """What each record counts for, from its scaled weight."""
        persons = 1.5 * (1 - self.at_most) / self.at_most
        share: npt.NDArray[np.float64] = (
            np.minimum(weights / WEIGHT_SCALE / persons, 1 / 3) if persons else np.full(weights.size, 1 / 3)
        )
        mass: Ints = np.maximum(np.floor(share * _WHOLE), 1).astype(np.int64)
        return mass

    def exceeded(self, sample: Ints, weights: Ints) -> npt.NDArray[np.bool_]:
        """Whether each key is above the limit, from the records that share it and their scaled weights."""
        records = sample.astype(np.float64)
        risk = np.empty(records.size)
        usual_risks(records, np.maximum(weights / WEIGHT_SCALE, records), risk)
        above: npt.NDArray[np.bool_] = risk > self.at_most * (1 + 1e-12)
        return above
