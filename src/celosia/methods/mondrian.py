r"""Mondrian: ordered keys are cut in two again and again, as long as both halves are large enough.

The file is a box whose sides are the keys. A box is cut along the key in which it is widest, at the value nearest to
the middle of its records; where a half would hold fewer than k records (or break a model) along the next widest. What
cannot be cut is published as one group, each key as the span of its codes: ``35-41``. Groups have k records from the
beginning and are only cut where both halves keep them, so that k holds by construction.

Records that lack some keys are a box of their own for each pattern of what they lack: a box that is too small loses its
keys.

References
----------
LeFevre, DeWitt & Ramakrishnan (2006), *Mondrian multidimensional k-anonymity*, ICDE 2006. Xu et al. (2006),
*Utility-based anonymization using local recoding*, KDD 2006, 785-790 (the loss).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Annotated, ClassVar

import numpy as np
import polars as pl
from pydantic import Field, model_validator

from celosia.core.codes import Code
from celosia.core.dictionary import Level
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.hierarchy import Hierarchy
from celosia.core.method import Method, Promise, Protected
from celosia.core.microdata import Microdata
from celosia.core.model import Names, ReadOnly
from celosia.core.run import Run
from celosia.engines import engine
from celosia.engines.contract import Ints, Keys
from celosia.methods.climbing import Weight
from celosia.methods.group_models import GroupModel, Mask
from celosia.methods.kinds import changed, overlay
from celosia.methods.lattice import Lattice
from celosia.methods.local_recoding import LocalModel
from celosia.methods.ordered_key import OrderedKey
from celosia.verify import SameRecords, Untouched
from celosia.verify.generalised import EmptiedAtMost, SafeOrEmptied, Spans

_NO_VARIABLE = -1
"""In the place of a variable: none is left to cut along."""


@dataclass(frozen=True, eq=False)
class Partitioned(Protected):
    """Data whose keys are published as spans.

    Attributes
    ----------
    groups
        How many groups there are.
    suppressed_records
        Records that lost their keys.
    loss
        How far the spans of a record reach along its keys, on average: 0 is as it was, 1 everything in one group.
    """

    groups: int = 0
    suppressed_records: int = 0
    loss: float = 0.0


class Mondrian(Method):
    """Reach k-anonymity by cutting ordered keys into spans that differ from group to group.

    Parameters
    ----------
    keys
        Keys with an order: numbers, or codes.
    k
        How many records must share each key at the least.
    models
        What else must hold in every group: ``l_diversity``, ``t_closeness``, ``alpha_k`` and ``beta_likeness``.
    order
        Key → its codes in order; by default that of the code book if it has all of them, else of numbers and text.
    weights
        How much the width of each key counts when it is chosen where to cut; those that are not named count 1.
    suppression_limit
        The share of the records that may lose their keys: those that lack a key, where few lack the same.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"edad": [21, 24, 36, 38, 39]})
    >>> Mondrian(keys=("edad",), k=2).apply(frame).data["edad"].to_list()
    ['21-24', '21-24', '36-39', '36-39', '36-39']
    """

    do: ClassVar[str] = "mondrian"

    keys: Names
    k: Annotated[int, Field(ge=2)]
    models: tuple[LocalModel, ...] = ()
    order: ReadOnly[str, tuple[Code, ...]] = Field(default_factory=dict, validate_default=True)
    weights: ReadOnly[str, Weight] = Field(default_factory=dict, validate_default=True)
    suppression_limit: Annotated[float, Field(ge=0, le=1)] = 1.0

    @model_validator(mode="after")
    def _options_fit(self) -> Mondrian:
        for option, named in (("order", self.order), ("weights", self.weights)):
            if unknown := set(named) - set(self.keys):
                raise OptionError("keys-only", option=option, variables=tuple(sorted(unknown)))
        return self

    def _transform(self, data: Microdata, run: Run) -> Partitioned:
        sensitive = tuple(dict.fromkeys(model.sensitive for model in self.models))
        data.require(*self.keys, *sensitive)
        if both := tuple(name for name in sensitive if name in self.keys):
            raise RoleError("sensitive-is-key", variables=both)
        if data.height < self.k:
            raise DataError("fewer-than-k", k=self.k, count=data.height)
        coded = engine(data).encode((*self.keys, *sensitive), "strict")
        keys = self._ordered(data, coded)
        lattice = Lattice.of(coded, [_alone(categories.codes) for categories in coded.categories[: len(keys)]])
        box = _Boxes(lattice, keys, [self.weights.get(name, 1.0) for name in self.keys])
        group = box.cut(self.k, tuple(model.on(data) for model in self.models), run)
        lost = int(lattice.count[group < 0].sum())
        if lost > int(self.suppression_limit * data.height + 1e-9) or lost == data.height:
            raise DataError("generalization-impossible", k=self.k, count=lost)
        spans = box.spans(group)
        own = engine(data).encode(self.keys, "strict")
        return Partitioned(
            _written(data, own, keys, spans, group < 0),
            method=self,
            run=run,
            groups=int(group.max()) + 1,
            suppressed_records=lost,
            loss=box.loss(spans, group < 0),
        )

    def _ordered(self, data: Microdata, coded: Keys) -> tuple[OrderedKey, ...]:
        return tuple(
            OrderedKey.of(data.dictionary[name], categories, self.order.get(name, ()))
            for name, categories in zip(self.keys, coded.categories, strict=False)
        )

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Codes become spans that hold them or are emptied, few records lose their keys, and nothing else changes."""
        keys = self._ordered(before, engine(before).encode(self.keys, "strict"))
        return (
            SameRecords(),
            Untouched(frozenset(self.keys)),
            *(Spans(key.name, key.codes) for key in keys),
            EmptiedAtMost(self.keys, self.suppression_limit),
        )

    def lasting(self) -> tuple[Promise, ...]:
        """k and the models, for every record that has its keys."""
        models = [promise for model in self.models for promise in model.promises(self.keys)]
        return (SafeOrEmptied(self.keys, self.k), *models)


