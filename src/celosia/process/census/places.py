"""The public list of places of a census plan, and the tree that is made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from pydantic import Field

from celosia.census import Geography
from celosia.core.codes import spell_series
from celosia.core.dictionary import Dictionary, Variable
from celosia.core.errors import PlanError
from celosia.core.microdata import Microdata
from celosia.core.model import Frozen, Names, ReadOnly


class Gathered(Frozen):
    """A level more, of groups of the children of each place: few children a place keep more of what is measured above.

    Groups are no places and are in no file of records.

    Parameters
    ----------
    under
        The level whose children are gathered.
    name
        What the level is called in budgets.
    most
        Children that a group may have.
    by
        A column of the list of places that groups must not mix, such as urban and rural.
    """

    under: str
    name: str
    most: int = Field(ge=2)
    by: str | None = None


class Places(Frozen):
    """The public list of places: a file with one row a smallest place and a column a level, widest first.

    Parameters
    ----------
    labels
        Level → the column that holds the names of its places.
    bypass
        Whether levels whose every place is the only child of another are left out.
    """

    file: str
    levels: Names
    root: str = "total"
    labels: ReadOnly[str, str] = Field(default_factory=dict, validate_default=True)
    bypass: bool = True
    gathered: tuple[Gathered, ...] = ()

    def geography(self, places: Microdata) -> Geography:
        """The tree."""
        tree = Geography.of_table(places, self.levels, self.root)
        tree = tree.bypassed() if self.bypass else tree
        for one in self.gathered:
            areas = None if one.by is None else self._areas(places, tree, one.under, one.by)
            tree = tree.grouped(one.under, one.name, one.most, areas)
        return tree

    def described(self, places: Microdata, tree: Geography, known: Dictionary) -> tuple[Variable, ...]:
        """The levels as variables: the names of the places on the list, from the list or from the dictionary."""
        if unknown := [level for level in self.labels if level not in tree.told]:
            raise PlanError("census-place-labels", level=unknown[0], column=self.labels[unknown[0]])
        return tuple(self._variable(level, places, tree, known) for level in tree.told)

    def _variable(self, level: str, places: Microdata, tree: Geography, known: Dictionary) -> Variable:
        about = known[level]
        codes = set(tree.codes[tree.level(level)])
        names = self._names(level, places) if level in self.labels else about.values
        return Variable(
            name=level, label=about.label, values={code: said for code, said in names.items() if code in codes}
        )

    def _names(self, level: str, places: Microdata) -> Mapping[str, str]:
        column = self.labels[level]
        pairs = _pairs(places, level, column)
        if len({code for code, _ in pairs}) < len(pairs):
            raise PlanError("census-place-labels", level=level, column=column)
        return dict(pairs)

    def _areas(self, places: Microdata, tree: Geography, under: str, by: str) -> dict[str, str]:
        """The area of each child that is gathered, by its name in the tree."""
        places.require(by)
        level = tree.level(under) + 1
        if level == tree.depth:
            return {}
        node = tree.node(places, level)
        areas = spell_series(places.column(by)).fill_null("")
        pairs = sorted(set(zip(node.tolist(), areas.to_list(), strict=True)))
        if len({place for place, _ in pairs}) < len(pairs):
            raise PlanError("census-areas-mixed", column=by, level=tree.levels[level])
        return {tree.names[level][place]: area for place, area in pairs}


def _pairs(places: Microdata, *names: str) -> list[tuple[Any, ...]]:
    """The distinct rows of some columns, spelled; those with an empty cell are left out."""
    places.require(*names)
    return pl.DataFrame([spell_series(places.column(name)) for name in names]).drop_nulls().unique().sort(names).rows()
