r"""The search for a threshold: the highest risk that records may keep under a limit of the global risk.

Records are taken from high risk to low; at each new, lower risk :math:`x` the :math:`c` records above it are thought
reduced to :math:`x`. The first :math:`x` at which the expected number of re-identifications falls below the limit,

.. math:: c\,x + \sum_{r_i \le x} r_i < \tau n,

is the threshold: protecting the records above it is enough.

References
----------
Franconi & Polettini (2004), *Individual risk estimation in μ-Argus: a review*, PSD 2004, LNCS 3050, 262-272.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def highest_kept(
    of_key: npt.NDArray[np.float64], records: npt.NDArray[np.int64], max_global_risk: float
) -> float | None:
    """The threshold of keys with so many records each; ``None`` where all is below already, 0 where none suffices."""
    order = np.argsort(-of_key, kind="stable")
    risk, count = of_key[order], records[order]
    allowed = max_global_risk * int(records.sum())
    below = np.cumsum((risk * count)[::-1])[::-1]
    if float(of_key @ records) < allowed:
        return None
    above = np.cumsum(count)
    for i in np.flatnonzero(np.diff(risk) < 0) + 1:
        if below[i] + above[i - 1] * risk[i] < allowed:
            return float(risk[i])
    return 0.0