class _Boxes:
    """The distinct keys of a file as points, and the boxes that they are cut into."""

    def __init__(self, lattice: Lattice, keys: Sequence[OrderedKey], weights: Sequence[float]) -> None:
        self.lattice, self.keys = lattice, keys
        self.place = np.stack([key.place[lattice.digits[:, j]] for j, key in enumerate(keys)], axis=1)
        most = max(key.along.size for key in keys)
        self.along = np.stack([np.pad(key.along, (0, most - key.along.size), "edge") for key in keys])
        self.width = self.along * np.array(weights)[:, None]

    def cut(self, k: int, models: Sequence[GroupModel], run: Run) -> Ints:
        """The group of each distinct key; -1 where its box is too small, or breaks a model, from the beginning."""
        lacking = np.where(self.place < 0, self.lattice.digits, 0)
        group: Ints = np.unique(lacking, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
        sound = self._sound(group, k, models)
        group[~sound[group]] = -1
        open_ = np.flatnonzero(sound)
        rank, groups = np.zeros(open_.size, dtype=np.int64), sound.size
        while open_.size:
            run.check(Mondrian.do, max(0.0, 1.0 - open_.size * k / self.lattice.records))
            number = np.full(groups + 1, -1, dtype=np.int64)
            number[open_] = np.arange(open_.size)
            mine = number[group]
            along, right = self._halved(mine, rank, k)
            halves = self._sound(np.where(mine >= 0, 2 * mine + right, -1), k, models, 2 * open_.size)
            cut = (along >= 0) & halves[0::2] & halves[1::2]
            fresh = np.full(open_.size, -1, dtype=np.int64)
            fresh[cut] = groups + np.arange(np.count_nonzero(cut))
            goes = right & (mine >= 0) & cut[mine]
            group[goes] = fresh[mine[goes]]
            groups += int(np.count_nonzero(cut))
            again = ~cut & (along != _NO_VARIABLE)
            rank = np.concatenate([np.zeros(2 * np.count_nonzero(cut), dtype=np.int64), rank[again] + 1])
            open_ = np.concatenate([open_[cut], fresh[cut], open_[again]])
        kept = group >= 0
        group[kept] = np.unique(group[kept], return_inverse=True)[1].reshape(-1)
        return group

    def _halved(self, mine: Ints, rank: Ints, k: int) -> tuple[Ints, Mask]:
        """The variable along which each open group is cut, and who goes to the second half."""
        from celosia.kernels import partition as kernel

        members = np.argsort(mine, kind="stable")[np.count_nonzero(mine < 0) :]
        first = np.searchsorted(mine[members], np.arange(rank.size + 1))
        right = np.zeros(mine.size, dtype=np.bool_)
        along = kernel.cut(self.place, self.width, self.lattice.count, first, members, rank, k, right)
        return along, right

    def _sound(self, group: Ints, k: int, models: Sequence[GroupModel], groups: int | None = None) -> Mask:
        """Which groups have k records and fulfil the models; those below zero are none."""
        there = group >= 0
        groups = int(group.max()) + 1 if groups is None else groups
        size = np.bincount(group[there], weights=self.lattice.count[there], minlength=groups)
        sound: Mask = size >= k
        tallies = []
        for tally in self.lattice.tallies if models else ():
            total = np.zeros((groups, tally.shape[1]), dtype=np.int64)
            np.add.at(total, group[there], tally[there])
            tallies.append(total)
        return sound & ~reduce(np.logical_or, [model.fails(self.lattice, tallies, sound) for model in models], ~sound)

    def spans(self, group: Ints) -> Ints:
        """Where the span of each distinct key begins and ends, for each key; as it is where it lost its keys."""
        spans = np.stack([self.place, self.place])
        order = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
        if order.size:
            first = np.flatnonzero(np.diff(group[order], prepend=-1))
            spans[0, order] = np.minimum.reduceat(self.place[order], first)[group[order]]
            spans[1, order] = np.maximum.reduceat(self.place[order], first)[group[order]]
        return spans

    def loss(self, spans: Ints, lost: Mask) -> float:
        """How far spans reach along their keys: a lost key all of it, one that was lacking before nothing."""
        reach = np.zeros(self.place.shape)
        for j, key in enumerate(self.keys):
            there = self.place[:, j] >= 0
            reach[there, j] = key.along[spans[1, there, j]] - key.along[spans[0, there, j]]
        reach[lost] = 1.0
        return float((reach.mean(axis=1) * self.lattice.count).sum() / self.lattice.records)


def _alone(codes: Sequence[str | None]) -> Hierarchy:
    """Every code under one root: all that a lattice needs to know of a key that is not climbed."""
    return Hierarchy.from_rows([(code, "*") for code in codes if code is not None] or [("*", "*")])


def _written(data: Microdata, coded: Keys, keys: Sequence[OrderedKey], spans: Ints, lost: Mask) -> Microdata:
    """The data with each key as the span of its group, and the lost ones emptied."""
    columns, dictionary = {}, data.dictionary
    for j, key in enumerate(keys):
        first, last = spans[:, :, j]
        wide = (last > first) & ~lost
        if not wide.any():
            continue
        pairs, place = np.unique(np.stack([first[wide], last[wide]]), axis=1, return_inverse=True)
        number = np.full(wide.size, -1, dtype=np.int64)
        number[wide] = place.reshape(-1)
        at = pl.Series(coded.of_records(number))
        texts = [key.span(low, high) for low, high in pairs.T.tolist()]
        variable = dictionary[key.name]
        if any(variable.kind_of(text) for text in texts) or set(texts) & set(key.codes):
            raise DataError("recode-into-missing", variable=key.name)
        columns[key.name] = overlay(data.column(key.name), at.set(at < 0, None), texts)
        labels = {**variable.values, **{text: text for text in texts}} if variable.values else {}
        described = changed(variable, values=labels, missing_ranges=(), level=Level.CATEGORICAL, format="", unit="")
        dictionary = dictionary.replace(key.name, **described.model_dump(exclude={"name"}))
    treated = data.with_columns(columns, dictionary)
    return treated.suppress({key.name: coded.of_records(lost) for key in keys}) if lost.any() else treated
