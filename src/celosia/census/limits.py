r"""Tables of which more is limited than totals: estimated at once, rounded by a MILP that looks at all levels below.

Totals alone are a tree of intervals, and intervals that imply nothing more are always met. Answers to several queries
that are limited together are not: two margins of one table may each be right and leave no whole table between them,
and a place may get counts that its children, each within its limits, cannot add up to. So all limited queries are taken
apart into the parts that they share; the tables of children by parts are found together,

.. math:: \min_y \sum_{c,k}\frac{(y_{ck} - z_{ck})^2}{v_{ck}} + \sum_c \frac{(\sum_k y_{ck} - t_c)^2}{\tau_c} + \dots

under the parent's counts and the limits of the level; then the nearest whole table is looked for of which every place
below can still be filled with whole numbers within its own limits (HiGHS). Where one exists for the root, and
the data themselves are one, there is one for each of its descendants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.census.bounds import NO_LIMIT, Bounds
from celosia.census.chain import Stage
from celosia.census.geography import Geography
from celosia.census.least_squares import LeastSquares
from celosia.census.query import Query
from celosia.core.errors import PromiseError

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Term = tuple[Any, Floats, Floats]
"""Sums of the parts of a child (a matrix, one row a sum), what they should be, and the variance; one row a child."""


def of_all(query: Query) -> bool:
    """Whether a query asks for everybody as one number."""
    return query.size == 1 and bool((query.group == 0).all())


@dataclass(frozen=True, eq=False)
class Limits:
    """What is limited at a level and below it.

    Attributes
    ----------
    geography
        The tree of places.
    level, last
        The level, and the last one on which more than totals is limited.
    parts
        The parts that all limited queries are made of.
    bounds
        The limits from ``level`` to ``last``.
    """

    geography: Geography
    level: int
    last: int
    parts: Stage
    bounds: tuple[Bounds, ...]

    @classmethod
    def of(
        cls, bounds: Sequence[Bounds], declared: Mapping[str, int], geography: Geography, level: int
    ) -> Limits | None:
        """The limits that matter from a level on; ``None`` where only totals are limited.

        Parameters
        ----------
        bounds
            All limits, narrowed.
        declared
            The last level on which each query is limited by itself. Below it its limits follow from the others.
        """
        here = [one for one in bounds if level <= one.level <= declared[one.query.name]]
        more = {one.query.name: one.query for one in here if not of_all(one.query)}
        if not more:
            return None
        last = max(one.level for one in here if not of_all(one.query))
        kept = tuple(one for one in here if one.level <= last)
        return cls(geography, level, last, _shared(tuple(more.values())), kept)

    @cached_property
    def _sample(self) -> Ints:
        """A cell of each part."""
        return np.unique(self.parts.group, return_index=True)[1]

    def sums(self, query: Query, parts: Ints) -> Any:
        """The matrix that makes the answers of a limited query out of some parts."""
        from scipy import sparse

        answer = query.group[self._sample[parts]]
        told = np.flatnonzero(answer >= 0)
        return sparse.csr_matrix((np.ones(told.size), (answer[told], told)), shape=(query.size, parts.size))


def _shared(queries: Sequence[Query]) -> Stage:
    """The coarsest parts that every query is a sum of; those of one query where the others are sums of its answers."""
    whole = Stage(np.zeros(queries[0].cells, dtype=np.int32), 1, None)
    for query in queries:
        alone = whole.refined(query)
        if all(alone.splits(other) for other in queries):
            return alone
    group = np.unique(np.stack([query.group for query in queries]), axis=1, return_inverse=True)[1].ravel()
    return Stage(group.astype(np.int32), int(group.max()) + 1, None)


class Tables:
    """The tables of some children of one parent by the parts that it holds.

    Parameters
    ----------
    limits
        What is limited.
    children
        The children, among the places of the level.
    parts
        The numbers of the parts that the parent holds.
    held
        What the parent has of each; ``None`` for the root.
    """

    def __init__(self, limits: Limits, children: slice, parts: Ints, held: Ints | None) -> None:
        self.limits, self.children, self.parts, self.held = limits, children, parts, held
        self.shape = children.stop - children.start, parts.size
        self.below = {limits.level: children}
        for level in range(limits.level, limits.last):
            first, above = limits.geography.first_child[level], self.below[level]
            self.below[level + 1] = slice(int(first[above.start]), int(first[above.stop]))

    def found(self, terms: Sequence[Term]) -> Ints:
        """Whole tables near to the terms, within all limits."""
        exact = self._exact()
        return self._whole(self.estimated(terms)) if exact is None else exact

    def _exact(self) -> Ints | None:
        """The tables where a limited query fixes every part."""
        for one in self.limits.bounds:
            query = self.limits.parts.query
            asked = query is not None and query.name == one.query.name and bool((self.parts < one.query.size).all())
            if asked and one.level == self.limits.level:
                low, high = (limit[self.children][:, self.parts] for limit in (one.low, one.high))
                if (low == high).all():
                    return low
        return None

    # -- real numbers ------------------------------------------------------------------------------

    def estimated(self, terms: Sequence[Term]) -> Floats:
        """The tables nearest to the terms, within the limits of the level."""
        from scipy import sparse

        height = sparse.eye(self.shape[0])
        wanted = np.concatenate([wanted.ravel() for _, wanted, _ in terms])
        weight = 1 / np.concatenate([variance.ravel() for _, _, variance in terms])
        rows = [(sparse.eye(self.shape[0] * self.shape[1]), 0.0, np.inf), *self._family(self.shape[0])]
        rows += list(self._limited(self.limits.level, height, self.children))
        problem = LeastSquares(
            sparse.vstack([sparse.kron(height, matrix) for matrix, _, _ in terms]).tocsr(),
            wanted,
            weight,
            sparse.vstack([matrix for matrix, _, _ in rows]).tocsr(),
            *(np.concatenate([np.broadcast_to(row[i], row[0].shape[0]) for row in rows]) for i in (1, 2)),
        )
        return np.maximum(problem.solve(), 0.0).reshape(self.shape)

    # -- whole numbers -----------------------------------------------------------------------------

    def _whole(self, x: Floats) -> Ints:
        """The nearest whole tables that leave a way to fill every place below.

        What is counted is the places of the last level. The tables of the children are their sums, and differ from the
        whole part of x by one unit that costs what its fraction says, and by more at a unit each.
        """
        from scipy import optimize, sparse

        places = self.below[self.limits.last]
        whole = np.floor(x + 1e-7)
        under = self._under(self.limits.level)
        own, width = sparse.kron(under, sparse.eye(self.parts.size)), (places.stop - places.start) * self.parts.size
        unit = sparse.eye(x.size)
        rows = [(sparse.hstack([own, -unit, -unit, unit]), whole.ravel(), whole.ravel())]
        limited = [
            one for level, nodes in self.below.items() for one in self._limited(level, self._under(level), nodes)
        ]
        for matrix, low, high in [*self._family(places.stop - places.start), *limited]:
            rows.append((sparse.hstack([matrix, sparse.csr_matrix((matrix.shape[0], 3 * x.size))]), low, high))
        found = optimize.milp(
            np.concatenate([np.zeros(width), 1 - 2 * (x - whole).ravel(), np.ones(2 * x.size)]),
            constraints=[optimize.LinearConstraint(matrix.tocsr(), low, high) for matrix, low, high in rows],
            bounds=optimize.Bounds(0, np.repeat([np.inf, 1.0, np.inf], [width, x.size, 2 * x.size])),
            integrality=np.repeat([1, 0], [width, 3 * x.size]),
        )
        if found.x is None:
            name = self.limits.geography.levels[self.limits.level]
            raise PromiseError("promise-limits", level=name, query="*", count=self.shape[0])
        tables: Ints = np.rint(own @ np.rint(found.x[:width])).astype(np.int64)
        return tables.reshape(self.shape)

    def _under(self, level: int) -> Any:
        """Which places of the last level lie under each place of a level."""
        from scipy import sparse

        last, nodes = self.below[self.limits.last], self.below[level]
        node = np.arange(last.start, last.stop)
        for depth in range(self.limits.last, level, -1):
            node = self.limits.geography.parents[depth][node]
        column = np.arange(last.stop - last.start)
        shape = nodes.stop - nodes.start, column.size
        return sparse.csr_matrix((np.ones(column.size), (node - nodes.start, column)), shape=shape)

    # -- constraints -------------------------------------------------------------------------------

    def _family(self, places: int) -> Iterator[tuple[Any, Any, Any]]:
        """The places add up to the parent."""
        from scipy import sparse

        if self.held is not None:
            yield sparse.kron(np.ones((1, places)), sparse.eye(self.parts.size)), self.held, self.held

    def _limited(self, level: int, under: Any, nodes: slice) -> Iterator[tuple[Any, Any, Any]]:
        """The limits of some places of a level."""
        from scipy import sparse

        for one in self.limits.bounds:
            if one.level == level:
                matrix = sparse.kron(under, self.limits.sums(one.query, self.parts)).tocsr()
                low, high = one.low[nodes].ravel(), one.high[nodes].ravel()
                told = ((low > 0) | (high < NO_LIMIT)) & (np.diff(matrix.indptr) > 0)
                if told.any():
                    yield matrix[told], low[told], np.where(high[told] >= NO_LIMIT, np.inf, high[told])
