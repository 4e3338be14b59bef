"""Keys that climb their hierarchies: what methods that do so have in common, and how their output is written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl
from pydantic import Field, model_validator

from celosia.core.dictionary import Level, Variable
from celosia.core.errors import DataError, OptionError, RoleError
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_rules import Tree
from celosia.core.method import Method, Promise
from celosia.core.microdata import Microdata
from celosia.core.model import ReadOnly
from celosia.engines.contract import Categories, Ints, Keys
from celosia.methods.group_models import GroupModel
from celosia.methods.kinds import changed, overlay
from celosia.methods.leveled_keys import LeveledKey
from celosia.methods.sample_models import Model
from celosia.verify import SameRecords, Untouched
from celosia.verify.generalised import Ancestors, EmptiedAtMost, SafeOrEmptied

Weight = Annotated[float, Field(gt=0, le=1)]


class ClimbingMethod(Method):
    """Codes of the keys climb until every record has company; a record without it loses all of its keys."""

    one_level: ClassVar[bool] = False
    """Whether all codes of a key are of one level."""

    hierarchies: Annotated[ReadOnly[str, Tree], Field(min_length=1)]
    k: Annotated[int, Field(ge=1)]
    suppression_limit: Annotated[float, Field(ge=0, le=1)] = 0.0
    models: tuple[Model, ...] = ()
    weights: ReadOnly[str, Weight] = Field(default_factory=dict, validate_default=True)

    @model_validator(mode="after")
    def _has_a_goal(self) -> ClimbingMethod:
        if self.k == 1 and not self.models:
            raise OptionError("option-range", option="k", low=2, high="n")
        if unknown := set(self.weights) - set(self.hierarchies):
            raise OptionError("weights-unknown", variables=tuple(sorted(unknown)))
        return self

    @property
    def keys(self) -> tuple[str, ...]:
        """The key variables."""
        return tuple(self.hierarchies)

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive variables of the models, once each."""
        return tuple(dict.fromkeys(model.sensitive for model in self.models if isinstance(model, GroupModel)))

    def trees(self, data: Microdata) -> dict[str, Hierarchy]:
        """The hierarchy of each key, complete; raises where keys, hierarchies and data do not fit each other."""
        data.require(*self.keys, *self.sensitive)
        if both := tuple(name for name in self.sensitive if name in self.hierarchies):
            raise RoleError("sensitive-is-key", variables=both)
        if data.height < self.k:
            raise DataError("fewer-than-k", k=self.k, count=data.height)
        trees = {name: tree.on(data, name) for name, tree in self.hierarchies.items()}
        if flat := [name for name, tree in trees.items() if tree.depth < 2]:
            raise OptionError("hierarchy-one-level", variable=flat[0])
        return trees

    def limit(self, data: Microdata) -> int:
        """The records that may lose their keys."""
        return int(self.suppression_limit * data.height + 1e-9)

    def promises(self, before: Microdata) -> tuple[Promise, ...]:
        """Codes climb or are emptied, few records lose their keys, and nothing else changes."""
        return (
            SameRecords(),
            Untouched(frozenset(self.keys)),
            *(Ancestors(name, tree.rows, self.one_level) for name, tree in self.trees(before).items()),
            EmptiedAtMost(self.keys, self.suppression_limit),
        )

    def lasting(self) -> tuple[Promise, ...]:
        """k and the models, for every record that has its keys."""
        models = [promise for model in self.models for promise in model.promises(self.keys)]
        return (SafeOrEmptied(self.keys, self.k), *models)


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
        tree, categories = hierarchies[key.name], coded.categories[j]
        leaf = np.array([False, *(code in key.leaves for code in categories.codes)])
        columns[key.name] = _written(data.column(key.name), coded, key, j, levels, leaf[coded.digits[:, j]] & ~lost)
        described = _described(data.dictionary[key.name], categories, tree, used)
        dictionary = dictionary.replace(key.name, **described.model_dump(exclude={"name"}))
    treated = data.with_columns(columns, dictionary)
    if not lost.any():
        return treated
    emptied = coded.of_records(lost)
    return treated.suppress({key.name: emptied for key in keys})


def _written(
    values: pl.Series, coded: Keys, key: LeveledKey, j: int, levels: Ints, climbing: npt.NDArray[np.bool_]
) -> pl.Series:
    """The column of a key with the codes of those that climb; other cells stay as they are."""
    places = levels[:, j] * len(key.codes[0]) + coded.digits[:, j]
    seen, place = np.unique(places[climbing], return_inverse=True)
    number = np.full(climbing.size, -1, dtype=np.int64)
    number[climbing] = place
    texts = [code for codes in key.codes for code in codes]
    at = pl.Series(coded.of_records(number))
    return overlay(values, at.set(at < 0, None), [str(texts[i]) for i in seen])


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
