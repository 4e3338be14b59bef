"""Undoing suppression: cells that we emptied and that whoever knows the rules of the file can fill in again.

A rule says what is true of every record. For each emptied cell the codes that no rule excludes are kept; a cell
with one code left, or whose code a rule computes from published cells, is deduced, and helps to deduce others.
What is claimed is forced: in every file that agrees with the published cells and keeps the rules the cell is the
same. Not all that is forced is found: a rule is looked at by itself, and only codes left to single cells pass from
one to another.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import product
from math import prod
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import back_to, spell, spell_series
from celosia.core.condition import holds, names
from celosia.core.dictionary import MissingKind
from celosia.core.errors import PromiseError
from celosia.core.hierarchy import Hierarchy
from celosia.core.microdata import Microdata
from celosia.core.results import Tabular

Mask = npt.NDArray[np.bool_]
Domain = tuple[str | None, ...]

_MOST = 4096
"""Combinations of codes that a rule is tried on; a rule that would need more says nothing."""


class Rule(Protocol):
    """Something that is true of every record, whether its cells are published or not."""

    @property
    def name(self) -> str:
        """How a report calls it."""
        ...

    @property
    def variables(self) -> tuple[str, ...]:
        """What it speaks of."""
        ...

    def learned(self, data: Microdata, known: Mask) -> Rule:
        """The rule with what the file itself teaches; ``known`` are the records it can be learned from."""
        ...

    def satisfied(self, data: Microdata) -> Mask:
        """True for the records that keep it; every cell it speaks of is known."""
        ...

    def implied(self, data: Microdata, name: str) -> pl.Series:
        """The code of one variable as the others of the record give it; null where they do not."""
        ...


@dataclass(frozen=True)
class Edit:
    """If ``given`` then ``then``; without ``given``, ``then`` always. Skips and bounds are written so too."""

    then: str
    given: str = ""

    @property
    def name(self) -> str:
        """The rule as it was written."""
        return f"{self.given} → {self.then}" if self.given else self.then

    @property
    def variables(self) -> tuple[str, ...]:
        """The variables of both conditions."""
        return tuple(dict.fromkeys([*(names(self.given) if self.given else ()), *names(self.then)]))

    def learned(self, data: Microdata, known: Mask) -> Edit:
        """There is nothing to learn."""
        return self

    def satisfied(self, data: Microdata) -> Mask:
        """True where ``then`` holds or ``given`` does not."""
        kept = holds(self.then, data)
        return kept if not self.given else kept | ~holds(self.given, data)

    def implied(self, data: Microdata, name: str) -> pl.Series:
        """Nothing: codes are tried one by one."""
        return pl.Series(name, [None] * data.height, dtype=pl.String)


@dataclass(frozen=True, eq=False)
class Dependency:
    """``gives`` is a function of ``of``: linked and derived variables, and what members of a group share.

    Without a ``function`` (columns ``of`` and ``gives``, as codes) it is learned from the records that show both
    sides. A record with an unanswered cell in ``of`` is bound to nothing.
    """

    of: tuple[str, ...]
    gives: str
    function: pl.DataFrame | None = field(default=None, repr=False)
    title: str = ""

    @classmethod
    def of_hierarchy(cls, of: str, gives: str, hierarchy: Hierarchy, level: int) -> Dependency:
        """A variable that holds the codes of a level above those of another one, as region does above comuna."""
        leaves = hierarchy.mapping(level)
        return cls((of,), gives, pl.DataFrame({of: list(leaves), gives: list(leaves.values())}))

    @property
    def name(self) -> str:
        """Its title, else what gives what."""
        return self.title or f"{', '.join(self.of)} → {self.gives}"

    @property
    def variables(self) -> tuple[str, ...]:
        """Both sides."""
        return (*self.of, self.gives)

    def learned(self, data: Microdata, known: Mask) -> Dependency:
        """The function as the file shows it; of several images the most frequent one, the others are exceptions."""
        if self.function is not None:
            return self
        shown = _codes(data.take(known & self._bound(data)), self.variables)
        counted = shown.group_by(self.variables).len().sort("len", *self.variables, descending=True)
        return replace(self, function=counted.unique(self.of, keep="first").drop("len"))

    def satisfied(self, data: Microdata) -> Mask:
        """True where the image is the one of the function, or the function does not say."""
        told, image = self._image(data)
        return (~told | image.eq_missing(spell_series(data.column(self.gives)))).to_numpy()

    def implied(self, data: Microdata, name: str) -> pl.Series:
        """The image, where it is asked for."""
        told, image = self._image(data)
        return image.set(~told, None) if name == self.gives else image.clear(data.height)

    def _image(self, data: Microdata) -> tuple[pl.Series, pl.Series]:
        assert self.function is not None
        table = self.function.with_columns(told=pl.lit(True))
        found = _codes(data, self.of).join(table, on=self.of, how="left", maintain_order="left", nulls_equal=True)
        return found["told"].fill_null(False) & pl.Series(self._bound(data)), found[self.gives]

    def _bound(self, data: Microdata) -> Mask:
        """Records that hold a code in all of ``of``; not applicable is one."""
        bound = np.ones(data.height, dtype=np.bool_)
        for name in self.of:
            variable, codes = data.dictionary[name], spell_series(data.column(name))
            kinds = {code: variable.kind_of(code) for code in codes.unique().to_list()}
            open_ = [code for code, kind in kinds.items() if kind not in (None, MissingKind.NOT_APPLICABLE)]
            bound &= ~codes.is_in(open_, nulls_equal=True).to_numpy()
        return bound


@dataclass(frozen=True)
class Members:
    """``size`` is the number of records of the household, at most ``top``: the file holds every member."""

    household: str
    size: str
    top: int | None = None

    @property
    def name(self) -> str:
        """What is counted."""
        return f"#{self.household} = {self.size}"

    @property
    def variables(self) -> tuple[str, ...]:
        """The household and its size."""
        return (self.household, self.size)

    def learned(self, data: Microdata, known: Mask) -> Dependency:
        """Household → size; nothing where the household of some record was emptied, for then no count is sure."""
        codes = spell_series(data.column(self.household)).alias(self.household)
        sizes = pl.DataFrame([codes]).drop_nulls().group_by(self.household).len(self.size)
        if data.suppressed(self.household).any():
            sizes = sizes.clear()
        sizes = sizes.with_columns(pl.col(self.size).clip(upper_bound=self.top).cast(pl.String))
        return Dependency((self.household,), self.size, sizes, title=self.name)

    def satisfied(self, data: Microdata) -> Mask:
        """As for the whole file."""
        return self.learned(data, np.ones(data.height, dtype=np.bool_)).satisfied(data)

    def implied(self, data: Microdata, name: str) -> pl.Series:
        """As for the whole file."""
        return self.learned(data, np.ones(data.height, dtype=np.bool_)).implied(data, name)


@dataclass(frozen=True)
class Sum:
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

    def learned(self, data: Microdata, known: Mask) -> Sum:
        """There is nothing to learn."""
        return self

    def satisfied(self, data: Microdata) -> Mask:
        """True where the equation holds but for the rounding of decimals, or two and more cells are missing."""
        numbers = np.stack([_numbers(data, name) for name in self.variables], axis=1)
        lacking = np.isnan(numbers).sum(axis=1)
        apart = np.abs(numbers[:, :-1].sum(axis=1) - numbers[:, -1])
        close: Mask = apart <= 1e-9 * np.maximum(1, np.abs(numbers).sum(axis=1))
        return np.asarray(close | (lacking >= 2), dtype=np.bool_)

    def implied(self, data: Microdata, name: str) -> pl.Series:
        """The number that is left, in exact decimals."""
        others = [other for other in self.variables if other != name]
        numbers = np.stack([_numbers(data, other) for other in others], axis=1)
        lacking: Mask = np.isnan(numbers).sum(axis=1) > 0
        sign = dict.fromkeys(self.parts, 1 if name == self.total else -1) | {self.total: 1}
        rows = _codes(data, others).rows()
        sums = [
            None if gap else sum(sign[other] * Decimal(code) for other, code in zip(others, row, strict=True))
            for row, gap in zip(rows, lacking, strict=True)
        ]
        codes = [None if value is None else _spelled(value) for value in sums]
        return pl.Series(name, codes, dtype=pl.String)


def dependencies(data: Microdata, among: Sequence[str] | None = None) -> tuple[Dependency, ...]:
    """Emptied variables that published cells show to be a function of another one, without exception.

    What an intruder without the questionnaire would try. A variable with a code for nearly every record (more
    than one for two records) teaches nothing, and an image that never varies is no function.
    """
    names_ = tuple(among or data.variables)
    found = []
    for gives in (name for name in names_ if name in data.marked):
        for of in (name for name in names_ if name != gives):
            shown = ~(data.suppressed(of) | data.suppressed(gives)).to_numpy()
            pairs = _codes(data.take(shown), (of, gives)).drop_nulls(of)
            distinct = pairs.unique()
            varied = distinct[of].n_unique() * 2 <= pairs.height and distinct[gives].n_unique() > 1
            if varied and distinct.height == distinct[of].n_unique():
                found.append(Dependency((of,), gives))
    return tuple(found)


def _codes(data: Microdata, names: Sequence[str]) -> pl.DataFrame:
    return pl.DataFrame([spell_series(data.column(name)).alias(name) for name in names])


def _numbers(data: Microdata, name: str) -> npt.NDArray[np.float64]:
    """The numbers of a variable; NaN where it holds none."""
    values = data.column(name)
    missing = data.dictionary[name].missing_mask(values)
    return spell_series(values).set(missing, None).cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy()


def _spelled(number: Decimal | int) -> str:
    """A number as a column of it would be spelled."""
    exact = Decimal(number)
    return str(int(exact)) if exact == exact.to_integral_value() else spell(float(exact)) or ""


@dataclass(frozen=True, eq=False)
class Deduced(Tabular):
    """What can be filled in again.

    Attributes
    ----------
    cells
        Variable → how many of its emptied cells.
    rules
        A row a variable and rule: ``variable``, ``rule``, ``cells`` that it settled.
    broken
        Rules that published cells contradict, and how many records do; nothing was deduced from them.
    """

    cells: Mapping[str, int]
    rules: pl.DataFrame
    broken: Mapping[str, int]
    data: Microdata = field(repr=False)
    codes: Mapping[str, pl.Series] = field(repr=False)
    masks: Mapping[str, Mask] = field(repr=False)

    @property
    def total(self) -> int:
        """Cells in all."""
        return sum(self.cells.values())

    def mask(self, variable: str) -> Mask:
        """True where the cell of this variable was deduced."""
        return self.masks.get(variable, np.zeros(self.data.height, dtype=np.bool_))

    def filled(self) -> Microdata:
        """The data as an intruder may have them: deduced cells filled in, the others still marked."""
        if not self.cells:
            return self.data
        columns = {name: self._filled(name) for name in self.cells}
        left = {name: self.data.suppressed(name).to_numpy() & ~self.mask(name) for name in self.cells}
        bare = self.data.drop(*self.cells).with_columns(columns)
        return bare.select(self.data.variables).with_dictionary(self.data.dictionary).suppress(left)

    def _filled(self, name: str) -> pl.Series:
        values, deduced = self.data.column(name), pl.Series(self.mask(name))
        typed = back_to(self.codes[name], values.dtype)
        if typed is None:
            return self.codes[name].zip_with(deduced, spell_series(values))
        return typed.zip_with(deduced, values)

    def table(self) -> pl.DataFrame:
        """Cells by variable and the rule that gave them away."""
        return self.rules


def deduce(data: Microdata, rules: Sequence[Rule], domains: Mapping[str, Collection[Any]] | None = None) -> Deduced:
    """Fill in what can be filled in.

    Parameters
    ----------
    data
        The published records, with their marks.
    rules
        What is true of every record.
    domains
        All codes that a variable may hold, ``None`` among them where a cell may be empty. Without it these are the
        codes of the dictionary, where it has a label for every value that is published; else codes are not tried
        and a cell of the variable is deduced only if a rule computes it.

    Examples
    --------
    >>> data = Microdata(pl.DataFrame({"edad": [9, 40], "trabaja": ["no", "si"]}))
    >>> emptied = data.suppress({"trabaja": np.array([True, False])})
    >>> deduce(emptied, [Edit(given="edad < 15", then='trabaja == "no"')], {"trabaja": ("si", "no")}).cells
    {'trabaja': 1}
    """
    for rule in rules:
        data.require(*rule.variables)
    search = _Search(data, domains or {})
    found = {rule.name: search.exceptions(rule) for rule in rules}
    sound = [rule for rule in rules if not found[rule.name]]
    while any(search.try_rule(rule) for rule in sound):
        pass
    credit = [(name, rule, cells) for (name, rule), cells in search.credit.items()]
    masks = {name: data.suppressed(name).to_numpy() & ~search.unknown[name] for name in search.unknown}
    masks = {name: mask for name, mask in masks.items() if mask.any()}
    return Deduced(
        cells={name: int(mask.sum()) for name, mask in masks.items()},
        rules=pl.DataFrame(credit, {"variable": pl.String, "rule": pl.String, "cells": pl.Int64}, orient="row"),
        broken={name: count for name, count in found.items() if count},
        data=data,
        codes={name: search.data.column(name) for name in masks},
        masks=masks,
    )


@dataclass(frozen=True)
class NotDeducible:
    """No emptied cell follows from what is published and from these rules."""

    rules: tuple[Rule, ...]

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise with the number of cells that can be filled in, and the variables they are in."""
        found = deduce(after, self.rules)
        if found.total:
            raise PromiseError("promise-deducible", count=found.total, variables=tuple(found.cells))


