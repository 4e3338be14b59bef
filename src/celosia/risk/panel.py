"""Risk over the rounds of a panel: one person's keys of all rounds are one long key.

A person who is one of many in each round may be the only one with her sequence of them. Risk is given for
each round alone and for the chain; a round in which a person does not appear is part of her sequence, since
her absence shows. People who lived together in any round are one household of the chain: whoever finds one of them
finds the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import sort_key, spell_series
from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.frames import variable_names
from celosia.core.language import percent, text
from celosia.core.microdata import Microdata
from celosia.core.picture import Picture, chart
from celosia.core.results import Tabular
from celosia.core.run import Run
from celosia.engines import Classes, engine
from celosia.engines.contract import WEIGHT_SCALE, Ints
from celosia.risk.frequencies import Missing
from celosia.risk.individual import IndividualRisk, individual
from celosia.risk.records import records_of
from celosia.risk.truth import Truth

Mask = npt.NDArray[np.bool_]
_WEIGHT, _HOUSEHOLD = "weight", "household"


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
                    "household_global_risk": risk.household_global_risk,
                    "uniques": risk.frequencies.below(2),
                    "share_unique": risk.frequencies.below(2) / risk.records,
                    "violations_3": risk.frequencies.below(3),
                }
            )
        return pl.DataFrame(rows, schema_overrides={"round": pl.String, "household_global_risk": pl.Float64})

    def remarks(self) -> tuple[str, ...]:
        """How empty cells were counted."""
        return self.chain.remarks()

    def picture(self) -> Picture:
        """Share of sample uniques in each round and in the chain."""
        rows = self.table().select(pl.col("round").fill_null(text("none.round")), pl.col("share_unique").alias("share"))
        said = ", ".join(f"{name}: {percent(share)}" for name, share in rows.iter_rows())
        return chart(rows, "round", "share", share=True, alternative=text("picture.panel", said=said))

    def to_dict(self) -> dict[str, Any]:
        """The table as plain numbers."""
        return {"missing": self.chain.frequencies.missing, "rounds": self.table().to_dicts()}


def panel(
    frame: Any,
    person: str,
    round: str,
    keys: Sequence[str],
    weight: str | None = None,
    household: str | None = None,
    missing: Missing = "wildcard",
    truth: Any = None,
    run: Run | None = None,
) -> PanelRisk:
    """Risk of a panel in long form: one record a person and round.

    Parameters
    ----------
    frame, keys, weight, household, missing, truth
        As in ``individual``; the chain takes each person's mean weight over her rounds. That a person does not appear
        in a round is a category under every way of counting.
    person, round
        The variables that say who it is and when.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"id": [1, 2, 1, 2], "ola": [1, 1, 2, 2], "zona": ["a", "a", "a", "b"]})
    >>> panel(frame, person="id", round="ola", keys=["zona"]).table()["uniques"].to_list()
    [0, 2, 2]
    """
    names = variable_names(keys)
    if person == round or {person, round} & set(names):
        raise RoleError("panel-keys", variables=tuple({person, round} & set(names)) or (person,))
    if (truth is not None) != (missing == "intruder"):
        raise OptionError("truth-needed" if truth is None else "truth-unused")
    data, true = records_of(frame), None
    data.require(person, round, *names)
    if truth is not None:
        data, true = Truth.of(truth).beside(frame, names)
    rounds = _Rounds.of(data, person, round)
    each = []
    for now in rounds.rows:
        shown = None if true is None else true.take(now)
        each.append(individual(data.take(now), names, weight, household, missing, truth=shown, run=run))
    coded = [_coded(data, true, name, missing) for name in names]
    chain, *own = (rounds.chained(digits) for digits in zip(*coded, strict=True))
    beside = {} if weight is None else {_WEIGHT: rounds.mean_weight(data, weight)}
    beside |= {} if household is None else {_HOUSEHOLD: rounds.households(data, household)}
    whole = individual(
        chain.with_columns(beside),
        chain.variables,
        _WEIGHT if weight else None,
        _HOUSEHOLD if household else None,
        missing,
        truth=own[0] if own else None,
        run=run,
    )
    return PanelRisk(rounds.names, tuple(each), whole)


@dataclass(frozen=True, eq=False)
class _Rounds:
    """Which records are of which round, and of whom."""

    names: tuple[str, ...]
    rows: tuple[Mask, ...]
    who: Classes

    @classmethod
    def of(cls, data: Microdata, person: str, round: str) -> _Rounds:
        times = spell_series(data.column(round))
        if times.null_count():
            raise DataError("group-missing", variable=round, count=times.null_count())
        names = tuple(sorted(times.unique().to_list(), key=sort_key))
        rows = tuple((times == name).to_numpy() for name in names)
        who = engine(data).group(person)
        if any(np.bincount(who.index[now]).max() > 1 for now in rows):
            raise DataError("panel-repeated", person=person, round=round)
        return cls(names, rows, who)

    def chained(self, digits: Sequence[Ints]) -> Microdata:
        """One record a person: the categories of every key in every round, -1 where she was absent."""
        columns = {}
        for number, of_record in enumerate(digits):
            for name, now in zip(self.names, self.rows, strict=True):
                of_person = np.full(self.who.size, -1, dtype=np.int64)
                of_person[self.who.index[now]] = of_record[now]
                values = pl.Series(of_person)
                columns[f"{name} {number}"] = values.set(values == 0, None)
        book = Dictionary.of(*(Variable(name=name, null=MissingKind.NON_RESPONSE) for name in columns))
        return Microdata(pl.DataFrame(columns), book)

    def mean_weight(self, data: Microdata, weight: str) -> pl.Series:
        """Of each person, the mean of her weights."""
        total = np.bincount(self.who.index, weights=engine(data).weights(weight)) / np.bincount(self.who.index)
        return pl.Series(np.rint(total) / WEIGHT_SCALE)

    def households(self, data: Microdata, household: str) -> pl.Series:
        """A number for all who are joined by having lived together in some round."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        home = engine(data).group(household)
        place = home.index.astype(np.int64)
        for number, now in enumerate(self.rows):
            place[now] += number * home.size
        size = self.who.size + home.size * len(self.rows)
        ties = coo_array((np.ones(place.size), (self.who.index, self.who.size + place)), shape=(size, size))
        return pl.Series(connected_components(ties, directed=False)[1][: self.who.size])


def _coded(data: Microdata, true: Microdata | None, name: str, missing: Missing) -> list[Ints]:
    """The number of every record's category of one key, and of the true ones; 0 where it may be anything."""
    held = engine(data)
    if true is not None:
        found = held.encode_with((name,), true)
    else:
        found = (held.encode((name,), "strict" if missing == "strict" else "wildcard"),)  # type: ignore[assignment]
    return [keys.of_records(keys.digits[:, 0].astype(np.int64)) for keys in found]
