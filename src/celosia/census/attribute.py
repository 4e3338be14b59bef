"""One variable of a census domain: the codes it may take, and what they are recoded to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import BeforeValidator, Field, TypeAdapter, field_validator, model_validator

from celosia.core.codes import Code, sort_key
from celosia.core.dictionary import Variable
from celosia.core.errors import OptionError
from celosia.core.model import Frozen, ReadOnly

EMPTY = ""
"""Stands for the empty cell among the codes of a variable."""


def _listed(codes: Any) -> Any:
    """A range of whole numbers written ``{from: 0, to: 100}`` (both included), or anything that can be listed."""
    if isinstance(codes, Mapping):
        if set(codes) != {"from", "to"}:
            raise OptionError("domain-range")
        try:
            first, last = (int(str(codes[end])) for end in ("from", "to"))  # a plan keeps numbers as text
        except ValueError:
            raise OptionError("domain-range") from None
        return tuple(range(first, last + 1))
    return tuple(codes) if isinstance(codes, Iterable) and not isinstance(codes, str) else codes


Codes = Annotated[tuple[Code, ...], BeforeValidator(_listed), Field(min_length=1)]
"""Codes in the order of the domain; a range may be written ``{from: 0, to: 100}``."""


class Attribute(Frozen):
    """A variable of the domain.

    Parameters
    ----------
    name
        Its name in the data.
    codes
        Every code that the declared dictionary allows, those of missing kinds among them; ``""`` is the empty cell.
    recode
        The file's code → the domain's; a code that is not named stays as it is.
    """

    name: str
    codes: Codes
    recode: ReadOnly[Code, Code] = Field(default_factory=dict, validate_default=True)

    @field_validator("codes")
    @classmethod
    def _different(cls, codes: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(codes)) < len(codes):
            raise OptionError("domain-codes-repeated")
        return codes

    @classmethod
    def of(cls, variable: Variable, codes: Any = None, recode: Mapping[Any, Any] | None = None) -> Attribute:
        """From the dictionary: the codes that have a label or are declared missing, unless ``codes`` lists them."""
        declared: Any = codes
        if codes is None:
            declared = tuple(dict.fromkeys([*variable.values, *variable.missing]))
            if all(variable.kind_of(code) is not None for code in declared):
                raise OptionError("domain-codes-undeclared", variable=variable.name)
        return cls(name=variable.name, codes=declared, recode=recode or {})

    def check(self) -> None:
        """Raise where a recode names a code that the variable does not have."""
        unknown = set(self.recode) - set(self.codes)
        if unknown:
            raise OptionError("domain-recode-unknown", variable=self.name, codes=tuple(sorted(unknown, key=sort_key)))

    @cached_property
    def categories(self) -> tuple[str, ...]:
        """The codes of the domain, after recoding, in order."""
        return tuple(dict.fromkeys(self.recode.get(code, code) for code in self.codes))

    @cached_property
    def digit_of(self) -> dict[str, int]:
        """The file's code → the position of its category."""
        place = {category: i for i, category in enumerate(self.categories)}
        return {code: place[self.recode.get(code, code)] for code in self.codes}

    @property
    def digits(self) -> npt.NDArray[np.int32]:
        """The position of the category of each of the file's codes."""
        return np.fromiter(self.digit_of.values(), dtype=np.int32, count=len(self.codes))


Bands = TypeAdapter(dict[Code, Codes])
"""Group → its categories."""


class Grouping(Frozen):
    """Categories of a variable taken together in a query: ages in bands.

    Parameters
    ----------
    variable
        The variable of the domain.
    groups
        Its category → the group; a category that is not named is in no answer. Instead of it, ``bands`` may be given:
        group → its categories, or the first and last of them.

    Examples
    --------
    >>> ages = Grouping(variable="P09", bands={"0-1": {"from": 0, "to": 1}, "2": ["2"]})
    >>> dict(ages.groups)
    {'0': '0-1', '1': '0-1', '2': '2'}
    """

    variable: str
    groups: ReadOnly[Code, Code]

    @model_validator(mode="before")
    @classmethod
    def _of_bands(cls, given: Any) -> Any:
        if not isinstance(given, Mapping) or "bands" not in given or "groups" in given:
            return given
        bands = Bands.validate_python(given["bands"])
        named = [(code, group) for group, codes in bands.items() for code in codes]
        if len({code for code, _ in named}) < len(named):
            raise OptionError("domain-codes-repeated")
        return {name: value for name, value in given.items() if name != "bands"} | {"groups": dict(named)}
