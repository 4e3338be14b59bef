"""The embedded engine: polars in this process."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from math import prod

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import as_shown, back_to, spell_series, type_name
from celosia.core.errors import DataError, OptionError, RoleError, warn
from celosia.core.microdata import Microdata
from celosia.engines.columns import Column, column
from celosia.engines.contract import WEIGHT_DECIMALS, WEIGHT_SCALE, Classes, Counting, Ints, Keys
from celosia.kernels import counting

_DIRECT = 1 << 22
"""Up to so many possible keys (or four a record) are counted in a table with a place for each."""


class EmbeddedEngine:
    """Answers the contract on an eager polars frame."""

    def __init__(self, data: Microdata) -> None:
        self.data = data

    # -- keys ------------------------------------------------------------------------------------

    def encode(self, names: Sequence[str], missing: Counting) -> Keys:
        """The distinct keys of these variables (see ``contract.Engine``)."""
        if missing not in ("wildcard", "strict"):
            raise OptionError("option-unknown", option="missing", known=("wildcard", "strict"))
        if not names:
            raise RoleError("keys-none")
        if len(set(names)) < len(names):
            raise RoleError("keys-repeated", keys=tuple(names))
        self.data.require(*names)
        self._warn_of_untyped_nulls(names, missing)
        collapsed = _Collapsed.empty(self.data.height)
        categories = []
        for name in names:
            read = self._column(name)
            meaning, digit_of = read.digits(self.data.dictionary[name], missing)
            categories.append(meaning)
            collapsed = collapsed.then(read, digit_of, len(meaning) + 1)
        digits, index, count = collapsed.finish()
        return Keys(tuple(names), tuple(categories), digits, index, count)

    def encode_with(self, names: Sequence[str], other: Microdata) -> tuple[Keys, Keys]:
        """The keys of these records and of the other ones in one coding (see ``contract.Engine``)."""
        both = Microdata.stack(self.data.select(names), other.select(names))
        keys = EmbeddedEngine(both).encode(names, "wildcard")
        own = self.data.height
        parts = (keys.index[:own], keys.index[own:])
        counts = (np.bincount(part, minlength=len(keys.digits)).astype(np.int64) for part in parts)
        made = [
            Keys(keys.names, keys.categories, keys.digits, part, count)
            for part, count in zip(parts, counts, strict=True)
        ]
        return made[0], made[1]

    def _column(self, name: str) -> Column:
        marked = name in self.data.marked
        return column(self.data.column(name), self.data.suppressed(name).to_numpy() if marked else None)

    def _warn_of_untyped_nulls(self, names: Sequence[str], missing: Counting) -> None:
        if missing == "strict":
            return
        untyped = {}
        for name in names:
            if self.data.dictionary[name].null is None:
                count = self.data.column(name).null_count() - int(self.data.suppressed(name).sum())
                if count:
                    untyped[name] = count
        if untyped:
            warn("null-untyped", counts=", ".join(f"{name}: {count}" for name, count in untyped.items()))

    # -- weights and groups ----------------------------------------------------------------------

    def weights(self, name: str) -> Ints:
        """The weights of the records, checked, as integers (see ``contract.Engine``)."""
        values = self.data.column(name)
        if not values.dtype.is_numeric():
            raise RoleError("weight-text", variable=name, type=type_name(values.dtype))
        masked = self.data.dictionary[name].missing_mask(values)
        if masked.any():
            raise DataError("weight-missing", variable=name, count=int(masked.sum()))
        numbers = as_shown(values).cast(pl.Float64).to_numpy()
        decimals = self.data.dictionary[name].decimals
        if decimals is not None:
            numbers = numbers.round(min(decimals, WEIGHT_DECIMALS))
        if numbers.size and not numbers.min() >= 0:
            raise DataError("weight-negative", variable=name, count=int((numbers < 0).sum()))
        if not float(numbers.sum()) * WEIGHT_SCALE < 2**63:
            raise DataError("weight-overflow", variable=name)
        scaled = np.empty(numbers.size, dtype=np.int64)
        if counting.scale_weights(numbers, float(WEIGHT_SCALE), scaled) > 1e-3:
            raise DataError("weight-decimals", variable=name, decimals=WEIGHT_DECIMALS)
        return scaled

    def sum_by_key(self, keys: Keys, scaled: Ints) -> Ints:
        """The sum of the records' integers for each distinct key."""
        total = np.zeros(keys.count.size, dtype=np.int64)
        counting.sum_by(keys.index, scaled, total)
        return total

    def group(self, name: str) -> Classes:
        """The groups of records that share the value of this variable."""
        values = self.data.column(name)
        masked = self.data.dictionary[name].missing_mask(values)
        if masked.any():
            raise DataError("group-missing", variable=name, count=int(masked.sum()))
        read = column(values, None)
        number = np.zeros(read.width, dtype=np.int64)
        number[read.present - read.low] = np.arange(read.present.size)
        index = np.zeros(values.len(), dtype=np.int32)
        counting.add_digit(read.values, read.low, number, 1, index)
        return Classes(index, read.present.size)

    # -- records and columns ---------------------------------------------------------------------

    def with_columns(self, columns: Mapping[str, nw.Expr]) -> Microdata:
        """Columns replaced or added by expressions on the visible columns."""
        table = nw.from_native(self.data.frame, eager_only=True)
        made = table.select(**dict(columns)).to_native()
        return self.data.with_columns({name: made[name] for name in columns})

    def map_codes(self, name: str, target: Mapping[str, str | None], otherwise: str | None = None) -> pl.Series:
        """A column with its codes replaced through a small table."""
        values = self.data.column(name)
        distinct = values.drop_nulls().unique()
        spelled = spell_series(distinct).to_list()
        codes = pl.Series(
            [target.get(code, code if otherwise is None else otherwise) for code in spelled], dtype=pl.String
        )
        typed = back_to(codes, values.dtype)
        codes = codes if typed is None else typed
        return values.replace_strict(distinct, codes, default=None, return_dtype=codes.dtype).alias(name)

    def filter(self, condition: npt.NDArray[np.bool_]) -> Microdata:
        """The records where the mask is true."""
        return self.data.take(condition)

    def map_groups(self, groups: Classes, function: Callable[[Microdata], Microdata]) -> Microdata:
        """The function applied to each group of records, put back in the order of the file."""
        order = np.argsort(groups.index, kind="stable")
        bounds = np.searchsorted(groups.index[order], np.arange(groups.size + 1))
        parts = [function(self.data.take(order[a:b])) for a, b in pairwise(bounds)]
        return Microdata.concat(parts).in_order_of(self.data.ids)

    def attach(self, rows: Microdata, on: str, names: Sequence[str]) -> Microdata:
        """Columns of ``rows`` (one a group) joined back to every record of the group."""
        return self.data.attach(rows, on, names)

    def to_polars(self) -> pl.DataFrame:
        """The visible columns as a polars frame."""
        return self.data.frame


