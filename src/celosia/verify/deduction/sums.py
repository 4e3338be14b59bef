"""Sums: a total and its parts, in one record or over the members of a household."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from decimal import Decimal

import numpy as np
import polars as pl

from celosia.core.codes import spell
from celosia.core.dictionary import MissingKind
from celosia.core.microdata import Microdata
from celosia.verify.deduction.cells import Ints, Mask
from celosia.verify.deduction.knowledge import Knowledge
from celosia.verify.deduction.rule import RecordRule, Rule, codes_of, numbers


@dataclass(frozen=True)
class Sum(RecordRule):
    """``total`` is the sum of ``parts``, in records that lack none of them; no record lacks exactly one."""

    parts: tuple[str, ...]
    total: str

    @property
    def name(self) -> str:
        """The equation."""
        return f"{' + '.join(self.parts)} = {self.total}"

    @property
    def variables(self) -> tuple[str, ...]:
        """Parts and total."""
        return (*self.parts, self.total)

    def fits(self, table: Microdata) -> Mask:
        """True where the equation holds but for the rounding of decimals, or two and more cells are missing."""
        values = np.stack([numbers(table, name) for name in self.variables], axis=1)
        lacking = np.isnan(values).sum(axis=1)
        apart = np.abs(values[:, :-1].sum(axis=1) - values[:, -1])
        close: Mask = apart <= 1e-9 * np.maximum(1, np.abs(values).sum(axis=1))
        return np.asarray(close | (lacking >= 2), dtype=np.bool_)

    def implied(self, table: Microdata, name: str) -> pl.Series | None:
        """The number that is left, in exact decimals."""
        others = tuple(other for other in self.variables if other != name)
        lacking = np.asarray(np.isnan(np.stack([numbers(table, other) for other in others])).any(axis=0))
        sign = dict.fromkeys(self.parts, 1 if name == self.total else -1) | {self.total: 1}
        rows = codes_of(table, others).rows()
        codes = [
            None if gap else left((sign[other], code) for other, code in zip(others, row, strict=True))
            for row, gap in zip(rows, lacking, strict=True)
        ]
        return pl.Series(name, codes, dtype=pl.String)


@dataclass(frozen=True)
class HouseholdSum(Rule):
    """``total`` is the sum of ``part`` over the members of the household; members without part add none.

    A total that the file does not show, but for emptied cells, binds nobody.
    """

    group: str
    part: str
    total: str
    hidden: bool = False
    """Whether the group of some record was emptied: then no sum is sure."""

    def learned(self, data: Microdata) -> HouseholdSum:
        """The rule with what it is to know of the groups."""
        return replace(self, hidden=bool(data.suppressed(self.group).any()))

    @property
    def name(self) -> str:
        """The equation."""
        return f"Σ {self.part} / {self.group} = {self.total}"

    @property
    def variables(self) -> tuple[str, ...]:
        """Part and total."""
        return (self.part, self.total)

    @property
    def household(self) -> str | None:
        """The household."""
        return self.group

    def wrong(self, known: Knowledge) -> Mask:
        """Households whose cells are all known and do not add up."""
        whole = self._households(known).filter((pl.col("gaps") == 0) & pl.col("total").is_not_null())
        return np.array(
            [_differs(shown, total) for shown, total in whole["shown", "total"].iter_rows()], dtype=np.bool_
        )

    def narrow(self, known: Knowledge, rows: Ints) -> None:
        """The only open part of a household, and the total where no part is open."""
        homes = self._households(known)
        one = homes.filter((pl.col("gaps") == 1) & pl.col("total").is_not_null())
        codes = [
            left([(1, total), *((-1, code) for code in shown)]) for total, shown in one["total", "shown"].iter_rows()
        ]
        known.settle(self.part, one["gap"].to_numpy(), pl.Series(codes, dtype=pl.String), self.name)
        none = homes.filter((pl.col("gaps") == 0) & (pl.col("open_totals").list.len() > 0))
        sums = pl.Series([left((1, code) for code in shown) for shown in none["shown"].to_list()], dtype=pl.String)
        each = none.with_columns(sum=sums).explode("open_totals")
        known.settle(self.total, each["open_totals"].to_numpy(), each["sum"], self.name)

    def _households(self, known: Knowledge) -> pl.DataFrame:
        """A row a household: the parts that it shows, how many are open and the first of these, its total.

        None where the household of some record was emptied.
        """
        table = known.written(self.variables, known.everybody)
        codes = codes_of(table, self.variables)
        kinds = {code: known.book[self.part].kind_of(code) for code in codes[self.part].unique().to_list()}
        none = [code for code, kind in kinds.items() if kind is MissingKind.NOT_APPLICABLE]
        skipped = codes[self.part].is_in(pl.Series(none, dtype=pl.String).implode(), nulls_equal=True)
        skipped &= pl.Series(known.cells[self.part].state >= 0)
        part, total = (pl.Series(~np.isnan(numbers(table, name))) for name in self.variables)
        members = pl.DataFrame({"home": known.group(self.group), "row": known.everybody, "skipped": skipped})
        members = members.with_columns(
            shown=codes[self.part].set(~part, None), open=~part & ~skipped, total=codes[self.total].set(~total, None)
        )
        return (
            members.filter((pl.col("home") >= 0) & (not self.hidden))
            .group_by("home")
            .agg(
                pl.col("shown").drop_nulls(),
                gaps=pl.col("open").sum(),
                gap=pl.col("row").filter("open").first(),
                total=pl.col("total").drop_nulls().first(),
                open_totals=pl.col("row").filter(pl.col("total").is_null()),
            )
        )


def _differs(shown: list[str], total: str) -> bool:
    return abs(sum(map(float, shown)) - float(total)) > 1e-9 * max(1.0, sum(abs(float(code)) for code in shown))


def left(terms: Iterable[tuple[int, str]]) -> str:
    """The sum of signed numbers, exactly, as a column of it would be spelled."""
    exact = sum((sign * Decimal(code) for sign, code in terms), Decimal(0))
    return str(int(exact)) if exact == exact.to_integral_value() else spell(float(exact)) or ""
