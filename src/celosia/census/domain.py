"""The domain of a census: every combination of codes that a record may have, declared and never found in the data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field, TypeAdapter, model_validator

from celosia.census.attribute import EMPTY, Attribute, Grouping
from celosia.census.query import Query
from celosia.census.rules import AnyRule, Rule, RuleTables, Skip
from celosia.core.codes import sort_key
from celosia.core.dictionary import Dictionary
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.frames import enter
from celosia.core.model import Frozen, ReadOnly
from celosia.engines import Keys, engine

_MOST = 1 << 26
"""Combinations that may be looked at while structural zeros are removed."""

TOTAL, DETAILED = "total", "detailed"
JOIN = " * "
"""Between the names of the variables of a marginal query."""


class Domain(Frozen):
    """The cells of a census table: combinations of categories that the rules allow.

    Parameters
    ----------
    attributes
        The variables, in the order in which cells are numbered (the last one fastest).
    rules
        Combinations that cannot be: they are no cells at all, and nothing is measured or released in them.
    groupings
        Categories taken together in queries, by a name that queries use.

    Examples
    --------
    >>> domain = Domain(
    ...     attributes=(Attribute(name="P09", codes=range(3)), Attribute(name="P17", codes=(1, 98))),
    ...     rules=(Rule(given="P09 < 2", then="P17 == 98"),),
    ... )
    >>> domain.size
    4
    """

    attributes: tuple[Attribute, ...] = Field(min_length=1)
    rules: tuple[Rule, ...] = ()
    groupings: ReadOnly[str, Grouping] = Field(default_factory=dict, validate_default=True)

    @classmethod
    def of(
        cls,
        dictionary: Dictionary,
        variables: Sequence[str] | Mapping[str, Any],
        recodes: Mapping[str, Mapping[Any, Any]] | None = None,
        rules: Sequence[Rule | Skip | str | Mapping[str, Any]] = (),
        groupings: Mapping[str, Grouping] | None = None,
    ) -> Domain:
        """From the declared dictionary. A mapping of variables lists the codes of those without value labels.

        Examples
        --------
        >>> from celosia.core.dictionary import Variable
        >>> book = Dictionary.of(Variable(name="P08", values={1: "Hombre", 2: "Mujer"}), Variable(name="P09"))
        >>> Domain.of(book, {"P08": None, "P09": {"from": 0, "to": 100}}).size
        202
        """
        codes = variables if isinstance(variables, Mapping) else dict.fromkeys(variables)
        given = recodes or {}
        attributes = tuple(Attribute.of(dictionary[name], codes[name], given.get(name)) for name in codes)
        forms = TypeAdapter(tuple[AnyRule, ...]).validate_python(tuple(rules))
        plain = [rule for form in forms for rule in (form.rules(dictionary) if isinstance(form, Skip) else (form,))]
        return cls.model_validate({"attributes": attributes, "rules": plain, "groupings": dict(groupings or {})})

    @model_validator(mode="after")
    def _holds_together(self) -> Domain:
        if len(set(self.names)) < len(self.names):
            raise RoleError("keys-repeated", keys=self.names)
        for attribute in self.attributes:
            attribute.check()
        spoken = [name for rule in self.rules for name in rule.variables]
        for name in [*spoken, *(grouping.variable for grouping in self.groupings.values())]:
            if name not in self.names:
                raise RoleError("domain-variable-unknown", variable=name, known=self.names)
        for name, grouping in self.groupings.items():
            if name in (*self.names, TOTAL, DETAILED):
                raise OptionError("domain-grouping-name", grouping=name)
            unknown = set(grouping.groups) - set(self._attribute(grouping.variable).categories)
            if unknown:
                raise OptionError("domain-grouping-unknown", grouping=name, codes=tuple(sorted(unknown, key=sort_key)))
        self._check_rules()
        return self

    # -- the cells ---------------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of categories of each variable."""
        return tuple(len(attribute.categories) for attribute in self.attributes)

    @cached_property
    def cells(self) -> npt.NDArray[np.int32]:
        """The digits of each cell, one column a variable, in lexicographic order."""
        digits = np.zeros((1, 0), dtype=np.int32)
        waiting = list(self._tables)
        for size in self.shape:
            if len(digits) * size > _MOST:
                raise OptionError("domain-too-large", limit=_MOST)
            digits = np.column_stack(
                [np.repeat(digits, size, axis=0), np.tile(np.arange(size, dtype=np.int32), len(digits))]
            )
            ready = [(places, tables) for places, tables in waiting if max(places) < digits.shape[1]]
            waiting = [one for one in waiting if max(one[0]) >= digits.shape[1]]
            for places, tables in ready:
                digits = digits[tables.allowed[tuple(digits[:, place] for place in places)]]
        return digits

    @property
    def size(self) -> int:
        """Number of cells."""
        return len(self.cells)

    @cached_property
    def _tables(self) -> tuple[tuple[tuple[int, ...], RuleTables], ...]:
        """Each rule: the positions of its variables and its tables."""
        by_name = {attribute.name: attribute for attribute in self.attributes}
        return tuple(
            (tuple(self.names.index(name) for name in rule.variables), rule.tables(by_name)) for rule in self.rules
        )

    def _check_rules(self) -> None:
        """Rules must forbid something, and must not contradict each other."""
        for rule, (_, tables) in zip(self.rules, self._tables, strict=True):
            if not tables.forbids:
                raise OptionError("rule-idle", rule=str(rule))
        if not self.rules:
            return
        for rule, (places, tables) in zip(self.rules, self._tables, strict=True):
            premise = tables.premise
            if premise is not None and not premise[tuple(self.cells[:, place] for place in places)].any():
                raise OptionError("rules-contradict", rule=str(rule))
        for place, attribute in enumerate(self.attributes):
            lost = len(attribute.categories) - len(np.unique(self.cells[:, place]))
            if lost:
                raise OptionError("domain-code-impossible", variable=attribute.name, count=lost)

    @cached_property
    def _flat(self) -> npt.NDArray[np.int64]:
        """The cells as numbers in ascending order."""
        return self._flatten(self.cells)

    def _flatten(self, digits: npt.NDArray[np.int32]) -> npt.NDArray[np.int64]:
        flat = np.zeros(len(digits), dtype=np.int64)
        for column, size in zip(digits.T, self.shape, strict=True):
            flat = flat * size + column
        return flat

    def _attribute(self, name: str) -> Attribute:
        if name not in self.names:
            raise RoleError("domain-variable-unknown", variable=name, known=(*self.names, *self.groupings))
        return self.attributes[self.names.index(name)]

    # -- records -----------------------------------------------------------------------------------

    def encode(self, data: Any) -> npt.NDArray[np.int32]:
        """The cell of each record; a code or a combination outside the domain is refused."""
        microdata = enter(data)
        microdata.require(*self.names)
        # Every declared code is a category here, whatever kind of missing the dictionary calls it.
        keys = engine(microdata.select(self.names).with_dictionary(Dictionary())).encode(self.names, "strict")
        digits = np.column_stack([self._digits_of(keys, place) for place in range(len(self.names))])
        flat = self._flatten(digits)
        cell = np.searchsorted(self._flat, flat).astype(np.int32)
        known = self._flat[np.minimum(cell, self.size - 1)] == flat
        if not known.all():
            self._refuse(digits[~known], keys.count[~known])
        return keys.of_records(cell)

    def _digits_of(self, keys: Keys, place: int) -> npt.NDArray[np.int32]:
        """The category of each distinct key at one variable."""
        attribute = self.attributes[place]
        known = attribute.digit_of
        of_code = [known.get(EMPTY if code is None else code, -1) for code in keys.categories[place].codes]
        digit = np.array([-1, *of_code], dtype=np.int32)[keys.digits[:, place]]
        if (digit < 0).any():
            outside = int(keys.count[digit < 0].sum())
            codes = of_code.count(-1)
            raise DataError("domain-code-outside", variable=attribute.name, records=outside, codes=codes)
        return digit

    def _refuse(self, digits: npt.NDArray[np.int32], count: npt.NDArray[np.int64]) -> None:
        """Say which rules the records break; never which records or codes."""
        broken = [
            str(rule)
            for rule, (places, tables) in zip(self.rules, self._tables, strict=True)
            if not tables.allowed[tuple(digits[:, place] for place in places)].all()
        ]
        raise DataError("domain-cell-impossible", records=int(count.sum()), rules=tuple(broken))

    def codes(self, cells: npt.NDArray[np.integer[Any]]) -> dict[str, list[str]]:
        """The categories of some cells, by variable."""
        digits = self.cells[cells]
        return {
            attribute.name: [attribute.categories[digit] for digit in digits[:, place]]
            for place, attribute in enumerate(self.attributes)
        }

    # -- queries -----------------------------------------------------------------------------------

    def total(self) -> Query:
        """All records as one number."""
        return Query.total(self.size, TOTAL)

    def detailed(self) -> Query:
        """Every cell by itself."""
        return self._marginal(DETAILED, self.names)

    def margin(self, *names: str) -> Query:
        """Counts by some variables or groupings; an answer without a cell is left out."""
        return self._marginal(JOIN.join(names), names)

    def query(self, text: str) -> Query:
        """A query by its name: ``total``, ``detailed``, or variables and groupings joined by ``*``."""
        name = JOIN.join(part.strip() for part in text.split("*"))
        if name not in self._asked:
            made = {TOTAL: self.total, DETAILED: self.detailed}.get(name)
            self._asked[name] = made() if made else self.margin(*name.split(JOIN))
        return self._asked[name]

    @cached_property
    def _asked(self) -> dict[str, Query]:
        """Queries made before."""
        return {}

    def _marginal(self, title: str, names: Sequence[str]) -> Query:
        if len(set(names)) < len(names) or not names:
            raise RoleError("keys-repeated", keys=tuple(names))
        columns, labels, variables = [], [], []
        for name in names:
            grouping = self.groupings.get(name)
            attribute = self._attribute(grouping.variable if grouping else name)
            groups = grouping.groups if grouping else {code: code for code in attribute.categories}
            group_labels = tuple(dict.fromkeys(groups[code] for code in attribute.categories if code in groups))
            place = {label: i for i, label in enumerate(group_labels)}
            of_digit = np.array([place[groups[c]] if c in groups else -1 for c in attribute.categories])
            columns.append(of_digit[self.cells[:, self.names.index(attribute.name)]])
            labels.append(group_labels)
            if len(set(of_digit.tolist())) > 1:
                variables.append(attribute.name)
        flat = np.ravel_multi_index([np.maximum(column, 0) for column in columns], [len(one) for one in labels])
        counted = np.all([column >= 0 for column in columns], axis=0)
        present, group = np.unique(flat[counted], return_inverse=True)
        answer = np.full(self.size, -1, dtype=np.int32)
        answer[counted] = group
        digits = np.unravel_index(present, [len(one) for one in labels])
        named = tuple(
            "|".join(one[d] for one, d in zip(labels, row, strict=True))
            for row in zip(*(digit.tolist() for digit in digits), strict=True)
        )
        return Query(title, answer, present.size, tuple(dict.fromkeys(variables)), named)
