r"""What a node of the lattice loses of the data: the measures that the search for the best node minimises.

:math:`n` records, keys :math:`j = 1 \dots J`; a group :math:`C` is kept, or its records lose every key. The factor
:math:`a \in [0,1]` weighs generalising against suppressing: :math:`g = \min(1, 2(1-a))`, :math:`s = \min(1, 2a)`.
Measures of single keys are cut to ten decimals and put together by an aggregate; weights are divided by the largest.

``loss``
    With :math:`m_j` leaves in the hierarchy and a share :math:`h_j(C)` of them under the published code,
    :math:`A_j = \sum_{C\,\text{kept}} |C| h_j g + \sum_{C\,\text{lost}} |C|\,(s + h_j(1-s))` and
    :math:`d_j = (A_j - ng/m_j)/(n - ng/m_j)`: 0 for data left alone, 1 where nothing is left.
``entropy``
    :math:`-g\sum_i\log_2\frac{f(x_i)}{f(\bar x_i)}` over all records, with the frequencies of the value :math:`x` and
    its ancestor :math:`\bar x`, and :math:`-s\sum_u c_u\log_2(c_u/S)` over the ancestors of the :math:`S` lost ones.
    ``normalised_entropy`` divides by :math:`-\sum_i\log_2(f(x_i)/n)`.
``precision``
    :math:`(g\,\text{kept}\cdot\text{level}_j/\text{height}_j + s\,\text{lost})/n`.
``height``
    The sum of the levels.
``discernibility``
    :math:`\sum_{C\,\text{kept}}|C|^2 + \sum_{C\,\text{lost}}n|C|`.
``average_class_size``
    :math:`n/(s\,\#\text{kept} + g\,[\text{any lost}])`; :math:`n` where nothing is kept.

Each comes with a floor: no node at or above a node is lower. The search cuts with it.

References
----------
Iyengar (2002), KDD 2002, 279-288 (loss). Gionis & Tassa (2009), IEEE TKDE 21(2), 206-219 (entropy). Sweeney (2002),
IJUFKS 10(5), 571-588 (precision). Bayardo & Agrawal (2005), ICDE 2005, 217-228 (discernibility). LeFevre, DeWitt &
Ramakrishnan (2006), ICDE 2006 (average class size). Prasser, Eicher, Spengler, Bild & Kuhn (2020), *Flexible data
anonymization using ARX*, Software: Practice and Experience 50(7), 1277-1304 (factors and aggregates).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from celosia.methods.lattice import Floats, Grouping, Lattice
from celosia.methods.packing import Levels

LossName = Literal[
    "loss", "entropy", "normalised_entropy", "precision", "height", "discernibility", "average_class_size"
]
Aggregate = Literal["geometric_mean", "arithmetic_mean", "sum", "maximum"]
LOSSES: tuple[LossName, ...] = get_args(LossName)

_AGGREGATES: Mapping[Aggregate, Callable[[Floats], float]] = {
    "geometric_mean": lambda d: float(np.prod(np.power(1.0 + d, 1.0 / d.size)) - 1.0),
    "arithmetic_mean": lambda d: float(d.sum() / d.size),
    "sum": lambda d: float(d.sum()),
    "maximum": lambda d: float(d.max()),
}

_DECIMALS = 1e10


@dataclass(frozen=True, eq=False)
class Split:
    """The groups of a node, and which of them are kept."""

    grouping: Grouping
    kept: npt.NDArray[np.bool_]

    @property
    def levels(self) -> Levels:
        """The node."""
        return self.grouping.levels

    @cached_property
    def lost(self) -> int:
        """Records in groups that are not kept."""
        return int(self.grouping.size[~self.kept].sum())


@dataclass(frozen=True, eq=False)
class Loss(ABC):
    """A measure of loss on one lattice."""

    lattice: Lattice
    factor: float
    weights: Floats
    aggregate: Aggregate | None = None

    default: ClassVar[Aggregate] = "sum"

    @abstractmethod
    def of(self, split: Split) -> float:
        """The loss of a node."""

    @abstractmethod
    def floor(self, levels: Levels) -> float:
        """What this node and all above it lose at the least, known before their groups."""

    def floor_of(self, grouping: Grouping) -> float:
        """What this node and all above it lose at the least, known from its groups."""
        return self.floor(grouping.levels)

    @property
    def g(self) -> float:
        """Weight of generalising."""
        return 1.0 if self.factor <= 0.5 else 1.0 - 2.0 * (self.factor - 0.5)

    @property
    def s(self) -> float:
        """Weight of suppressing."""
        return 2.0 * self.factor if self.factor < 0.5 else 1.0

    def _joined(self, of_key: Floats) -> float:
        """One figure from those of the keys."""
        return _AGGREGATES[self.aggregate or self.default](self.weights * _cut(of_key))


def _cut(values: Floats) -> Floats:
    """Values without what is beyond ten decimals; none is below zero."""
    return np.asarray(np.floor(np.maximum(values, 0.0) * _DECIMALS) / _DECIMALS)


class LossOfKeys(Loss):
    """A loss that joins those of the keys, whose floor each key's level says."""

    @abstractmethod
    def _of_level(self, j: int, level: int) -> float:
        """What a key loses at a level at the least."""

    def floor(self, levels: Levels) -> float:
        """The least losses of the keys, joined."""
        chosen = np.array([of_key[level] for of_key, level in zip(self._least, levels, strict=True)])
        return _AGGREGATES[self.aggregate or self.default](chosen)

    @cached_property
    def _least(self) -> list[list[float]]:
        """The weighted least loss of each key at each level."""
        return [
            (self.weights[j] * _cut(np.array([self._of_level(j, level) for level in range(height + 1)]))).tolist()
            for j, height in enumerate(self.lattice.heights)
        ]


