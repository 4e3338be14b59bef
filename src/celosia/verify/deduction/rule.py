"""What every rule is: something that is true of all records, whether their cells are published or not."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.microdata import Microdata
from celosia.verify.deduction.cells import Floats, Ints, Mask
from celosia.verify.deduction.knowledge import Knowledge


class Rule(ABC):
    """Something that is true of the file as it was before cells were emptied and codes were grouped."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How a report calls it."""

    @property
    @abstractmethod
    def variables(self) -> tuple[str, ...]:
        """What it speaks of."""

    @property
    def household(self) -> str | None:
        """What the records share that it speaks of together; ``None`` where it speaks of each by itself."""
        return None

    @property
    def published(self) -> bool:
        """Whether it speaks of codes as they are published, and not as they were."""
        return False

    def learned(self, data: Microdata) -> Self:
        """The rule with what the file itself teaches."""
        return self

    @abstractmethod
    def wrong(self, known: Knowledge) -> Mask:
        """True for each record, or household, that cannot keep it, whatever its open cells hold."""

    @abstractmethod
    def narrow(self, known: Knowledge, rows: Ints) -> None:
        """Take codes away that it excludes; ``rows`` are the records with emptied cells."""


class RecordRule(Rule):
    """A rule on the cells of one record."""

    @abstractmethod
    def fits(self, table: Microdata) -> Mask:
        """True for the records that keep it; every cell is known."""

    def implied(self, table: Microdata, name: str) -> pl.Series | None:
        """The code of a variable as the others of the record give it, null where they do not."""
        return None

    def wrong(self, known: Knowledge) -> Mask:
        """Records of which no combination of codes fits."""
        return known.contradicted(self.variables, self.fits, self.published)

    def narrow(self, known: Knowledge, rows: Ints) -> None:
        """Keep combinations that fit; compute codes that cannot be listed."""
        known.keep(self.variables, rows, self.fits, self.name, self.published)
        for name, alone in known.lone_gaps(self.variables):
            chosen = np.intersect1d(alone, rows)
            codes = self.implied(known.written(self.variables, chosen), name)
            if codes is not None:
                known.settle(name, chosen, codes, self.name)


def numbers(data: Microdata, name: str) -> Floats:
    """The numbers of a variable; NaN where it holds none."""
    values = data.column(name)
    missing = data.dictionary[name].missing_mask(values)
    return spell_series(values).set(missing, None).cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()


def codes_of(data: Microdata, names: tuple[str, ...]) -> pl.DataFrame:
    """Variables as codes."""
    return pl.DataFrame([spell_series(data.column(name)).alias(name) for name in names])
