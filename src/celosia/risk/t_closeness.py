r"""t-closeness: how far the sensitive values of a class are from those of the whole file.

With :math:`q` the distribution of a sensitive variable in a class of equal keys and :math:`p` in the whole file, the
figure of the class is the earth mover's distance: the least work that turns one into the other, where work is mass
times ground distance. A file is t-close where no class is farther than :math:`t`. By ground distance:

``equal``
    1 between any two values: :math:`\frac12\sum_s|q_s-p_s|`.
``ordered``
    :math:`|i-j|/(M-1)` between the i-th and the j-th of the :math:`M` values that the file holds:
    :math:`\frac1{M-1}\sum_{i=1}^{M-1}\bigl|\sum_{s\le i}(q_s-p_s)\bigr|`. Numbers and dates go by size, codes as the
    dictionary lists them.
``hierarchical``
    :math:`h/H`, with :math:`h` the level of the lowest common ancestor and :math:`H` the height of the tree (one more
    level where the hierarchy has several tops). Such a distance is the mean of :math:`H` equal distances, one between
    the groups of each level below the root: :math:`\frac1H\sum_{h=0}^{H-1}\frac12\sum_{g}|q_g-p_g|`.

A missing key is a category, a missing sensitive value is none: :math:`q` and :math:`p` are those of the observed
values, and a class without any is at 0 (see ``risk.classes``). *Not applicable* is a value; where it has no place in
the order or the tree it is at distance 1 from every other. In the ordered distance what it gains or loses then
travels 1 and the rest as :math:`q` and :math:`p` among the ordered values: the work of a plan that is always
possible, so never less than the least.

References
----------
Li, Li & Venkatasubramanian (2007), *t-closeness: privacy beyond k-anonymity and l-diversity*, ICDE 2007, 106-115.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import polars as pl

from celosia.core.dictionary import MissingKind
from celosia.core.errors import DataError, OptionError
from celosia.core.hierarchy import Hierarchy
from celosia.core.microdata import Microdata
from celosia.engines.contract import Ints
from celosia.risk.class_figure import ClassFigure
from celosia.risk.classes import Floats, SensitiveClasses, one_sensitive
from celosia.risk.options import one_of

Distance = Literal["equal", "ordered", "hierarchical"]
DISTANCES: tuple[Distance, ...] = get_args(Distance)


@dataclass(frozen=True, eq=False)
class TCloseness(ClassFigure):
    """The distance of every class from the whole file; ``largest`` is the t that the file attains."""

    distance: Distance = "equal"

    measure = "t_closeness"
    levels = (0.1, 0.2, 0.3, 0.5, 0.7)
    highest = 1.0

    def to_dict(self) -> dict[str, Any]:
        """Totals and the t of the worst class."""
        return super().to_dict() | {"distance": self.distance}


def t_closeness(
    frame: Any,
    keys: Sequence[str],
    sensitive: str,
    distance: Distance = "equal",
    hierarchy: Hierarchy | Sequence[Sequence[Any]] | None = None,
) -> TCloseness:
    """Measure the distance of every class of equal keys from the whole file.

    Parameters
    ----------
    frame, keys
        As in ``l_diversity``.
    sensitive
        The sensitive variable.
    distance
        ``"equal"``, ``"ordered"`` or ``"hierarchical"``.
    hierarchy
        For the hierarchical distance: a ``Hierarchy``, or the rows of its levels, most detailed first.

    Examples
    --------
    Li et al. (2007), table 3: salaries of 3 to 5 thousand are 0.375 from those of all, 3 to 11 thousand.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"zona": [1, 1, 1, 2, 2, 2, 3, 3, 3], "sueldo": [3, 4, 5, 6, 11, 8, 7, 9, 10]})
    >>> found = t_closeness(frame, keys=["zona"], sensitive="sueldo", distance="ordered")
    >>> found.of_class.round(3).tolist()
    [0.375, 0.167, 0.236]
    """
    one_of("distance", distance, DISTANCES)
    if distance == "hierarchical" and not hierarchy:
        raise OptionError("hierarchy-needed")
    if distance != "hierarchical" and hierarchy is not None:
        raise OptionError("option-needs", option="hierarchy", needs='distance="hierarchical"')
    data, classes = one_sensitive(frame, keys, sensitive)
    if distance == "ordered":
        order = _order(data, classes)
        of_class = _ordered(classes.in_order(order), _inside(classes).sum())
    elif hierarchy is not None:
        tree = hierarchy if isinstance(hierarchy, Hierarchy) else Hierarchy.from_rows(hierarchy)
        of_class = _hierarchical(classes, tree)
    else:
        of_class = _between_groups(classes, np.arange(len(classes.categories)))
    return TCloseness(classes, np.clip(of_class, 0, 1), distance)


def _inside(classes: SensitiveClasses) -> Any:
    """The values that have a place in an order: not those that say *not applicable*."""
    return np.array([kind is not MissingKind.NOT_APPLICABLE for kind in classes.categories.kinds])


def _order(data: Microdata, classes: SensitiveClasses) -> Ints:
    """The values from low to high, those without a place in the order last."""
    inside = _inside(classes)
    name = classes.sensitive
    kind = data.column(name).dtype
    place = np.arange(inside.size)
    if not (kind.is_numeric() or kind.is_temporal() or kind == pl.Boolean):
        declared = kind.categories.to_list() if isinstance(kind, pl.Enum) else data.dictionary[name].values
        listed = {code: number for number, code in enumerate(declared)}
        codes = classes.categories.codes
        unlisted = sum(code not in listed for code, ordered in zip(codes, inside, strict=True) if ordered)
        if unlisted:
            raise DataError("order-unknown", variable=name, count=unlisted)
        place = np.array([listed.get(code or "", 0) for code in codes])
    return np.lexsort((place, ~inside))


def _ordered(classes: SensitiveClasses, steps: int) -> Floats:
    """The ordered distance; the first ``steps`` values are in order, the others at 1 from everything.

    Between two values that the class holds its cumulated share Q stands still while that of the file grows: the sum
    of their differences splits where the file's passes Q.
    """
    q_outside = classes.sums(np.where(classes.value >= steps, classes.share, 0.0))
    p_outside = float(classes.whole[steps:].sum())
    stays = np.minimum(1 - q_outside, 1 - p_outside)
    apart = np.where(classes.observed > 0, np.abs(q_outside - p_outside), 0.0)
    if steps < 2:
        return apart
    placed = classes.value < steps
    group, value, count = classes.class_of[placed], classes.value[placed], classes.count[placed]
    below = np.cumsum(classes.whole[:steps]) / (1 - p_outside)
    area = np.concatenate([[0.0], below.cumsum()])
    number = np.bincount(group, weights=count, minlength=apart.size)
    opens = np.flatnonzero(np.diff(group, prepend=-1))
    before = (np.cumsum(count) - count)[opens]
    reached = (np.cumsum(count) - np.repeat(before, np.diff(opens, append=group.size))) / number[group]
    end = np.append(value[1:], 0)
    end[np.append(opens[1:], group.size) - 1] = steps - 1
    passed = np.clip(np.searchsorted(below, reached), value, end)
    work = reached * (2 * passed - value - end) + area[value] + area[end] - 2 * area[passed]
    work[opens] += area[value[opens]]
    among: Floats = np.bincount(group, weights=work, minlength=apart.size) / (steps - 1)
    distance: Floats = apart + stays * among
    return distance


def _hierarchical(classes: SensitiveClasses, tree: Hierarchy) -> Floats:
    """The mean of the equal distances between the groups of each level below the root."""
    path = {row[0]: row for row in tree.rows}
    codes, kinds = classes.categories.codes, classes.categories.kinds
    rows: list[tuple[str, ...] | None] = [None if code is None else path.get(code) for code in codes]
    alone = [kind is MissingKind.NOT_APPLICABLE for kind in kinds]
    if unknown := sum(row is None and not apart for row, apart in zip(rows, alone, strict=True)):
        raise DataError("hierarchy-codes-unknown", variable=classes.sensitive, count=unknown)
    height = max(1, tree.depth - (len(tree.codes[-1]) == 1))
    total = np.zeros(classes.distinct.size)
    for level in range(height):
        names = [("", str(i)) if row is None else (row[level],) for i, row in enumerate(rows)]
        number = {name: i for i, name in enumerate(dict.fromkeys(names))}
        total += _between_groups(classes, np.array([number[name] for name in names]))
    return total / height


def _between_groups(classes: SensitiveClasses, group: Ints) -> Floats:
    """The equal distance between groups of values: the mass by which groups exceed their share of the file.

    Only groups that the class holds can exceed it, and what they exceed by the others lack.
    """
    whole = np.bincount(group, weights=classes.whole)
    pair = classes.class_of * whole.size + group[classes.value]
    held, index = np.unique(pair, return_inverse=True)
    share = np.bincount(index, weights=classes.share, minlength=held.size)
    excess = np.maximum(share - whole[held % whole.size], 0)
    total = np.bincount(held // whole.size, weights=excess, minlength=classes.distinct.size)
    return total.astype(np.float64, copy=False)
