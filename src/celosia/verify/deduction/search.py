"""Trying every rule until none has more to say."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from celosia.core.codes import spell, spell_series
from celosia.core.errors import PromiseError
from celosia.core.frames import enter
from celosia.core.microdata import Microdata
from celosia.verify.deduction.cells import Coding, Ints, Mask
from celosia.verify.deduction.deduced import Deduced
from celosia.verify.deduction.knowledge import Knowledge, Terms
from celosia.verify.deduction.rule import Rule

_BLOCK = 500_000
"""Records that are looked at together where rules are compared with published cells."""


def deduce(
    data: Any,
    rules: Sequence[Rule],
    domains: Mapping[str, Collection[Any]] | None = None,
    terms: Terms | None = None,
    learned: Sequence[Rule] = (),
) -> Deduced:
    """Fill in what can be filled in.

    Parameters
    ----------
    data
        The published records, with their marks; in a table without marks every empty cell was emptied.
    rules
        What is true of every record.
    domains
        All codes that a variable may hold, ``None`` among them where a cell may be empty. Without it these are the
        codes of the dictionary, where it has a label for every value that is published; else codes are not tried
        and a cell of the variable is deduced only if a rule computes it.
    terms
        How codes were grouped, for rules that speak of them as they were before; and other assumptions.
    learned
        More rules, that the file itself was seen to keep in every record (``shown``); given ones go first.

    Examples
    --------
    >>> data = Microdata(pl.DataFrame({"edad": [9, 40], "trabaja": ["no", "si"]}))
    >>> emptied = data.suppress({"trabaja": np.array([True, False])})
    >>> from celosia.verify.deduction import Edit
    >>> deduce(emptied, [Edit(given="edad < 15", then='trabaja == "no"')], {"trabaja": ("si", "no")}).cells
    {'trabaja': 1}
    """
    held = with_marks(data)
    there = [rule for rule in (*rules, *learned) if _spoken(rule) <= set(held.variables)]
    untried = tuple(rule.name for rule in rules if rule not in there)
    spoken = tuple(dict.fromkeys(name for rule in there for name in rule.variables))
    terms = _listed(held, spoken, domains or {}, terms or Terms())
    ready = [rule.learned(held) for rule in there]
    doubted = ready[: len(rules) - len(untried)]
    broken = {rule.name: count for rule in doubted if (count := _exceptions(rule, held, terms))}
    sound = [rule for rule in ready if rule.name not in broken]
    rows = _concerned(held, sound)
    known = Knowledge(held.take(rows), spoken, terms)
    gaps = np.flatnonzero(np.any([cells.emptied for cells in known.cells.values()], axis=0)) if spoken else rows
    moves = -1
    while known.moves != moves and gaps.size:
        moves = known.moves
        for rule in sound:
            rule.narrow(known, gaps)
    return _result(held, rows, known, broken, untried, frozenset(rule.name for rule in rules))


def with_marks(data: Any) -> Microdata:
    """The records; of a table without marks, every empty cell marked."""
    held = enter(data)
    if isinstance(data, Microdata):
        return held
    empty = {name: held.column(name).is_null().to_numpy() for name in held.variables}
    return held.suppress({name: mask for name, mask in empty.items() if mask.any()})


def _spoken(rule: Rule) -> set[str]:
    return {*rule.variables, *([rule.household] if rule.household else [])}


def _listed(data: Microdata, names: Sequence[str], domains: Mapping[str, Collection[Any]], terms: Terms) -> Terms:
    """The terms with the codes of every variable whose codes can be listed."""
    codings: dict[str, Coding] = {}
    for name in names:
        domain = _domain(data, name, domains.get(name))
        if name in terms.codings:
            codings[name] = terms.codings[name]
        elif domain is not None:
            codings[name] = {code: code for code in domain}
    return replace(terms, codings=codings)


def _domain(data: Microdata, name: str, given: Collection[Any] | None) -> tuple[str | None, ...] | None:
    """The codes that a cell may hold; ``None`` where they cannot be listed."""
    variable = data.dictionary[name]
    if given is None and (not variable.values or variable.missing_ranges):
        return None
    shown = spell_series(data.column(name).filter(~data.suppressed(name)).unique()).unique().sort().to_list()
    if given is not None:
        return tuple(dict.fromkeys([*map(spell, given), *shown]))
    values = [code for code in shown if variable.kind_of(code) is None]
    if not set(values) <= set(variable.values):
        return None
    empty = [None] if variable.null is not None else []
    return tuple(dict.fromkeys([*variable.values, *variable.missing, *shown, *empty]))


def _exceptions(rule: Rule, data: Microdata, terms: Terms) -> int:
    """How many records, or households, contradict the rule."""
    if rule.household is None:
        shown = ~np.any([data.suppressed(name).to_numpy() for name in rule.variables], axis=0)
        columns = pl.DataFrame([data.column(name).alias(name) for name in rule.variables])
        kinds = columns.filter(pl.Series(shown)).group_by(rule.variables).len("__records")
        some = Microdata(kinds.drop("__records")).with_dictionary(data.dictionary.keep(rule.variables))
        known = Knowledge(some, rule.variables, terms)
        return int(kinds["__records"].to_numpy()[rule.wrong(known)].sum())
    return sum(rule.wrong(Knowledge(part, rule.variables, terms)).sum() for part in _blocks(data, rule))


def _blocks(data: Microdata, rule: Rule) -> Iterator[Microdata]:
    """The records, some households at a time."""
    assert rule.household is not None
    some = data.select(list(dict.fromkeys([rule.household, *rule.variables])))
    if some.height <= _BLOCK:
        yield some
        return
    order = some.column(rule.household).arg_sort().to_numpy()
    homes = some.column(rule.household).gather(order)
    first = np.flatnonzero((homes != homes.shift()).fill_null(True).to_numpy())
    cuts = first[np.searchsorted(first, np.arange(_BLOCK, data.height, _BLOCK)).clip(max=first.size - 1)]
    for part in np.split(order, np.unique(cuts)):
        if part.size:
            yield some.take(part)


def _concerned(data: Microdata, rules: Sequence[Rule]) -> Ints:
    """Records with emptied cells that rules speak of, and whoever lives with them."""
    gaps = np.zeros(data.height, dtype=np.bool_)
    for name in {name for rule in rules for name in rule.variables} & set(data.marked):
        gaps |= data.suppressed(name).to_numpy()
    rows: Mask = gaps.copy()
    for home in {rule.household for rule in rules if rule.household is not None}:
        homes = data.column(home)
        rows |= homes.is_in(homes.filter(pl.Series(gaps)).unique().implode()).fill_null(False).to_numpy()
    return np.flatnonzero(rows)


def _result(
    data: Microdata,
    rows: Ints,
    known: Knowledge,
    broken: Mapping[str, int],
    untried: tuple[str, ...],
    given: frozenset[str],
) -> Deduced:
    found = {}
    for name, cells in known.cells.items():
        told = cells.told(cells.state)
        places = np.flatnonzero(cells.emptied & (told >= 0) & (cells.state != cells.start))
        if places.size:
            found[name] = (rows[places], cells.published.gather(told[places]))
    credit = [(v, r, cells, "given" if r in given else "shown") for (v, r), cells in known.credit.items()]
    schema = {"variable": pl.String, "rule": pl.String, "cells": pl.Int64, "known_from": pl.String}
    return Deduced(
        emptied={name: count for name in data.marked if (count := int(data.suppressed(name).sum()))},
        cells={name: where.size for name, (where, _) in found.items()},
        rules=pl.DataFrame(credit, schema, orient="row"),
        broken=broken,
        untried=untried,
        data=data,
        found=found,
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
