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

_FIRST = 2_000
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
    proposed = []
    for of, gives in pairs:
        seen = pl.DataFrame([data.column(of).alias("of"), data.column(gives).alias("gives")])
        seen = seen.filter(~(data.suppressed(of) | data.suppressed(gives))).drop_nulls("of")
        if _is_function(seen.head(_FIRST)) and _is_function(seen) and _by_chance(seen) < _CHANCE / len(pairs):
            proposed.append(Dependency((of,), gives))
    return tuple(proposed)


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
        both = pl.DataFrame([data.column(of).alias("of"), data.column(gives).alias("gives")])
        free = data.dictionary[of].missing_mask(both["of"]) | data.dictionary[gives].missing_mask(both["gives"])
        seen = both.filter(~free).unique()
        if seen.height < 2 or seen["gives"].n_unique() < 2:
            continue
        codes = seen.select(pl.Series("of", spell_series(seen["of"])), pl.Series("gives", spell_series(seen["gives"])))
        for drop in range(1, max(map(len, codes["of"].to_list()))):
            if bare(start(codes["of"], drop)).eq(bare(codes["gives"])).fill_null(False).all():
                found.append(Prefix(of, gives, drop))
                break
    return tuple(found)


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
