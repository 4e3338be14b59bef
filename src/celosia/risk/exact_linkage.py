r"""Exact linkage: whom an intruder with a file of her own finds alone in the published file, and what she learns.

The intruder holds an auxiliary file: one record a person, with the keys and a name to them. For person :math:`i` the
candidates :math:`C_i` are the published records that agree with her on every key that both observe. She claims a link
where there is one candidate only, and reads that record's sensitive value :math:`y`:

.. math::
    \text{linked} = \sum_i I(|C_i| = 1), \qquad
    \text{right} = \sum_i I(|C_i| = 1,\; y_{C_i} = x_i), \qquad
    \text{expected} = \frac1n \sum_i \frac{|\{j \in C_i : y_j = x_i\}|}{|C_i|}

with :math:`x_i` the person's true value; the last one is how often a guess among the candidates is right.

It asks for no correspondence between records, so that it serves for a file whose records are nobody's (synthetic,
or made under differential privacy) as well as for a masked one. There a link is no identification: what counts is
how much more often the claims are right than :math:`\text{baseline}`, the share of the linked persons who have the
most common value of the published file, which the intruder would have guessed without any link.

References
----------
Garfinkel (2022), *Differential privacy and the 2020 US census*, MIT Case Studies in Social and Ethical
Responsibilities of Computing, on the linkage of the tables of 2010 with commercial data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import DataError, RoleError
from celosia.core.frames import enter, variable_names
from celosia.core.language import number, percent, text
from celosia.core.microdata import Microdata
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines import engine
from celosia.risk.wildcards import Packed, count_in

Counts = npt.NDArray[np.int64]
_BANDS = ((0, 0, "0"), (1, 1, "1"), (2, 4, "2–4"), (5, 9, "5–9"), (10, np.inf, "10+"))
_UNTOLD, _UNKNOWN = "__untold", "__unknown"
"""An empty cell of the published file, and of the intruder's: they agree with nothing, each other neither."""


@dataclass(frozen=True, eq=False)
class ExactLinkage(Tabular):
    """The candidates of every person of the auxiliary file.

    Attributes
    ----------
    candidates
        Published records that agree with each person.
    agreeing
        Those of them with the person's own sensitive value; ``None`` where none was asked for.
    common
        For each person, whether her value is the most common one of the published file.
    """

    of_others: ClassVar[bool] = True
    """It is about the people of the auxiliary file; groups of the published one say nothing of them."""
    keys: tuple[str, ...]
    sensitive: str | None
    candidates: Counts = field(repr=False)
    agreeing: Counts | None = field(repr=False, default=None)
    common: npt.NDArray[np.bool_] | None = field(repr=False, default=None)

    @property
    def records(self) -> int:
        """Persons of the auxiliary file."""
        return self.candidates.size

    @property
    def linked(self) -> int:
        """Persons with one candidate only."""
        return int((self.candidates == 1).sum())

    @property
    def share(self) -> float:
        """Persons with one candidate only, as a share."""
        return self.linked / self.records

    @property
    def right(self) -> int | None:
        """Linked persons whose sensitive value is the candidate's."""
        if self.agreeing is None:
            return None
        return int(((self.candidates == 1) & (self.agreeing == 1)).sum())

    @property
    def precision(self) -> float | None:
        """How often a claim is right; ``None`` where nobody was linked."""
        return None if self.right is None or not self.linked else self.right / self.linked

    @property
    def baseline(self) -> float | None:
        """How often it would be right to name the most common value for the same persons."""
        return None if self.common is None or not self.linked else float(self.common[self.candidates == 1].mean())

    @property
    def expected(self) -> float | None:
        """How often a guess among the candidates names the person's value."""
        if self.agreeing is None:
            return None
        some = self.candidates > 0
        return float((self.agreeing[some] / self.candidates[some]).sum() / self.records)

    def by_record(self) -> dict[str, npt.NDArray[Any]]:
        """Of each person of the auxiliary file: whether there is one candidate only."""
        return {"share": self.candidates == 1}

    def table(self) -> pl.DataFrame:
        """Persons by the number of their candidates."""
        rows = []
        for low, high, name in _BANDS:
            here = (self.candidates >= low) & (self.candidates <= high)
            row: dict[str, Any] = {"candidates": name, "records": int(here.sum()), "share": float(here.mean())}
            if self.agreeing is not None and low > 0:
                row["right"] = float((self.agreeing[here] / self.candidates[here]).sum())
            rows.append(row)
        return pl.DataFrame(rows)

    def remarks(self) -> tuple[str, ...]:
        """How often a claim is right, beside a guess without any link."""
        if self.precision is None or self.baseline is None:
            return ()
        facts = {"precision": percent(self.precision), "baseline": percent(self.baseline)}
        return (text("remark.exact-linkage", linked=number(self.linked, 0), **facts),)

    def picture(self) -> Picture:
        """Share of the persons by the number of their candidates."""
        rows = self.table().select("candidates", "share")
        said = ", ".join(f"{n}: {percent(share)}" for n, share in rows.iter_rows())
        return chart(rows, "candidates", "share", share=True, alternative=text("picture.exact-linkage", said=said))

    def to_dict(self) -> dict[str, Any]:
        """Totals and shares."""
        names = ("records", "linked", "share", "right", "precision", "baseline", "expected")
        return {"keys": list(self.keys), "sensitive": self.sensitive} | {name: getattr(self, name) for name in names}


