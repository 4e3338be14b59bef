"""Dwellings joined with the number of their persons: a table that tells of both."""

from __future__ import annotations

from typing import Any

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import DataError, OptionError
from celosia.core.frames import enter
from celosia.core.microdata import Microdata


def households(persons: Any, dwellings: Any, link: str, name: str = "CANT_PER", top: int = 10) -> Microdata:
    """The dwellings with a column ``name``: their persons in the file of persons, ``top`` for as many or more.

    What is measured on it depends on persons and on dwellings, and its table in a budget is ``households``: the
    ledger charges both.

    Parameters
    ----------
    persons, dwellings
        The two files of one census.
    link
        The variable that says which dwelling a person lives in, in both files.
    """
    if top < 1:
        raise OptionError("option-range", option="top", low=1, high="∞")
    people, homes = enter(persons), enter(dwellings)
    counts = _members(people, link)
    own = spell_series(homes.column(link))
    if own.null_count() or own.n_unique() < homes.height:
        raise DataError("dwelling-repeated", variable=link)
    joined = pl.DataFrame({"link": own}).join(counts, on="link", how="left", maintain_order="left")
    found = joined["persons"].fill_null(0)
    lost = people.height - int(found.sum())
    if lost:
        raise DataError("person-without-dwelling", variable=link, records=lost)
    return homes.with_columns({name: found.cast(pl.Int64).clip(0, top)})


def check_members(persons: Any, link: str, members: int) -> None:
    """Raise where a dwelling has more persons than the budget protects together."""
    counts = _members(enter(persons), link)
    beyond = int((counts["persons"] > members).sum())
    if beyond:
        raise DataError("dwelling-too-large", variable=link, members=members)


def _members(persons: Microdata, link: str) -> pl.DataFrame:
    """How many persons each dwelling has."""
    link_of = spell_series(persons.column(link))
    if link_of.null_count():
        raise DataError("person-without-dwelling", variable=link, records=link_of.null_count())
    counted = pl.DataFrame({"link": link_of}).group_by("link").agg(pl.len().alias("persons"))
    return counted.with_columns(pl.col("persons").cast(pl.Int64))
