"""The hierarchies of a plan for the variables of a study as they are now: from the level that they were recoded to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from celosia.core.codes import spell_series
from celosia.core.hierarchy import Hierarchy
from celosia.core.microdata import Microdata

if TYPE_CHECKING:
    from celosia.process.study import Study


def hierarchies(study: Study, data: Microdata, names: Sequence[str]) -> dict[str, Hierarchy]:
    """Of each variable that has one in the plan, under the name that its dictionary gives or its own."""
    found = {}
    for name in names:
        if name not in study.root.data:
            continue
        tree = study.plan.hierarchies.get(data.dictionary[name].hierarchy or name)
        grown = None if tree is None else _from_now(tree.on(study.root.data, name), data, name)
        if grown is not None:
            found[name] = grown
    return found


def _from_now(whole: Hierarchy, data: Microdata, name: str) -> Hierarchy | None:
    """The levels above the codes that the data hold; nothing where they are of no level, or of the last."""
    values = data.column(name)
    codes = set(spell_series(values.filter(~data.dictionary[name].missing_mask(values))).unique())
    level = next((level for level, known in enumerate(whole.codes) if codes <= set(known)), whole.depth)
    if level >= whole.depth - 1:
        return None
    return Hierarchy(rows=tuple(dict.fromkeys(row[level:] for row in whole.rows)))
