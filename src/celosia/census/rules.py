"""What cannot be: structural zeros and edit constraints of a domain, as conditions of the plan's language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import model_validator

from celosia.census.attribute import EMPTY, Attribute
from celosia.core.condition import Condition, holds, names
from celosia.core.errors import OptionError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen

_MOST = 1 << 24
"""Combinations of codes that one rule may speak of."""


class Rule(Frozen):
    """Combinations of codes that no record can have.

    Either ``never``, or ``when`` and ``then``: what holds under ``when`` must fulfil ``then``. Conditions speak of
    the codes of the file, before any recode, and every declared code is a code like the others: ``P17 == 98``
    is true of the code 98 even where the dictionary calls it *not applicable*. Only ``missing(x)`` sees the empty cell.

    Examples
    --------
    >>> Rule(when="P02 != 1", then="P03A == 98").variables
    ('P02', 'P03A')
    """

    never: Condition | None = None
    when: Condition | None = None
    then: Condition | None = None

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, value: Any) -> Any:
        return {"never": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _one_form(self) -> Rule:
        if (self.never is None) == (self.when is None) or (self.when is None) != (self.then is None):
            raise OptionError("rule-form")
        return self

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """The variables it speaks of."""
        parts = [part for part in (self.never, self.when, self.then) if part is not None]
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
            assert self.when is not None and self.then is not None
            under = holds(self.when, codes)
            premise, broken = _any_of(under, cell, shape), under & ~holds(self.then, codes)
        return RuleTables(_any_of(~broken, cell, shape), premise, bool(broken.any()))


class RuleTables:
    """Over the categories of a rule's variables: what it allows, and where its ``when`` may hold."""

    def __init__(self, allowed: npt.NDArray[np.bool_], premise: npt.NDArray[np.bool_] | None, forbids: bool) -> None:
        self.allowed = allowed
        self.premise = premise
        self.forbids = forbids


def _any_of(codes: npt.NDArray[np.bool_], cell: npt.NDArray[np.int64], shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """True for the categories with any such code among theirs: a category of several codes keeps what one keeps."""
    found = np.zeros(prod(shape), dtype=np.bool_)
    np.logical_or.at(found, cell, codes)
    return found.reshape(shape)
