"""The tree of places: declared, never found in the data.

The list of places is public: it says which places exist, and a place without a single record is in it too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from celosia.core.codes import sort_key, spell_series
from celosia.core.dictionary import Dictionary
from celosia.core.errors import DataError, OptionError
from celosia.core.frames import enter
from celosia.core.hierarchy import Hierarchy
from celosia.core.microdata import Microdata
from celosia.engines import engine

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Geography:
    """Levels of places, root first, the nodes of each level in tree order.

    In that order the children of a node are neighbours: those of node ``i`` of level ``l`` are
    ``first_child[l][i]`` up to ``first_child[l][i + 1]`` of level ``l + 1``. Every leaf is on the last level.

    Attributes
    ----------
    levels
        Names of the levels, root first.
    codes
        The code of each node, by level; a code need only be unique among the children of one parent.
    parents
        For each level, the position of each node's parent in the level above; empty for the root.
    groups
        The levels that hold groups of places and no places: they help estimation, and no record tells them.
    """

    levels: tuple[str, ...]
    codes: tuple[tuple[str, ...], ...]
    parents: tuple[Ints, ...]
    groups: frozenset[str] = frozenset()

    # -- makers -----------------------------------------------------------------------------------

    @classmethod
    def of_table(cls, places: Any, levels: tuple[str, ...], root: str = "total") -> Geography:
        """From a table with one row a leaf (or a codebook's) and a column a level, widest first.

        Codes may be numbered anew within each parent (district 1 of every comuna): a node is its whole path.
        A root of the name ``root`` is put on top unless the first level has one code only.
        """
        frame = enter(places).select(levels).frame
        paths = pl.DataFrame([spell_series(frame[name]) for name in levels])
        empty = paths.select(pl.any_horizontal(pl.all().is_null() | (pl.all() == ""))).to_series()
        if empty.any():
            raise DataError("place-without-parent", count=int(empty.sum()), levels=levels)
        rows = sorted(set(paths.iter_rows()), key=lambda row: [sort_key(code) for code in row])
        if not rows:
            raise DataError("geography-empty")
        if len({row[0] for row in rows}) > 1:
            levels, rows = (root, *levels), [(root, *row) for row in rows]
        return cls._of_sorted_paths(levels, rows)

    @classmethod
    def of_hierarchy(cls, tree: Hierarchy, levels: tuple[str, ...], root: str = "total") -> Geography:
        """From a hierarchy (leaves first, as all hierarchies); ``levels`` names its levels from the widest down."""
        if len(levels) != tree.depth:
            raise OptionError("geography-levels", expected=tree.depth, found=len(levels))
        return cls.of_table(pl.DataFrame(list(tree.rows), schema=list(reversed(levels)), orient="row"), levels, root)

    @classmethod
    def _of_sorted_paths(
        cls, levels: tuple[str, ...], rows: list[tuple[str, ...]], groups: frozenset[str] = frozenset()
    ) -> Geography:
        codes, parents = [], [np.empty(0, dtype=np.int64)]
        above: dict[tuple[str, ...], int] = {}
        for depth in range(1, len(levels) + 1):
            here = {path: i for i, path in enumerate(dict.fromkeys(row[:depth] for row in rows))}
            codes.append(tuple(path[-1] for path in here))
            if depth > 1:
                parents.append(np.array([above[path[:-1]] for path in here], dtype=np.int64))
            above = here
        return cls(levels=levels, codes=tuple(codes), parents=tuple(parents), groups=groups)

    # -- what it holds -----------------------------------------------------------------------------

    @property
    def depth(self) -> int:
        """Number of levels, root and leaves included."""
        return len(self.levels)

    @property
    def nodes(self) -> tuple[int, ...]:
        """Number of nodes of each level."""
        return tuple(len(codes) for codes in self.codes)

    @property
    def leaves(self) -> int:
        """Number of leaves."""
        return self.nodes[-1]

    @property
    def told(self) -> tuple[str, ...]:
        """The levels that records tell: not those of groups, nor a root that stands alone."""
        return tuple(name for i, name in enumerate(self.levels) if name not in self.groups and (i or self.nodes[0] > 1))

    def level(self, name: str) -> int:
        """The position of a level, from its name."""
        if name not in self.levels:
            raise OptionError("level-unknown", level=name, known=self.levels)
        return self.levels.index(name)

    @cached_property
    def first_child(self) -> tuple[Ints, ...]:
        """For each level but the last, where the children of each node begin in the next; one entry more at the end."""
        return tuple(
            np.searchsorted(self.parents[level + 1], np.arange(self.nodes[level] + 1))
            for level in range(self.depth - 1)
        )

    @cached_property
    def first_leaf(self) -> tuple[Ints, ...]:
        """For each level, where the leaves under each node begin; one entry more at the end."""
        first = np.arange(self.leaves + 1)
        found = [first]
        for children in reversed(self.first_child):
            first = first[children]
            found.append(first)
        return tuple(reversed(found))

    def ancestors(self, level: int) -> Ints:
        """The node of a level above each leaf."""
        return np.repeat(np.arange(self.nodes[level]), np.diff(self.first_leaf[level]))

    @cached_property
    def only_child(self) -> tuple[npt.NDArray[np.bool_], ...]:
        """For each level, the nodes that are their parent's only child: the same place under two names."""
        alone = [np.zeros(1, dtype=np.bool_)]
        alone += [np.diff(first)[above] == 1 for first, above in zip(self.first_child, self.parents[1:], strict=True)]
        return tuple(alone)

    @cached_property
    def names(self) -> tuple[tuple[str, ...], ...]:
        """A name for each node, unique in its level: its code, or the path of codes where codes are repeated."""
        paths, found = [self.codes[0]], [self.codes[0]]
        for codes, above in zip(self.codes[1:], self.parents[1:], strict=True):
            paths.append(tuple(f"{paths[-1][p]}/{code}" for code, p in zip(codes, above, strict=True)))
            found.append(codes if len(set(codes)) == len(codes) else paths[-1])
        return tuple(found)

    def children(self, level: int, node: int) -> slice:
        """Where the children of a node are in the next level."""
        first = self.first_child[level]
        return slice(int(first[node]), int(first[node + 1]))

    def sum_children(self, level: int, counts: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """The rows of the nodes of ``level`` from those of their children, one row a node of the next level."""
        return np.add.reduceat(counts, self.first_child[level][:-1], axis=0)

    # -- other spines ------------------------------------------------------------------------------

    def bypassed(self) -> Geography:
        """Without the levels whose every node is its parent's only child: they would measure the same places twice."""
        kept = [level for level in range(self.depth) if not (level and self.only_child[level].all())]
        paths = self._paths(tuple(self.levels[level] for level in (*kept[:-1], self.depth - 1)))
        levels = (*(self.levels[level] for level in kept[:-1]), self.levels[-1])
        return Geography._of_sorted_paths(levels, paths, self.groups)

    def grouped(self, level: str, name: str, most: int, by: Mapping[str, str] | None = None) -> Geography:
        """With a level ``name`` under ``level`` that gathers the children of each node into groups.

        Parameters
        ----------
        most
            Children that a group may have. Few children a place leave each of them less of the place's noise to share.
        by
            Name of each child → an area that is wanted and that the tree cuts across (urban and rural, a service
            zone): groups do not mix areas, so that the area within a place is a sum of few nodes.
        """
        if most < 2:
            raise OptionError("option-range", option="most", low=2, high="∞")
        above = self.level(level)
        if above == self.depth - 1 or name in self.levels:
            raise OptionError("geography-group-level", level=level, name=name)
        area = by or {}
        unknown = set(area) - set(self.names[above + 1])
        if unknown:
            raise OptionError("limit-place-unknown", level=self.levels[above + 1], count=len(unknown))
        group = self._groups(above, most, area)
        child = self.ancestors(above + 1)
        paths = self._paths(self.levels)
        rows = [(*path[: above + 1], group[child[i]], *path[above + 1 :]) for i, path in enumerate(paths)]
        rows.sort(key=lambda row: [sort_key(code) for code in row])
        levels = (*self.levels[: above + 1], name, *self.levels[above + 1 :])
        return Geography._of_sorted_paths(levels, rows, self.groups | {name})

    def _groups(self, above: int, most: int, area: Mapping[str, str]) -> list[str]:
        """The group of each child, numbered within its parent and area; as even as they can be."""
        names, group = self.names[above + 1], [""] * self.nodes[above + 1]
        for node in range(self.nodes[above]):
            inside = range(*self.children(above, node).indices(len(names)))
            for wanted in dict.fromkeys(area.get(names[i], "") for i in inside):
                own = [i for i in inside if area.get(names[i], "") == wanted]
                parts = -(-len(own) // most)
                for order, i in enumerate(own):
                    number = order * parts // len(own) + 1
                    group[i] = f"{wanted}-{number}" if wanted else str(number)
        return group

    # -- records -----------------------------------------------------------------------------------

    def place(self, data: Any) -> npt.NDArray[np.int32]:
        """The leaf of each record, from the columns named after the levels.

        A column of a level above the leaves may be absent where the codes below are not numbered anew; one that
        is there must agree with the tree.
        """
        microdata = enter(data)
        names = tuple(name for name in self.levels if name in microdata and name not in self.groups)
        if self.levels[-1] not in names or not self._tell_leaves_apart(names):
            microdata.require(*self.told[-1:], *(self.told if self.levels[-1] in names else ()))
        leaf = self.node(microdata, self.depth - 1)
        unknown = int((leaf < 0).sum())
        if unknown:
            raise DataError("place-unknown", records=unknown, variables=names)
        return leaf

    def node(self, data: Microdata, level: int) -> npt.NDArray[np.int32]:
        """The node of each record at a level, -1 where its codes name none; a level without a column by those below."""
        names = tuple(name for name in self.levels[: level + 1] if name in data and name not in self.groups)
        if self.levels[level] not in names:
            if self.nodes[level] == 1:
                return np.zeros(data.height, dtype=np.int32)
            if level + 1 == self.depth:
                return np.full(data.height, -1, dtype=np.int32)
            below = self.node(data, level + 1)
            return np.where(below < 0, -1, self.parents[level + 1][below]).astype(np.int32)
        codes, node = [], np.arange(self.nodes[level])
        for above in range(level, -1, -1):
            if self.levels[above] in names:
                codes.append([self.codes[above][i] for i in node])
            if above:
                node = self.parents[above][node]
        node_of = {path: i for i, path in enumerate(zip(*reversed(codes), strict=True))}
        keys = engine(data.select(names).with_dictionary(Dictionary())).encode(names, "strict")
        spelled = [categories.codes for categories in keys.categories]
        found = [
            node_of.get(tuple(c[digit - 1] for c, digit in zip(spelled, row, strict=True)), -1)
            for row in keys.digits.tolist()
        ]
        return keys.of_records(np.array(found, dtype=np.int32))

    def _paths(self, names: tuple[str, ...]) -> list[tuple[str, ...]]:
        """The codes of the leaves at these levels."""
        columns = []
        for level in map(self.level, names):
            codes = self.codes[level]
            columns.append([codes[node] for node in self.ancestors(level)])
        return list(zip(*columns, strict=True))

    def _tell_leaves_apart(self, names: tuple[str, ...]) -> bool:
        paths = self._paths(names)
        return len(set(paths)) == len(paths)
