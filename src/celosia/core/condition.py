"""Conditions on records, written in a plan: ``edad < 15 and region in ("01", "02")``.

A small part of Python's expressions: comparisons, ``in``, ``and``, ``or``, ``not``, parentheses, ``missing(x)`` and
``not_applicable(x)``. ``==`` and ``in`` compare codes in their canonical spelling, ``<`` and its kin compare numbers.
A comparison with a missing value is false; only these two see it, and ``==`` and ``in`` where they name its very code.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Annotated

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import AfterValidator

from celosia.core.codes import spell, spell_series
from celosia.core.dictionary import MissingKind
from celosia.core.errors import OptionError
from celosia.core.microdata import Microdata

Mask = npt.NDArray[np.bool_]


def _check(text: str) -> str:
    names(text)
    return text


Condition = Annotated[str, AfterValidator(_check)]
"""A condition, checked when the plan is read."""


def _parse(text: str) -> ast.expr:
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        raise OptionError("condition-syntax") from None
    _Reader({}).read(tree)
    return tree


def names(text: str) -> tuple[str, ...]:
    """The variables that a condition speaks of."""
    tree = _parse(text)
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    found = [n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in functions]
    return tuple(dict.fromkeys(found))


def holds(text: str, data: Microdata) -> Mask:
    """True for the records where the condition holds."""
    tree = _parse(text)
    used = names(text)
    data.require(*used)
    columns = {name: _Cells.of(data, name) for name in used}
    return _Reader(columns).read(tree).to_numpy()


class _Cells:
    """A column as codes, null where it is missing; what was written there; and where it does not apply."""

    def __init__(
        self, codes: pl.Series, written: pl.Series, missing: pl.Series, skipped: pl.Series, absent: frozenset[str]
    ) -> None:
        self.codes, self.written, self.missing, self.skipped, self.absent = codes, written, missing, skipped, absent

    @property
    def numbers(self) -> pl.Series:
        """The codes that are numbers."""
        return self.codes.cast(pl.Float64, strict=False)

    def one_of(self, wanted: Collection[str]) -> pl.Series:
        """Where one of these codes stands: codes of missing values too, where they are named."""
        return self.codes.is_in(list(wanted)) | self.written.is_in(list(self.absent.intersection(wanted)))

    @classmethod
    def of(cls, data: Microdata, name: str) -> _Cells:
        values = data.column(name)
        missing = data.dictionary[name].missing_mask(values)
        texts = spell_series(values)
        codes = texts.set(missing, None)
        absent = frozenset(texts.filter(missing).drop_nulls().unique().to_list())
        return cls(codes, texts, missing, _skipped(data, name, texts, missing), absent)


def _skipped(data: Microdata, name: str, texts: pl.Series, missing: pl.Series) -> pl.Series:
    """Cells that are missing because the question does not apply, and not because we emptied them."""
    variable = data.dictionary[name]
    held = texts.filter(missing).unique().to_list()
    kinds = [code for code in held if variable.kind_of(code) is MissingKind.NOT_APPLICABLE]
    codes = pl.Series(kinds, dtype=pl.String)
    return texts.is_in(codes.implode(), nulls_equal=True) & ~data.suppressed(name)


class _Reader:
    """Evaluates a condition; with no columns it only checks its form."""

    def __init__(self, columns: dict[str, _Cells]) -> None:
        self.columns = columns

    def read(self, node: ast.expr) -> pl.Series:
        match node:
            case ast.BoolOp(op=ast.And(), values=parts):
                return _all([self.read(part) for part in parts])
            case ast.BoolOp(op=ast.Or(), values=parts):
                return ~_all([~self.read(part) for part in parts])
            case ast.UnaryOp(op=ast.Not(), operand=part):
                return ~self.read(part)
            case ast.Call(func=ast.Name(id="missing"), args=[ast.Name(id=name)], keywords=[]):
                return self._cells(name).missing
            case ast.Call(func=ast.Name(id="not_applicable"), args=[ast.Name(id=name)], keywords=[]):
                return self._cells(name).skipped
            case ast.Compare(left=left, ops=ops, comparators=rights):
                sides = [left, *rights]
                return _all([self._compare(a, op, b) for a, op, b in zip(sides, ops, rights, strict=False)])
        raise OptionError("condition-form")

    def _cells(self, name: str) -> _Cells:
        empty = pl.Series([], dtype=pl.String)
        nowhere = empty.cast(pl.Boolean)
        blank = _Cells(empty, empty, nowhere, nowhere, frozenset())
        return self.columns.get(name, blank)

    def _compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr) -> pl.Series:
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(left, ast.Name) or not isinstance(right, ast.Tuple | ast.List):
                raise OptionError("condition-form")
            wanted = [code for code in (spell(_constant(item)) for item in right.elts) if code is not None]
            cells = self._cells(left.id)
            return (cells.one_of(wanted) if isinstance(op, ast.In) else ~cells.codes.is_in(wanted)).fill_null(False)
        if isinstance(op, ast.Eq) and isinstance(left, ast.Name) != isinstance(right, ast.Name):
            name, code = (left, right) if isinstance(left, ast.Name) else (right, left)
            assert isinstance(name, ast.Name)
            return self._cells(name.id).one_of((spell(_constant(code)) or "",)).fill_null(False)
        numeric = not isinstance(op, ast.Eq | ast.NotEq)
        a, b = self._side(left, numeric), self._side(right, numeric)
        if not isinstance(a, pl.Series) and not isinstance(b, pl.Series):
            raise OptionError("condition-form")
        compared = _OPERATORS[type(op)](a, b)
        return compared.fill_null(False)

    def _side(self, node: ast.expr, numeric: bool) -> pl.Series | str | float:
        if isinstance(node, ast.Name):
            cells = self._cells(node.id)
            return cells.numbers if numeric else cells.codes
        value = _constant(node)
        if not numeric:
            return spell(value) or ""
        if isinstance(value, str):
            raise OptionError("condition-form")
        return float(value)


def _constant(node: ast.expr) -> str | int | float | bool:
    try:
        value = ast.literal_eval(node)
    except ValueError:
        raise OptionError("condition-form") from None
    if not isinstance(value, str | int | float):
        raise OptionError("condition-form")
    return value


def _all(parts: list[pl.Series]) -> pl.Series:
    result = parts[0]
    for part in parts[1:]:
        result = result & part
    return result


def _flip(a: object, b: object, name: str, mirrored: str) -> pl.Series:
    if isinstance(a, pl.Series):
        return getattr(a, name)(b)  # type: ignore[no-any-return]
    return getattr(b, mirrored)(a)  # type: ignore[no-any-return]


_OPERATORS: dict[type[ast.cmpop], Callable[[object, object], pl.Series]] = {
    ast.Eq: lambda a, b: _flip(a, b, "eq", "eq"),
    ast.NotEq: lambda a, b: _flip(a, b, "ne", "ne"),
    ast.Lt: lambda a, b: _flip(a, b, "lt", "gt"),
    ast.LtE: lambda a, b: _flip(a, b, "le", "ge"),
    ast.Gt: lambda a, b: _flip(a, b, "gt", "lt"),
    ast.GtE: lambda a, b: _flip(a, b, "ge", "le"),
}
