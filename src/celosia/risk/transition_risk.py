r"""Risk after keys were perturbed by known transition matrices (PRAM).

Counts of a perturbed file are not its risk: a key that looks shared may hide a person who was not moved at all. With
the probability :math:`M_v(a,b)` that category :math:`a` of key :math:`v` is published as :math:`b`, an intruder who
knows everybody's true keys gives a published record :math:`y` of the person :math:`i` the posterior weight

.. math:: w_i = \frac{P(y_i \mid x_i)}{\sum_j P(y_i \mid x_j)}, \qquad P(y \mid x) = \prod_v M_v(x_v, y_v),

whose mean is the expected share of right matches; an emptied cell tells nothing and has no factor. For a sample unique
published as :math:`j`, with population counts :math:`F_k` of the true keys, the chance that it is right is (Shlomo &
Skinner 2010)

.. math:: \frac{M_{jj}}{\sum_k F_k M_{kj}},

and 0 where :math:`j` is nobody's true key. The identity gives back the unperturbed risk; a matrix with equal rows gives
:math:`1/n`. A change that the matrices call impossible, or one in a key without a matrix, is refused: the file was not
made by them.

References
----------
Shlomo & Skinner (2010), *Assessing the protection provided by misclassification-based disclosure limitation methods for
survey microdata*, Annals of Applied Statistics 4(3), 1291-1310.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.errors import DataError, RoleError
from celosia.core.frames import variable_names
from celosia.core.language import percent, text
from celosia.core.microdata import Microdata
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines import Keys, engine
from celosia.risk.cells import weighed
from celosia.risk.matrices import by_key, over_digits
from celosia.risk.records import beside
from celosia.risk.truth import emptied

Floats = npt.NDArray[np.float64]
_CELLS = 1 << 26
"""More cells than this in the cross product of the keys do not fit."""


@dataclass(frozen=True, eq=False)
class TransitionRisk(Tabular):
    """What an intruder who knows true keys and matrices gains from a perturbed file."""

    posterior: Floats = field(repr=False)
    """Weight of the true person for each published record."""
    uniques: Floats = field(repr=False)
    """For the records that are unique as published: chance that the key is true and the person right."""

    @property
    def share(self) -> float:
        """Expected share of records matched rightly."""
        return float(self.posterior.mean())

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: the posterior weight of the true person."""
        return {"share": self.posterior}

    def table(self) -> pl.DataFrame:
        """Expected right matches over all records, and over the sample uniques."""
        rows = [
            ("posterior", self.posterior.size, self.share, float(self.posterior.max())),
            ("sample_uniques", self.uniques.size, _mean(self.uniques), _most(self.uniques)),
        ]
        return pl.DataFrame(rows, schema=["measure", "records", "mean", "highest"], orient="row")

    def views(self) -> dict[str, pl.DataFrame]:
        """The same figures, which are all risks."""
        return {"": self.table().rename({"highest": "highest_risk", "mean": "mean_risk"})}

    def picture(self) -> Picture:
        """Share of the records with a posterior weight above each level."""
        levels = (0.01, 0.05, 0.25, 0.5, 0.9)
        rows = pl.DataFrame(
            {"at": [percent(at, 0) for at in levels], "share": [float((self.posterior > at).mean()) for at in levels]}
        )
        said = ", ".join(f"> {at}: {percent(share)}" for at, share in rows.iter_rows())
        return chart(rows, "at", "share", share=True, alternative=text("picture.above", said=said))

    def to_dict(self) -> dict[str, Any]:
        """The table as plain numbers."""
        return {"share": self.share, "measures": self.table().to_dicts()}


def _mean(values: Floats) -> float | None:
    return float(values.mean()) if values.size else None


def _most(values: Floats) -> float | None:
    return float(values.max()) if values.size else None


