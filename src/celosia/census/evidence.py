r"""What is known of the answers at each level: its own measurement and the sums of the levels below.

The sum of the children's values is a second measurement of the same answer, independent of the first.
Both together, by inverse variance from the leaves up, have the least variance:

.. math:: z = v\left(\frac{M}{\sigma^2} + \frac{\sum_c z_c}{\sum_c v_c}\right), \qquad
    v = \left(\frac{1}{\sigma^2} + \frac{1}{\sum_c v_c}\right)^{-1}.

References
----------
Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010), Boosting the accuracy of differentially private histograms
through consistency, *PVLDB* 3(1), 1021-1032.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.census.geography import Geography
from celosia.census.measurement import Measurement

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evidence:
    """The values of one query at the nodes of one level.

    Attributes
    ----------
    values
        One row a node, one column an answer.
    variance
        σ² of the answers of each node.
    """

    values: npt.NDArray[np.int64] | Floats
    variance: Floats

    @classmethod
    def of(cls, measurement: Measurement) -> Evidence:
        """A measurement by itself."""
        values = measurement.values
        return cls(values, np.full(len(values), float(measurement.variance)))

    def above(self, geography: Geography, level: int) -> Evidence:
        """The sums for the nodes of ``level``, which is the one above."""
        return Evidence(
            geography.sum_children(level, self.values).astype(np.float64),
            geography.sum_children(level, self.variance),
        )

    def __add__(self, other: Evidence) -> Evidence:
        """Two independent measurements of the same answers, by inverse variance."""
        share = other.variance / (self.variance + other.variance)
        values = share[:, None] * self.values + (1 - share)[:, None] * other.values
        return Evidence(values, self.variance * share)


def collect(measurements: Sequence[Measurement], geography: Geography) -> tuple[dict[str, Evidence], ...]:
    """For each level, the evidence on each query: what was measured there and what adds up from below."""
    own = {(one.level, one.query.name): Evidence.of(one) for one in measurements}
    names = tuple(dict.fromkeys(one.query.name for one in measurements))
    found: list[dict[str, Evidence]] = []
    for level in reversed(range(geography.depth)):
        here: dict[str, Evidence] = {}
        for name in names:
            parts = []
            if (geography.levels[level], name) in own:
                parts.append(own[geography.levels[level], name])
            if found and name in found[-1]:
                parts.append(found[-1][name].above(geography, level))
            if parts:
                here[name] = parts[0] if len(parts) == 1 else parts[0] + parts[1]
        found.append(here)
    return tuple(reversed(found))