class DomainShare(LossOfKeys):
    """``loss``."""

    default: ClassVar[Aggregate] = "geometric_mean"

    def of(self, split: Split) -> float:
        """The loss of a node."""
        from celosia.kernels import lattice as kernel

        packing, grouping = self.lattice.packing, split.grouping
        weight = np.zeros((len(self.lattice.keys), 2), dtype=np.int64)
        where = (packing.word, packing.shift, packing.mask, packing.at(split.levels))
        kernel.weigh(grouping.packed, *where, packing.leaves, grouping.size, split.kept, weight)
        kept, lost = weight[:, 0] / self._domain, weight[:, 1] / self._domain
        gone = float(split.lost) if self.s == 1.0 else lost + self.s * (split.lost - lost)
        return self._joined(self._scaled(kept * self.g + gone))

    def _scaled(self, total: Floats) -> Floats:
        least = self.lattice.records * self.g / self._domain
        room = self.lattice.records - least
        return np.divide(total - least, room, out=np.zeros_like(total), where=room > 0)

    @cached_property
    def _domain(self) -> Floats:
        return np.array([key.domain for key in self.lattice.keys], dtype=np.float64)

    def _of_level(self, j: int, level: int) -> float:
        """The loss if no record were lost."""
        key = self.lattice.keys[j]
        share = int((key.lines[level][self.lattice.digits[:, j]] * self.lattice.count).sum()) / key.domain
        least = self.lattice.records * self.g / key.domain
        room = self.lattice.records - least
        return (share * self.g - least) / room if room > 0 else 0.0


