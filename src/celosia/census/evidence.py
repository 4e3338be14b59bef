r"""What is known of the answers at each level: its own measurement and the sums of the levels below.

The sum of the children's values is a second measurement of the same answer, independent of the first.
Both together, by inverse variance from the leaves up, have the least variance:

.. math:: z = v\left(\frac{M}{\sigma^2} + \frac{\sum_c z_c}{\sum_c v_c}\right), \qquad
    v = \left(\frac{1}{\sigma^2} + \frac{1}{\sum_c v_c}\right)^{-1}.

Levels of few answers are held in memory; of the others the rows of a family are made from its own subtree when they
are asked for, and forgotten.

References
----------
Hay, M., Rastogi, V., Miklau, G. and Suciu, D. (2010), Boosting the accuracy of differentially private histograms
through consistency, *PVLDB* 3(1), 1021-1032.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census.geography import Geography
from celosia.census.measurement import Measurement
from celosia.census.stored import runs

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

HELD = 1 << 25
"""Values of a level up to which they are held in memory: a quarter of a gigabyte."""


class Evidence:
    """The values of one query at the nodes of one level.

    Parameters
    ----------
    size
        Answers of the query.
    own
        The measurement at this level, where there is one.
    below
        The evidence on the level below, where there is any.
    first_child
        Where the children of each node begin in the level below; one more at the end.

    Attributes
    ----------
    variance
        σ² of the answers of each node.
    """

    def __init__(self, size: int, own: Measurement | None, below: Evidence | None, first_child: Ints) -> None:
        self.size, self._own, self._below, self._first = size, own, below, first_child
        measured = None if own is None else np.full(len(own.values), float(own.variance))
        summed = None if below is None else np.add.reduceat(below.variance, first_child[:-1])
        self._share: Floats
        self.variance: Floats
        self.variance, self._share = _together(measured, summed)
        few = self.variance.size * size <= HELD
        self._held = self._computed(slice(0, self.variance.size)) if below is not None and few else None

    def rows(self, nodes: slice) -> npt.NDArray[Any]:
        """The values of a run of nodes, one column an answer."""
        return self._computed(nodes) if self._held is None else self._held[nodes]

    def _computed(self, nodes: slice) -> npt.NDArray[Any]:
        if self._below is None:
            assert self._own is not None
            return self._own.values[nodes]
        sums = np.array([self._sum(node) for node in range(nodes.start, nodes.stop)])
        if self._own is None:
            return sums
        share = self._share[nodes, None]
        both: Floats = share * self._own.values[nodes] + (1 - share) * sums
        return both

    def _sum(self, node: int) -> Floats:
        """The children of a node, added up a run at a time."""
        assert self._below is not None
        start, stop = int(self._first[node]), int(self._first[node + 1])
        found = np.zeros(self.size)
        for run in runs(stop - start, self.size):
            found += self._below.rows(slice(start + run.start, start + run.stop)).sum(axis=0, dtype=np.float64)
        return found


def _together(measured: Floats | None, summed: Floats | None) -> tuple[Floats, Floats]:
    """The variance of both estimates together, and the share of the first in it."""
    if measured is None or summed is None:
        only = summed if measured is None else measured
        assert only is not None
        return only, np.full(only.size, 1.0 if summed is None else 0.0)
    share = summed / (measured + summed)
    return measured * share, share


def collect(measurements: Sequence[Measurement], geography: Geography) -> tuple[dict[str, Evidence], ...]:
    """For each level, the evidence on each query: what was measured there and what adds up from below."""
    own = {(one.level, one.query.name): one for one in measurements}
    sizes = {one.query.name: one.query.size for one in measurements}
    found: list[dict[str, Evidence]] = [{}]
    for level in reversed(range(geography.depth)):
        first = geography.first_child[level] if level + 1 < geography.depth else np.empty(0, dtype=np.int64)
        here: dict[str, Evidence] = {}
        for name, size in sizes.items():
            measured, below = own.get((geography.levels[level], name)), found[-1].get(name)
            if measured is not None or below is not None:
                here[name] = Evidence(size, measured, below, first)
        found.append(here)
    return tuple(reversed(found[1:]))
