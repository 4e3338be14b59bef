"""What every protection method is: a small frozen value that changes data and proves what it promised."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Protocol, final

import polars as pl
from pydantic import ValidationError

from celosia.core.errors import OptionError, PromiseError
from celosia.core.frames import enter, give_back
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen
from celosia.core.results import Tabular
from celosia.core.run import Run


class Promise(Protocol):
    """Something that a method's output must keep, checked by code that shares nothing with the method."""

    def check(self, before: Microdata, after: Microdata) -> None:
        """Raise ``PromiseError`` where it is broken."""
        ...


@dataclass(frozen=True, eq=False)
class Protected(Tabular):
    """What a method gives back.

    Attributes
    ----------
    data
        The treated data, the kind of table that came in.
    method, run
        What was applied, and the circumstances (with the key) it was applied in.
    changed
        Cells changed, for each variable that was touched.
    """

    data: Any = field(repr=False)
    method: Method = field(kw_only=True)
    run: Run = field(kw_only=True, repr=False)
    changed: Mapping[str, int] = field(kw_only=True, default_factory=dict)

    def table(self) -> pl.DataFrame:
        """Cells changed by variable."""
        return pl.DataFrame(
            {"variable": list(self.changed), "cells": list(self.changed.values())},
            schema={"variable": pl.String, "cells": pl.Int64},
        )

    def to_dict(self) -> dict[str, Any]:
        """What the method reports of itself beside the data: totals and names only."""
        own = {f.name for f in fields(self)} - {"data", "method", "run"}
        return {name: _plain(getattr(self, name)) for name in sorted(own)}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, pl.DataFrame):
        return value.to_dicts()
    return list(value) if isinstance(value, tuple) else value


class Method(Frozen):
    """Base of every method: an argument list, a YAML step and a form, written once.

    A subclass says what it does in ``_transform`` and what its output keeps in ``promises``; ``apply`` is
    the only door, and no output leaves by it unverified.
    """

    do: ClassVar[str]
    """Name of the step in a plan."""

    perturbs: ClassVar[bool] = False
    """Whether values are replaced by false ones, so that counts of the output are no measure of risk."""

    suppresses: ClassVar[bool] = False
    """Whether cells are emptied that an intruder would know of."""

    def __init__(self, **options: Any) -> None:
        try:
            super().__init__(**options)
        except ValidationError as error:
            raise OptionError.of_fields(error, where=self.do, model=type(self)) from None

    samples: ClassVar[bool] = False
    """Whether records are drawn and weights divided by the fraction drawn, so that population frequencies stand."""

    @property
    def makes(self) -> tuple[str, ...]:
        """New variables that it derives from others, as anybody who holds the file could."""
        return ()

    @property
    def record_wise(self) -> bool:
        """Whether what becomes of a record, and what the dictionary says of it, depends on no other record.

        Only such steps may stand before noise whose guarantee speaks of one record.
        """
        return False

    @abstractmethod
    def _transform(self, data: Microdata, run: Run) -> Protected:
        """The treated data and what there is to report of them."""

    @abstractmethod
    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """What the output will keep of the data as they were."""

    def lasting(self) -> tuple[Promise, ...]:
        """What the output keeps by itself, and the published file must still keep when it is read back."""
        return ()

    def in_parts(self, before: Microdata, after: Microdata, run: Run) -> Protected:
        """What there is to report of all the data where the method was applied to parts of them."""
        return Protected(after, method=self, run=run)

    @final
    def apply(self, data: Any, run: Run | None = None) -> Protected:
        """Protect any table; give back its own kind, verified.

        Parameters
        ----------
        data
            A polars, pandas or pyarrow table, or ``Microdata``.
        run
            Key, threads, progress; by default a fresh key from the system, recorded in the result.
        """
        before = enter(data)
        run = run or Run()
        result = self._transform(before, run)
        after: Microdata = result.data
        _check_marks(after)
        for promise in (*self.promises(before), *self.lasting()):
            promise.check(before, after)
        return replace(result, data=give_back(after, data, before), changed=changed_cells(before, after))


def _check_marks(after: Microdata) -> None:
    """Raise where a cell that is marked as emptied holds a value: it would count as hidden and be read by everybody."""
    for name in after.marked:
        if (after.suppressed(name) & after.column(name).is_not_null()).any():
            raise PromiseError("promise-marked", variable=name)


def changed_cells(before: Microdata, after: Microdata) -> dict[str, int]:
    """Cells that differ, for each variable that differs; only variables and records in both count."""
    kept = after.ids
    same_rows = kept.size == before.height and bool((kept == before.ids).all())
    base = before if same_rows else before.in_order_of(kept)
    found = {}
    for name in after.variables:
        if name not in before:
            continue
        old, new = base.column(name), after.column(name)
        if old.dtype == new.dtype and old.equals(new, null_equal=True):
            continue
        cells = old.ne_missing(new).sum() if old.dtype == new.dtype else _spelled_differently(old, new)
        if cells:
            found[name] = int(cells)
    return found


def _spelled_differently(old: pl.Series, new: pl.Series) -> int:
    from celosia.core.codes import spell_series

    return int(spell_series(old).ne_missing(spell_series(new)).sum())