class Entropy(LossOfKeys):
    """``entropy``."""

    def of(self, split: Split) -> float:
        """The loss of a node."""
        return self._joined((self._generalised(split.levels) * self.g + self._lost(split) * self.s) / self._most)

    def _of_level(self, j: int, level: int) -> float:
        """The loss if no record were lost."""
        return float(self._bits[j][level] * self.g / self._most[j])

    def _generalised(self, levels: Levels) -> Floats:
        return np.array([self._bits[j][level] for j, level in enumerate(levels)])

    def _lost(self, split: Split) -> Floats:
        from celosia.kernels import lattice as kernel

        packing, grouping = self.lattice.packing, split.grouping
        if not split.lost:
            return np.zeros(len(self.lattice.keys))
        count = np.zeros(packing.leaves.size, dtype=np.int64)
        at = packing.at(split.levels)
        where = (packing.word, packing.shift, packing.mask, at)
        kernel.tally_lost(grouping.packed, *where, grouping.size, split.kept, count)
        bits = np.where(count > 0, -count * np.log2(np.maximum(count, 1) / split.lost), 0.0)
        total: Floats = np.add.reduceat(bits, at)
        return total

    @cached_property
    def _frequencies(self) -> list[list[Floats]]:
        """Records by ancestor, for each key and level."""
        lattice = self.lattice
        return [
            [
                np.bincount(ancestor[lattice.digits[:, j]], weights=lattice.count).astype(np.float64)
                for ancestor in key.ancestor
            ]
            for j, key in enumerate(lattice.keys)
        ]

    @cached_property
    def _bits(self) -> list[list[float]]:
        lattice, found = self.lattice, []
        for j, (key, of_level) in enumerate(zip(lattice.keys, self._frequencies, strict=True)):
            digits = lattice.digits[:, j]
            own = of_level[0][key.ancestor[0][digits]]
            found.append(
                [
                    float(-(lattice.count * np.log2(own / records[ancestor[digits]])).sum())
                    for ancestor, records in zip(key.ancestor, of_level, strict=True)
                ]
            )
        return found

    @property
    def _most(self) -> Floats:
        return np.ones(len(self.lattice.keys))


class NormalisedEntropy(Entropy):
    """``normalised_entropy``."""

    @cached_property
    def _most(self) -> Floats:
        whole = [-(f[0] * np.log2(np.maximum(f[0], 1) / self.lattice.records)).sum() for f in self._frequencies]
        return np.array([bits or 1.0 for bits in whole])


class Precision(LossOfKeys):
    """``precision``."""

    default: ClassVar[Aggregate] = "arithmetic_mean"

    def of(self, split: Split) -> float:
        """The loss of a node."""
        lost = split.lost / self.lattice.records
        return self._joined((1.0 - lost) * self._climbed(split.levels) + lost * self.s)

    def _of_level(self, j: int, level: int) -> float:
        """The loss if records were lost only where that is cheaper."""
        return min(level / max(self.lattice.heights[j], 1) * self.g, self.s)

    def _climbed(self, levels: Levels) -> Floats:
        return np.array(levels) / np.maximum(self.lattice.heights, 1) * self.g


class Height(Loss):
    """``height``."""

    def of(self, split: Split) -> float:
        """The loss of a node."""
        return self.floor(split.levels)

    def floor(self, levels: Levels) -> float:
        """The same: nothing but the levels counts."""
        return float(sum(levels))


class Discernibility(Loss):
    """``discernibility``."""

    def of(self, split: Split) -> float:
        """The loss of a node."""
        kept = split.grouping.size[split.kept]
        return float((kept**2).sum() + self.lattice.records * split.lost)

    def floor(self, levels: Levels) -> float:
        """Nothing is known before the groups are."""
        return 0.0

    def floor_of(self, grouping: Grouping) -> float:
        """The sum of squares: joined groups have more, lost ones too."""
        return float((grouping.size**2).sum())


class AverageClassSize(Loss):
    """``average_class_size``."""

    def of(self, split: Split) -> float:
        """The loss of a node."""
        kept = int(split.kept.sum())
        parts = self.s * kept + self.g * (split.lost > 0) if kept else 1.0  # nothing kept is one group of all
        return self.lattice.records / parts

    def floor(self, levels: Levels) -> float:
        """Nothing is known before the groups are."""
        return 0.0

    def floor_of(self, grouping: Grouping) -> float:
        """As if every group were kept and something lost: joined groups are fewer."""
        return self.lattice.records / (self.s * grouping.size.size + self.g)


MEASURES: Mapping[LossName, type[Loss]] = {
    "loss": DomainShare,
    "entropy": Entropy,
    "normalised_entropy": NormalisedEntropy,
    "precision": Precision,
    "height": Height,
    "discernibility": Discernibility,
    "average_class_size": AverageClassSize,
}
"""Name of a measure → its class."""


def loss_on(
    lattice: Lattice, name: LossName, factor: float, weights: Mapping[str, float], aggregate: Aggregate | None
) -> Loss:
    """A measure on a lattice; a key without a weight has 0.5."""
    given = np.array([weights.get(key.name, 0.5) for key in lattice.keys])
    return MEASURES[name](lattice, factor, given / given.max(), aggregate)
