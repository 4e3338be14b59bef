r"""Special uniques (SUDA2): how special the records are that few variables suffice to single out.

With :math:`m` key variables, a minimal sample unique of :math:`k` of them (see ``minimal_uniques``) weighs

.. math::
    w_k = (m-k)! \quad\text{("original")}, \qquad
    w_k = (2^{m-k}-1)\,\frac{k!\,(m-k)!}{m!} \quad\text{("ihsn")},

and a record's score :math:`s_i` is the sum over its minimal uniques; the part of it that passes through a
variable is that variable's contribution. DIS-SUDA turns scores into a chance of a correct match: with
:math:`P` the records in keys of exactly two, :math:`\delta` the fraction that an intruder would have of the population
(``dis_fraction``), :math:`Q = 1 + (8-m)/20` and :math:`A = \sum_{s_i>0} s_i^{-Q}`,

.. math:: \mathrm{DIS}_i = \Bigl(1 + \frac{P(1-\delta)/\delta}{s_i^{Q} A}\Bigr)^{-1} \quad (s_i > 0).

Where no two records share a key, :math:`P = 0` says nothing and every DIS of a positive score is 1.

Files of one or two keys are measured as they are; sdcMicro adds constant columns up to three, so that its
:math:`m` is 3 there.

References
----------
Elliot, Manning & Ford (2002), see ``minimal_uniques``. Elliot (2000), *DIS: a new approach to the measurement of
statistical disclosure risk*, Risk Management 2(4), 39-48. Templ, Kowarik & Meindl (2015), JSS 67(4).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import factorial
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.frames import variable_names
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Keys, engine
from celosia.kernels.uniques import add_scores
from celosia.risk.minimal_uniques import MinimalUniques, minimal_uniques
from celosia.risk.options import one_of, within
from celosia.risk.projection import spelled
from celosia.risk.records import records_of

Floats = npt.NDArray[np.float64]
Scores = Literal["original", "ihsn"]

_DIS_BANDS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)


@dataclass(frozen=True, eq=False)
class Suda2(Tabular):
    """Scores of the special uniques of a file.

    Attributes
    ----------
    uniques
        The minimal sample uniques.
    of_key, dis_of_key
        Score and DIS of each distinct key.
    part_of_key
        For each distinct key and variable, the score of the minimal uniques that hold the variable.
    dis_fraction, weights
        As asked.
    """

    uniques: MinimalUniques = field(repr=False)
    of_key: Floats = field(repr=False)
    dis_of_key: Floats = field(repr=False)
    part_of_key: Floats = field(repr=False)
    dis_fraction: float
    weights: Scores

    @property
    def keys(self) -> Keys:
        """The distinct keys."""
        return self.uniques.keys

    @cached_property
    def scores(self) -> Floats:
        """Score of each record; 0 for those that have no minimal unique."""
        return self.keys.of_records(self.of_key)

    @cached_property
    def dis(self) -> Floats:
        """DIS-SUDA of each record."""
        return self.keys.of_records(self.dis_of_key)

    @cached_property
    def contributions(self) -> pl.DataFrame:
        """One row a record, one column a variable: the share of the score that passes through it (0 without score)."""
        whole = np.where(self.of_key > 0, self.of_key, 1.0)
        return pl.DataFrame(
            {name: self.keys.of_records(self.part_of_key[:, j] / whole) for j, name in enumerate(self.keys.names)}
        )

    def minimal_uniques(self) -> pl.DataFrame:
        """Every minimal unique: the position of its record, its variables and how many they are."""
        return self.uniques.table()

    def attribute_contributions(self) -> pl.DataFrame:
        """Share of all scores that passes through each variable (together more than 1); null where no score is."""
        whole = self.of_key.sum()
        share = [float(part / whole) if whole else None for part in self.part_of_key.sum(axis=0)]
        types = {"variable": pl.String, "contribution": pl.Float64}
        return pl.DataFrame({"variable": list(self.keys.names), "contribution": share}, schema=types)

    def level_contributions(self) -> pl.DataFrame:
        """Of what passes through each variable, the share at each of its categories."""
        variable: list[str] = []
        level: list[str] = []
        share: list[float | None] = []
        for j, name in enumerate(self.keys.names):
            known = self.keys.categories[j]
            part = np.bincount(self.keys.digits[:, j], self.part_of_key[:, j], minlength=len(known) + 1)[1:]
            whole = part.sum()
            variable += [name] * len(known)
            level += spelled(known)
            share += [float(p / whole) if whole else None for p in part]
        types = {"variable": pl.String, "level": pl.String, "contribution": pl.Float64}
        return pl.DataFrame({"variable": variable, "level": level, "contribution": share}, schema=types)

    def by_dis(self) -> pl.DataFrame:
        """How many records have a DIS of 0, and up to each tenth: (0, 0.1], … (0.6, 0.7], above."""
        band = np.searchsorted(np.array(_DIS_BANDS), self.dis_of_key, side="left")
        records = np.bincount(band, self.keys.count, minlength=len(_DIS_BANDS) + 1).astype(np.int64)
        return pl.DataFrame({"from": [None, *_DIS_BANDS], "to": [*_DIS_BANDS, None], "records": records})

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: its DIS, and whether it is special."""
        return {"dis": self.dis, "special": self.scores > 0}

    def table(self) -> pl.DataFrame:
        """Minimal uniques by size, and the records whose smallest has that size."""
        return self.uniques.by_size()

    def views(self) -> dict[str, pl.DataFrame]:
        """Minimal uniques by size; where there are any, what passes through each variable and category, and the DIS."""
        if not self.uniques.key.size:
            return {"": self.table()}
        levels = self.level_contributions().filter(pl.col("contribution") > 0)
        return {
            "": self.table(),
            "tables.contributions": self.attribute_contributions(),
            "tables.levels": levels.sort("contribution", descending=True, maintain_order=True),
            "tables.dis": self.by_dis().filter(pl.col("from").is_not_null()),
        }

    def picture(self) -> Picture:
        """Share of the scores that passes through each variable."""
        rows = self.attribute_contributions().select("variable", pl.col("contribution").fill_null(0.0).alias("share"))
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        return chart(rows, "variable", "share", share=True, alternative=text("picture.suda2", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Totals: minimal uniques, records that have any, the largest DIS, contributions by variable."""
        return {
            "keys": list(self.keys.names),
            "records": self.keys.records,
            "scores": self.weights,
            "dis_fraction": self.dis_fraction,
            "max_size": self.uniques.max_size,
            "minimal_uniques": int(self.uniques.key.size),
            "special": int(np.unique(self.uniques.key).size),
            "highest_dis": float(self.dis_of_key.max(initial=0.0)),
            "contributions": dict(self.attribute_contributions().iter_rows()),
        }


def suda2(
    frame: Any,
    keys: Sequence[str],
    dis_fraction: float = 0.01,
    scores: Scores = "original",
    max_size: int | None = None,
    run: Run | None = None,
) -> Suda2:
    """Score the special uniques of a file.

    Parameters
    ----------
    frame
        Any table, or ``Microdata``. A missing cell equals nothing; not applicable is a category.
    keys
        The key variables.
    dis_fraction
        The fraction of the population that the file is, in (0, 1].
    scores
        How a minimal unique weighs by its size: ``"original"`` or ``"ihsn"``.
    max_size
        The largest minimal uniques to look for; all by default.

    Returns
    -------
    Suda2
        ``.scores``, ``.dis`` and ``.contributions``, one value or row a record.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"sexo": ["H", "H", "H", "M"], "edad": [30, 30, 31, 30], "educ": [1, 1, 1, 1]})
    >>> suda2(frame, keys=["sexo", "edad", "educ"]).scores.tolist()
    [0.0, 0.0, 2.0, 2.0]
    """
    within("dis_fraction", dis_fraction, 0, 1, above=True)
    one_of("scores", scores, get_args(Scores))
    names = variable_names(keys)
    uniques = minimal_uniques(engine(records_of(frame)).encode(names, "wildcard"), max_size, run)
    of_key = np.zeros(uniques.keys.count.size)
    parts = np.zeros((of_key.size, len(names)))
    member = np.zeros((len(uniques.subsets), len(names)), dtype=np.bool_)
    for i, subset in enumerate(uniques.subsets):
        member[i, list(subset)] = True
    weight = np.array([_weight(len(names), len(subset), scores) for subset in uniques.subsets], dtype=np.float64)
    add_scores(uniques.key, uniques.subset, weight, member, of_key, parts)
    return Suda2(uniques, of_key, _dis(of_key, uniques.keys, dis_fraction), parts, dis_fraction, scores)


def _weight(variables: int, size: int, scores: Scores) -> float:
    """What a minimal unique of this size adds to the score."""
    rest = variables - size
    if scores == "original":
        return float(factorial(rest))
    return float((2**rest - 1) * factorial(size) * factorial(rest) / factorial(variables))


def _dis(score: Floats, keys: Keys, fraction: float) -> Floats:
    """DIS of each distinct key."""
    special = score > 0
    powered = score[special] ** (1 + (8 - len(keys.names)) / 20)
    pairs = 2 * int((keys.count == 2).sum())
    dis = np.zeros(score.size)
    dis[special] = 1 / (1 + pairs * (1 - fraction) / fraction / (powered * (1 / powered).sum()))
    return dis