def transition_risk(
    original: Any, masked: Any, keys: Sequence[str], matrices: Any, weight: str | None = None
) -> TransitionRisk:
    """Posterior weight of the true person, when keys were perturbed by known matrices.

    Parameters
    ----------
    original, masked
        The same records before and after, in the same coding: ``Microdata`` matched by record id, else row by row.
    keys
        The key variables; those without a matrix were not perturbed.
    matrices
        For each perturbed key: from code → to code → probability; or a table with one row a transition and the columns
        ``variable``, ``from``, ``to`` and ``probability``.
    weight
        Sampling weights of the original, for the population counts of the uniques.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": [1, 1, 2]})
    >>> same = {"sexo": {1: {1: 1.0}, 2: {2: 1.0}}}
    >>> transition_risk(frame, frame, keys=["sexo"], matrices=same).posterior.tolist()
    [0.5, 0.5, 1.0]
    """
    after, before = beside(masked, original)
    names, matrices = variable_names(keys), by_key(matrices)
    if unknown := set(matrices) - set(names):
        raise RoleError("matrix-not-key", variables=tuple(sorted(unknown)))
    true, published = _strict_together(before, after, names)
    tensors = [over_digits(true, j, matrices[name]) if name in matrices else None for j, name in enumerate(names)]
    hidden = np.column_stack([emptied(after, name) & before.column(name).is_not_null().to_numpy() for name in names])
    people = true.count.astype(np.float64)
    population = people if weight is None else weighed(engine(before), true, weight)
    alone = published.count[published.index] == 1
    posterior, unique = np.zeros(after.height), np.zeros(after.height)
    patterns, place = np.unique(hidden, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(place.reshape(-1) == number)
        seen = _Seen.of(true.digits - 1, np.flatnonzero(~pattern), tensors)
        source, image = true.index[rows], published.index[rows]
        right = seen.chance(source, image)
        if not right.all():
            raise DataError("matrix-impossible", count=int((right == 0).sum()))
        posterior[rows] = right / seen.reached(people)[seen.cell(image)]
        single = image[alone[rows]]
        known = seen.counted(population)
        stays = np.where(known[seen.cell(single)] > 0, seen.chance(single, single), 0.0)
        unique[rows[alone[rows]]] = stays / seen.moved_to(known)[seen.cell(single)]
    return TransitionRisk(posterior, unique[alone])


@dataclass(frozen=True, eq=False)
class _Seen:
    """The distinct keys seen through some variables: those without a matrix as one, and each of the others."""

    digits: npt.NDArray[np.int32]
    fixed: npt.NDArray[np.int64]
    """Number of each key's combination of the variables without a matrix."""
    moved: tuple[int, ...]
    tensors: tuple[Floats, ...]

    @classmethod
    def of(
        cls, digits: npt.NDArray[np.int32], visible: npt.NDArray[np.int64], tensors: Sequence[Floats | None]
    ) -> _Seen:
        still = [j for j in visible if tensors[j] is None]
        held = {int(j): tensor for j in visible if (tensor := tensors[j]) is not None}
        fixed = np.zeros(len(digits), dtype=np.int64)
        if still:
            fixed = np.unique(digits[:, still], axis=0, return_inverse=True)[1].reshape(-1)
        cells = float(fixed.max(initial=0) + 1) * np.prod([len(tensor) for tensor in held.values()], dtype=np.float64)
        if cells > _CELLS:
            raise DataError("cells-too-many", cells=f"{cells:.2g}", most=_CELLS)
        return cls(digits, fixed, tuple(held), tuple(held.values()))

    def chance(self, source: npt.NDArray[np.int32], image: npt.NDArray[np.int32]) -> Floats:
        """P(y | x) for pairs of keys."""
        found: Floats = (self.fixed[source] == self.fixed[image]).astype(np.float64)
        for j, tensor in zip(self.moved, self.tensors, strict=True):
            found *= tensor[self.digits[source, j], self.digits[image, j]]
        return found

    def cell(self, keys: npt.NDArray[Any] | slice) -> tuple[npt.NDArray[Any], ...]:
        """The place of keys in the table of what is reached."""
        return (self.fixed[keys], *(self.digits[keys, j] for j in self.moved))

    def reached(self, counts: Floats) -> Floats:
        """For every cell, the sum over true keys of their count times the chance to land there."""
        return self.moved_to(self.counted(counts))

    def counted(self, counts: Floats) -> Floats:
        """For every cell, the sum of the counts of the true keys in it."""
        table = np.zeros([int(self.fixed.max(initial=0)) + 1, *(len(tensor) for tensor in self.tensors)])
        np.add.at(table, self.cell(slice(None)), counts)
        return table

    def moved_to(self, table: Floats) -> Floats:
        """For every cell, what lands there of a table of true counts."""
        for axis, tensor in enumerate(self.tensors, start=1):
            table = np.moveaxis(np.tensordot(table, tensor, axes=(axis, 0)), -1, axis)
        return np.asarray(table)


def _strict_together(before: Microdata, after: Microdata, keys: tuple[str, ...]) -> tuple[Keys, Keys]:
    """Both files in one coding in which missing is a category."""
    both = engine(Microdata.stack(before.select(keys), after.select(keys))).encode(keys, "strict")
    half = before.height
    parts = (both.index[:half], both.index[half:])
    counts = [np.bincount(part, minlength=len(both.digits)).astype(np.int64) for part in parts]
    return (
        Keys(both.names, both.categories, both.digits, parts[0], counts[0]),
        Keys(both.names, both.categories, both.digits, parts[1], counts[1]),
    )
