"""Recode categories: merge codes through a mapping or a level of a hierarchy."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, ClassVar

import polars as pl
from pydantic import Field, model_validator

from celosia.core.codes import Code, back_to, spell_series
from celosia.core.dictionary import MissingKind, Variable
from celosia.core.errors import DataError, OptionError, warn
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_rules import Tree
from celosia.core.method import Promise
from celosia.core.microdata import Microdata
from celosia.core.model import Names, ReadOnly
from celosia.engines import engine
from celosia.methods.kinds import ColumnMethod, NewColumn, changed, exactly_one
from celosia.verify import Domain, KeepsMissing, NoFiner, Recoded


class RecodeCategories(ColumnMethod):
    """Merge categories: by a mapping of codes, by climbing a hierarchy, or to a parent that the data name.

    Missing codes stay as they are unless the mapping names them or ``missing`` gives non-response a code. The
    column keeps its type where that can hold the new codes, else it becomes text.

    Parameters
    ----------
    variables
        The variables to recode, all in the same way.
    mapping
        Code → new code.
    hierarchy, to_level
        A hierarchy, its rows (most detailed code first) or a rule, and the level to climb to; every code of the
        data must be in it.
    parent
        A variable that holds the parent of each code (comuna → provincia); each code must have one.
    prefix
        How many characters of the code name its parent (``01101`` → ``01``); all codes must be equally long.
    labels
        New code → label.
    others
        The code of everything that the mapping does not name; by default it stays.
    missing
        A code that non-response (declared codes and empty cells, not cells that we emptied) also gets.

    Examples
    --------
    >>> import polars as pl
    >>> frame = pl.DataFrame({"estado": [1, 2, 3, None]})
    >>> RecodeCategories(variables=("estado",), mapping={2: 1}).apply(frame).data["estado"].to_list()
    [1, 1, 3, None]
    """

    do: ClassVar[str] = "recode_categories"

    variables: Names
    mapping: Annotated[ReadOnly[Code, Code], Field(min_length=1)] | None = None
    hierarchy: Tree | None = None
    to_level: Annotated[int, Field(ge=1)] | None = None
    parent: str | None = None
    prefix: Annotated[int, Field(ge=1)] | None = None
    labels: ReadOnly[Code, str] = Field(default_factory=dict, validate_default=True)
    others: Code | None = None
    missing: Code | None = None

    @model_validator(mode="after")
    def _one_way(self) -> RecodeCategories:
        exactly_one(mapping=self.mapping, hierarchy=self.hierarchy, parent=self.parent, prefix=self.prefix)
        if self.others is not None and self.mapping is None:
            raise OptionError("option-needs", option="others", needs="mapping")
        if self.hierarchy is None:
            if self.to_level is not None:
                raise OptionError("option-needs", option="to_level", needs="hierarchy")
            return self
        if self.to_level is None:
            raise OptionError("option-needs", option="hierarchy", needs="to_level")
        if isinstance(self.hierarchy, Hierarchy) and self.to_level >= self.hierarchy.depth:
            raise OptionError("option-range", option="to_level", low=1, high=self.hierarchy.depth - 1)
        return self

    @property
    def record_wise(self) -> bool:
        """Where the new codes are written down, not read from the data."""
        return self.mapping is not None or isinstance(self.hierarchy, Hierarchy)

    @property
    def touched(self) -> tuple[str, ...]:
        """The variables recoded."""
        return self.variables

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Each code where its mapping sends it and never split, missing codes kept unless named."""
        kept = [name for name in self.variables if self._spares_missing(before, name)]
        return (
            *super().promises(before),
            *(NoFiner(name) for name in self.variables),
            *(Domain(name, self._domain(before, name)) for name in self.variables),
            *(KeepsMissing(name) for name in kept),
            *(Recoded(name, self._named(before, name), self.others, self.missing) for name in self.variables),
        )

    def _columns(self, data: Microdata) -> Mapping[str, NewColumn]:
        return {name: self._column(data, name) for name in self.variables}

    def _column(self, data: Microdata, name: str) -> NewColumn:
        variable = data.dictionary[name]
        target = self._target(variable, _codes(data, name), self._named(data, name))
        values = engine(data).map_codes(name, target)
        if self.missing is not None and variable.null is not MissingKind.NOT_APPLICABLE:
            values = _filled(values, self.missing, data.suppressed(name))
        return NewColumn(values, self._described(variable, target))

    def _named(self, data: Microdata, name: str) -> Mapping[str, str]:
        """The new code of each code that the mapping, the hierarchy, the parent or the prefix speaks of."""
        if self.hierarchy is not None:
            return self.hierarchy.on(data, name).mapping(self.to_level or 0)
        if self.parent is not None:
            return _parents(data, name, self.parent)
        if self.prefix is not None:
            return _beginnings(data, name, self.prefix)
        return self.mapping or {}

    def _target(self, variable: Variable, codes: Collection[str], named: Mapping[str, str]) -> dict[str, str]:
        """The new code of every code of the column and of the dictionary."""
        target: dict[str, str] = {}
        for code in dict.fromkeys([*variable.values, *variable.missing, *codes]):
            kind = variable.kind_of(code)
            if code in named:
                target[code] = named[code]
            elif kind is not None:
                moves = kind is MissingKind.NON_RESPONSE and self.missing is not None
                target[code] = self.missing if moves and self.missing is not None else code
            elif self.mapping is None:
                continue  # a label without records
            else:
                target[code] = code if self.others is None else self.others
            if kind is None and variable.kind_of(target[code]) is not None:
                raise DataError("recode-into-missing", variable=variable.name)
        if codes and not named.keys() & target.keys():
            warn("recode-nothing", variable=variable.name)
        return target

    def _described(self, variable: Variable, target: Mapping[str, str]) -> Variable:
        """The variable under its new codes: labels in the order in which the old ones stood."""
        gone = {code for code in variable.missing if target.get(code, code) != code}
        missing = {code: kind for code, kind in variable.missing.items() if code not in gone}
        values: dict[str, str] = {}
        if variable.values or self.labels or (isinstance(self.hierarchy, Hierarchy) and self.hierarchy.labels):
            for new in dict.fromkeys(target.values()):
                values[new] = self._label(variable, target, new)
        return changed(variable, values=values, missing=missing)

    def _label(self, variable: Variable, target: Mapping[str, str], new: str) -> str:
        if new in self.labels:
            return self.labels[new]
        if isinstance(self.hierarchy, Hierarchy) and (label := self.hierarchy.label(self.to_level or 0, new)) != new:
            return label
        return variable.values.get(new, new) if target.get(new, new) == new else new

    def _domain(self, before: Microdata, name: str) -> frozenset[str]:
        """Every code that the recoded variable may hold."""
        named = self._named(before, name)
        rest = self.mapping is not None and self.others is None
        stay = [code for code in _codes(before, name) if code not in named] if rest else []
        extra = [code for code in (self.others, self.missing) if code is not None]
        return frozenset([*named.values(), *stay, *extra])

    def _spares_missing(self, before: Microdata, name: str) -> bool:
        variable = before.dictionary[name]
        return self.missing is None and not any(variable.kind_of(code) for code in self._named(before, name))


