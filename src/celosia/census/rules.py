"""What cannot be: structural zeros and edit constraints of a domain, as conditions of the plan's language."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from itertools import product
from math import prod
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import PlainValidator, model_validator

from celosia.census.attribute import EMPTY, Attribute
from celosia.core.condition import Condition, holds, names
from celosia.core.dictionary import Dictionary, MissingKind, Variable
from celosia.core.errors import OptionError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen, Names

_MOST = 1 << 24
"""Combinations of codes that one rule may speak of."""


class Rule(Frozen):
    """What every record fulfils: a combination of codes that breaks it is no cell.

    ``then`` holds wherever ``given`` does, always where there is no ``given``; or it is written as what can ``never``
    be. A bare text is what always holds. Conditions speak of the codes of the file, before any recode, and every
    declared code is a code like the others: ``P17 == 98`` is true of the code 98 even where the dictionary calls it
    *not applicable*. Only ``missing(x)`` sees the empty cell.

    Examples
    --------
    >>> Rule(given="P02 != 1", then="P03A == 98").variables
    ('P02', 'P03A')
    """

    then: Condition | None = None
    given: Condition | None = None
    never: Condition | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {"then": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_form(self) -> Rule:
        if (self.never is None) == (self.then is None) or (self.given is not None and self.then is None):
            raise OptionError("domain-rule-form")
        return self

    def __str__(self) -> str:
        """The rule as it is written."""
        parts = {"never": self.never, "given": self.given, "then": self.then}
        return ", ".join(f"{name}: {part}" for name, part in parts.items() if part is not None)

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        parts = [part for part in (self.given, self.then, self.never) if part is not None]
        return tuple(dict.fromkeys(name for part in parts for name in names(part)))

    def tables(self, attributes: Mapping[str, Attribute]) -> RuleTables:
        """The rule as tables over the categories of its variables, in the order of ``variables``."""
        own = [attributes[name] for name in self.variables]
        if prod(len(attribute.codes) for attribute in own) > _MOST:
            raise OptionError("domain-too-large", limit=_MOST)
        rows = list(product(*(attribute.codes for attribute in own)))
        columns = {
            name: pl.Series([None if row[i] == EMPTY else row[i] for row in rows], dtype=pl.String)
            for i, name in enumerate(self.variables)
        }
        codes = Microdata(pl.DataFrame(columns))
        shape = tuple(len(attribute.categories) for attribute in own)
        cell = np.ravel_multi_index(
            [grid.ravel() for grid in np.meshgrid(*(a.digits for a in own), indexing="ij")], shape
        )
        if self.never is not None:
            premise, broken = None, holds(self.never, codes)
        else:
            assert self.then is not None
            under = np.ones(len(rows), dtype=np.bool_) if self.given is None else holds(self.given, codes)
            premise = None if self.given is None else _any_of(under, cell, shape)
            broken = under & ~holds(self.then, codes)
        return RuleTables(_any_of(~broken, cell, shape), premise, bool(broken.any()))


class Skip(Frozen):
    """Questions that are *not applicable* where the condition does not hold, and only there.

    Examples
    --------
    >>> from celosia.core.dictionary import Dictionary, Variable
    >>> book = Dictionary.of(Variable(name="P17", values={1: "Works"}, missing={98: "not_applicable"}))
    >>> [str(rule) for rule in Skip(asked="P17", where="P09 >= 15").rules(book)]
    ['given: not (P09 >= 15), then: P17 in ("98",)', 'given: P09 >= 15, then: not (P17 in ("98",))']
    """

    asked: str | Names
    where: Condition

    def rules(self, dictionary: Dictionary) -> tuple[Rule, ...]:
        """Two rules for each question; its code of *not applicable* is that of the dictionary."""
        asked = (self.asked,) if isinstance(self.asked, str) else self.asked
        return tuple(rule for name in asked for rule in self._rules(name, dictionary[name]))

    def _rules(self, name: str, variable: Variable) -> tuple[Rule, Rule]:
        codes = [code for code, kind in variable.missing.items() if kind is MissingKind.NOT_APPLICABLE]
        spelled = [f"{name} in ({''.join(f'{json.dumps(code)},' for code in codes)})"] if codes else []
        if variable.null is MissingKind.NOT_APPLICABLE:
            spelled.append(f"missing({name})")
        if not spelled:
            raise OptionError("skip-without-code", variable=name)
        skipped = " or ".join(spelled)
        return (
            Rule(given=f"not ({self.where})", then=skipped),
            Rule(given=self.where, then=f"not ({skipped})"),
        )


def _form(given: Any) -> Any:
    """A skip is told by what is asked; anything else is a rule."""
    if isinstance(given, Rule | Skip):
        return given
    try:
        return (Skip if isinstance(given, Mapping) and "asked" in given else Rule).model_validate(given)
    except OptionError as error:
        written = given.items() if isinstance(given, Mapping) else [("then", given)]
        error.facts.setdefault("where", ", ".join(f"{name}: {part}" for name, part in written))
        raise


AnyRule = Annotated[Rule | Skip, PlainValidator(_form)]
"""A rule in any of its forms."""


class RuleTables:
    """Over the categories of a rule's variables: what it allows, and where its ``given`` may hold."""

    def __init__(self, allowed: npt.NDArray[np.bool_], premise: npt.NDArray[np.bool_] | None, forbids: bool) -> None:
        self.allowed = allowed
        self.premise = premise
        self.forbids = forbids


def _any_of(codes: npt.NDArray[np.bool_], cell: npt.NDArray[np.int64], shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """True for the categories with any such code among theirs: a category of several codes keeps what one keeps."""
    found = np.zeros(prod(shape), dtype=np.bool_)
    np.logical_or.at(found, cell, codes)
    return found.reshape(shape)
