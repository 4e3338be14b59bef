"""A first dictionary from names and contents: offline rules that say why.

A suggestion is a start for a person to correct, never a decision. Contents are looked at through a bounded
sample of distinct values, and no value ever enters a reason.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import polars as pl

from celosia.core.codes import spell_series
from celosia.core.dictionary import DaneClass, Dictionary, Identification, Level, Role
from celosia.core.language import text
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen
from celosia.io.clues import Column, Rule, name_words
from celosia.io.rules import RULES

_SAMPLE_ROWS = 100_000
_SAMPLE_VALUES = 500
_FEW = 50
_SINGLE = (Role.ID, Role.WEIGHT, Role.HOUSEHOLD, Role.STRATUM)
_FACTS = ("level", "identification", "sensitive", "role", "dane")


class Suggestion(Frozen):
    """What one variable seems to be, and why."""

    variable: str
    level: Level | None = None
    identification: Identification | None = None
    sensitive: bool | None = None
    role: Role | None = None
    dane: DaneClass | None = None
    reason: str
    """Code of the rule: ``rut``, ``geography``, ``weight`` …"""
    evidence: Literal["name", "contents"]

    @property
    def text(self) -> str:
        """Why, in the language in force."""
        what = text(f"suggestion.{self.reason}")
        return text(f"suggestion.by-{self.evidence}", variable=self.variable, what=what)

    @property
    def why(self) -> str:
        """Why, in few words."""
        return text(f"suggestion.{self.evidence}", what=text(f"suggestion.{self.reason}"))


def suggest(data: Any) -> tuple[Suggestion, ...]:
    """What the variables seem to be; variables that no rule knows are left out."""
    whole = data if isinstance(data, Microdata) else Microdata(data)
    found = (_first(_look(whole, name)) for name in whole.variables)
    return tuple(suggestion for suggestion in found if suggestion is not None)


def suggested_dictionary(suggestions: Iterable[Suggestion], base: Dictionary | None = None) -> Dictionary:
    """The dictionary these suggestions make; what ``base`` already says stands.

    A role that one variable alone can have is given to none where several seem to have it.
    """
    listed = tuple(suggestions)
    book = base or Dictionary()
    taken = {role for role in _SINGLE if book.with_role(role) or sum(s.role is role for s in listed) > 1}
    for suggestion in listed:
        said = book[suggestion.variable]
        facts = {fact: getattr(suggestion, fact) for fact in _FACTS if getattr(said, fact) is None}
        if facts.get("role") in taken:
            del facts["role"]
        book = book.replace(suggestion.variable, **{k: v for k, v in facts.items() if v is not None})
    return book


def _look(data: Microdata, name: str) -> Column:
    column, variable = data.column(name), data.dictionary[name]
    valid = column.filter(~variable.missing_mask(column))
    distinct = valid.head(_SAMPLE_ROWS).unique(maintain_order=True).head(_SAMPLE_VALUES)
    return Column(
        name=name,
        words=name_words(f"{name} {variable.label}"),
        dtype=column.dtype,
        sample=tuple(value for value in spell_series(distinct).to_list() if value is not None),
        records=data.height,
        filled=valid.len(),
        distinct=valid.n_unique(),
        smallest=_smallest(valid),
    )


def _smallest(values: pl.Series) -> float | None:
    if not values.dtype.is_numeric() or not values.len():
        return None
    smallest = values.min()
    return float(smallest) if isinstance(smallest, int | float) else None


def _first(column: Column) -> Suggestion | None:
    """The suggestion of the first rule that knows the column."""
    for rule in RULES:
        evidence = rule.evidence(column)
        if evidence is not None:
            return _suggestion(rule, column, evidence)
    return None


def _suggestion(rule: Rule, column: Column, evidence: Literal["name", "contents"]) -> Suggestion:
    return Suggestion(
        variable=column.name,
        level=rule.level or _level(column),
        identification=rule.identification,
        sensitive=rule.sensitive,
        role=rule.role,
        dane=rule.dane,
        reason=rule.code,
        evidence=evidence,
    )


def _level(column: Column) -> Level:
    """Level of measurement from the type and the number of distinct values."""
    if column.dtype.is_float():
        return Level.CONTINUOUS
    if column.distinct <= _FEW:
        return Level.CATEGORICAL
    return Level.OPEN if column.dtype == pl.String else Level.DISCRETE
