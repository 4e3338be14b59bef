r"""Risk after any perturbation: how often the best guess is right.

The intruder knows a person's true key and takes, in the treated file, the records that agree with it on the most keys;
where several agree equally she draws one of them. The measure runs this guess for every person and counts, by
internal record id, how often it names the right record: the sum of :math:`1/c_i` over the persons whose own record is
among their :math:`c_i` best candidates. A suppressed cell agrees with anything.

It needs no model of the method, and it is what a file's k-anonymity after perturbation is *not*: counts of false values
may rise while the guess hardly gets worse.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.frames import variable_names
from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines import Keys, engine
from celosia.risk.records import beside
from celosia.risk.wildcards import Packed, count_in


@dataclass(frozen=True, eq=False)
class BestGuess(Tabular):
    """How often a guess by the nearest key names the right record."""

    chance: npt.NDArray[np.float64] = field(repr=False)
    """Chance that each person's guess is right."""
    agreeing: npt.NDArray[np.int64] = field(repr=False)
    """On how many keys each person's best candidates agree."""
    keys: tuple[str, ...]

    @property
    def share(self) -> float:
        """Expected share of right guesses."""
        return float(self.chance.mean())

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each person: the chance that the guess is right."""
        return {"share": self.chance}

    def table(self) -> pl.DataFrame:
        """Persons, right guesses and their share, by the number of keys that agree."""
        levels = range(len(self.keys), -1, -1)
        rows = [(m, int((self.agreeing == m).sum()), float(self.chance[self.agreeing == m].sum())) for m in levels]
        made = pl.DataFrame(rows, schema=["agreeing", "records", "right"], orient="row").filter(pl.col("records") > 0)
        return made.with_columns((pl.col("right") / pl.col("records")).alias("share"))

    def picture(self) -> Picture:
        """Share of right guesses by the number of keys that agree."""
        rows = self.table().with_columns(pl.col("agreeing").cast(pl.String))
        said = ", ".join(f"{row['agreeing']}: {percent(row['share'])}" for row in rows.to_dicts())
        return chart(rows, "agreeing", "share", share=True, alternative=text("picture.best-guess", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Share of right guesses, and the table."""
        return {"share": self.share, "levels": self.table().to_dicts()}


def best_guess(original: Any, masked: Any, keys: Sequence[str]) -> BestGuess:
    """How often the record that looks most like a person's true key is her own.

    Parameters
    ----------
    original, masked
        The same records before and after, in the same coding: ``Microdata`` matched by record id, else row by row.
    keys
        What the intruder knows.

    Examples
    --------
    >>> import polars as pl
    >>> before = pl.DataFrame({"sexo": [1, 1, 2], "edad": [30, 40, 30]})
    >>> after = pl.DataFrame({"sexo": [1, 2, 2], "edad": [30, 40, 30]})
    >>> best_guess(before, after, keys=["sexo", "edad"]).chance.tolist()
    [1.0, 0.5, 1.0]
    """
    after, before = beside(masked, original)
    names = variable_names(keys)
    published, true = engine(after).encode_with(names, before)
    hidden = published.digits[published.index] == 0
    same = (true.digits[true.index] == published.digits[published.index]) | hidden
    own = same.sum(axis=1)
    candidates, agreeing = _best(true, published, len(names))
    found = candidates[true.index]
    right = (own == agreeing[true.index]) & (found > 0)
    chance = np.divide(1.0, found, out=np.zeros(found.size), where=right)
    return BestGuess(chance, agreeing[true.index], names)


def _best(true: Keys, published: Keys, variables: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """For each true key, how many published records agree on the most keys, and on how many."""
    candidates = np.zeros(len(true.digits), dtype=np.int64)
    agreeing = np.zeros(len(true.digits), dtype=np.int64)
    left = np.flatnonzero(true.count > 0)
    known = Packed.of(published)
    for level in range(variables, -1, -1):
        if not left.size:
            break
        counts = np.zeros(left.size, dtype=np.int64)
        for subset in combinations(range(variables), level):
            part = Keys(true.names, true.categories, true.digits[left], true.index[:0], true.count[left])
            asked = np.zeros((left.size, variables), dtype=np.bool_)
            asked[:, subset] = True
            counts += count_in(Packed.of(part, asked), known, published.count, published.count)[0]
        reached = counts > 0
        candidates[left[reached]], agreeing[left[reached]] = counts[reached], level
        left = left[~reached]
    return candidates, agreeing
