"""The cells of published counts that records of a file belong to, whatever their keys leave open or say besides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import RoleError
from celosia.core.microdata import Microdata
from celosia.demography.births import Births
from celosia.demography.counts import Counts
from celosia.demography.file_ages import CHANCE, CODE, LABEL, as_table, parts_of

_PEOPLE = "__people"


def columns_of(data: Microdata, names: Sequence[str], counts: Counts, match: Mapping[str, str]) -> dict[str, str]:
    """The column of the counts of every key; a key that they do not have could make anybody unique."""
    data.require(*names)
    if idle := [name for name in match if name not in names]:
        raise RoleError("match-not-key", variables=tuple(idle))
    columns = {name: match.get(name, name) for name in names}
    if absent := [name for name, column in columns.items() if column not in counts.names]:
        raise RoleError("keys-not-counted", variables=tuple(absent), known=counts.names)
    if len(set(columns.values())) < len(columns):
        raise RoleError("match-twice")
    return columns


def _observed(data: Microdata, name: str) -> pl.Series:
    """The codes of a key; null where the record leaves it open."""
    values = data.column(name)
    return spell_series(values).set(data.dictionary[name].missing_mask(values), None)


def people_of_records(data: Microdata, columns: Mapping[str, str], counts: Counts, births: Births) -> pl.DataFrame:
    """``people`` of each record's cells and the ``chance`` of its part of them, in the order of the records."""
    coded = pl.DataFrame([_observed(data, name).alias(column) for name, column in columns.items()])
    known = counts.only(tuple(columns.values()))
    found = _counted(coded, known, next((n for n, column in columns.items() if column == known.form.age), ""), births)
    return found.select(pl.col(_PEOPLE).alias("people"), pl.col(CHANCE).alias("chance"))


def _counted(coded: pl.DataFrame, counts: Counts, variable: str, births: Births) -> pl.DataFrame:
    """The records with the people of their cells; a key that several have is looked up once."""
    distinct = coded.unique(maintain_order=True)
    patterns = distinct.select(pl.all().is_not_null()).unique()
    parts = [_of_pattern(distinct, counts, variable, births, pattern) for pattern in patterns.iter_rows(named=True)]
    found = pl.concat(parts)
    return coded.join(found, on=coded.columns, how="left", nulls_equal=True, maintain_order="left")


def _of_pattern(
    distinct: pl.DataFrame, counts: Counts, variable: str, births: Births, pattern: Mapping[str, bool]
) -> pl.DataFrame:
    """People and chance of the distinct keys that observe just these columns."""
    here = distinct.filter(pl.all_horizontal(pl.col(name).is_not_null() == seen for name, seen in pattern.items()))
    observed = [name for name, seen in pattern.items() if seen]
    age = counts.form.age
    cells = counts.cells.with_columns(pl.Series(_PEOPLE, counts.people))
    if not observed:
        return here.with_columns(pl.lit(counts.total).alias(_PEOPLE), pl.lit(1.0).alias(CHANCE))
    if age not in observed:
        sums = cells.group_by(observed).agg(pl.col(_PEOPLE).sum())
        joined = here.join(sums, on=observed, how="left")
        return joined.with_columns(pl.col(_PEOPLE).fill_null(0), pl.lit(1.0).alias(CHANCE))
    others = [name for name in observed if name != age]
    parts = as_table(parts_of(here[age].unique().to_list(), variable, counts, births))
    told = cells.group_by(observed).agg(pl.col(_PEOPLE).sum()).rename({age: LABEL})
    told = told.join(parts, on=LABEL).group_by([*others, CODE]).agg(pl.col(_PEOPLE).sum(), pl.col(CHANCE).first())
    joined = here.join(told.rename({CODE: age}), on=observed, how="left")
    return joined.with_columns(pl.col(_PEOPLE).fill_null(0), pl.col(CHANCE).fill_null(1.0))
