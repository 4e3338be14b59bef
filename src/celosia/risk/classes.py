"""Classes of records with equal keys, and the values of a sensitive variable in them.

What the measures of attribute disclosure share. A missing key is a category, as in the literature's equivalence
classes: nobody is hidden among the records of another class because a cell was emptied.

A missing value of the sensitive variable (non-response, or a cell that we emptied) is no value: distributions are
those of the observed values. Counted as a category it would make a class in which everybody who answered gave the
same answer look diverse; counted as one category a record, even more so. A class without any observed value
discloses none and violates nothing. *Not applicable* is an answer like any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from celosia.core.errors import DataError, RoleError
from celosia.core.frames import variable_names
from celosia.core.language import text
from celosia.core.microdata import Microdata
from celosia.engines import Keys, engine
from celosia.engines.contract import Categories, Ints
from celosia.risk.records import records_of

Floats = npt.NDArray[np.float64]

ROUNDING = 1e-9
"""A figure this near to its limit is taken to be at it."""


@dataclass(frozen=True, eq=False)
class SensitiveClasses:
    """The values of one sensitive variable in every class of equal keys.

    Attributes
    ----------
    keys
        The classes: one row of ``keys.digits`` each.
    sensitive
        The sensitive variable.
    categories
        Its values, in the order in which they are numbered.
    start
        Where the pairs of each class begin, and the end.
    value, count
        The pairs (class, value) that occur: number of the value, records. Sorted by class, then by value.
    """

    keys: Keys = field(repr=False)
    sensitive: str
    categories: Categories = field(repr=False)
    start: Ints = field(repr=False)
    value: Ints = field(repr=False)
    count: Ints = field(repr=False)

    @classmethod
    def of(cls, data: Microdata, keys: Keys, sensitive: str) -> SensitiveClasses:
        """Count the (class, value) pairs in one pass over the records, value by value."""
        from celosia.kernels.attribute import by_value, distinct_by_key, pairs_by_key

        held = engine(data).encode((sensitive,), "wildcard")
        first = int((held.digits[:1] == 0).any())
        if held.count.size == first:
            raise DataError("sensitive-empty", variable=sensitive)
        bounds = np.concatenate([[0], held.count.cumsum()])
        ordered = np.empty(keys.records, dtype=np.int32)
        by_value(keys.index, held.index, bounds[:-1].copy(), ordered)
        classes = keys.count.size
        distinct = np.zeros(classes, dtype=np.int64)
        distinct_by_key(ordered, bounds, first, np.full(classes, -1, dtype=np.int32), distinct)
        start = np.concatenate([[0], distinct.cumsum()])
        value, count = np.empty(start[-1], dtype=np.int64), np.empty(start[-1], dtype=np.int64)
        last = np.full(classes, -1, dtype=np.int32)
        pairs_by_key(ordered, bounds, first, last, start[:-1].copy(), value, count)
        return cls(keys, sensitive, held.categories[0], start, value, count)

    @property
    def distinct(self) -> Ints:
        """Distinct observed values of each class."""
        return np.diff(self.start)

    @cached_property
    def observed(self) -> Ints:
        """Records of each class whose value is observed."""
        return self.sums(self.count)

    @property
    def missing(self) -> Ints:
        """Records of each class whose value is missing."""
        return self.keys.count - self.observed

    @cached_property
    def class_of(self) -> Ints:
        """The class of each pair."""
        return np.repeat(np.arange(self.distinct.size), self.distinct)

    @cached_property
    def share(self) -> Floats:
        """Share that each pair's value has among the observed ones of its class: q in the formulas."""
        return self.count / self.observed[self.class_of]

    @cached_property
    def whole(self) -> Floats:
        """Share of each value among all observed ones of the file: p in the formulas."""
        total = np.bincount(self.value, weights=self.count, minlength=len(self.categories))
        shares: Floats = total / total.sum()
        return shares

    def remarks(self) -> tuple[str, ...]:
        """What missing keys and missing sensitive values count as, in sentences."""
        count = int(self.missing.sum())
        lost = text("remark.sensitive-missing", variable=self.sensitive, count=count)
        return (text("remark.classes"), lost) if count else (text("remark.classes"),)

    def sums(self, of_pair: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The sum over the pairs of each class; 0 for a class without observed values."""
        return self._reduced(np.add, of_pair)

    def largest(self, of_pair: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The largest over the pairs of each class; 0 for a class without observed values."""
        return self._reduced(np.maximum, of_pair)

    def _reduced(self, reduce: np.ufunc, of_pair: npt.NDArray[Any]) -> npt.NDArray[Any]:
        out = np.zeros(self.distinct.size, dtype=of_pair.dtype)
        filled = self.distinct > 0
        out[filled] = reduce.reduceat(of_pair, self.start[:-1][filled])
        return out

    def in_order(self, order: Sequence[int] | Ints) -> SensitiveClasses:
        """The same pairs with the values numbered in another order, given by their present numbers."""
        chosen = np.asarray(order, dtype=np.int64)
        if (chosen == np.arange(chosen.size)).all():
            return self
        rank = np.empty_like(chosen)
        rank[chosen] = np.arange(chosen.size)
        value = rank[self.value]
        rows = np.lexsort((value, self.class_of))
        known = self.categories
        categories = Categories(tuple(known.codes[i] for i in chosen), tuple(known.kinds[i] for i in chosen))
        return replace(self, categories=categories, value=value[rows], count=self.count[rows])


def sensitive_classes(frame: Any, keys: Sequence[str], sensitive: Sequence[str]) -> tuple[SensitiveClasses, ...]:
    """The classes of equal keys with the values of each sensitive variable."""
    names = variable_names(keys)
    wanted = (sensitive,) if isinstance(sensitive, str) else tuple(sensitive)
    if not wanted or len(set(wanted)) < len(wanted):
        raise RoleError("sensitive-repeated", variables=wanted)
    if both := [name for name in wanted if name in names]:
        raise RoleError("sensitive-is-key", variables=tuple(both))
    data = records_of(frame)
    data.require(*names, *wanted)
    found = engine(data).encode(names, "strict")
    return tuple(SensitiveClasses.of(data, found, name) for name in wanted)


def one_sensitive(frame: Any, keys: Sequence[str], sensitive: str) -> tuple[Microdata, SensitiveClasses]:
    """The data as they entered, and the classes with the values of the one sensitive variable."""
    data = records_of(frame)
    (found,) = sensitive_classes(data, keys, (sensitive,))
    return data, found
