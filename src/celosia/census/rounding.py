r"""Estimated tables rounded to whole persons with their margins kept, and the answers of crossing queries nearly so.

Among the tables whose cells are the whole part of the estimate or one more, the one nearest to it in
:math:`\sum|x - y|` is a transport of single units, solved exactly (``kernels.rounding``). That one lets the answers
of crossing queries drift: the many small fractions of a rare group all go down. So each child pays a price a unit for
every crossing answer, in proportion to what the tables rounded so far owe it; the tables are walked twice, and the
second walk begins with the prices that the first one ended with. What the prices cost is measured: a rounding further
from the estimate than ``MOST`` times the nearest one is done again at lower prices.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

MOST = 1.02
"""How much further from the estimate than the nearest rounding a rounding may be."""
_PRICES = (0.02, 0.005, 0.00125)
"""Price of a unit of a crossing answer for each unit that is owed, in units of the distance; tried in this order."""
_WALKS = 2


def rounded(x: Floats, rows: Ints, held: Ints | None, first: Ints, answer: Ints) -> Ints:
    """Round a run of tables.

    Parameters
    ----------
    x
        One row a child, one column a part.
    rows
        One row a child, one column a table: what the child's parts of the table add up to.
    held
        What the parent has of each part; ``None`` for the root.
    first
        Where the columns of each table begin; one more at the end.
    answer
        One row a crossing query, one column a part: the answer that the part adds to, -1 for none.

    Examples
    --------
    >>> x = np.array([[0.6, 1.4], [0.4, 0.6]])
    >>> rounded(x, np.array([[2], [1]]), np.array([1, 2]), np.array([0, 2]), np.empty((0, 2), dtype=np.int64)).tolist()
    [[1, 1], [0, 1]]
    """
    nearest = _walk(x, rows, held, first, answer[:0], 0.0, 1)
    if not (answer >= 0).any():
        return nearest
    farthest = MOST * np.abs(nearest - x).sum()
    for price in _PRICES:
        found = _walk(x, rows, held, first, answer, price, _WALKS)
        if np.abs(found - x).sum() <= farthest:
            return found
    return nearest


def _walk(x: Floats, rows: Ints, held: Ints | None, first: Ints, answer: Ints, price: float, walks: int) -> Ints:
    from celosia.kernels.rounding import round_groups, round_tables

    out = np.empty(x.shape, dtype=np.int64)
    owed = np.zeros((len(x), int(answer.max(initial=-1)) + 1))
    for _ in range(walks):
        if held is None:
            round_groups(x[0], rows[0], first, answer, owed[0], price, out[0])
        else:
            round_tables(x, rows, held, first, answer, owed, price, out)
    return out
