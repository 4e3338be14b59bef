"""Write generalised codes into data: each record climbs to its level in each key, or loses all of its keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field

from celosia.core.dictionary import Level, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.hierarchy import Hierarchy
from celosia.core.microdata import Microdata
from celosia.core.model import ReadOnly
from celosia.engines.contract import Categories, Ints, Keys
from celosia.methods.class_models import Tree
from celosia.methods.kinds import changed
from celosia.methods.leveled_keys import LeveledKey

Trees = Annotated[ReadOnly[str, Tree], Field(min_length=1)]
"""The hierarchy of each key: a ``Hierarchy``, or its rows, most detailed code first."""


def check_input(data: Microdata, hierarchies: Mapping[str, Hierarchy], k: int, sensitive: Sequence[str] = ()) -> None:
    """Raise where keys, hierarchies or sensitive variables do not fit the data, or records are too few."""
    data.require(*hierarchies, *sensitive)
    if both := tuple(name for name in sensitive if name in hierarchies):
        raise RoleError("sensitive-is-key", variables=both)
    for name, tree in hierarchies.items():
        if tree.depth < 2:
            raise OptionError("hierarchy-one-level", variable=name)
    if data.height < k:
        raise DataError("fewer-than-k", k=k, count=data.height)


def climbed(
    data: Microdata,
    coded: Keys,
    keys: Sequence[LeveledKey],
    hierarchies: Mapping[str, Hierarchy],
    levels: Ints,
    lost: npt.NDArray[np.bool_],
) -> Microdata:
    """The data with each distinct key at its levels (a row a key), and the lost ones emptied."""
    columns, dictionary = {}, data.dictionary
    for j, key in enumerate(keys):
        used = np.unique(levels[~lost, j])
        if not used.size or used[-1] == 0:
            continue
        categories = coded.categories[j]
        texts = pl.Series([code for codes in key.codes for code in codes], dtype=pl.String)
        places = levels[:, j] * len(key.codes[0]) + coded.digits[:, j]
        columns[key.name] = texts.gather(pl.Series(coded.of_records(places)))
        described = _described(data.dictionary[key.name], categories, hierarchies[key.name], used)
        dictionary = dictionary.replace(key.name, **described.model_dump(exclude={"name"}))
    treated = data.with_columns(columns, dictionary)
    if not lost.any():
        return treated
    emptied = coded.of_records(lost)
    return treated.suppress({key.name: emptied for key in keys})


def _described(variable: Variable, categories: Categories, tree: Hierarchy, levels: Ints) -> Variable:
    """The variable under the codes of these levels."""
    leaves = set(tree.codes[0])
    seen = zip(categories.codes, categories.kinds, strict=True)
    missing = {code: kind for code, kind in variable.missing.items() if code not in leaves}
    missing |= {code: kind for code, kind in seen if code is not None and kind is not None and code not in leaves}
    values = {}
    for level in levels.tolist():
        for code in tree.codes[level]:
            if code in missing:
                raise DataError("recode-into-missing", variable=variable.name)
            own = variable.values.get(code, code) if level == 0 else code
            values[code] = tree.label(level, code) if tree.label(level, code) != code else own
    values |= {code: label for code, label in variable.values.items() if code in missing}
    labelled = values if any(code != label for code, label in values.items()) else {}
    numeric = variable.level in (Level.DISCRETE, Level.CONTINUOUS)
    level_of = Level.CATEGORICAL if numeric else variable.level
    return changed(variable, values=labelled, missing=missing, missing_ranges=(), level=level_of, format="")
