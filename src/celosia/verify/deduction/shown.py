"""Rules that nobody wrote down and published cells show: what an intruder without the questionnaire would try."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from celosia.core.codes import spell_series
from celosia.core.microdata import Microdata
from celosia.verify.deduction.dependency import Dependency, Prefix, bare, start
from celosia.verify.deduction.members import Members
from celosia.verify.deduction.rule import Rule

_FIRST = (2_000, 50_000)
"""Records that a function is looked for in before it is looked at in all."""
_CHANCE = 0.05
"""How likely it may be that chance alone shows any of the functions that are proposed."""


def shown(data: Microdata, household: str | None = None) -> tuple[Rule, ...]:
    """Functions, codes that begin with others, and counts of members that hold for every published cell."""
    return (*prefixes(data), *dependencies(data), *sizes(data, household))


def dependencies(data: Microdata, among: Sequence[str] | None = None) -> tuple[Dependency, ...]:
    r"""Emptied variables that published cells show to be a function of another one, without exception.

    Were the values of ``gives``, with shares :math:`p_v`, strewn at random over the :math:`m_g` records of each code
    :math:`g` of ``of``, these would agree throughout with probability :math:`\prod_g \sum_v p_v^{m_g}`. A function is
    proposed where that is less than .05 divided by the number of pairs of variables looked at.
    """
    pairs = list(_pairs(data, among))
    repeats: dict[str, int] = {}
    proposed = []
    for of, gives in pairs:
        if not all(_is_function(_seen(data, of, gives, records)) for records in _FIRST):
            continue
        if of not in repeats:
            repeats[of] = data.height - data.column(of).n_unique()
        seen = _seen(data, of, gives) if repeats[of] else data.frame.clear()
        if repeats[of] and _is_function(seen) and _by_chance(seen) < _CHANCE / len(pairs):
            proposed.append(Dependency((of,), gives))
    return tuple(proposed)


def _seen(data: Microdata, of: str, gives: str, records: int | None = None) -> pl.DataFrame:
    """The cells that show both sides; of so many records, or of all."""
    names = {"of": data.column(of), "gives": data.column(gives)}
    hidden = {"hidden_of": data.suppressed(of), "hidden_gives": data.suppressed(gives)}
    some = pl.DataFrame([series.head(records or data.height).alias(name) for name, series in (names | hidden).items()])
    shown_ = ~(pl.col("hidden_of") | pl.col("hidden_gives"))
    return some.filter(shown_ & pl.col("of").is_not_null()).select("of", "gives")


def _pairs(data: Microdata, among: Sequence[str] | None) -> Iterator[tuple[str, str]]:
    names = tuple(among or data.variables)
    for gives in (name for name in names if name in data.marked and data.suppressed(name).any()):
        yield from ((of, gives) for of in names if of != gives)


def _is_function(seen: pl.DataFrame) -> bool:
    distinct = seen.unique()
    return distinct.height == distinct["of"].n_unique() and distinct["gives"].n_unique() > 1


def _by_chance(seen: pl.DataFrame) -> float:
    """How likely it is that values strewn at random would look like a function."""
    shares = np.log(seen["gives"].value_counts()["count"].to_numpy() / seen.height)
    sizes = seen.group_by("of").len()["len"].value_counts()
    logs = sum(groups * np.logaddexp.reduce(records * shares) for records, groups in sizes.iter_rows() if records > 1)
    return float(np.exp(logs))


def prefixes(data: Microdata) -> tuple[Prefix, ...]:
    """Emptied variables whose code another one begins with, in every record that shows both."""
    found = []
    for of, gives in _pairs(data, None):
        if data.column(of).dtype.is_float():
            continue
        both = pl.DataFrame([data.column(of).alias("of"), data.column(gives).alias("gives")])
        drops = _drops(_beginnings(data, of, gives, both.head(_FIRST[0])))
        seen = _beginnings(data, of, gives, both) if drops else both.clear()
        if drops and (drops := _drops(seen, drops)):
            found.append(Prefix(of, gives, drops[0]))
    return tuple(found)


def _beginnings(data: Microdata, of: str, gives: str, both: pl.DataFrame) -> pl.DataFrame:
    """The distinct pairs of codes that the records show."""
    seen = both.unique().filter(pl.all_horizontal(pl.all().is_not_null()))
    free = data.dictionary[of].missing_mask(seen["of"]) | data.dictionary[gives].missing_mask(seen["gives"])
    seen = seen.filter(~free)
    return pl.DataFrame([spell_series(seen["of"]), spell_series(seen["gives"])])


def _drops(seen: pl.DataFrame, among: Sequence[int] | None = None) -> list[int]:
    """How many last characters can be dropped from all codes so that the other one is left."""
    if seen["gives"].n_unique() < 2:
        return []
    longest = int(seen["of"].str.len_chars().cast(pl.Int64).max() or 0)  # type: ignore[arg-type]
    left = bare(seen["gives"])
    return [
        drop for drop in among or range(1, longest) if bare(start(seen["of"], drop)).eq(left).fill_null(False).all()
    ]


def sizes(data: Microdata, household: str | None) -> tuple[Members, ...]:
    """Emptied variables that hold, wherever they are shown, how many members the household has."""
    if household is None or household not in data or data.suppressed(household).any():
        return ()
    counts = data.frame.select(pl.len().over(household)).to_series()
    found = []
    for name in data.marked:
        values = spell_series(data.column(name).head(data.height)).cast(pl.Int64, strict=False)
        seen = pl.DataFrame({"value": values, "count": counts}).filter(~data.suppressed(name)).unique()
        top = seen["value"].max()
        if name == household or not isinstance(top, int) or seen["value"].n_unique() < 2 or seen["value"].null_count():
            continue
        if (seen["count"].clip(upper_bound=top) == seen["value"]).all():
            found.append(Members(household, name, top))
    return tuple(found)