def _codes(data: Microdata, name: str) -> dict[str, None]:
    """The distinct codes of a column, in order."""
    distinct = spell_series(data.column(name).unique().drop_nulls()).unique().sort()
    return dict.fromkeys(distinct.to_list())


def _values(data: Microdata, name: str) -> list[str]:
    """The distinct codes of a column that are not missing, in order."""
    return [code for code in _codes(data, name) if data.dictionary[name].kind_of(code) is None]


def _beginnings(data: Microdata, name: str, size: int) -> dict[str, str]:
    """Code → its first characters, which name the same level only where all codes are equally long."""
    codes = _values(data, name)
    lengths = {len(code) for code in codes}
    if len(lengths) > 1 or any(length <= size for length in lengths):
        raise DataError("recode-prefix", variable=name, prefix=size, lengths=tuple(sorted(lengths)))
    return {code: code[:size] for code in codes}


def _parents(data: Microdata, name: str, parent: str) -> dict[str, str]:
    """Code → the one code of the parent variable that stands beside it."""
    child, above = data.column(name), data.column(parent)
    valued = ~(data.dictionary[name].missing_mask(child) | data.dictionary[parent].missing_mask(above))
    pairs = pl.DataFrame({"code": spell_series(child), "parent": spell_series(above)}).filter(valued).unique()
    several = pairs.height - pairs["code"].n_unique()
    if several:
        raise DataError("recode-parents", variable=name, parent=parent, count=several)
    found: dict[str, str] = dict(pairs.sort("code").iter_rows())
    if orphans := sum(code not in found for code in _values(data, name)):
        raise DataError("recode-parentless", variable=name, parent=parent, count=orphans)
    return found


def _filled(values: pl.Series, code: str, suppressed: pl.Series) -> pl.Series:
    """Empty cells, but not those that we emptied, get a code."""
    typed = back_to(pl.Series([code]), values.dtype)
    base, fill = (spell_series(values), pl.Series([code])) if typed is None else (values, typed)
    return base.zip_with(values.is_not_null() | suppressed, fill).alias(values.name)
