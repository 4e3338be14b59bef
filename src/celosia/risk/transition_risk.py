r"""Risk after keys were perturbed by known transition matrices (PRAM).

Counts of a perturbed file are not its risk: a key that looks shared may hide a person who was not moved at all. With
the probability :math:`M_v(a,b)` that category :math:`a` of key :math:`v` is published as :math:`b`, an intruder who
knows everybody's true keys gives a published record :math:`y` of the person :math:`i` the posterior weight

.. math:: w_i = \frac{P(y_i \mid x_i)}{\sum_j P(y_i \mid x_j)}, \qquad P(y \mid x) = \prod_v M_v(x_v, y_v),

whose mean is the expected share of right matches. For a sample unique published as :math:`j`, with population counts
:math:`F_k` of the true keys, the chance that it is right is (Shlomo & Skinner 2010)

.. math:: \frac{M_{jj}}{\sum_k F_k M_{kj}}.

The identity gives back the unperturbed risk; a matrix with equal rows gives :math:`1/n`.

References
----------
Shlomo & Skinner (2010), *Assessing the protection provided by misclassification-based disclosure limitation methods for
survey microdata*, Annals of Applied Statistics 4(3), 1291-1310.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.frames import enter
from celosia.core.language import percent, text
from celosia.core.microdata import Microdata
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines import Keys, engine
from celosia.engines.contract import WEIGHT_SCALE

Floats = npt.NDArray[np.float64]
Matrix = Mapping[str, Mapping[str, float]]
"""From code → to code → probability."""

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

    def table(self) -> pl.DataFrame:
        """Expected right matches over all records, and over the sample uniques."""
        rows = [
            ("posterior", self.posterior.size, self.share, float(self.posterior.max())),
            ("sample_uniques", self.uniques.size, *((_mean(self.uniques), _most(self.uniques)))),
        ]
        return pl.DataFrame(rows, schema=["measure", "records", "mean", "highest"], orient="row")

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
    original: Any, masked: Any, keys: Sequence[str], matrices: Mapping[str, Matrix], weight: str | None = None
) -> TransitionRisk:
    """Posterior weight of the true person, when keys were perturbed by known matrices.

    Parameters
    ----------
    original, masked
        The same records before and after, in the same coding.
    keys
        The key variables; those without a matrix were not perturbed.
    matrices
        For each perturbed key: from code → to code → probability.
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
    before, after = enter(original), enter(masked)
    if unknown := set(matrices) - set(keys):
        raise RoleError("matrix-not-key", variables=tuple(sorted(unknown)))
    if before.height != after.height:
        raise DataError("truth-records", published=after.height, truth=before.height)
    true, published = _strict_together(before, after, tuple(keys))
    tensors = [_matrix(true, j, matrices.get(name)) for j, name in enumerate(true.names)]
    reached = _reach(true, true.count.astype(np.float64), tensors)
    right = np.ones(before.height)
    for j, tensor in enumerate(tensors):
        right *= tensor[true.digits[true.index, j] - 1, published.digits[published.index, j] - 1]
    at_record = reached[tuple(published.digits[published.index].T - 1)]
    posterior = np.divide(right, at_record, out=np.zeros_like(right), where=at_record > 0)
    return TransitionRisk(posterior, _unique_risk(before, true, published, tensors, weight))


def _unique_risk(before: Microdata, true: Keys, published: Keys, tensors: list[Floats], weight: str | None) -> Floats:
    """M_jj / sum_k F_k M_kj for the records that are unique as published."""
    population = true.count.astype(np.float64)
    if weight is not None:
        held = engine(before)
        population = held.sum_by_key(true, held.weights(weight)) / WEIGHT_SCALE
    expected = _reach(true, population, tensors)
    alone = np.flatnonzero(published.count[published.index] == 1)
    cells = tuple(published.digits[published.index[alone]].T - 1)
    stays = np.ones(alone.size)
    for tensor, cell in zip(tensors, cells, strict=True):
        stays *= tensor[cell, cell]
    chance: Floats = np.divide(stays, expected[cells], out=np.zeros_like(stays), where=expected[cells] > 0)
    return chance


def _strict_together(before: Microdata, after: Microdata, keys: tuple[str, ...]) -> tuple[Keys, Keys]:
    """Both files in one coding in which missing is a category."""
    both = engine(Microdata.stack(before.select(keys), after.select(keys))).encode(keys, "strict")
    half = before.height
    parts = (both.index[:half], both.index[half:])
    counts = [np.bincount(part, minlength=len(both.digits)).astype(np.int64) for part in parts]
    space = float(np.prod([max(len(c), 1) for c in both.categories], dtype=np.float64))
    if space > _CELLS:
        raise DataError("cells-too-many", cells=f"{space:.2g}", most=_CELLS)
    return (
        Keys(both.names, both.categories, both.digits, parts[0], counts[0]),
        Keys(both.names, both.categories, both.digits, parts[1], counts[1]),
    )


def _matrix(keys: Keys, j: int, given: Matrix | None) -> Floats:
    """The matrix of one key over its digits; the identity where none is given."""
    codes = keys.categories[j].codes
    size = len(codes)
    if given is None:
        return np.eye(size)
    place = {code: i for i, code in enumerate(codes)}
    matrix = np.eye(size)
    for source, row in given.items():
        total = sum(row.values())
        if abs(total - 1) > 1e-6 or min(row.values()) < 0:
            raise OptionError("matrix-row", variable=keys.names[j])
        at = place.get(spell(source))
        if at is None:
            continue
        matrix[at] = 0.0
        for target, chance in row.items():
            to = place.get(spell(target))
            if to is not None:
                matrix[at, to] = chance
    return matrix


def _reach(keys: Keys, counts: Floats, tensors: list[Floats]) -> Floats:
    """For every cell of the cross product, the sum over true keys of their count times the chance to land there."""
    table = np.zeros([max(len(c), 1) for c in keys.categories])
    table[tuple(keys.digits.T - 1)] = counts
    for j, tensor in enumerate(tensors):
        table = np.moveaxis(np.tensordot(table, tensor, axes=(j, 0)), -1, j)
    reached: Floats = table
    return reached
