r"""l-diversity: how many values of a sensitive variable a class of equal keys holds, well mixed.

An intruder who finds a person's class learns the sensitive value without knowing which record is theirs if all of the
class share it. With :math:`f_1 \ge f_2 \ge \dots \ge f_m` the records of each of the :math:`m` values that a class of
:math:`n` observed ones holds,

.. math::
    \text{distinct} = m, \qquad
    \text{entropy} = \exp\Bigl(-\sum_j \frac{f_j}{n}\ln\frac{f_j}{n}\Bigr), \qquad
    \text{recursive}(c) = \max\{l : f_1 < c\,(f_l + f_{l+1} + \dots + f_m)\},

the last one being 1 where no :math:`l` fulfils it. Each is a number of values: the entropy an effective one,
equal to :math:`m` where all are equally frequent. A file is l-diverse in one of the three senses where every class
reaches l in it. For each class :math:`\text{entropy} \le \text{distinct}` and
:math:`\text{recursive} \le \text{distinct}`.

Missing sensitive values (non-response, suppressed) are no values (see ``risk.classes``): :math:`m`, :math:`f` and
:math:`n` are those of the observed ones, the number of the missing ones stands beside them, and a class with none
observed has 0, 0, 0 and violates nothing. All records of a class that falls short count as violations, those with a
missing value too: what the others said is what an intruder will believe of them. Emptying cells never raises
:math:`m`; entropy and recursive describe what is left, and rise where that is more even. sdcMicro counts every missing
value as a value of its own, so that emptying cells raises its l; where no sensitive value is missing both agree.

Several sensitive variables are measured one by one. For an intruder who knows some of them, put those among the keys.

References
----------
Machanavajjhala, Kifer, Gehrke & Venkitasubramaniam (2007), *l-diversity: privacy beyond k-anonymity*,
ACM TKDD 1(1), definitions 4.1-4.3. Hill (1973) for the effective number, Ecology 54, 427-432.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.language import percent, text
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines.contract import Ints
from celosia.risk.classes import ROUNDING, Floats, SensitiveClasses, sensitive_classes
from celosia.risk.options import one_of, within

Kind = Literal["distinct", "entropy", "recursive"]
KINDS: tuple[Kind, ...] = get_args(Kind)
_LEVELS = (2, 3, 4, 5)


@dataclass(frozen=True, eq=False)
class Diversity:
    """Diversity of one sensitive variable, a value a class."""

    classes: SensitiveClasses = field(repr=False)
    entropy: Floats = field(repr=False)
    recursive: Ints = field(repr=False)

    @classmethod
    def of(cls, classes: SensitiveClasses, c: float) -> Diversity:
        """The diversity of every class."""
        from celosia.kernels.attribute import diversities

        entropy = np.empty(classes.distinct.size)
        recursive = np.empty(classes.distinct.size, dtype=np.int64)
        diversities(classes.start, classes.count, float(c), entropy, recursive)
        return cls(classes, entropy, recursive)

    @property
    def distinct(self) -> Ints:
        """Distinct values of each class."""
        return self.classes.distinct

    def below(self, l: float, kind: Kind) -> npt.NDArray[np.bool_]:  # noqa: E741 (its name in the literature)
        """The classes with an observed value whose diversity falls short of l."""
        reached: npt.NDArray[Any] = getattr(self, kind)
        short: npt.NDArray[np.bool_] = (reached < l - ROUNDING) & (self.classes.observed > 0)
        return short

    def of_records(self) -> pl.DataFrame:
        """One row a record: the diversity of its class, and how many of the class miss the value."""
        columns = {kind: getattr(self, kind) for kind in KINDS} | {"missing": self.classes.missing}
        return pl.DataFrame({name: self.classes.keys.of_records(values) for name, values in columns.items()})


@dataclass(frozen=True, eq=False)
class LDiversity(Tabular):
    """Diversity of the sensitive variables in every class of equal keys.

    Attributes
    ----------
    parts
        The diversity of each sensitive variable.
    c
        Of the recursive sense.
    """

    parts: tuple[Diversity, ...] = field(repr=False)
    c: float

    @property
    def records(self) -> int:
        """Number of records."""
        return self.parts[0].classes.keys.records

    def violations(self, l: float, kind: Kind = "distinct") -> int:  # noqa: E741
        """Records in classes where some sensitive variable falls short of l."""
        one_of("kind", kind, KINDS)
        within("l", l, 1)
        short = np.logical_or.reduce([part.below(l, kind) for part in self.parts])
        return int(self.parts[0].classes.keys.count[short].sum())

    def share(self, l: float, kind: Kind = "distinct") -> float:  # noqa: E741
        """Violations as a share of the records."""
        return self.violations(l, kind) / self.records

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each record: whether those of its class who answered all gave the same value of some variable."""
        one = np.logical_or.reduce([part.below(2, "distinct") for part in self.parts])
        return {"share": self.parts[0].classes.keys.of_records(one)}

    def table(self) -> pl.DataFrame:
        """One row a record, in row order; long, with a column ``sensitive``, for several variables."""
        if len(self.parts) == 1:
            return self.parts[0].of_records()
        return pl.concat(
            part.of_records().select(pl.lit(part.classes.sensitive).alias("sensitive"), pl.all()) for part in self.parts
        )

    def views(self) -> dict[str, pl.DataFrame]:
        """The summary: the table has a row a record."""
        return {"": self.summary()}

    def remarks(self) -> tuple[str, ...]:
        """What missing values count as."""
        return tuple(dict.fromkeys(said for part in self.parts for said in part.classes.remarks()))

    def summary(self) -> pl.DataFrame:
        """Records that fall short of each of a few l, by sense."""
        rows = [(kind, l, self.violations(l, kind), self.share(l, kind)) for kind in KINDS for l in _LEVELS]  # noqa: E741
        named = [(text(f"diversity.{kind}"), *rest) for kind, *rest in rows]
        return pl.DataFrame(named, schema=["measure", "l", "violations", "share"], orient="row")

    def picture(self) -> Picture:
        """Share of the records that fall short of each of a few l, by sense."""
        rows = self.summary().select(pl.col("l").cast(pl.String), "share", "measure")
        said = ", ".join(f"{measure}, l = {l}: {percent(share)}" for l, share, measure in rows.iter_rows())  # noqa: E741
        return chart(rows, "l", "share", group="measure", share=True, alternative=text("picture.diversity", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Totals, and the l that every class reaches, for each variable and sense."""
        return {
            "keys": list(self.parts[0].classes.keys.names),
            "c": self.c,
            "records": self.records,
            "classes": int(self.parts[0].classes.keys.count.size),
            "sensitive": {part.classes.sensitive: _reached(part) for part in self.parts},
        }


def _reached(part: Diversity) -> dict[str, Any]:
    observed = part.classes.observed > 0
    return {kind: getattr(part, kind)[observed].min().item() for kind in KINDS} | {
        "missing": int(part.classes.missing.sum())
    }


def l_diversity(frame: Any, keys: Sequence[str], sensitive: str | Sequence[str], c: float = 2.0) -> LDiversity:
    """Measure the diversity of sensitive variables in the classes of records with equal keys.

    Parameters
    ----------
    frame
        Any table, or ``Microdata``.
    keys
        The key variables; a missing key is a category.
    sensitive
        One variable, or several.
    c
        Of recursive diversity: how much the most frequent value may outweigh the rest.

    Returns
    -------
    LDiversity
        ``.table()`` with ``distinct``, ``entropy``, ``recursive`` and ``missing``, a row a record; ``.violations(l)``.

    Examples
    --------
    Both women of the class have the same illness; of the men, two illnesses are known and one is not.

    >>> import polars as pl
    >>> from celosia import Dictionary, Microdata, Variable
    >>> frame = pl.DataFrame({"sexo": [2, 2, 1, 1, 1], "salud": ["asma", "asma", "asma", "gripe", "99"]})
    >>> book = Dictionary.of(Variable(name="salud", missing={"99": "non_response"}))
    >>> found = l_diversity(Microdata(frame, book), keys=["sexo"], sensitive="salud")
    >>> found.table()["distinct"].to_list(), found.violations(2)
    ([1, 1, 2, 2, 2], 2)
    """
    within("c", c, 0, above=True)
    return LDiversity(tuple(Diversity.of(classes, c) for classes in sensitive_classes(frame, keys, sensitive)), c)
