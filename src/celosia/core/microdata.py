"""Microdata: an immutable frame and its dictionary.

Two kinds of hidden columns travel with the visible ones through every filter, join and engine, and never
leave in a file: the record id, made once at entry, and the marks of the cells that we emptied.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.chance import hash_texts
from celosia.core.codes import spell_series
from celosia.core.dictionary import Dictionary, Role
from celosia.core.errors import DataError, RoleError
from celosia.core.intake import HIDDEN, to_polars

RECORD_ID = HIDDEN + "id__"
_MARK = HIDDEN + "suppressed__"


class Microdata:
    """A table of records with what is known of its variables.

    Parameters
    ----------
    frame
        Any table that narwhals reads: polars, pandas, pyarrow.
    dictionary
        The code book; variables it does not describe are kept as they are.
    key
        Secret that turns a declared id (role ``id``) into record ids; fresh by default.

    Nothing is ever changed in place: every operation gives a new ``Microdata`` that shares the columns
    it left alone.
    """

    __slots__ = ("_columns", "_frame", "dictionary", "variables")

    _frame: pl.DataFrame
    _columns: frozenset[str]
    variables: tuple[str, ...]
    """Names of the visible variables, in file order."""
    dictionary: Dictionary

    def __init__(self, frame: Any, dictionary: Dictionary | None = None, *, key: bytes | None = None) -> None:
        native = to_polars(frame)
        book = dictionary or Dictionary()
        for variable in book:
            if variable.name not in native.columns:
                raise RoleError("variable-unknown", variable=variable.name, known=native.columns)
        _set(self, _with_record_ids(native, book, key), book.on(lambda name: native[name].dtype.is_numeric()))

    @classmethod
    def _of(cls, frame: pl.DataFrame, dictionary: Dictionary) -> Microdata:
        new = object.__new__(cls)
        _set(new, frame, dictionary)
        return new

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("Microdata is immutable")

    def __repr__(self) -> str:
        return f"Microdata({self.height} records, {len(self.variables)} variables)"

    # -- what is there ---------------------------------------------------------------------------

    @property
    def height(self) -> int:
        """Number of records."""
        return self._frame.height

    @property
    def frame(self) -> pl.DataFrame:
        """The visible columns."""
        return self._frame.select(self.variables)

    @property
    def ids(self) -> npt.NDArray[np.uint64]:
        """The record ids, in row order."""
        return self._frame[RECORD_ID].to_numpy()

    def __contains__(self, name: object) -> bool:
        return name in self._columns and isinstance(name, str) and not name.startswith(HIDDEN)

    def column(self, name: str) -> pl.Series:
        """One visible column."""
        self.require(name)
        return self._frame.get_column(name)

    def require(self, *names: str) -> None:
        """Raise where one of these variables is not in the data."""
        for name in names:
            if name not in self:
                raise RoleError("variable-unknown", variable=name, known=self.variables)

    def suppressed(self, name: str) -> pl.Series:
        """True where we emptied the cell of this variable."""
        mark = _MARK + name
        if mark in self._columns:
            return self._frame.get_column(mark)
        return pl.Series(np.zeros(self.height, dtype=np.bool_))

    @property
    def marked(self) -> tuple[str, ...]:
        """Variables with cells that we emptied."""
        return tuple(name[len(_MARK) :] for name in self._frame.columns if name.startswith(_MARK))

    def role(self, role: Role | str) -> str | None:
        """The variable that plays a role, if any."""
        return self.dictionary.one_with_role(role)

    # -- the same data, changed -------------------------------------------------------------------

    def with_columns(self, columns: Mapping[str, pl.Series], dictionary: Dictionary | None = None) -> Microdata:
        """Some columns replaced or added; a mark of suppression stays where the cell is still empty."""
        frame = self._frame.with_columns(series.alias(name) for name, series in columns.items())
        marks = [(_MARK + name, pl.col(name).is_null()) for name in columns if _MARK + name in frame.columns]
        frame = frame.with_columns((pl.col(mark) & empty).alias(mark) for mark, empty in marks)
        return Microdata._of(frame.select(_order(frame.columns)), dictionary or self.dictionary)

    def with_dictionary(self, dictionary: Dictionary) -> Microdata:
        """The same cells under another dictionary; codes of numbers take the spelling that they have in the data."""
        numeric = {name for name, dtype in self._frame.schema.items() if dtype.is_numeric()}
        return Microdata._of(self._frame, dictionary.on(numeric.__contains__))

    def suppress(self, cells: Mapping[str, npt.NDArray[np.bool_]]) -> Microdata:
        """These cells emptied and marked, cells that were empty already too; ``cells`` gives a mask a variable."""
        columns: dict[str, pl.Series] = {}
        for name, mask in cells.items():
            self.require(name)
            new = pl.Series(mask)
            if new.any():
                columns[name] = self._frame[name].zip_with(~new, pl.Series([None], dtype=self._frame[name].dtype))
                columns[_MARK + name] = self.suppressed(name) | new
        return self.with_columns(columns)

    def take(self, rows: npt.NDArray[np.integer[Any]] | npt.NDArray[np.bool_]) -> Microdata:
        """Some records, by position or by mask, in the order given."""
        if rows.dtype == np.bool_:
            return Microdata._of(self._frame.filter(pl.Series(rows)), self.dictionary)
        return Microdata._of(self._frame[pl.Series(rows.astype(np.int64))], self.dictionary)

    def select(self, names: Sequence[str]) -> Microdata:
        """Only these variables."""
        self.require(*names)
        hidden = [
            c for c in self._frame.columns if c == RECORD_ID or (c.startswith(_MARK) and c[len(_MARK) :] in names)
        ]
        return Microdata._of(self._frame.select([*names, *hidden]), self.dictionary.keep(names))

    @staticmethod
    def concat(parts: Sequence[Microdata]) -> Microdata:
        """Parts of the same file one below the other; a part without a mark has nothing marked."""
        marks = {name for part in parts for name in part._frame.columns if name.startswith(_MARK)}
        frames = [
            part._frame.with_columns(pl.lit(False).alias(name) for name in sorted(marks - set(part._frame.columns)))
            for part in parts
        ]
        return Microdata._of(pl.concat([f.select(frames[0].columns) for f in frames]), parts[0].dictionary)

    @staticmethod
    def stack(one: Microdata, other: Microdata) -> Microdata:
        """Records of two files with the same variables; where types differ the column is text. Ids start anew."""
        unlike = [n for n in one.variables if one.column(n).dtype != other.column(n).dtype]
        alike = [data.with_columns({n: spell_series(data.column(n)) for n in unlike}) for data in (one, other)]
        whole = Microdata.concat([alike[0], alike[1].with_dictionary(one.dictionary)])
        ids = pl.int_range(whole.height, dtype=pl.UInt64, eager=True).alias(RECORD_ID)
        return Microdata._of(whole._frame.with_columns(ids), whole.dictionary)

    def in_order_of(self, ids: npt.NDArray[np.uint64]) -> Microdata:
        """The same records in the order of these ids; ids that are not here are passed over."""
        order = pl.DataFrame({RECORD_ID: ids}).join(self._frame, on=RECORD_ID, how="inner", maintain_order="left")
        return Microdata._of(order.select(self._frame.columns), self.dictionary)

    def attach(self, rows: Microdata, on: str, names: Sequence[str]) -> Microdata:
        """These columns of ``rows``, one row a value of ``on``, given to every record with that value."""
        taken = [*names, *(_MARK + name for name in names if _MARK + name in rows._frame.columns)]
        stale = [c for c in (*names, *(_MARK + name for name in names)) if c in self._frame.columns]
        joined = self._frame.drop(stale).join(
            rows._frame.select(on, *taken), on=on, how="left", maintain_order="left", validate="m:1"
        )
        fresh = [name for name in names if name not in self.variables]
        order = [*self.variables, *fresh]
        hidden = [name for name in joined.columns if name.startswith(HIDDEN)]
        return Microdata._of(joined.select([*order, *hidden]), self.dictionary.update(rows.dictionary.keep(names)))

    def drop(self, *names: str) -> Microdata:
        """Without these variables."""
        self.require(*names)
        return self.select([name for name in self.variables if name not in names])


def _set(new: Microdata, frame: pl.DataFrame, dictionary: Dictionary) -> None:
    names = frame.columns
    object.__setattr__(new, "_frame", frame)
    object.__setattr__(new, "_columns", frozenset(names))
    object.__setattr__(new, "variables", tuple(name for name in names if not name.startswith(HIDDEN)))
    object.__setattr__(new, "dictionary", dictionary)


def _order(names: Sequence[str]) -> list[str]:
    visible = [name for name in names if not name.startswith(HIDDEN)]
    return visible + [name for name in names if name.startswith(HIDDEN)]


def _with_record_ids(frame: pl.DataFrame, dictionary: Dictionary, key: bytes | None) -> pl.DataFrame:
    name = dictionary.one_with_role(Role.ID)
    if name is None:
        return frame.with_columns(pl.int_range(frame.height, dtype=pl.UInt64, eager=True).alias(RECORD_ID))
    texts = spell_series(frame[name])
    if texts.null_count():
        raise DataError("id-missing", variable=name, count=texts.null_count())
    hashed = pl.Series(RECORD_ID, hash_texts((key or secrets.token_bytes(16))[:16], texts))
    if hashed.n_unique() < frame.height:
        raise DataError("id-repeated", variable=name, count=frame.height - hashed.n_unique())
    return frame.with_columns(hashed)
