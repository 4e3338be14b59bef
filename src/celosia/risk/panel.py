"""Risk over the rounds of a panel: one person's keys of all rounds are one long key.

A person who is one of many in each round may be the only one with her sequence of them. Risk is given for
each round alone and for the chain; a round in which a person does not appear is part of her sequence, since
her absence shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import polars as pl

from celosia.core.codes import sort_key, spell_series
from celosia.core.errors import DataError, RoleError
from celosia.core.language import percent, text
from celosia.core.microdata import Microdata
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.engines import engine
from celosia.risk.individual import IndividualRisk, individual
from celosia.risk.records import records_of


@dataclass(frozen=True, eq=False)
class PanelRisk(Tabular):
    """Risk of each round alone, and of the chain of all rounds (one row a person)."""

    rounds: tuple[str, ...]
    each: tuple[IndividualRisk, ...] = field(repr=False)
    chain: IndividualRisk = field(repr=False)

    def table(self) -> pl.DataFrame:
        """One row a round and one for the chain."""
        rows = []
        for name, risk in (*zip(self.rounds, self.each, strict=True), (None, self.chain)):
            rows.append(
                {
                    "round": name,
                    "records": risk.records,
                    "global_risk": risk.global_risk,
                    "uniques": risk.frequencies.below(2),
                    "share_unique": risk.frequencies.below(2) / risk.records,
                    "violations_3": risk.frequencies.below(3),
                }
            )
        return pl.DataFrame(rows, schema_overrides={"round": pl.String})

    def picture(self) -> Picture:
        """Share of sample uniques in each round and in the chain."""
        rows = self.table().select(
            pl.col("round").fill_null(text("label.chain")), pl.col("share_unique").alias("share")
        )
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        return chart(rows, "round", "share", share=True, alternative=text("picture.panel", said=said))

    def to_dict(self) -> dict[str, Any]:
        """The table as plain numbers."""
        return {"rounds": self.table().to_dicts()}


def panel(frame: Any, person: str, round: str, keys: Sequence[str], weight: str | None = None) -> PanelRisk:
    """Risk of a panel in long form: one record a person and round.

    Parameters
    ----------
    frame, keys, weight
        As in ``individual``; the chain takes each person's mean weight over her rounds.
    person, round
        The variables that say who it is and when.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"id": [1, 2, 1, 2], "ola": [1, 1, 2, 2], "zona": ["a", "a", "a", "b"]})
    >>> panel(frame, person="id", round="ola", keys=["zona"]).table()["uniques"].to_list()
    [0, 2, 2]
    """
    data = records_of(frame)
    data.require(person, round, *keys)
    if {person, round} & set(keys):
        raise RoleError("panel-keys", variables=tuple({person, round} & set(keys)))
    times = spell_series(data.column(round))
    if times.null_count():
        raise DataError("group-missing", variable=round, count=times.null_count())
    rounds = sorted(times.unique().to_list(), key=sort_key)
    who = engine(data).group(person)
    classes = engine(data).encode(tuple(keys), "strict").index + 1
    each, columns = [], {}
    for name in rounds:
        now = (times == name).to_numpy()
        if np.bincount(who.index[now]).max(initial=0) > 1:
            raise DataError("panel-repeated", person=person, round=round)
        each.append(individual(data.take(now), keys, weight, missing="strict"))
        key_of_person = np.zeros(who.size, dtype=np.int64)  # 0: not in this round
        key_of_person[who.index[now]] = classes[now]
        columns[f"round {name}"] = pl.Series(key_of_person)
    chain = Microdata(pl.DataFrame(columns))
    if weight is not None:
        scaled = engine(data).weights(weight)
        total = np.bincount(who.index, weights=scaled) / np.bincount(who.index)
        chain = chain.with_columns({"weight": pl.Series(np.rint(total) / 10**6)})
    whole = individual(chain, tuple(columns), "weight" if weight else None, missing="strict")
    return PanelRisk(tuple(rounds), tuple(each), whole)