class _Search:
    """Published and deduced codes, what is unknown, and the codes that each unknown cell may still hold."""

    def __init__(self, data: Microdata, domains: Mapping[str, Collection[Any]]) -> None:
        self.data = data.with_columns({name: spell_series(data.column(name)) for name in data.variables})
        self.unknown = {name: data.suppressed(name).to_numpy().copy() for name in data.marked}
        self.place = {name: np.cumsum(mask) - 1 for name, mask in self.unknown.items()}
        self.domains: dict[str, Domain] = {}
        self.possible: dict[str, Mask] = {}
        self.credit: dict[tuple[str, str], int] = {}
        for name, mask in self.unknown.items():
            domain = _domain(data, name, domains.get(name))
            if domain is not None:
                self.domains[name] = domain
                self.possible[name] = np.ones((int(mask.sum()), len(domain)), dtype=np.bool_)

    def known(self, rule: Rule) -> Mask:
        """Records of which every cell that the rule speaks of is known."""
        absent = [self.unknown[name] for name in rule.variables if name in self.unknown]
        return ~np.any(absent, axis=0) if absent else np.ones(self.data.height, dtype=np.bool_)

    def exceptions(self, rule: Rule) -> int:
        """How many records contradict the rule."""
        known = self.known(rule)
        return int((~rule.learned(self.data, known).satisfied(self.data.take(known))).sum())

    def try_rule(self, rule: Rule) -> bool:
        """Whether the rule settled a cell or excluded a code."""
        absent = [name for name in rule.variables if name in self.unknown]
        if not absent:
            return False
        learned = rule.learned(self.data, self.known(rule))
        patterns = np.stack([self.unknown[name] for name in absent], axis=1)
        moved = False
        for pattern in np.unique(patterns[patterns.any(axis=1)], axis=0):
            rows = np.flatnonzero((patterns == pattern).all(axis=1))
            names = [name for name, gone in zip(absent, pattern, strict=True) if gone]
            if len(names) == 1:
                moved |= self._computed(learned, rows, names[0])
                rows = rows[self.unknown[names[0]][rows]]
            if rows.size and all(name in self.domains for name in names):
                moved |= self._tried(learned, rows, names)
        return moved

    def _computed(self, rule: Rule, rows: npt.NDArray[np.int64], name: str) -> bool:
        """Cells whose code the rule computes from the others of the record."""
        codes = rule.implied(self.data.take(rows), name)
        told = codes.is_not_null().to_numpy()
        if name in self.domains:
            where = {code: j for j, code in enumerate(self.domains[name])}
            column = np.array([where.get(code, -1) for code in codes.to_list()], dtype=np.int64)
            told &= (column >= 0) & self.possible[name][self.place[name][rows], column]
        self._settle(rule, name, rows[told], codes.filter(pl.Series(told)))
        return bool(told.any())

    def _tried(self, rule: Rule, rows: npt.NDArray[np.int64], names: list[str]) -> bool:
        """Codes that are in no combination that keeps the rule are excluded."""
        domains = [self.domains[name] for name in names]
        if prod(map(len, domains)) > _MOST:
            return False
        part = self.data.take(rows)
        before = [self.possible[name][self.place[name][rows]] for name in names]
        after = [np.zeros_like(mask) for mask in before]
        for choice in product(*(range(len(domain)) for domain in domains)):
            cells = zip(names, domains, choice, strict=True)
            tried = {n: pl.repeat(d[j], rows.size, dtype=pl.String, eager=True) for n, d, j in cells}
            fits = rule.satisfied(part.with_columns(tried))
            for mask, j in zip(before, choice, strict=True):
                fits = fits & mask[:, j]
            for mask, j in zip(after, choice, strict=True):
                mask[:, j] |= fits
        alive = after[0].any(axis=1)  # no code at all: the rules contradict each other in this record
        moved = False
        for name, domain, was, now in zip(names, domains, before, after, strict=True):
            self.possible[name][self.place[name][rows[alive]]] = now[alive]
            moved |= bool((was[alive] != now[alive]).any())
            single = alive & (now.sum(axis=1) == 1)
            codes = pl.Series([domain[j] for j in now[single].argmax(axis=1)], dtype=pl.String)
            self._settle(rule, name, rows[single], codes)
            moved |= bool(single.any())
        return moved

    def _settle(self, rule: Rule, name: str, rows: npt.NDArray[np.int64], codes: pl.Series) -> None:
        if not rows.size:
            return
        column = self.data.column(name).scatter(rows, codes)
        self.data = self.data.with_columns({name: column})
        self.unknown[name][rows] = False
        self.credit[name, rule.name] = self.credit.get((name, rule.name), 0) + rows.size


def _domain(data: Microdata, name: str, given: Collection[Any] | None) -> Domain | None:
    """The codes that a cell may hold; ``None`` where they cannot be listed."""
    variable = data.dictionary[name]
    shown = spell_series(data.column(name)).filter(~data.suppressed(name)).unique().sort().to_list()
    if given is not None:
        return tuple(dict.fromkeys([*map(spell, given), *shown]))
    values = [code for code in shown if variable.kind_of(code) is None]
    if not variable.values or variable.missing_ranges or not set(values) <= set(variable.values):
        return None
    empty = [None] if variable.null is not None else []
    return tuple(dict.fromkeys([*variable.values, *variable.missing, *shown, *empty]))
