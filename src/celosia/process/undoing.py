"""Can the suppression of a study be undone? Its file, or the same file read back, against all that its reader may know.

Known are the plan's rules, in the codes of the original file; what the published cells themselves show (functions,
codes that begin with others, counts of members); and how codes were grouped, because an office says so. An emptied
cell is taken to have held an answer, or *not applicable*.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.errors import RoleError
from celosia.core.microdata import Microdata
from celosia.verify.deduction import Coding, Deduced, Rule, Terms, deduce, shown

if TYPE_CHECKING:
    from celosia.process.study import Study

_LISTED = 500
"""A variable with so many codes or fewer can be settled by trying them."""


def undone(study: Study, written: Microdata | None = None) -> Deduced:
    """What can be filled in of the study's data; with ``written``, of these same records as a file holds them."""
    data = study.data if written is None else written
    given = [one for rule in study.plan.rules for one in rule.rules(study.root.data)]
    _require(study, given)
    if not data.marked:
        return deduce(data, ())
    spoken = {name for rule in given for name in rule.variables}
    codings, blurred = _codings(study, spoken)
    usable = [rule for rule in given if not blurred & set(rule.variables)]
    learned: tuple[Rule, ...] = shown(data, study.household if study.household in data else None)
    terms = Terms(study.root.data.dictionary.keep(study.root.data.variables), codings, answered=True)
    found = deduce(data, usable, terms=terms, learned=learned)
    return found.with_untried(rule.name for rule in given if rule not in usable)


def _require(study: Study, rules: Sequence[Rule]) -> None:
    """Rules speak of variables of the original file, or of those that a step makes."""
    known = tuple(dict.fromkeys(name for state in study.history for name in state.data.variables))
    for rule in rules:
        for name in rule.variables:
            if name not in known:
                raise RoleError("variable-unknown", variable=name, known=known, where=rule.name)


def _codings(study: Study, names: Collection[str]) -> tuple[dict[str, Coding], set[str]]:
    """How the codes of variables were grouped; and those of which no code says what it was before."""
    original, coded = study.root.data, study.truth
    original = original.in_order_of(coded.ids)
    codings: dict[str, Coding] = {}
    blurred = set(study.perturbed_variables)
    for name in names:
        if name not in original or name not in coded or name in blurred:
            continue
        pairs = _pairs(original.column(name), coded.column(name))
        same = pairs["code"].eq_missing(pairs["image"]).all()
        if not same and (pairs["code"].n_unique() < pairs.height or pairs.height > _LISTED):
            blurred.add(name)
        elif pairs.height <= _LISTED:
            codings[name] = dict(pairs.iter_rows())
            if same:
                codings[name] = _wider(original, name, codings[name])
    return codings, blurred


def _pairs(old: pl.Series, new: pl.Series) -> pl.DataFrame:
    """The distinct codes of a variable, and what each became."""
    distinct = pl.DataFrame([old.alias("code"), new.alias("image")]).unique()
    return pl.DataFrame(
        [spell_series(distinct["code"]).alias("code"), spell_series(distinct["image"]).alias("image")]
    ).unique()


def _wider(original: Microdata, name: str, codes: Coding) -> Coding:
    """The codes of a variable that nobody grouped: those of the file, of its dictionary, and numbers in between."""
    variable, values = original.dictionary[name], original.column(name)
    more = [*codes, *variable.values, *variable.missing]
    if values.dtype.is_integer() and not variable.values:
        numbers = values.filter(~variable.missing_mask(values))
        low, high = numbers.min(), numbers.max()
        if isinstance(low, int) and isinstance(high, int) and high - low < _LISTED:
            more += [str(number) for number in range(low, high + 1)]
    return {code: code for code in more}
