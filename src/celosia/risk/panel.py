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
_WEIGHT = "weight"


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


def panel(
    frame: Any,
    person: str,
    round: str,
    keys: Sequence[str],
    weight: str | None = None,
    missing: Missing = "wildcard",
    truth: Any = None,
    run: Run | None = None,
) -> PanelRisk:
    """Risk of a panel in long form: one record a person and round.

    Parameters
    ----------
    frame, keys, weight, missing, truth
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
    if {person, round} & set(names):
        raise RoleError("panel-keys", variables=tuple({person, round} & set(names)))
    if (truth is not None) != (missing == "intruder"):
        raise OptionError("truth-needed" if truth is None else "truth-unused")
    data, true = records_of(frame), None
    data.require(person, round, *names)
    if truth is not None:
        data, true = Truth.of(truth).beside(frame, names)
    times = spell_series(data.column(round))
    if times.null_count():
        raise DataError("group-missing", variable=round, count=times.null_count())
    rounds = tuple(sorted(times.unique().to_list(), key=sort_key))
    who = engine(data).group(person)
    each, rows = [], []
    for name in rounds:
        now = (times == name).to_numpy()
        if np.bincount(who.index[now]).max(initial=0) > 1:
            raise DataError("panel-repeated", person=person, round=round)
        shown = None if true is None else true.take(now)
        each.append(individual(data.take(now), names, weight, missing=missing, truth=shown, run=run))
        rows.append(now)
    coded = [_coded(data, true, name, missing) for name in names]
    chain, *own = (_chain(digits, rounds, rows, who) for digits in zip(*coded, strict=True))
    long_key = chain.variables
    if weight is not None:
        scaled = engine(data).weights(weight)
        total = np.bincount(who.index, weights=scaled) / np.bincount(who.index)
        chain = chain.with_columns({_WEIGHT: pl.Series(np.rint(total) / WEIGHT_SCALE)})
    mean = _WEIGHT if weight else None
    whole = individual(chain, long_key, mean, missing=missing, truth=own[0] if own else None, run=run)
    return PanelRisk(rounds, tuple(each), whole)


def _coded(data: Microdata, true: Microdata | None, name: str, missing: Missing) -> list[Ints]:
    """The number of every record's category of one key, and of the true ones; 0 where it may be anything."""
    held = engine(data)
    if true is not None:
        found = held.encode_with((name,), true)
    else:
        found = (held.encode((name,), "strict" if missing == "strict" else "wildcard"),)  # type: ignore[assignment]
    return [keys.of_records(keys.digits[:, 0].astype(np.int64)) for keys in found]


def _chain(digits: Sequence[Ints], rounds: Sequence[str], rows: Sequence[Mask], who: Classes) -> Microdata:
    """One record a person: the categories of every key in every round, -1 where she was absent."""
    columns = {}
    for number, of_record in enumerate(digits):
        for name, now in zip(rounds, rows, strict=True):
            of_person = np.full(who.size, -1, dtype=np.int64)
            of_person[who.index[now]] = of_record[now]
            values = pl.Series(of_person)
            columns[f"{name} {number}"] = values.set(values == 0, None)
    book = Dictionary.of(*(Variable(name=name, null=MissingKind.NON_RESPONSE) for name in columns))
    return Microdata(pl.DataFrame(columns), book)