class _Collapsed:
    """Records collapsed to distinct keys while variables arrive one at a time.

    The mixed-radix code of the variables since the last collapse is kept for each record; when the next
    variable would overflow it, the records are numbered by the key so far and the number starts a new code.
    """

    def __init__(self, codes: Ints, radix: list[int], before: npt.NDArray[np.int32]) -> None:
        self.codes = codes
        self.radix = radix
        self.before = before

    @classmethod
    def empty(cls, records: int) -> _Collapsed:
        return cls(np.zeros(records, dtype=np.int64), [], np.zeros((1, 0), dtype=np.int32))

    def then(self, read: Column, digit_of: Ints, size: int) -> _Collapsed:
        """The keys with one more variable."""
        if self.before.shape[0] * prod(self.radix) * size >= 2**62:
            digits, index, _ = self.finish()
            self.codes, self.radix, self.before = index.astype(np.int64), [], digits
        # The new digit is the least significant one, so that codes sort as keys do.
        self.codes *= size
        counting.add_digit(read.values, read.low, digit_of, 1, self.codes)
        self.radix.append(size)
        return self

    def finish(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], Ints]:
        """Distinct keys in order, the key of each record, the records of each key."""
        records = self.codes.size
        space = self.before.shape[0] * prod(self.radix)
        index = np.empty(records, dtype=np.int32)
        if space <= max(_DIRECT, 4 * records):
            room = min(space, records)
            count, distinct = np.empty(room, dtype=np.int64), np.empty(room, dtype=np.int64)
            slot = np.zeros(space, dtype=np.int32)
            found = counting.collapse_direct(self.codes, slot, index, count, distinct)
            return self._digits(distinct[:found]), index, count[:found].copy()
        distinct, count = _hash(self.codes, index)
        order = np.argsort(distinct)
        number = np.empty(order.size, dtype=np.int32)
        number[order] = np.arange(order.size, dtype=np.int32)
        counting.renumber(index, number)
        return self._digits(distinct[order]), index, count[order]

    def _digits(self, distinct: Ints) -> npt.NDArray[np.int32]:
        earlier = self.before.shape[1]
        digits = np.empty((distinct.size, earlier + len(self.radix)), dtype=np.int32)
        rest = distinct
        for j in range(len(self.radix) - 1, -1, -1):
            rest, digits[:, earlier + j] = np.divmod(rest, self.radix[j])
        digits[:, :earlier] = self.before[rest]
        return digits


def _hash(codes: Ints, index: npt.NDArray[np.int32]) -> tuple[Ints, Ints]:
    room = 1 << 16
    while True:
        table = np.full(room, -1, dtype=np.int32)
        distinct = np.empty(room // 2, dtype=np.int64)
        count = np.empty(room // 2, dtype=np.int64)
        found = counting.collapse_hashed(codes, table, index, count, distinct)
        if found >= 0:
            return distinct[:found].copy(), count[:found].copy()
        room *= 4