def exact_linkage(frame: Any, keys: Sequence[str], register: Any, sensitive: str | None = None) -> ExactLinkage:
    """Link the persons of an auxiliary file to published records by exact agreement on the keys.

    Parameters
    ----------
    frame
        The published file.
    keys
        What the intruder knows of each person.
    register
        The auxiliary file: one record a person, with the keys in the same coding (and the true ``sensitive`` value,
        to judge what the intruder learns).
    sensitive
        What she wants to learn. A published record without a value teaches nothing.

    Examples
    --------
    >>> import polars as pl
    >>> published = pl.DataFrame({"sexo": [1, 1, 2], "edad": [30, 30, 40], "pueblo": [0, 1, 1]})
    >>> known = pl.DataFrame({"sexo": [1, 2, 2], "edad": [30, 40, 50], "pueblo": [0, 1, 0]})
    >>> found = exact_linkage(published, keys=["sexo", "edad"], register=known, sensitive="pueblo")
    >>> found.candidates.tolist(), found.linked, found.right
    ([2, 1, 0], 1, 1)
    """
    data, known, names = enter(frame), enter(register), variable_names(keys)
    if known.height == 0 or data.height == 0:
        raise DataError("no-records")
    asked = names if sensitive is None else (*names, sensitive)
    if absent := [name for name in asked if name not in known]:
        raise RoleError("register-without-keys", variables=tuple(absent))
    if sensitive in names:
        raise RoleError("sensitive-is-key", variables=(sensitive,))
    data.require(*asked)
    candidates = _agreeing(data, known, names)
    if sensitive is None:
        return ExactLinkage(names, None, candidates)
    data, known = _plain(data, sensitive, _UNTOLD), _plain(known, sensitive, _UNKNOWN)
    is_common = (known.column(sensitive) == _most_common(data.column(sensitive))).to_numpy()
    return ExactLinkage(names, sensitive, candidates, _agreeing(data, known, asked), is_common)


def _agreeing(data: Microdata, known: Microdata, names: tuple[str, ...]) -> Counts:
    """For each person, the published records that agree on what both observe."""
    published, persons = engine(data).encode_with(names, known)
    counted, _ = count_in(Packed.of(persons), Packed.of(published), published.count, published.count)
    return persons.of_records(counted)


def _plain(data: Microdata, name: str, empty: str) -> Microdata:
    """The variable as plain codes, those of missing values too, without marks of cells that were emptied."""
    codes = spell_series(data.column(name)).fill_null(empty)
    return data.drop(name).with_columns({name: codes})


def _most_common(codes: pl.Series) -> str:
    """The most common code, the first of several; what agrees with nothing where all cells are empty."""
    counted = codes.filter(codes != _UNTOLD).value_counts(name="n").sort("n", codes.name, descending=[True, False])
    return str(counted[codes.name][0]) if counted.height else _UNTOLD
