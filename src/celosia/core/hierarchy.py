"""A hierarchy of codes: the one tree of the house.

Generalisation, recoding, distances and geography all take it. It holds the path of each leaf, most detailed
code first; parents are derived and checked. Its domain may be larger than the data; two groupings of the same
leaves are two hierarchies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field, field_validator

from celosia.core.codes import Code, spell, spell_series
from celosia.core.errors import DataError, FileError, OptionError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen, ReadOnly
from celosia.core.textfile import read_text

Path_ = tuple[Code, ...]


class Hierarchy(Frozen):
    """Levels of codes.

    Parameters
    ----------
    rows
        The path of each leaf: its own code, its parent's, … all of one length.
    labels
        Labels of codes, for each level that has any.
    name
        Name of what it classifies.

    Examples
    --------
    >>> places = Hierarchy.from_prefix(["01101", "01401", "02101"], lengths=(3, 2))
    >>> places.parents("01401")
    ('014', '01')
    >>> places.mapping(2)["02101"]
    '02'
    """

    rows: tuple[Path_, ...] = Field(min_length=1)
    labels: tuple[ReadOnly[Code, str], ...] = ()
    name: str = ""

    @field_validator("rows")
    @classmethod
    def _is_a_tree(cls, rows: tuple[Path_, ...]) -> tuple[Path_, ...]:
        depth = len(rows[0])
        for number, row in enumerate(rows, start=1):
            if len(row) != depth:
                raise DataError("hierarchy-ragged", row=number, expected=depth, found=len(row))
            if any(code == "" for code in row):
                raise DataError("hierarchy-gap", row=number)
        for level in range(depth - 1):
            parent: dict[str, str] = {}
            for number, row in enumerate(rows, start=1):
                if parent.setdefault(row[level], row[level + 1]) != row[level + 1]:
                    raise DataError("hierarchy-two-parents", row=number, level=level)
        leaves: set[str] = set()
        for number, row in enumerate(rows, start=1):
            if row[0] in leaves:
                raise DataError("hierarchy-leaf-repeated", row=number)
            leaves.add(row[0])
        return rows

    # -- makers -----------------------------------------------------------------------------------

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[Any]], name: str = "") -> Hierarchy:
        """From the paths of the leaves, most detailed code first."""
        return cls(rows=tuple(tuple(row) for row in rows), name=name)

    @classmethod
    def from_mapping(cls, mapping: Mapping[Any, Any], name: str = "") -> Hierarchy:
        """From code → group: two levels."""
        return cls(rows=tuple((code, group) for code, group in mapping.items()), name=name)

    @classmethod
    def from_prefix(cls, codes: Iterable[Any], lengths: Sequence[int], name: str = "") -> Hierarchy:
        """From codes whose first characters name their parents (comuna 01101 → provincia 011 → región 01)."""
        longest = max(lengths, default=0)
        spelled: set[str] = set()
        for number, code in enumerate(map(spell, codes), start=1):
            if code is not None and len(code) < longest:
                raise DataError("hierarchy-code-short", row=number, length=longest)
            spelled |= {code} if code is not None else set()
        return cls(rows=tuple((code, *(code[:length] for length in lengths)) for code in sorted(spelled)), name=name)

    @classmethod
    def from_columns(cls, frame: pl.DataFrame, columns: Sequence[str], name: str = "") -> Hierarchy:
        """From columns of data, most detailed first (a column and its parent's column)."""
        spelled = pl.DataFrame([spell_series(frame[column]) for column in columns]).unique().drop_nulls()
        return cls(rows=tuple(spelled.sort(columns).iter_rows()), name=name)

    @classmethod
    def from_csv(
        cls,
        path: str | Path,
        separator: str | None = None,
        header: bool = False,
        columns: Sequence[str] = (),
        labels: Sequence[str] = (),
    ) -> Hierarchy:
        """From a file with one line a leaf: its code, its parent's, …; the separator is found out.

        Parameters
        ----------
        header
            Whether the first line names the columns.
        columns
            The columns of the levels, most detailed first, where the file has others or another order.
        labels
            The columns of the labels of each level, in the same order.
        """
        import csv

        file = Path(path)
        lines = [line for line in read_text(file).splitlines() if line.strip()]
        if not lines:
            raise FileError("file-empty", path=file.name)
        mark = separator or max(";,\t|", key=lines[0].count)
        rows = [tuple(row) for row in csv.reader(lines, delimiter=mark)]
        if labels and not columns:
            raise OptionError("option-needs", option="labels", needs="columns")
        if not columns:
            return cls(rows=tuple(rows[1:] if header else rows), name=file.stem)
        codes, texts = (_picked(rows, wanted, file.name) for wanted in (columns, labels))
        named = tuple(
            {row[level]: text[level] for row, text in zip(codes, texts, strict=True)} for level in range(len(labels))
        )
        return cls(rows=tuple(dict.fromkeys(codes)), labels=named, name=file.stem)

    def with_top(self, code: str = "*") -> Hierarchy:
        """The same tree under one root; a tree that has this root already stays as it is."""
        if self.codes[-1] == (code,):
            return self
        return Hierarchy(rows=tuple((*row, code) for row in self.rows), labels=self.labels, name=self.name)

    # -- what it holds -----------------------------------------------------------------------------

    def to_rows(self) -> list[list[str]]:
        """The paths of the leaves as plain lists: what a plan writes, and ``from_rows`` reads again."""
        return [list(row) for row in self.rows]

    @property
    def depth(self) -> int:
        """Number of levels, leaves included."""
        return len(self.rows[0])

    @cached_property
    def codes(self) -> tuple[tuple[str, ...], ...]:
        """The codes of each level, in order of appearance."""
        return tuple(tuple(dict.fromkeys(row[level] for row in self.rows)) for level in range(self.depth))

    @cached_property
    def parent_of(self) -> tuple[npt.NDArray[np.int32], ...]:
        """For each level but the last, the position of every code's parent in the next one."""
        arrays = []
        for level in range(self.depth - 1):
            place = {code: i for i, code in enumerate(self.codes[level + 1])}
            above = {row[level]: row[level + 1] for row in self.rows}
            arrays.append(np.array([place[above[code]] for code in self.codes[level]], dtype=np.int32))
        return tuple(arrays)

    def mapping(self, level: int) -> dict[str, str]:
        """Leaf → its code at a level (0 is the leaf itself)."""
        if not 0 <= level < self.depth:
            raise OptionError("option-range", option="level", low=0, high=self.depth - 1)
        return {row[0]: row[level] for row in self.rows}

    def parents(self, leaf: Any) -> tuple[str, ...]:
        """The ancestors of a leaf, nearest first."""
        wanted = spell(leaf)
        for row in self.rows:
            if row[0] == wanted:
                return row[1:]
        raise DataError("hierarchy-unknown", hierarchy=self.name or "?")

    def label(self, level: int, code: str) -> str:
        """The label of a code at a level; the code where it has none."""
        return self.labels[level].get(code, code) if level < len(self.labels) else code

    def on(self, data: Microdata, variable: str) -> Hierarchy:
        """Itself, once it is sure to cover a variable of the data."""
        self.check_covers(data, variable)
        return self

    def check_covers(self, data: Microdata, variable: str) -> None:
        """Raise where a code of a variable, other than its missing ones, is no leaf: how many, and the first row."""
        values = data.column(variable)
        distinct = values.unique()
        outside = ~(
            spell_series(distinct).is_in(list(self.codes[0])) | data.dictionary[variable].missing_mask(distinct)
        )
        unknown = spell_series(distinct.filter(outside)).unique()
        if unknown.len():
            first = spell_series(values).is_in(unknown.implode()).arg_max()
            raise DataError("hierarchy-incomplete", variable=variable, row=(first or 0) + 1, count=unknown.len())


def _picked(rows: Sequence[Path_], columns: Sequence[str], file: str) -> list[Path_]:
    """The cells of some columns; the first row names them all."""
    names = [name.strip() for name in rows[0]]
    if unknown := tuple(name for name in columns if name not in names):
        raise FileError("hierarchy-columns", path=file, columns=unknown, known=tuple(names))
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise DataError("hierarchy-ragged", row=number, expected=len(names), found=len(row))
    places = [names.index(name) for name in columns]
    return [tuple(row[place] for place in places) for row in rows[1:]]
