"""A key whose codes have an order: where each stands, how far apart they are, and how a span of them is written."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from celosia.core.codes import sort_key
from celosia.core.dictionary import Variable
from celosia.core.errors import DataError
from celosia.core.hierarchy_builders import span
from celosia.engines.contract import Categories, Ints

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class OrderedKey:
    """One key in its order.

    Attributes
    ----------
    name, codes
        The variable, and its codes in order.
    place
        Where the code of each digit stands; -1 where the cell lacks one.
    along
        How far along each code is, from 0 to 1: numbers by their value, other codes by their place.
    """

    name: str
    codes: tuple[str, ...]
    place: Ints
    along: Floats

    @classmethod
    def of(cls, variable: Variable, categories: Categories, order: tuple[str, ...]) -> OrderedKey:
        """The codes in the order given, else in that of the code book if it has all of them, else of numbers and text.

        Missing codes of every kind have no place.
        """
        kinds = dict(zip(categories.codes, categories.kinds, strict=True))
        seen = [code for code, kind in kinds.items() if code is not None and kind is None]
        listed = [code for code in variable.values if variable.kind_of(code) is None]
        codes = order or (tuple(listed) if set(seen) <= set(listed) else tuple(sorted(seen, key=sort_key)))
        if unknown := set(seen) - set(codes):
            raise DataError("order-incomplete", variable=variable.name, count=len(unknown))
        codes = tuple(code for code in codes if code in kinds)
        number = {code: i for i, code in enumerate(codes)}
        place = [-1, *(number[c] if c is not None and k is None else -1 for c, k in kinds.items())]
        return cls(variable.name, codes, np.array(place, dtype=np.int64), _along(codes))

    def span(self, first: int, last: int) -> str:
        """How the codes from one place to another are written together."""
        return self.codes[first] if first == last else span(self.codes[first], self.codes[last])


def _along(codes: tuple[str, ...]) -> Floats:
    places = np.arange(max(1, len(codes)), dtype=np.float64)
    try:
        values = np.array([float(code) for code in codes])
    except ValueError:
        values = places
    if len(codes) < 2 or not np.isfinite(values).all() or (np.diff(values) <= 0).any():
        values = places
    along: Floats = (values - values[0]) / max(values[-1] - values[0], 1e-300)
    return along
