"""Hierarchies in a plan: written in their section once, named by the steps that use them.

A hierarchy is a list of rows of codes, ``code: group``, a rule (``comunas: {}``), or ``csv: file`` from the plan's
folder. A step may name one, or write one in place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from celosia.core.dictionary import Dictionary
from celosia.core.errors import CelosiaError, PlanError
from celosia.core.hierarchy import Hierarchy
from celosia.core.hierarchy_rules import CsvHierarchy, HierarchyRule, Tree

_TREE: TypeAdapter[Hierarchy | HierarchyRule] = TypeAdapter(Tree)


@dataclass(frozen=True)
class PlanHierarchies:
    """The hierarchies of a plan by name, and how its steps find them."""

    known: Mapping[str, Hierarchy | HierarchyRule]
    dictionary: Dictionary
    path: Path

    @classmethod
    def read(cls, written: Any, dictionary: Dictionary, path: Path) -> PlanHierarchies:
        """From the section of a plan."""
        if not isinstance(written, Mapping):
            raise PlanError("plan-not-mapping", where=path.name, field="hierarchies")
        return cls({name: _read(facts, name, path) for name, facts in written.items()}, dictionary, path)

    def placed(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a step (or of a model in it) with every hierarchy that they name or write."""
        placed = dict(fields)
        for name, value in fields.items():
            if name == "hierarchy" and value is not None:
                placed[name] = self._found(value, name)
            elif name == "hierarchies" and isinstance(value, list):
                placed[name] = {
                    str(variable): self._found(self._of(str(variable)), str(variable)) for variable in value
                }
            elif name == "hierarchies" and isinstance(value, Mapping):
                placed[name] = {variable: self._found(facts, variable) for variable, facts in value.items()}
            elif isinstance(value, list):
                placed[name] = [self.placed(item) if isinstance(item, Mapping) else item for item in value]
        return placed

    def _of(self, variable: str) -> str:
        """The name of a variable's hierarchy: as the dictionary says, else its own."""
        declared = self.dictionary[variable].hierarchy if variable in self.dictionary else None
        return declared or variable

    def _found(self, facts: Any, name: str) -> Any:
        if isinstance(facts, str):
            if facts not in self.known:
                raise PlanError("hierarchy-unnamed", where=self.path.name, hierarchy=facts, known=tuple(self.known))
            return self.known[facts]
        return _read(facts, name, self.path)


def _read(facts: Any, name: str, path: Path) -> Hierarchy | HierarchyRule:
    try:
        if isinstance(facts, Mapping) and isinstance(facts.get("csv"), str):
            return CsvHierarchy(**facts).read(path.parent)
        tree = _TREE.validate_python(facts)
    except ValidationError:
        raise PlanError("hierarchy-form", where=path.name, hierarchy=name) from None
    except CelosiaError as error:
        error.facts.setdefault("where", f"{path.name}: {name}")
        raise
    return tree.model_copy(update={"name": name}) if isinstance(tree, Hierarchy) and not tree.name else tree
